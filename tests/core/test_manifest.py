"""The entry of a test set survives writing and reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.core.manifest import CROSS_DATASET, TestSetEntry
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request

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


# The entries of all suites, from corpora on disk, are tested in suites/test_table.py.
@pytest.mark.parametrize("suite", ["stress-tests", "compositionality", "cs-subsets", "hard-subsets"])
def test_every_entry_of_a_suite_is_written_and_read(
    suite: str, tiny_pairs: Sequence[Example], tiny_problems: Sequence[Example]
) -> None:
    problems = [base_from_examples(tiny_problems)] if suite == "stress-tests" else []
    options = {"hard-subsets": {"model": "builtin/overlap"}} if suite == "hard-subsets" else {}
    built = build_in_memory(suite_request(suite, [base_from_examples(tiny_pairs)], problems, options=options))
    assert len(built)
    for dataset in built:
        assert dataset.entry.name == dataset.name
        assert again(dataset.entry) == dataset.entry
        assert list(dataset.entry.to_json().items()) == list(dataset.manifest.items())


def test_a_manifest_that_is_silent_has_defaults() -> None:
    entry = Dataset("negation.dev", ()).entry
    assert (entry.construction, entry.part, entry.versioned) == ("negation", "dev", "negation")
    assert (entry.base_set, entry.rows, entry.content_hash, entry.signature) == (None, None, None, None)
    assert entry.compares_items
    assert not entry.base_known
    assert not entry.is_base
    assert "base_set" not in entry.to_json()
    assert Dataset("base.dev", ()).entry.is_base
    assert (Dataset("mine", ()).entry.construction, Dataset("mine", ()).entry.part) == ("mine", "")


def test_items_are_compared_unless_labels_change_or_the_entry_says_otherwise() -> None:
    said = [(labels, paired) for labels in (True, False) for paired in (None, True, False)]
    compared = [replace(PLAIN, keeps_label=labels, paired=paired).compares_items for labels, paired in said]
    assert compared == [True, True, False, False, True, False]
