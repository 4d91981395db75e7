"""Parquet files that may be damaged anywhere, with one error each; and files of other programs."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

from crossexam.core.errors import FormatError
from crossexam.core.stored.parquet import ParquetRows
from made.cases import refused


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    rows = {"uid": ["a", "b", "c"], "label": ["neutral", "entailment", "neutral"]}
    pq.write_table(pa.table(rows), path, compression="none")
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return list(ParquetRows(path, hint="again").records())


def test_what_cannot_be_read_is_one_error(table: Path, tmp_path: Path) -> None:
    table.write_bytes(table.read_bytes().replace(b"uid", b"\xf9id"))  # a name that is not UTF-8
    assert "the Parquet file is damaged: " in refused(records, table)
    path = tmp_path / "x.parquet"
    path.write_bytes(b"uid,label\n")
    assert "not a Parquet file\n  wanted: a file that begins with PAR1" in refused(records, path)
    names = pa.Table.from_arrays([pa.array(["a"])] * 2, names=["label", "label"])
    pq.write_table(names, path)
    assert "x.parquet: column 'label' is repeated" in refused(records, path)


def test_every_byte_may_be_damaged(table: Path) -> None:
    content = table.read_bytes()
    outcomes = set()
    for place in range(len(content)):
        table.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            records(table)
            outcomes.add("read")
        except FormatError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_values_of_other_programs_are_those_of_python(tmp_path: Path) -> None:
    path, then = tmp_path / "table.parquet", datetime(2020, 2, 3, 4, 5, 6, 7)
    columns = {
        "time": pa.array([then], pa.timestamp("ns")).cast(pa.int64()),
        "list": pa.array([[{"x": "a"}]], pa.large_list(pa.struct([("x", pa.large_string())]))),
        "name": pa.array(["a"]).dictionary_encode(),
    }
    nanoseconds = pa.compute.add(columns["time"], 123)  # which Python's times do not have
    columns["time"] = nanoseconds.cast(pa.timestamp("ns"))
    pq.write_table(pa.table(columns), path)
    assert records(path) == [{"time": then, "list": [{"x": "a"}], "name": "a"}]
