"""A suite is read as its manifest says; whatever was changed is an error, however it is found out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from crossexam.api import build
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.manifest import NEXT_SHA256
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.core.stored.examples import ParquetRows, StoredExamples
from crossexam.core.test_sets import read_suite, write_test_set

ITEMS = [Example(f"i{n}", f"Premise {n}.", f"Hypothesis {n}.", "neutral", info={"n": n}) for n in range(30)]
NAME = "base.examples"


CHANGED = "its SHA-256 is not that of the manifest"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite of one test set."""
    build("corpus", ITEMS, folder=tmp_path / "suite")
    return tmp_path / "suite"


def forget_sha256(folder: Path) -> None:
    """Make the suite one of an earlier version, which did not record the hash of files."""
    manifest = read_manifest(folder / "manifest.json")
    del manifest["test_sets"][NAME]["sha256"]
    (folder / "manifest.json").write_text(json.dumps(manifest))


def file_of(folder: Path) -> Path:
    return folder / f"{NAME}.parquet"


def texts(examples: Sequence[Example]) -> list[tuple[str, str, str, str | None]]:
    """Return what the content hash depends on."""
    return [(each.id, each.premise, each.hypothesis, each.label) for each in examples]


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(bytes(data))


def test_the_manifest_has_the_hash_of_each_file(folder: Path) -> None:
    entry = read_suite(folder)[NAME].entry
    assert entry.sha256 == sha256_of(file_of(folder))


def test_a_file_that_is_as_it_was_written_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("rows were read")

    monkeypatch.setattr(ParquetRows, "read", read)
    assert len(read_suite(folder)[NAME]) == len(read_suite(file_of(folder))[NAME]) == 30
    forget_sha256(folder)
    with pytest.raises(AssertionError, match="rows were read"):
        read_suite(folder)


@pytest.mark.parametrize("recorded", [True, False], ids=["with SHA-256", "without"])
class TestChanges:
    @pytest.fixture(autouse=True)
    def _recorded(self, recorded: bool, folder: Path) -> None:
        if not recorded:
            forget_sha256(folder)

    def test_nothing_changed(self, folder: Path) -> None:
        suite = read_suite(folder)
        assert texts(suite[NAME].examples) == texts(ITEMS)
        assert isinstance(suite[NAME].examples, StoredExamples)

    @pytest.mark.parametrize("place", range(4, 2_000, 97))
    def test_a_damaged_file_is_an_error_or_has_the_same_items(self, folder: Path, place: int) -> None:
        flip(file_of(folder), place % file_of(folder).stat().st_size)
        try:
            found = texts(read_suite(folder)[NAME].examples)
        except FormatError:
            return
        assert found == texts(ITEMS)

    def test_a_truncated_file_is_an_error(self, folder: Path, recorded: bool) -> None:
        file_of(folder).write_bytes(file_of(folder).read_bytes()[:-20])
        with pytest.raises(
            FormatError,
            match=CHANGED if recorded else r"examples\.parquet: the Parquet file is damaged",
        ):
            read_suite(folder)

    @pytest.mark.parametrize(
        "change",
        [{"premise": "Another."}, {"id": "other"}, {"label": "entailment"}, {"hypothesis": ""}],
        ids=str,
    )
    def test_changed_items_are_an_error(self, folder: Path, recorded: bool, change: dict[str, str]) -> None:
        write_test_set(file_of(folder), [*ITEMS[:-1], replace(ITEMS[-1], **change)])  # type: ignore[arg-type]
        said = r"the content hash does not match the manifest \(\w+, not \w+\)"
        with pytest.raises(FormatError, match=CHANGED if recorded else said):
            read_suite(folder)

    def test_missing_items_are_an_error(self, folder: Path, recorded: bool) -> None:
        write_test_set(file_of(folder), ITEMS[:-1])
        said = "the content hash does not match the manifest"
        with pytest.raises(FormatError, match=CHANGED if recorded else said):
            read_suite(folder)

    def test_the_same_items_written_otherwise_are_accepted_without_sha256(
        self, folder: Path, recorded: bool
    ) -> None:
        pq.write_table(pq.read_table(file_of(folder)), file_of(folder), compression="none", row_group_size=7)
        if recorded:
            with pytest.raises(FormatError, match=CHANGED):
                read_suite(folder)
            return
        assert texts(read_suite(folder)[NAME].examples) == texts(ITEMS)

    def test_malformed_rows_are_named(self, folder: Path, recorded: bool) -> None:
        table = pq.read_table(file_of(folder))
        infos = ["[1]" if row == 11 else text for row, text in enumerate(table["info"].to_pylist())]
        place = table.schema.get_field_index("info")
        pq.write_table(table.set_column(place, table.schema.field(place), [infos]), file_of(folder))
        said = r"row 11: malformed row: field 'info' is not a JSON object"
        with pytest.raises(FormatError, match=CHANGED if recorded else said):
            read_suite(folder)

    def test_relabelled_items_are_read_as_such(self, folder: Path, recorded: bool) -> None:
        judged = replace(ITEMS[3], label="entailment", info={"n": 3, "generated_label": "neutral"})
        write_test_set(file_of(folder), [*ITEMS[:3], judged, *ITEMS[4:]])
        if recorded:  # announced, as `validate apply` does
            manifest = read_manifest(folder / "manifest.json")
            manifest["test_sets"][NAME][NEXT_SHA256] = [sha256_of(file_of(folder))]
            write_manifest(folder / "manifest.json", manifest)
        found = read_suite(folder)[NAME]
        assert found.examples[3].label == "entailment"
        assert str(found.entry.signature).endswith("|labels:judges")
        assert found.entry.content_hash == found.content_hash()
