"""Examples of a file are a sequence like that in memory, and what is wrong with them is said."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossexam.core.columns import columns_of
from crossexam.core.example import Example
from crossexam.core.labels import GOLDS
from crossexam.core.stored import examples as stored_examples
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.rows import COLUMNS, schema, to_columns
from crossexam.core.test_sets import write_test_set
from made.cases import refused


def stored(examples: Sequence[Example], folder: Path) -> StoredExamples:
    """Return *examples* in a file."""
    path = folder / "set.parquet"
    write_test_set(path, examples)
    return StoredExamples.of(path)


def many(count: int = 50) -> list[Example]:
    return [Example(f"i{n}", f"p{n % 7}", f"h{n}", GOLDS[n % 3], info={"n": n}) for n in range(count)]


def test_examples_of_a_file_are_a_sequence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_examples, "ROWS_AT_ONCE", 8)
    monkeypatch.setattr("crossexam.core.test_sets.ROWS_PER_GROUP", 3)
    items = many()
    file = stored(items, tmp_path)
    assert file == items == file
    assert items[1:] != file != [*items[:-1], items[0]]
    assert (list(file), file[17], file[-1]) == (items, items[17], items[-1])
    for part in (slice(3, 20), slice(-4, None), slice(60, 70), slice(0, 50, 9), slice(None, None, -1)):
        assert list(file[part]) == items[part]
        assert list(file[part][1:]) == items[part][1:]
    assert list(file.at(np.arange(50) % 3 == 1)) == items[1::3]
    assert list(file[10:].at([25, 0])) == [items[35], items[10]]
    chosen = file.at([2, 30, 44])
    assert (chosen[1], chosen[1:], len(chosen)) == (items[30], [items[30], items[44]], 3)
    batches = [batch["id"].to_pylist() for batch in columns_of(chosen, ["id"])]
    assert batches == [["i2"], ["i30"], ["i44"]]  # each of another row group
    with pytest.raises(IndexError):
        file[50]


def test_a_file_that_changes_while_it_is_used_is_an_error(tmp_path: Path) -> None:
    file = stored(many(), tmp_path)
    stored(many(49), tmp_path)
    for use in (lambda: file[3], lambda: list(columns_of(file, ["id"]))):
        assert "set.parquet: the file was changed while it was in use" in refused(use)
    (tmp_path / "set.parquet").unlink()
    assert "set.parquet: the file is not there any more" in refused(list, file)


def test_files_of_other_programs_and_their_nulls_are_read_as_by_examples(tmp_path: Path) -> None:
    path = tmp_path / "set.parquet"
    columns = {"id": [1, 2], "premise": ["p", "q"], "hypothesis": ["h", "i"], "label": ["neutral", "-"]}
    pq.write_table(pa.table(columns), path)
    file = StoredExamples.of(path)
    assert not file.own_format
    assert list(file) == [Example("1", "p", "h", "neutral"), Example("2", "q", "i", None)]
    (batch,) = columns_of(file, ["id", "label", "info"])
    assert batch.to_pydict() == {"id": ["1", "2"], "label": [1, -1], "info": ["{}", "{}"]}
    write_test_set(path, many(2))
    nothing = {"id": [None, None], "label": [None, None], "info": [None, ""], "edits": [None, None]}
    table = pq.read_table(path).to_pydict() | nothing
    pq.write_table(pa.table(table, schema=schema(two_labels=False)), path)
    file = StoredExamples.of(path)
    assert file.own_format
    (one,), (other,) = columns_of(file, COLUMNS), columns_of(list(file), COLUMNS)
    assert one.equals(other)


def test_rows_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "set.parquet"
    changes: list[dict[str, Any]] = [
        {"premise": None},
        *({"label": label} for label in (4, -2)),
        *({"info": info} for info in ("[]", "{")),
        {"construction": "x.v1", "source": "premise", "target": "premise", "edits": [None]},
    ]
    for columns in changes:
        table = to_columns(many(5), COLUMNS)
        for name, value in columns.items():
            table[name][3] = value
        pq.write_table(pa.table(table, schema=schema(two_labels=False)), path)
        file = StoredExamples.of(path)
        assert refused(file.check) == refused(list, file), columns
