"""Being in the table of suites is being tested: every suite, from data of our own."""

import itertools
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import crossexam as cx
from crossexam.cli.ls import _options
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.dataset import Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.manifest import entry_of, saved_suite_in
from crossexam.core.sealed import MANIFEST
from crossexam.core.test_sets import read_suite
from crossexam.language.lexicons.counts import CountTable
from crossexam.models.chunking import chunking_of
from crossexam.models.model import Pair
from crossexam.models.table import MODELS
from crossexam.runs.folder import run_into_folder
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.plan import SuiteKind, SuiteRequest
from crossexam.suites.table import SUITES, suite_request, with_own_options
from made.cases import for_each
from made.corpora import MADE, tagged_pair, write_records
from made.suites import contents

#: Label, premise and hypothesis, as words with their tags or as a parse.
PAIRS = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data" / "suites" / "pairs.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def _lists_of_pairs(folder: Path, antonym: str) -> tuple[str, ...]:
    names = [folder / f"{antonym.split()[0]}.tsv", folder / "hypernyms.tsv"]
    names[0].write_text(antonym.replace(" ", "\t") + "\n")
    names[1].write_text("dog\tanimal\n")
    return (f"antonym={names[0]}", f"hypernym={names[1]}")


def _more_adjectives(folder: Path) -> str:
    CountTable({("dog", "old"): 1, ("truck", "old"): 1}, "mine").write(folder / "mine.tsv")
    return str(folder / "mine.tsv")


def _another_corpus(folder: Path) -> str:
    return str(write_records(folder / "other.jsonl", [tagged_pair(0, *PAIRS[-1])]))


#: What a suite is built with here where that is not the default.
OPTIONS: dict[str, Any] = {
    "behaviour.pairs": lambda folder: _lists_of_pairs(folder, "old young"),
    "hard-subsets.model": "builtin/overlap",
}
#: Another value of every option, or a function that makes it in the data folder.
CHANGED: dict[str, Any] = {
    **{
        f"{name}.rules": rules
        for rules, names in (
            ("paper", "add_amod behaviour length_mismatch negation so_swap tautology word_overlap"),
            ("released", "antonymy numerical_reasoning"),
            ("released", "spelling_error_mixed_content_word spelling_error_mixed_function_word"),
            ("released", "spelling_error_keyboard_swap spelling_error_adjacent_swap"),
        )
        for name in names.split()
    },
    "antonymy.indirect": True,
    "add_amod.without": "unclear where the phrase begins",
    "antonymy.without": "at times",
    "antonymy.attested_in": _another_corpus,
    "numerical_reasoning.without": "year",
    "so_swap.without": "a symmetric verb",
    "add_amod.both_directions": True,
    "add_amod.adjectives": _more_adjectives,
    "distractor_passage.place": "before",
    "spelling_error_premise.per_sentence": "2",
    "tautology.clause": "up is not down",
    "compositionality.lambdas": (0.5,),
    "compositionality.model": "builtin/overlap",
    "challenge.only": ("conjnli",),
    "cross-dataset.corpora": ("sick",),
    "cross-dataset.split": "validation",
    "cross-dataset.add": ("builtin:demo:two-labels",),
    "cross-dataset.reference": "builtin:demo",
    "cross-dataset.add_one": "straightforward",
    "fact-checking.only": ("aggrefact",),
    "fact-checking.split": "dev",
    "released-stress-tests.tests": ("negation",),
    "behaviour.pairs": lambda folder: _lists_of_pairs(folder, "hot cold"),
    "behaviour.index": _another_corpus,
    "behaviour.controls": 1,
    "cs-subsets.lambdas": "0.4, 0.8",
    "cs-subsets.model": "builtin/overlap",
    "hard-subsets.model": "builtin/alignment",
}


def _options_of(kind: SuiteKind) -> dict[str, Any]:
    """The options that the suite can be built with: its own and those of its constructions."""
    parts = {name: CONSTRUCTIONS[name].options for name in (*kind.constructions, *kind.optional)}
    return {name: each for name, each in {kind.name: kind.options, **parts}.items() if each is not None}


def _set(options: Mapping[str, Any], data: Path) -> dict[str, dict[str, Any]]:
    """Values by option, by suite or construction, from values by ``NAME.OPTION``, or what makes them."""
    found: dict[str, dict[str, Any]] = {}
    for target, value in options.items():
        name, _, option = target.rpartition(".")
        found.setdefault(name, {})[option] = value(data) if callable(value) else value
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder and a cache of our own, and a corpus with parses in it."""
    folder = tmp_path_factory.mktemp("data") / "data"
    shutil.copytree(MADE, folder)
    write_records(folder / "tiny.jsonl", (tagged_pair(n, *pair) for n, pair in enumerate(PAIRS)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CROSSEXAM_DATA", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield folder


@pytest.fixture(scope="module")
def built(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a suite, which is built once and left as it is."""
    folder = tmp_path_factory.mktemp("built")

    @cache
    def build(name: str) -> Path:
        assert build_to_folder(_request(SUITES[name], data), folder / name).written
        return folder / name

    return build


def _request(
    kind: SuiteKind, data: Path, changed: Mapping[str, Any] | None = None, **fields: Any
) -> SuiteRequest:
    options = {target: value for target, value in OPTIONS.items() if target.startswith(f"{kind.name}.")}
    bases = [] if kind.base_option else [base_from_spec(str(data / "tiny.jsonl"))]
    return suite_request(kind.name, bases, options=_set(options | dict(changed or {}), data), **fields)


def test_every_option_of_every_suite_and_construction_is_tested() -> None:
    options = with_own_options().items()
    known = {f"{name}.{each.name}" for name, instance in options for each in fields(instance)}
    assert set(CHANGED) == known
    of_models = {f"{kind.name}.{option}" for kind in MODELS.values() for option in kind.option_names}
    assert {row[0] for row in _options().rows} == known | of_models  # crossexam ls options
    assert not set(SUITES) & set(CONSTRUCTIONS)  # one name, one thing to build


def _no_errors(suite: Suite) -> bool:
    return not any(each.code.startswith("E") for each in cx.check(suite))


def test_memory_folder_and_manifest_say_the_same_and_no_check_finds_an_error(
    data: Path, built: Callable[[str], Path]
) -> None:
    def check(kind: SuiteKind) -> None:
        in_memory, in_folder = build_in_memory(_request(kind, data)), read_suite(built(kind.name))
        assert {each.name: list(each) for each in in_memory} == {each.name: list(each) for each in in_folder}
        assert any(len(each) for each in in_memory)
        for each in in_memory:
            entry = in_folder[each.name].entry
            assert structs.replace(entry, file=None, sha256=None, path=None) == each.entry
            assert (entry.rows, entry.content_hash) == (len(each), each.content_hash())
        assert _no_errors(in_memory)
        manifest = json.loads((built(kind.name) / MANIFEST).read_text())
        assert (manifest["format"], manifest["name"], manifest["paper"]) == (1, kind.name, kind.paper)
        for test_set, stated in manifest["test_sets"].items():
            entry = entry_of(test_set, stated, kind.name)
            assert list(entry.to_json().items()) == list(stated.items())
            assert entry.base_set is None or entry.base_set in manifest["test_sets"]
        if kind.overview is not None:
            rows = kind.overview.rows(saved_suite_in(built(kind.name), hint="").test_sets.values())
            assert [row[0] for row in rows] == list(manifest["test_sets"])
            assert {len(row) for row in rows} == {len(kind.overview.columns)}

    for_each(check, SUITES.values())


#: How a model answers a pair, whose texts have so many letters together, and the options of the run.
ANSWERING: dict[str, tuple[Callable[[int], Any], dict[str, Any]]] = {
    "three labels": (lambda n: [0.4, 0.35, 0.25] if n % 3 else [0.3, 0.1, 0.6], {}),
    "two labels": (lambda n: {"entailment": (n % 6) / 5, "not_entailment": 1 - (n % 6) / 5}, {}),
    "threshold": (lambda n: 0.2 + 0.1 * (n % 6), {"options": {"threshold": 0.35}}),
    "unanswered": (lambda n: "neutral" if n % 3 else {"status": "refused"}, {}),
    "chunks": (lambda n: [0.3, 0.1, 0.6], {"chunking": chunking_of("words:4", None, None)}),
}


def test_what_is_written_is_what_was_scored(
    built: Callable[[str], Path], tmp_path: Path, written_as_scored: Callable[[Path], None]
) -> None:
    def check(name: str, answering: str) -> None:
        suite = read_suite(built(name))
        answer, given = ANSWERING[answering]

        def answers(pairs: Sequence[Pair]) -> list[Any]:
            return [answer(len(premise + hypothesis)) for premise, hypothesis in pairs]

        run_into_folder(answers, suite, tmp_path / name / answering, **given)
        if any(each.entry.has_accuracy for each in suite):
            written_as_scored(tmp_path / name / answering)

    # every suite answered in one of the ways, so that every way answers two suites or three
    for_each(check, list(zip(SUITES, itertools.cycle(ANSWERING))))


ANOTHER = "contains a suite built from different input or options"


def test_it_is_built_once(data: Path, built: Callable[[str], Path], tmp_path: Path) -> None:
    def check(kind: SuiteKind) -> None:
        folder, before = tmp_path / kind.name, contents(built(kind.name))
        shutil.copytree(built(kind.name), folder)
        same, *others = (
            _request(kind, data, **each) for each in ({}, {"file_format": "jsonl"}, {"limit": 2})
        )
        assert not build_to_folder(same, folder).written
        for other in others:
            with pytest.raises(CrossexamError, match=ANOTHER):
                build_to_folder(other, folder)
        assert contents(folder) == before
        for other in (others[0], same):
            assert build_to_folder(other, folder, force=True).written
            assert not build_to_folder(other, folder).written
        assert contents(folder) == before  # two builds give the same bytes, and nothing is left of the others

    for_each(check, SUITES.values())


#: Every option of a construction, in the first suite that uses it.
IN_ONE_SUITE = {
    f"{name}.{each.name}": kind
    for kind in reversed(SUITES.values())
    for name, options in _options_of(kind).items()
    for each in fields(options)
}


def test_another_option_is_another_suite(data: Path, built: Callable[[str], Path], tmp_path: Path) -> None:
    def check(target: str, kind: SuiteKind) -> None:
        other, folder, name = _request(kind, data, {target: CHANGED[target]}), tmp_path / target, kind.name
        with pytest.raises(CrossexamError, match=ANOTHER):
            build_to_folder(other, built(name))
        assert build_to_folder(other, folder).written
        assert not build_to_folder(other, folder).written
        same = {each.name: each.entry.sha256 for each in read_suite(built(name))}
        assert {each.name: each.entry.sha256 for each in read_suite(folder)} != same  # it does something
        assert _no_errors(read_suite(folder))  # a construction keeps its promises with every option

    for_each(check, list(IN_ONE_SUITE.items()))
