"""The stress tests that Naik et al. released, their pairs in MultiNLI, and the suite."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import crossexam as cx
from crossexam.corpora.catalog import catalog
from crossexam.evaluation.measures import measure
from crossexam.suites.released_tests import CORPUS, TESTS
from made.cases import refused
from made.corpora import write_records

TAUTOLOGY = " and true is true"
#: Two pairs share a premise and a label, and one hypothesis has two sentences.
DEV: Sequence[tuple[str, str, str, str]] = (
    ("1e", "The ferry left  at dawn with forty passengers.", "A ferry left in the morning.", "entailment"),
    ("1n", "The ferry left  at dawn with forty passengers.", "The ferry went to the island.", "neutral"),
    ("1m", "The ferry left  at dawn with forty passengers.", "The passengers were tired.", "neutral"),
    ("2c", "Our cheap hotel was near the station.", "It was far away. We walked on.", "contradiction"),
)


def record(first: str, second: str, label: str, **more: object) -> dict[str, Any]:
    return {"sentence1": first, "sentence2": second, "gold_label": label, "genre": "travel", **more}


def distracted(text: str) -> str:
    """The text as the authors' script leaves it: the clause before the first stop, and nothing after it."""
    parts = re.compile(r"([.!?][\s]*)").split(text)
    return parts[0] + TAUTOLOGY + parts[1]


ITEMS: Mapping[str, Sequence[dict[str, Any]]] = {
    "word_overlap_matched": [record(p, distracted(h), label, pairID=f"0.9 {i}") for i, p, h, label in DEV],
    "length_mismatch_matched": [record(p + TAUTOLOGY * 5, h, label) for _, p, h, label in DEV],
    "content_word_matched": [
        record(DEV[1][1], "The ferry went to the ilsand.", "neutral"),
        record("A sentence that MultiNLI lacks.", "A sentense.", "neutral"),
        record(DEV[1][1], "The ferry went to the ilsand.", "contradiction"),  # no pair has this label
    ],
    "antonymy_matched": [
        record(DEV[3][1], DEV[3][1].replace("cheap", "expensive"), "contradiction"),
        record(DEV[0][2].replace("morning", "evening"), DEV[0][2], "contradiction"),
    ],
    "numerical_reasoning": [
        record("Ann has 5 apples.", "Ann has less than 8 apples.", "entailment"),
        record("Ann has 5 apples.", "Ann has 3 apples.", "contradiction"),
        record("Ann has less than 8 apples.", "Ann has 5 apples.", "neutral"),
    ],
}


@pytest.fixture
def data(data: Path) -> Path:
    """A data folder with MultiNLI's dev set and some of the authors' files."""
    dev = [record(p, h, label, pairID=i, promptID=i[0]) for i, p, h, label in DEV]
    write_records(data / "multinli" / "multinli_1.0_dev_matched.jsonl", dev)
    for split, items in ITEMS.items():
        write_records(data / CORPUS / catalog()[CORPUS].splits[split].files[0], items)
    return data


def test_items_are_those_of_the_authors_and_their_pairs_are_found_by_the_text(data: Path) -> None:
    suite = cx.build("released-stress-tests")
    part, made = "multinli_dev_matched", {test.file: test.name for test in TESTS}
    for split, records in ITEMS.items():
        name = made[split.removesuffix("_matched")]
        found = next(each for key, each in suite.datasets.items() if key.startswith(name))
        texts = [(item.premise, item.hypothesis, item.label) for item in found]
        assert texts == [(r["sentence1"], r["sentence2"], r["gold_label"]) for r in records]
    assert [each for each in cx.check(suite) if each.code.startswith("E")] == []
    for name in ("word_overlap_authors", "length_mismatch_authors"):
        assert [item.base for item in suite[f"{name}.{part}"]] == [pair for pair, *_ in DEV]
    known, unknown, other = suite[f"spelling_error_mixed_content_word_authors.{part}"]
    assert (known.base, unknown.base, other.base) == ("1n", None, None)
    assert [(edit.old, edit.new) for edit in known.change.edits] == [("sl", "ls")]
    assert known.info["cluster"] == "1" != unknown.info["cluster"]
    first, second = suite[f"antonymy_authors.{part}"]
    assert (first.base, first.change.source, first.change.edits[0].side) == ("2c", "premise", "hypothesis")
    assert (second.base, second.change.target, second.change.edits[0].side) == ("1e", "hypothesis", "premise")


def test_drops_are_measured_against_multinli_if_it_is_there(data: Path) -> None:
    run = cx.run("builtin/neutral", cx.build("released-stress-tests", "word_overlap"))
    (result,) = (each for each in measure(run) if each.name.startswith("word_overlap"))
    assert (result.drop.value, result.drop.n) == (0.0, 4)
    (data / "multinli" / "multinli_1.0_dev_matched.jsonl").unlink()
    (dataset,) = cx.build("released-stress-tests", "word_overlap").datasets.values()
    assert dataset.entry.base_set is None
    assert {item.base for item in dataset} == {None}


def test_what_is_not_installed_is_refused(data: Path) -> None:
    assert "not installed: negation" in refused(cx.build, "released-stress-tests", "negation")
