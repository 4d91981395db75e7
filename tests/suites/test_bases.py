"""Bases of several corpora, ``A+B``: one part, the examples of all, and what cannot be joined."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import crossexam as cx
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import ENTAILMENT_OR_NOT
from crossexam.suites.bases import base_from_examples, base_from_spec
from made.cases import refused

PAIR = "A man sleeps.,A man rests.,entailment\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in {
        "one": PAIR + "It rains.,It is wet.,neutral\n",
        "two": PAIR,
        "binary": "It rains.,It is dry.,not_entailment\n",
        "empty": "It rains.,It is dry.,-\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text("premise,hypothesis,label\n" + rows)
    return tmp_path


def test_a_union_is_one_base_of_the_examples_of_all(folder: Path) -> None:
    base = base_from_spec("one.csv+two.csv")
    first, second = base_from_spec("one.csv"), base_from_spec("two.csv")
    texts = [each.hypothesis for each in base.open()]
    assert texts == ["A man rests.", "It is wet.", "A man rests."]
    ids = [each.id for each in base.open()]
    assert ids == [*(each.id for each in first.open()), f"{ids[0]}~2"]
    assert (base.part, base.spec) == ("one_two", "one.csv+two.csv")
    assert base.identity == f"{first.identity}+{second.identity}"
    # a limit counts over all corpora
    assert len(list(base_from_spec("two.csv+one.csv", limit=2).open())) == 2
    assert len(list(base_from_spec("builtin:demo[2:9:3]+two.csv", limit=9).open())) == 4


def test_what_cannot_be_joined(folder: Path) -> None:
    for spec, said in {
        "one.csv+two.csv@0.5": "no epochs to draw a share for",
        "one.csv+binary.csv": "the labels mix not_entailment with neutral",
        "one.csv+empty.csv": "one.csv+empty.csv: empty.csv gives no examples",
        "snli@one.csv+scitail@binary.csv": "the corpora have different labels",
    }.items():
        assert said in refused(cx.build, "corpus", spec)


def test_a_limit_counts_labelled_examples_and_labels_are_those_of_the_slice(folder: Path) -> None:
    rows = ("a.,b.,entailment", "c.,d.,-", "e.,f.,neutral", "g.,h.,-")
    (folder / "gaps.csv").write_text("\n".join(["premise,hypothesis,label", *rows]) + "\n")
    for limit, read in enumerate(([], ["a."], ["a.", "c.", "e."], ["a.", "c.", "e.", "g."])):
        base = base_from_spec("gaps.csv", limit=limit)
        assert [each.premise for each in base.open()] == ["a.", "e."][:limit]
        assert [each.premise for each in base.open_all()] == read
    for part, limit in (("[::9]", None), ("[5:9]", None), ("[::10]", 7)):
        base = base_from_spec(f"builtin:demo{part}", limit=limit)
        labels = Counter(each.label for each in base.open())
        assert base.report.taken == labels
    ordered = sorted(cx.load("builtin:demo").examples, key=lambda each: str(each.label))
    two = [replace(each, label=ENTAILMENT_OR_NOT.gold(each.label)) for each in ordered]
    assert base_from_examples(two, limit=5).projection is ENTAILMENT_OR_NOT  # though the first are entailed
    with pytest.raises(CrossexamError, match="the base 'examples' has no examples"):
        base_from_examples([])
