"""Every check finds what it is for, and nothing in a sound set."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.check import CHECKS, run_checks
from crossexam.core.dataset import Dataset
from crossexam.core.example import Change, Edit, Example, Side
from crossexam.core.labels import Label
from crossexam.core.test_sets import read_test_set, write_test_set
from made.cases import for_each, refused

HOT, COLD = "The soup is hot.", "The soup is cold."
BASE = Dataset(
    "base", [Example("a", HOT, "It steams.", "neutral"), Example("b", "It rains.", "It pours.", "entailment")]
)
SWAP = Edit("hypothesis", 12, 15, "hot", "cold")
END = Edit("hypothesis", 9, 9, "", " and true is true")


def antonym(edits: Sequence[Edit] = (SWAP,), **changes: Any) -> Example:
    change = Change("antonymy.v1", "premise", "premise", tuple(edits))
    return replace(Example("antonymy:a", HOT, COLD, "contradiction", "a", change), **changes)


def overlap(edits: Sequence[Edit] = (END,), **changes: Any) -> Example:
    change = Change("word_overlap.v1", "premise", "hypothesis", tuple(edits))
    item = Example("word_overlap:a", HOT, "It steams and true is true.", "neutral", "a", change)
    return replace(item, **changes)


def unknown() -> Example:
    change = Change("shout.v1", "premise", "hypothesis", (Edit("hypothesis", 0, 2, "It", "IT"),))
    return Example("shout:a", HOT, "IT steams.", "neutral", "a", change)


def swap(label: Label, side: Side) -> Example:
    """An item of the set in which the pair is exchanged on both sides."""
    edit = Edit(side, 12, 15, "hot", "cold") if side == "premise" else Edit(side, 3, 9, "steams", "pours")
    texts = (COLD, "It steams.") if side == "premise" else (HOT, "It pours.")
    return Example("i_ta2:a", *texts, label, "a", Change("i_ta2.v1", "premise", "hypothesis", (edit,)))


def plain(
    premise: str = "p", hypothesis: str = "h", label: Label | None = "neutral", name: str = "1"
) -> Example:
    return Example(name, premise, hypothesis, label)


# fmt: off
FOUND: list[tuple[str, list[Example], list[tuple[str, str]]]] = [
    ("E101", [antonym(hypothesis="The soup is lukewarm.")],
             [("antonymy:a", "an edit is not where the record says")]),
    ("E101", [antonym(premise="This soup is hot.")],
             [("antonymy:a", "both sides start from one sentence, but undoing the edits gives two")]),
    ("E102", [overlap(premise="The soup is there.")], [("word_overlap:a", "premise")]),
    ("E102", [overlap(hypothesis="It smells and true is true.")], [("word_overlap:a", "hypothesis")]),
    ("E103", [overlap(hypothesis="It steams.", edits=[])], [("word_overlap:a", "")]),
    ("E104", [overlap(hypothesis="It steams.", edits=[])], [("word_overlap:a", "identical to its base")]),
    ("E104", [antonym(hypothesis=HOT, edits=[])], [("antonymy:a", "premise and hypothesis are identical")]),
    ("E105", [overlap([END, Edit("premise", 12, 15, "hot", "cold")], premise="The soup is cold.")],
             [("word_overlap:a", "premise")]),
    ("E105", [swap("neutral", "premise")], [("i_ta2:a", "premise")]),
    ("E201", [antonym(label="neutral")], [("antonymy:a", "neutral, allowed: contradiction")]),
    ("E202", [overlap(label="entailment")], [("word_overlap:a", "neutral became entailment")]),
    ("E301", [plain(), plain("q"), plain("r", name="2")], [("1", "2 times")]),
    ("E302", [antonym(), antonym(id="antonymy:b")], [("antonymy:b", "as antonymy:a")]),
    ("E401", [plain(" ", "")], [("1", "premise"), ("1", "hypothesis")]),
    ("W203", [plain(label=None), plain("q", name="2")], [("1", "")]),
    ("W204", [plain(str(n), name=str(n)) for n in range(11)], [("(set)", "neutral: 11 of 11")]),
    ("W303", [plain(name="1"), plain(name="2"), plain(name="3"), plain("q", name="4")],
             [("(set)", "2 of 4 items")]),
    ("W402", [plain("p", "bell\x07")], [("1", r"hypothesis: '\x07'")]),
    ("W402", [plain("caf" + "\u00e9".encode().decode("latin-1"))], [("1", "premise")]),
    ("W501", [], [("(set)", "")]),
    ("W601", [unknown()], [("(set)", "shout.v1")]),
]
# fmt: on


def test_it_finds_what_it_is_for() -> None:
    def check(code: str, items: list[Example], expected: list[tuple[str, str]]) -> None:
        found = [each for each in run_checks(Dataset("set", items), BASE) if each.code == code]
        assert [(each.item, each.detail) for each in found] == expected
        assert {each.message for each in found} == {CHECKS[code].__doc__}

    for_each(check, FOUND)
    assert {code for code, _, _ in FOUND} == set(CHECKS)


def test_it_finds_nothing_in_a_sound_set() -> None:
    def check(items: list[Example]) -> None:
        same_base = all(item.premise == HOT for item in items)
        assert run_checks(Dataset("sound", items), BASE if same_base else None) == []

    nine_tenths = [plain(str(n), "h", "neutral" if n else "entailment", str(n)) for n in range(10)]
    accents = [plain("a\tb\r\nc", "café’s")]
    may_be_edited = [swap("neutral", "hypothesis")]
    for_each(check, [([antonym(), overlap()],), (nine_tenths,), (accents,), (may_be_edited,)])


def test_what_is_not_known_is_held_to_no_rule_but_a_foreign_base() -> None:
    unlabelled = [antonym(label=None), plain("p", label=None)]
    assert {each.code for each in run_checks(Dataset("set", unlabelled))} == {"W203"}
    items = [overlap(premise="The soup is there.", label="entailment")]
    assert run_checks(Dataset("set", items)) == []  # without the base
    change = Change("mine.v1", "premise", "premise", (SWAP, Edit("premise", 4, 8, "soup", "stew")))
    item = Example("mine:a", "The stew is hot.", COLD, "entailment", "a", change)
    found = run_checks(Dataset("set", [item]), BASE)
    assert [(each.code, each.detail) for each in found] == [("W601", "mine.v1")]
    other = Dataset("other", [Example("z", "p", "h", "neutral")])
    said = refused(run_checks, Dataset("set", [antonym()]), other)
    assert "none of the items of 'set' is derived from the base 'other'" in said


def test_a_part_of_the_items_at_a_time_gives_the_same_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [antonym(id=f"antonymy:{n % 5}", base=f"b{n % 6}") for n in range(9)]
    expected = run_checks(Dataset("set", items))
    assert len({finding.code for finding in expected}) > 1
    monkeypatch.setattr("crossexam.constructions.check.ROWS_AT_ONCE", 2)
    write_test_set(tmp_path / "set.parquet", items)
    assert run_checks(read_test_set(tmp_path / "set.parquet")) == expected
