"""Test sets survive their files, and the hub's tools read the label names."""

import itertools
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossexam.core.errors import FormatError
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import LABELS
from crossexam.core.stored.encoded import encoded
from crossexam.core.test_sets import TestSetWriter, read_suites, read_test_set, write_test_set
from made.cases import refused

BASE = Example("a", "The man is tall.", "A man, “Bo”, is here.", "neutral", info={"genre": "talk"})
CHANGE = Change("antonymy.v1", "premise", "premise", (Edit("hypothesis", 11, 15, "tall", "short"),))
#: Of two equal keys the last counts.
GOOD = b'"id": "1", "premise": "p", "hypothesis": "h", "label": "neutral"'
ITEMS = [BASE, BASE.derive("contradiction", CHANGE), Example("c", "x", "y", None)]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_what_is_written_is_read(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"set.{suffix}"
    monkeypatch.setattr("crossexam.core.test_sets.ROWS_PER_GROUP", 2)
    many = [Example(str(i), "p", "h", LABELS[i % 3]) for i in range(7)]
    for items in (ITEMS, many, []):
        write_test_set(path, items, file_format=suffix)
        assert list(read_test_set(path).examples) == items


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    for lines, message in BAD_LINES:
        path.write_bytes(lines + b"\n")
        assert refused(FormatError, read_test_set, path).startswith(f"{path}, {message}")


BAD_LINES = [
    (b'{"id": 1', "line 1: not JSON"),
    (b'{"id": "1", "premise": "p", "label": "neutral"}', "line 1: field 'hypothesis' is missing"),
    (b'["1", "p", "h", "neutral"]', "line 1: not a JSON object"),
    (b"{%b}\n\n" % GOOD, "line 2: not JSON"),
    (b'{%b}\r\n{"id": "caf\xe9"}' % GOOD, "line 2: not JSON: byte 0xe9 at position 11"),
    (b'{%b, "premise": null}' % GOOD, "line 1: malformed row: field 'premise' is not text"),
    (b'{%b, "info": "[1]"}' % GOOD, "line 1: malformed row: field 'info' is not a JSON object"),
]


def test_a_file_that_is_no_test_set_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.parquet"
    pq.write_table(pa.table({"id": ["1"], "premise": ["p"], "label": [0]}), path)
    assert f"{path}: no column 'hypothesis'\n  wanted: id, premise" in refused(read_test_set, path)
    said = refused(TestSetWriter, tmp_path / "set.csv", file_format="csv")
    assert "'csv' is not a format for test sets\n  wanted: parquet or jsonl" in said


def test_a_failed_writing_leaves_nothing(tmp_path: Path) -> None:
    def items():  # type: ignore[no-untyped-def]
        yield BASE
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_test_set(tmp_path / "set.parquet", items())
    assert list(tmp_path.iterdir()) == []


def test_items_are_left_out_in_every_form() -> None:
    for places, form in itertools.product([{0}, {2}, {0, 1, 2}, set()], ["parquet", "jsonl", "examples"]):
        kept = [item for place, item in enumerate(ITEMS) if place not in places]
        left, wanted = encoded(ITEMS, form).without(places), encoded(kept, form)
        assert (left.records, left.items) == (wanted.records, wanted.items)


def test_datasets_opens_it_with_label_names(tmp_path: Path) -> None:
    from datasets import load_dataset

    path = tmp_path / "set.parquet"
    write_test_set(path, ITEMS[:2])
    table = load_dataset("parquet", data_files=str(path), cache_dir=str(tmp_path / "cache"))["train"]
    assert table.features["label"].names == ["entailment", "neutral", "contradiction"]


def test_suites_are_joined_if_their_test_sets_have_names_of_their_own(tmp_path: Path) -> None:
    paths = [tmp_path / "x" / "one.jsonl", tmp_path / "x" / "two.jsonl", tmp_path / "y" / "one.jsonl"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        write_test_set(path, ITEMS, file_format="jsonl")
    joined = read_suites(paths)
    assert list(joined.datasets) == ["one", "two"]  # the same items twice are one set
    write_test_set(paths[2], [Example("b", "It snows.", "It is cold.", "neutral")], file_format="jsonl")
    said = refused(read_suites, paths)
    assert said.startswith(f"{paths[2]}: two test sets with different items are both called 'one'")
