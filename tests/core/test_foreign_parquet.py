"""Parquet files that may be damaged anywhere: one error each, and polars never decodes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.stored.foreign_parquet import check_foreign, foreign_frames, foreign_schema
from crossexam.core.test_sets import read_test_set, write_test_set
from crossexam.corpora.records import FormattedFile, iter_records
from crossexam.models.table import open_model


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    rows = {"uid": ["a", "b", "c"], "label": ["neutral", "entailment", "neutral"]}
    pq.write_table(pa.table(rows), path, compression="none")
    return path


def test_frames_have_the_rows_and_the_columns_that_are_wanted(table: Path) -> None:
    assert [len(frame) for frame in foreign_frames(table, at_once=2)] == [2, 1]
    assert next(foreign_frames(table, ["label"])).columns == ["label"]
    assert foreign_schema(table).names == ["uid", "label"]
    with pytest.raises(FormatError, match="no column 'gold'"):
        next(foreign_frames(table, ["gold"]))


def test_what_cannot_be_read_is_one_error(table: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    table.write_bytes(table.read_bytes().replace(b"uid", b"\xf9id"))  # a name that is not UTF-8
    assert "the Parquet file is damaged" in refused(foreign_schema, table)
    said = refused(check_foreign, table, hint="again")
    assert "the Parquet file is damaged" in said
    assert "hint: again" in said
    path = tmp_path / "x.parquet"
    path.write_bytes(b"uid,label\n")
    said = refused(check_foreign, path, hint="again")
    assert "not a Parquet file\n  wanted: a file that begins with PAR1" in said


def test_every_byte_may_be_damaged(table: Path) -> None:
    content = table.read_bytes()
    outcomes = set()
    for place in range(len(content)):
        table.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            check_foreign(table, hint="again")
            outcomes.add("read")
        except FormatError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_polars_decodes_no_file_of_others(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a damaged page, its reader may try to get 2 EiB of memory, which ends the process."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("polars reads a Parquet file that nothing vouches for")

    lone = tmp_path / "base.dev.parquet"
    write_test_set(lone, [Example("a", "A cat sat.", "A cat.", "entailment")])
    monkeypatch.setattr(pl, "read_parquet", refuse)
    open_model(f"file/{table}")
    rows = dict(iter_records(FormattedFile(table, "parquet"))).values()
    assert [row["uid"] for row in rows if isinstance(row, dict)] == ["a", "b", "c"]
    monkeypatch.setattr(pl, "scan_parquet", refuse)
    damaged = lone.read_bytes()
    lone.write_bytes(damaged[:60] + b"\xff" * 20 + damaged[80:])
    with pytest.raises(FormatError):
        read_test_set(lone)
