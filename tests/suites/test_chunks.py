"""Several processes: the same files, byte for byte, or one clear error and none at all."""

import itertools
import multiprocessing
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crossexam as cx
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.engines.local import Processes
from crossexam.options.engines import engine_of
from crossexam.options.groups import Where
from crossexam.suites.bases import Base, base_from_examples, base_from_spec
from crossexam.suites.behaviour import plan_behaviour
from crossexam.suites.build import WORTHWHILE, build_to_folder
from crossexam.suites.constructed import plan_constructed
from crossexam.suites.table import SUITES, suite_request
from made.cases import for_each, refused
from made.suites import contents


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a small base have several chunks, whose boundaries the files do not show."""
    monkeypatch.setattr("crossexam.suites.chunks.CHUNK", 60)


def built(folder: Path, suite: str, engine: Engine, base: Base, **how: Any) -> dict[str, bytes]:
    problems = [base_from_spec("builtin:word_problems")] if suite == "stress-tests" else []
    build_to_folder(suite_request(suite, [base], problems, engine=engine, **how), folder)
    return contents(folder)


@pytest.mark.slow
def test_the_files_do_not_depend_on_the_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(suite: str, workers: int, how: Mapping[str, Any]) -> None:
        folder, base = tmp_path / f"{suite}{how}", base_from_spec("builtin:demo", limit=200)
        alone = built(folder / "alone", suite, InThisProcess(), base, **how)
        assert built(folder / "several", suite, Processes(workers), base, **how) == alone
        with monkeypatch.context() as patch:
            patch.setattr("crossexam.suites.chunks.CHUNK", 1000)
            assert built(folder / "whole", suite, InThisProcess(), base, **how) == alone

    for_each(
        check,
        [
            ("stress-tests", 2, {}),
            ("negation", 3, {"file_format": "jsonl"}),
            ("compositionality", 2, {"options": {"tautology": {"clause": "green is not red"}}}),
            ("documents", 2, {"seed": 7}),
            ("antonymy", 2, {"per_key": 1}),
            ("behaviour", 2, {}),
            ("behaviour", 2, {"per_key": 1, "options": {"behaviour": {"controls": 9, "rules": "paper"}}}),
        ],
    )


def test_repeated_sentences_are_counted_in_order(
    tiny_corpus: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crossexam.suites.chunks.CHUNK", 2)
    untagged = [Example(f"u{k}", f"A young dog saw {k} men.", "Rain.", "neutral") for k in range(5)]
    again = [replace(each, id=f"a{each.id}") for each in tiny_corpus]
    base = base_from_examples([*tiny_corpus, *untagged, *again])
    alone = built(tmp_path / "alone", "antonymy", InThisProcess(), base)
    assert built(tmp_path / "several", "antonymy", Processes(2), base) == alone
    antonymy = cx.load_suite(tmp_path / "several")["antonymy.examples"].entry
    assert {"builtin-perceptron", "corpus-parses"} <= {*re.findall("[a-z]+-[a-z]+", antonymy.signature or "")}
    assert (antonymy.yields or {})["rejected"]["sentence met before"] >= 2 * len(tiny_corpus)


def test_a_killed_process_leaves_no_suite(tmp_path: Path, tiny_corpus: list[Example]) -> None:
    def examples() -> Iterator[Example]:
        endless = (replace(each, id=f"{n}{each.id}") for n in itertools.count() for each in tiny_corpus)
        yield from itertools.islice(endless, 8 * 60)
        for child in multiprocessing.active_children():
            child.kill()
        yield from itertools.islice(endless, 60)

    base = replace(base_from_spec("builtin:demo"), open=examples)
    with pytest.raises(CrossexamError, match="a worker process was killed"):
        built(tmp_path / "suite", "negation", Processes(2), base)
    assert not (tmp_path / "suite").exists()
    assert multiprocessing.active_children() == []


def test_workers_are_refused_where_they_would_do_nothing() -> None:
    for kind in SUITES.values():
        assert kind.in_one_process == (kind.plan not in {plan_constructed, plan_behaviour})
    said = refused(suite_request, "challenge", engine=engine_of(Where(workers=3)))
    assert said.startswith("--workers: the suite 'challenge' is built by one process, not by 3")
    for where in (Where(workers=1), Where(workers="auto"), Where()):
        suite_request("challenge", engine=engine_of(where, usual="auto", worthwhile=WORTHWHILE))
