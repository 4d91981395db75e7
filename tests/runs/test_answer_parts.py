"""Predictions that are moved out of the tables of a store into immutable files, and batches in one row."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.errors import FormatError
from crossexam.core.outcome import Outcomes
from crossexam.core.sealed import checksum_of_row
from crossexam.models.model import CharactersRead
from crossexam.runs import answer_store, stored_answers
from crossexam.runs.answer_store import FILE_NAME, PARTS, AnswerStore
from crossexam.runs.pair_hashes import as_bytes
from crossexam.runs.stored_answers import Answers, SortedAnswers, characters, concatenated

IN_PART = 50
AT_ONCE = 10


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_store, "PREDICTIONS_IN_PART", IN_PART)
    monkeypatch.setattr(answer_store, "PAIRS_IN_ONE_ROW", AT_ONCE)
    monkeypatch.setattr(answer_store, "_MOST_MAPPED", 60)


def hashes_of(start: int, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """*count* hashes that are spread and in no order."""
    return np.random.default_rng(7).integers(0, 2**63, (start + count, 2), dtype=np.uint64)[start:]


def table_of(start: int, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    shares = np.random.default_rng(8).random((start + count, 3))[start:]
    return shares / shares.sum(axis=1, keepdims=True)


def fill(store: AnswerStore, start: int, stop: int, at_once: int = AT_ONCE) -> None:
    """Store the predictions *start* to *stop*; every seventh pair was truncated."""
    for first in range(start, stop, at_once):
        count = min(at_once, stop - first)
        read = [CharactersRead(k, 2 * k) if k % 7 == 0 else None for k in range(first, first + count)]
        store.add(hashes_of(first, count), table_of(first, count), read)


def check(store: AnswerStore, count: int) -> None:
    """Assert that the store has the first *count* predictions, to the last bit, and no others."""
    known, found = store.look_up(hashes_of(0, count + 30))
    assert known.tolist() == [True] * count + [False] * 30
    assert found.probabilities[:count].tolist() == table_of(0, count).tolist()
    assert found.read[:count].tolist() == [[k, 2 * k] if k % 7 == 0 else [-1, -1] for k in range(count)]
    assert store.count() == count


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        found = connection.execute(query).fetchall()
        connection.commit()
    return found


@pytest.mark.parametrize("at_once", [AT_ONCE, 3], ids=["batches", "rows"])
def test_predictions_are_found_wherever_they_are(tmp_path: Path, at_once: int) -> None:
    with AnswerStore(tmp_path / FILE_NAME, "other", "m") as store:
        store.add(hashes_of(0, 40), table_of(40, 40), [None] * 40)
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        for start, stop in ((0, 20), (20, 65), (65, 170)):
            fill(store, start, stop, at_once)
            check(store, stop)
    assert len(list((tmp_path / PARTS).iterdir())) == 3
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        check(store, 170)
    with AnswerStore(tmp_path / FILE_NAME, "other", "m") as store:
        assert store.look_up(hashes_of(0, 40))[1].probabilities.tolist() == table_of(40, 40).tolist()


def test_a_store_in_memory_has_no_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with AnswerStore(None, "k", "m") as store:
        fill(store, 0, 3 * IN_PART)
        check(store, 3 * IN_PART)
    assert not list(tmp_path.iterdir())


def test_what_is_in_a_part_is_not_overwritten(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        fill(store, 0, IN_PART)
    for count in (AT_ONCE, 3):  # as a batch, and as rows
        with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
            store.add(hashes_of(0, count), table_of(99, count), [None] * count)
            check(store, IN_PART)


@pytest.mark.parametrize("at_once", [AT_ONCE, 3], ids=["batches", "rows"])
def test_two_who_write_at_once_store_each_pair_once(tmp_path: Path, at_once: int) -> None:
    with (
        AnswerStore(tmp_path / FILE_NAME, "k", "m") as one,
        AnswerStore(tmp_path / FILE_NAME, "k", "m") as two,
    ):
        for store in (one, two):
            assert not store.look_up(hashes_of(0, 200))[0].any()
        fill(one, 0, 120, at_once)  # moves some of them into parts
        two.look_up(hashes_of(300, 5))  # what it has read by now does not tell which of the others it knew
        two.add(hashes_of(0, 130), np.tile([0.0, 0.0, 1.0], (130, 1)), [None] * 130)
        for store in (one, two):
            known, found = store.look_up(hashes_of(0, 130))
            assert known.all()
            assert found.probabilities.tolist() == [*table_of(0, 120).tolist(), *[[0.0, 0.0, 1.0]] * 10]
            assert store.count() == 130


def test_what_another_process_moved_is_not_moved_again(tmp_path: Path) -> None:
    with (
        AnswerStore(tmp_path / FILE_NAME, "k", "m") as one,
        AnswerStore(tmp_path / FILE_NAME, "k", "m") as two,
    ):
        fill(one, 0, 20)
        check(two, 20)
        fill(one, 20, IN_PART)
        fill(two, IN_PART, 2 * IN_PART)
        for store in (one, two):
            check(store, 2 * IN_PART)
    assert rows(tmp_path, "SELECT predictions FROM parts") == [(IN_PART,), (IN_PART,)]


def test_a_part_that_was_changed_or_lost_is_told(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        fill(store, 0, IN_PART)
    (part,) = (tmp_path / PARTS).iterdir()
    content = part.read_bytes()
    part.write_bytes(content[:-200] + bytes([content[-200] ^ 1]) + content[-199:])
    message = r"PART-\w+\.arrow: the part of the store was changed\n  hint: put it back, or move the store"
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store, pytest.raises(FormatError, match=message):
        store.look_up(hashes_of(0, 1))
    part.unlink()
    message = (
        r"PART-\w+\.arrow: a part of the store cannot be read: No such file or directory\n  hint: put it"
    )
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store, pytest.raises(FormatError, match=message):
        store.look_up(hashes_of(0, 1))


def test_a_part_of_impossible_probabilities_is_told(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        store.add(hashes_of(0, IN_PART), np.tile([0.9, 0.9, 0.9], (IN_PART, 1)), [None] * IN_PART)
        assert list((tmp_path / PARTS).iterdir())
        with pytest.raises(FormatError, match=r"not three probabilities: 0\.9, 0\.9, 0\.9"):
            store.look_up(hashes_of(0, 1))


def test_a_changed_batch_is_told(tmp_path: Path, for_each: Callable[..., None]) -> None:
    for key in "kl":
        with AnswerStore(tmp_path / FILE_NAME, key, "m") as store:
            fill(store, 0, AT_ONCE)
    whole = (tmp_path / FILE_NAME).read_bytes()

    def check(change: str) -> None:
        (tmp_path / FILE_NAME).write_bytes(whole)
        rows(tmp_path, f"UPDATE batches SET {change} WHERE model = 1")
        with (
            AnswerStore(tmp_path / FILE_NAME, "l" if "model" in change else "k", "m") as store,
            pytest.raises(FormatError, match="the store is damaged: a batch of predictions does not have"),
        ):
            store.look_up(hashes_of(0, 1))

    zeros = ("pairs = zeroblob(160)", "probabilities = zeroblob(240)")
    for_each(check, [*zeros, "read = NULL", "model = 2", "read = 'x'"])


def test_a_move_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_part = stored_answers.write_part

    def interrupted(*arguments: Any) -> str:
        write_part(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(answer_store, "write_part", interrupted)
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store, pytest.raises(KeyboardInterrupt):
        fill(store, 0, IN_PART)
    (left,) = (tmp_path / PARTS).iterdir()
    monkeypatch.undo()
    monkeypatch.setattr(answer_store, "PREDICTIONS_IN_PART", IN_PART)
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        check(store, IN_PART)
        fill(store, IN_PART, IN_PART + 1)
        check(store, IN_PART + 1)
    (part,) = (tmp_path / PARTS).iterdir()
    assert part != left  # which was removed


def test_a_status_and_a_detail_have_a_checksum(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        fill(store, 0, 1)
    rows(tmp_path, "UPDATE answers SET detail = 'something'")
    with (
        AnswerStore(tmp_path / FILE_NAME, "k", "m") as store,
        pytest.raises(FormatError, match="a prediction does not have its checksum"),
    ):
        store.look_up(hashes_of(0, 1))


def test_what_has_a_detail_stays_in_its_row(tmp_path: Path) -> None:
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        fill(store, 0, 3)
    (model, pair, *values), *_ = rows(tmp_path, "SELECT * FROM answers WHERE premise_read IS NULL")
    checksum = checksum_of_row(model, pair, *values[:3], "ok", "said so")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(
            "UPDATE answers SET detail = 'said so', checksum = ? WHERE pair = ?", (checksum, pair)
        )
        connection.commit()
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        fill(store, 3, IN_PART + 1, at_once=IN_PART)
        check(store, IN_PART + 1)
    assert rows(tmp_path, "SELECT pair, detail FROM answers") == [(pair, "said so")]


def test_a_store_of_format_2_is_brought_up_to_date(tmp_path: Path) -> None:
    hashes, table = hashes_of(0, 3), table_of(0, 3)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.executescript(
            """
            CREATE TABLE models (number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, name TEXT NOT NULL,
                facts TEXT NOT NULL DEFAULT '{}');
            CREATE TABLE answers (model INTEGER NOT NULL REFERENCES models(number), pair BLOB NOT NULL,
                probabilities BLOB NOT NULL, premise_read INTEGER, hypothesis_read INTEGER,
                checksum BLOB NOT NULL, PRIMARY KEY (model, pair)) WITHOUT ROWID;
            INSERT INTO models VALUES (1, 'k', 'm', '{"two_label": true}');
            PRAGMA user_version=2;
            """
        )
        for pair, shares in zip(as_bytes(hashes), table.tolist(), strict=True):
            values = (1, pair, struct.pack("<3d", *shares), 5, 6)
            connection.execute(
                "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)", (*values, checksum_of_row(*values))
            )
        connection.commit()
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        known, found = store.look_up(hashes)
        assert known.all()
        assert found.probabilities.tolist() == table.tolist()
        assert found.read.tolist() == [[5, 6]] * 3
        assert store.facts == {"two_label": True}
    assert rows(tmp_path, "PRAGMA user_version") == [(5,)]


def test_hashes_with_equal_first_halves_are_told_apart() -> None:
    hashes = np.array([[5, 2], [5, 1], [9, 0], [5, 2], [2**64 - 1, 3]], dtype=np.uint64)
    answers = Answers(hashes, np.eye(5)[:, :3], characters([None] * 5), Outcomes.all_answered(5))
    table = SortedAnswers.of(answers)
    asked = np.array([[5, 1], [5, 2], [5, 3], [9, 0], [9, 1], [2**64 - 1, 3], [0, 0]], dtype=np.uint64)
    places = table.find(asked)
    assert (places >= 0).tolist() == [True, True, False, True, False, True, False]
    assert table.probabilities[places[1]].tolist() == [1, 0, 0]  # the first of the two
    assert len(table) == 4
    nothing = SortedAnswers.of(concatenated([]))
    assert nothing.find(asked).tolist() == [-1] * 7
