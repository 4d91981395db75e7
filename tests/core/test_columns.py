"""Columns of examples are the same wherever the examples are, and so are the examples."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.columns import cluster_hashes, columns_of, info_values, labels_of, text_hashes
from crossexam.core.dataset import content_hash
from crossexam.core.example import Change, Edit, Example, cluster_of
from crossexam.core.labels import GOLD_INDEX, GOLDS
from crossexam.core.stored import examples as stored_examples
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.rows import COLUMNS, schema, to_columns
from crossexam.core.test_sets import write_test_set

KEYS = ("cluster", "genre", "an odd key", "clüster")
# Values that look like others, as text: true and "true", 1 and "1" and 1.0, lists and lists in quotes.
VALUES = st.one_of(
    st.sampled_from([None, True, False, 10**19, "true", "null", "-0", "1e5", "[1]", '{"cluster": "x"}', '"']),
    st.integers(-3, 3),
    st.floats(allow_infinity=False),
    st.text(max_size=4),
    st.lists(st.text(max_size=2), max_size=2),
    st.fixed_dictionaries({"cluster": st.sampled_from(["x", "y"])}),
)
TEXTS = st.text(max_size=6) | st.sampled_from(["It rains.", "naïve “Ω” 😀", "a\x1fb", "'\"\\"])
CHANGE = Change("antonymy.v1", "premise", "premise", (Edit("hypothesis", 0, 0, "", "“x"),))
EXAMPLES = st.builds(
    Example,
    id=TEXTS,
    premise=TEXTS,
    hypothesis=TEXTS,
    label=st.none() | st.sampled_from(GOLDS),
    base=st.none() | TEXTS,
    change=st.sampled_from([None, CHANGE]),
    info=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4),
)


def stored(examples: Sequence[Example], folder: Path) -> StoredExamples:
    """Return *examples* in a file; a label of two is first, so that the file may have it."""
    path = folder / "set.parquet"
    write_test_set(path, examples)
    return StoredExamples.of(path)


def many(count: int = 50) -> list[Example]:
    return [Example(f"i{n}", f"p{n % 7}", f"h{n}", GOLDS[n % 3], info={"n": n}) for n in range(count)]


@given(st.lists(EXAMPLES, max_size=8), st.integers(1, 4))
def test_columns_are_what_examples_have_in_files_and_memory(examples: list[Example], at_once: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = stored(examples, Path(folder))
        assert file.own_format
        pairs = zip(columns_of(file, COLUMNS, at_once), columns_of(examples, COLUMNS, at_once), strict=True)
        for one, other in pairs:
            assert one.equals(other)
            assert one.schema == other.schema
        for name in ("id", "base"):
            assert text_hashes(file, name).tolist() == text_hashes(examples, name).tolist()  # type: ignore[arg-type]
        assert content_hash(file) == content_hash(examples)
        golds = [-1 if each.label is None else GOLD_INDEX[each.label] for each in examples]
        assert labels_of(file).tolist() == labels_of(examples).tolist() == golds
        hashes, names = cluster_hashes(file).tolist(), [cluster_of(each) for each in file]
        assert hashes == cluster_hashes(examples).tolist()
        assert len(set(zip(hashes, names, strict=True))) == len(set(hashes)) == len(set(names))
        for key in KEYS:
            here, there = (info_values(each, [key])[key] for each in (file, examples))
            assert here.codes.tolist() == there.codes.tolist()
            assert repr(here.values) == repr(there.values)  # nan is not nan
            values = here.mapped(lambda value: (type(value), repr(value))).tolist()
            expected = [each.info.get(key) for each in file]
            assert values == [(type(value), repr(value)) for value in expected]


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


def test_a_file_that_changes_while_it_is_used_is_an_error(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
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


def test_rows_are_refused_at_once(tmp_path: Path, refused: Callable[..., str]) -> None:
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
