"""A suite is read as its manifest says; whatever was changed is an error, however it is found out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from crossexam.api import build
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.manifest import NEXT
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.parquet import ParquetRows
from crossexam.core.test_sets import read_suite, write_test_set

ITEMS = [Example(f"i{n}", f"Premise {n}.", f"Hypothesis {n}.", "neutral", info={"n": n}) for n in range(30)]
NAME = "base.examples"


CHANGED = "its SHA-256 is not that of the manifest"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite of one test set."""
    build("corpus", ITEMS, folder=tmp_path / "suite")
    return tmp_path / "suite"


def file_of(folder: Path) -> Path:
    return folder / f"{NAME}.parquet"


def texts(examples: Sequence[Example]) -> list[tuple[str, str, str, str | None]]:
    """Return what the content hash depends on."""
    return [(each.id, each.premise, each.hypothesis, each.label) for each in examples]


def test_a_file_that_is_as_it_was_written_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("rows were read")

    assert read_suite(folder)[NAME].entry.sha256 == sha256_of(file_of(folder))
    monkeypatch.setattr(ParquetRows, "stretches", read)
    assert len(read_suite(folder)[NAME]) == len(read_suite(file_of(folder))[NAME]) == 30
    (folder / "manifest.json").unlink()
    with pytest.raises(AssertionError, match="rows were read"):
        read_suite(file_of(folder))


def test_a_damaged_file_outside_of_its_suite_is_an_error_or_has_the_same_items(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    whole = file_of(folder).read_bytes()
    suite = read_suite(file_of(folder))
    assert texts(suite[NAME].examples) == texts(ITEMS)
    assert isinstance(suite[NAME].examples, StoredExamples)
    for place in range(4, 2_000, 97):
        data = bytearray(whole)
        data[place % len(data)] ^= 0xFF
        file_of(folder).write_bytes(bytes(data))
        try:
            found = texts(read_suite(file_of(folder))[NAME].examples)
        except FormatError:
            continue
        assert found == texts(ITEMS), place


def _put_a_list_for_info(path: Path) -> None:
    table = pq.read_table(path)
    infos = ["[1]" if row == 11 else text for row, text in enumerate(table["info"].to_pylist())]
    place = table.schema.get_field_index("info")
    pq.write_table(table.set_column(place, table.schema.field(place), [infos]), path)


#: A damage, and what is said of the file if it is outside of its suite; None: it can be read.
CHANGES: Sequence[tuple[Callable[[Path], object], str | None]] = [
    (lambda path: path.write_bytes(path.read_bytes()[:-20]), "examples.parquet: the Parquet file is damaged"),
    (_put_a_list_for_info, "row 11: malformed row: field 'info' is not a JSON object"),
    (lambda path: write_test_set(path, [*ITEMS[:-1], replace(ITEMS[-1], premise="Another.")]), None),
]


def test_what_was_changed_is_an_error(
    folder: Path, tmp_path: Path, for_each: Callable[..., None], refused: Callable[..., str]
) -> None:
    whole, alone = file_of(folder).read_bytes(), tmp_path / "base.examples.parquet"

    def check(change: Callable[[Path], object], said: str | None) -> None:
        file_of(folder).write_bytes(whole)
        change(file_of(folder))
        assert CHANGED in refused(read_suite, folder)
        alone.write_bytes(file_of(folder).read_bytes())
        assert len(read_suite(alone)[NAME]) == 30 if said is None else said in refused(read_suite, alone)

    for_each(check, CHANGES)


def test_items_that_are_being_relabelled_are_read_as_such(folder: Path) -> None:
    judged = replace(ITEMS[3], label="entailment", info={"n": 3, "generated_label": "neutral"})
    write_test_set(file_of(folder), [*ITEMS[:3], judged, *ITEMS[4:]])
    manifest = read_manifest(folder / "manifest.json")
    announced = {"sha256": sha256_of(file_of(folder)), "content_hash": "new", "signature": "s|labels:judges"}
    manifest["test_sets"][NAME][NEXT] = [announced]
    write_manifest(folder / "manifest.json", manifest)
    found = read_suite(folder)[NAME]
    assert found.examples[3].label == "entailment"
    assert {name: found.manifest[name] for name in announced} == announced
