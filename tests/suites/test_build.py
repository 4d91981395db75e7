"""A suite is finished or absent, and says what it is made of."""

import contextlib
import itertools
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.files import write_json
from crossexam.core.locks import alone_in
from crossexam.core.test_sets import read_suite, write_test_set
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.folder import UNFINISHED
from crossexam.suites.plan import SuiteRequest
from crossexam.suites.table import suite_named, suite_request
from made.cases import refused
from made.suites import contents


@pytest.fixture
def request_of(tiny_corpus: list[Example], tiny_problems: list[Example]) -> SuiteRequest:
    base = base_from_examples(Dataset("tiny", tiny_corpus))
    problems = base_from_examples(Dataset("sums", tiny_problems))
    return suite_request("stress-tests", [base], [problems], tagger="parses")


def test_the_suite_has_its_test_sets_and_signatures_say_what_these_depend_on(
    request_of: SuiteRequest,
) -> None:
    suite = build_in_memory(request_of)
    of_pairs = [name for name in suite_named("stress-tests").constructions if name != "numerical_reasoning"]
    names = [f"{name}.tiny" for name in ("base", *of_pairs)]
    assert list(suite.datasets) == [*names, "numerical_reasoning.sums"]
    antonymy = suite["antonymy.tiny"].manifest["signature"]
    for said in ("construction:antonymy.v4|tagger:corpus", "wordnet:wordnet-3.0", "|seed:0|version:"):
        assert said in antonymy
    assert "tagger" not in suite["negation.tiny"].manifest["signature"]


def test_what_no_test_set_uses_makes_no_other_suite(request_of: SuiteRequest, tmp_path: Path) -> None:
    for suite, other, said in (
        ("word_shuffle", {"seed": 1}, "--seed: 0 there, 1"),
        ("negation", {"tagger": "builtin", "recognizer": "lists", "parser": "parses"}, ""),
    ):
        request = suite_request(suite, request_of.bases, tagger="parses")
        build_to_folder(request, tmp_path / suite)
        with pytest.raises(CrossexamError, match=said) if said else contextlib.nullcontext():
            assert not build_to_folder(replace(request, **other), tmp_path / suite).written


def test_a_damaged_file_outside_of_its_suite_is_an_error_or_has_the_same_items(tmp_path: Path) -> None:
    items = [Example(f"i{n}", f"Premise {n}.", f"Hypothesis {n}.", "neutral") for n in range(30)]
    write_test_set(alone := tmp_path / "base.examples.parquet", items)

    def texts() -> list[tuple[str, str, str, str | None]]:
        """Return what the content hash depends on."""
        examples = read_suite(alone)["base.examples"].examples
        return [(each.id, each.premise, each.hypothesis, each.label) for each in examples]

    whole, expected = alone.read_bytes(), texts()
    assert len(expected) == 30
    for place in range(4, 2_000, 97):
        data = bytearray(whole)
        data[place % len(data)] ^= 0xFF
        alone.write_bytes(bytes(data))
        with contextlib.suppress(FormatError):
            assert texts() == expected, place


def test_only_the_files_of_an_unfinished_build_are_removed(request_of: SuiteRequest, tmp_path: Path) -> None:
    """The list of them may be that of another command, may be damaged, or may name files elsewhere."""
    folder, mine = tmp_path / "suite", tmp_path / "mine.parquet"
    (folder / "splits").mkdir(parents=True)
    ours, half = folder / "other.parquet", folder / "splits" / ".a.json.k1ll3d00.part"
    for path in (mine, ours, half, folder / "data.parquet"):
        path.write_text("dear")
    files = ["other.parquet", "absent.parquet", "splits/a.json", "../mine.parquet", 7]
    write_json(folder / UNFINISHED, {"files": files})
    with pytest.raises(CrossexamError, match="is not empty"):
        build_to_folder(request_of, folder)
    assert [path.name for path in folder.iterdir()] == ["data.parquet"]
    assert mine.exists()
    (folder / "data.parquet").unlink()
    (folder / UNFINISHED).write_text("{")
    assert build_to_folder(request_of, folder).written
    assert not (folder / UNFINISHED).exists()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files cannot be counted")
@pytest.mark.parametrize("file_format", ["parquet", "jsonl"])
def test_few_files_are_open_at_once(file_format: str, tmp_path: Path) -> None:
    """A suite may have more test sets than a process may have open files, often 1,024."""
    examples = (Example("1", "It rains.", "It is wet.", "neutral"),)
    bases = [base_from_examples(Dataset(f"base{n}", examples)) for n in range(20)]
    opened = []

    def count(*_: object) -> None:
        opened.append(len(os.listdir("/dev/fd")))  # noqa: PTH208

    count()
    request = suite_request("negation", bases, file_format=file_format)
    build_to_folder(request, tmp_path / "suite", progress=count)
    assert len(list((tmp_path / "suite").glob(f"*.{file_format}"))) == 40
    assert max(opened) <= opened[0] + 5


def test_one_process_at_a_time_builds_into_a_folder(request_of: SuiteRequest, tmp_path: Path) -> None:
    with alone_in(tmp_path / "suite", CrossexamError("in use")):
        said = refused(build_to_folder, request_of, tmp_path / "suite")
    assert "another process is building into this folder" in said
    assert not list(tmp_path.glob("suite/.*"))


def test_replacing_a_suite_can_be_interrupted_anywhere(
    request_of: SuiteRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite that has lost some of its files has no manifest any more, and is built again."""
    folder, unlink, rename = tmp_path / "suite", Path.unlink, Path.replace
    build_to_folder(request_of, folder)
    whole = contents(folder)

    def interrupted_before(last: int) -> bool:
        """Whether the build has removed or renamed so many files, and was interrupted before one more."""
        changed = itertools.count()

        def interrupt(path: Path) -> None:
            if path.suffix in {".json", ".parquet", ".part"} and next(changed) == last:
                raise KeyboardInterrupt

        def killed_removing(path: Path, **named: Any) -> None:
            interrupt(path)
            unlink(path, **named)

        def killed_renaming(path: Path, target: Path) -> None:
            interrupt(path)
            rename(path, target)

        with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            patch.setattr(Path, "unlink", killed_removing)
            patch.setattr(Path, "replace", killed_renaming)
            build_to_folder(request_of, folder, force=True)
        return next(changed) > last

    for last in itertools.count(step=2):
        interrupted = interrupted_before(last)
        build_to_folder(request_of, folder)
        assert contents(folder) == whole
        if not interrupted:
            break
    assert last > len(whole)
