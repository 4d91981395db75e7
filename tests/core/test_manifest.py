"""The entry of a test set survives writing and reading."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from crossexam.core.dataset import Dataset
from crossexam.core.manifest import CROSS_DATASET, TestSetEntry

PLAIN = TestSetEntry("negation", "dev")

#: A value other than the default for every field; a new field needs one here.
CHANGED: dict[str, Any] = {
    "construction": "base",
    "part": "test",
    "version": 3,
    "file": "negation.dev.parquet",
    "base_set": "base.dev",
    "keeps_label": False,
    "paired": True,
    "test_class": "noise",
    "rows": 7,
    "content_hash": "0123456789abcdef",
    "sha256": "0123abcd",
    "signature": "corpus:snli:dev",
    "yields": {"examples": 9, "items": 7, "rejected": {"too short": 2}},
    "projection": "two labels",
    "base_known": False,
    "rules": "released",
    "facts": {CROSS_DATASET: {"key": "sick"}, "path": "/there"},
}


def again(entry: TestSetEntry) -> TestSetEntry:
    return TestSetEntry.from_json(entry.name, entry.to_json())


def test_the_fields_are_written_and_read_one_by_one_and_together() -> None:
    assert again(PLAIN) == PLAIN
    single = {each.name: replace(PLAIN, **{each.name: CHANGED[each.name]}) for each in fields(TestSetEntry)}
    assert {name: again(entry) for name, entry in single.items()} == single
    assert PLAIN not in single.values()
    entry = replace(PLAIN, **{**CHANGED, "base_known": True})
    assert again(entry) == entry
    assert list(again(entry).to_json()) == list(entry.to_json())
    silent = Dataset("negation.dev", ()).entry
    assert (silent.construction, silent.part, silent.rows) == ("negation", "dev", None)


def test_items_are_compared_unless_labels_change_or_the_entry_says_otherwise() -> None:
    said = [(labels, paired) for labels in (True, False) for paired in (None, True, False)]
    compared = [replace(PLAIN, keeps_label=labels, paired=paired).compares_items for labels, paired in said]
    assert compared == [True, True, False, False, True, False]
