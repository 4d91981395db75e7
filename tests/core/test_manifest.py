"""The entry of a test set survives writing and reading; what we do not write is refused by its field."""

import json
from pathlib import Path
from typing import Any

from msgspec.structs import fields, replace

from crossexam.core.errors import FormatError
from crossexam.core.manifest import CROSS_DATASET, FileRecord, TestSetEntry, entry_of
from crossexam.core.sealed import MANIFEST, read_manifest, write_manifest
from crossexam.core.test_sets import read_suite
from made.cases import refused
from made.suites import BASE, write_suite

PLAIN = TestSetEntry(versioned="negation", part="dev")

#: A value other than the default for every field; a new field needs one here.
CHANGED: dict[str, Any] = {
    "file": "negation.dev.parquet",
    "versioned": "base.v3",
    "part": "test",
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
    "facts": {CROSS_DATASET: {"key": "sick"}},
    "verdict": {"study": "0123abcd", "verified": 2},
    "next": [FileRecord("4567abcd", "0123456789abcdef", None)],
    "unverified": True,
    "spec": "snli:dev",
    "counts": {"read": 9, "no_gold": 2},
    "path": "/there",
}


def again(entry: TestSetEntry) -> TestSetEntry:
    return entry_of(entry.name, json.loads(json.dumps(entry.to_json())), "here")


def test_the_fields_are_written_and_read_one_by_one_and_together() -> None:
    for each in fields(TestSetEntry):
        entry = replace(PLAIN, **{each.name: CHANGED[each.name]})
        assert again(entry) == entry != PLAIN
    entry = replace(PLAIN, **CHANGED)
    assert again(entry) == entry
    assert list(again(entry).to_json()) == list(entry.to_json())


def test_a_construction_has_a_name_rules_and_a_version() -> None:
    entry = replace(PLAIN, versioned="antonymy_released.v12")
    assert (entry.construction, entry.rules, entry.made_by) == ("antonymy", "released", "antonymy_released")
    assert replace(PLAIN, versioned="a.b.v2").made_by == "a.b"


def test_items_are_compared_unless_labels_change_or_the_entry_says_otherwise() -> None:
    said = [(labels, paired) for labels in (True, False) for paired in (None, True, False)]
    compared = [replace(PLAIN, keeps_label=labels, paired=paired).compares_items for labels, paired in said]
    assert compared == [True, True, False, False, True, False]


def test_a_manifest_that_no_version_of_ours_writes_is_refused_by_its_field(tmp_path: Path) -> None:
    path = write_suite(tmp_path / "suite", BASE) / MANIFEST
    good = read_manifest(path)
    entry = good["test_sets"][BASE.name]
    changes: list[tuple[dict[str, Any], str]] = [
        ({"signature": None}, "Expected `str`, got `null` - at `$.signature`"),
        ({"test_sets": {BASE.name: {**entry, "rows": "3"}}}, "got `str` - at `$.rows`"),
        ({"test_sets": {BASE.name: {**entry, "file": None}}}, "names no file"),
    ]
    for change, message in changes:
        write_manifest(path, {**good, **change})  # with a checksum that is right
        said = refused(FormatError, read_suite, path.parent)
        assert said.startswith(str(path))
        assert message in said
