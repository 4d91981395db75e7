"""A suite is read as its manifest says; whatever was changed is an error, however it is found out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from crossexam.api import build
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.parquet import ParquetRows
from crossexam.core.test_sets import read_suite

ITEMS = [Example(f"i{n}", f"Premise {n}.", f"Hypothesis {n}.", "neutral", info={"n": n}) for n in range(30)]
NAME = "base.examples"


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
