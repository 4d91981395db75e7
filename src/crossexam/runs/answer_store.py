"""The store of answers, from which an interrupted run resumes.

It is an SQLite file in WAL mode.  An answer is that of one model, identified by its key, for the text of one
pair.  So a pair that is in several test sets is asked once, and no model reads the answers of another.

A row of the table *batches* holds what a model answered at once (:mod:`crossexam.runs.answers`), with a
checksum, so that a damaged answer is an error and not a number in a report.  A question without an answer
(:mod:`crossexam.core.outcome`) is stored too, with the reason, so that it is not asked again unless it is
forgotten.  What failed for now is not stored.

In memory are the hashes of the pairs of a model, in the order of the rows: where a hash is found is where its
answer is, and the batch that has it is read when the answer is looked up.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.errors import FormatError, exhausted
from crossexam.core.outcome import CODES, check_unanswered
from crossexam.core.sealed import checksum_of_row
from crossexam.runs.answers import Answers, StoredBatch, joined, packed
from crossexam.runs.pair_hashes import HASH_BYTES, HashTable, from_bytes, to_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE_NAME: Final = "store.sqlite"
_FORMAT: Final = 6
_PAGE: Final = 2048  # bytes: a batch of 256 answers, of ten kilobytes, wastes little of its last page
_WAIT_SECONDS: Final = 60.0  # for another process to finish writing
_PAUSE_SECONDS: Final = 0.01
#: So many bytes of hashes are read before they get their places in memory, all together.
_BYTES_AT_ONCE: Final = HASH_BYTES * 2**17
#: So many batches are read at once: of 256 answers each, four megabytes.
_BATCHES_AT_ONCE: Final = 512
_NO_FACTS: Final = "{}"
_SCHEMA: Final = (
    """
CREATE TABLE models (
    number INTEGER PRIMARY KEY,
    key TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL,
    facts TEXT NOT NULL,                 -- what was learnt of the model by asking it: JSON
    checksum BLOB NOT NULL,              -- of key and facts
    forgotten INTEGER NOT NULL DEFAULT 0 -- how often answers were removed
)""",
    """
CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES models(number),
    pairs BLOB NOT NULL,                 -- hashes of premise and hypothesis, one after another
    probabilities BLOB NOT NULL,         -- three for each pair
    more BLOB,                           -- what else is known of the answers
    checksum BLOB NOT NULL               -- of the key of the model and the columns before
)""",
)
_DAMAGED: Final = "move the file elsewhere; its pairs will then be predicted again"


def has_predictions(path: Path) -> bool:
    """Return whether the file *path* is a store with at least one prediction; a damaged one counts.

    What was learnt of a model by asking it, such as what a probe used up, counts too.
    """
    if not path.exists():
        return False
    query = f"SELECT 1 FROM batches UNION ALL SELECT 1 FROM models WHERE facts != '{_NO_FACTS}' LIMIT 1"  # noqa: S608
    try:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(query).fetchone() is not None
    except sqlite3.Error:
        return True


class AnswerStore:
    """The answers of the model with *key*, in the file *path* or, if it is None, in memory.

    A context manager.  Several processes may use one file at once.  Raises FormatError if the file is not a
    store, or damaged.
    """

    def __init__(self, path: Path | None, key: str, name: str) -> None:
        self._path, self._key, self._name = path, key, name
        self._version: int | None = None  # changes when another process has written
        self._forget_all()

    def _forget_all(self) -> None:
        """Forget what was read of the store."""
        self._table = HashTable()
        self._numbers: list[int] = []  # of the batches, in the order of their hashes in the table
        self._starts: list[int] = []  # the place of the first hash of each
        self._forgotten: int | None = None

    def __enter__(self) -> AnswerStore:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._errors_explained():
            self._connection = sqlite3.connect(
                self._path or ":memory:", timeout=_WAIT_SECONDS, isolation_level=None
            )
        try:
            with self._errors_explained():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._forget_all()

    def _prepare(self) -> None:
        run = self._connection.execute
        run(f"PRAGMA page_size={_PAGE}")  # of a new file
        self._enter_wal_mode()
        run("PRAGMA synchronous=NORMAL")  # safe against the death of the process; a power cut costs a batch
        with self._transaction("IMMEDIATE"):
            version = int(run("PRAGMA user_version").fetchone()[0])
            is_new = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if version != (0 if is_new else _FORMAT):
                raise FormatError(
                    f"the store has format {version}, not {_FORMAT}", where=str(self._path), hint=_DAMAGED
                )
            if is_new:
                for statement in (*_SCHEMA, f"PRAGMA user_version={_FORMAT}"):
                    run(statement)
            run(
                "INSERT OR IGNORE INTO models (key, name, facts, checksum) VALUES (?, ?, ?, ?)",
                (self._key, self._name, _NO_FACTS, checksum_of_row(self._key, _NO_FACTS)),
            )
            (number,) = run("SELECT number FROM models WHERE key = ?", (self._key,)).fetchone() or (None,)
            if not isinstance(number, int):
                raise sqlite3.DatabaseError("the model has no number")
            self._model = number

    def _enter_wal_mode(self) -> None:
        """Switch the file to WAL mode; of two processes that do so at once, SQLite makes one fail at once."""
        last = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                    raise
            time.sleep(_PAUSE_SECONDS)

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        """Turn SQLite's errors into FormatErrors that say what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if (full := exhausted(error, self._path)) is not None:
                raise full from None
            locked = "locked" in str(error)
            raise FormatError(
                f"the store cannot be used: {error}",
                where=str(self._path),
                hint="another process is using it: wait until it has finished, or choose another folder"
                if locked
                else "check that the folder is writable, the disk not full, and `ulimit -n` not too low",
            ) from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # a message may quote what is damaged
            raise FormatError(
                f"the store is damaged: {error}",
                where=str(self._path),
                hint=_DAMAGED,
            ) from None

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        """Commit what is done in the ``with``, all or none, and explain SQLite's errors."""
        with self._errors_explained():
            self._connection.execute(f"BEGIN {kind}")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    @property
    def facts(self) -> dict[str, Any]:
        """What was learnt of the model by asking it: a run from the store alone cannot learn it again."""
        with self._errors_explained():
            query = "SELECT facts, checksum FROM models WHERE number = ?"
            facts, checksum = self._connection.execute(query, (self._model,)).fetchone() or (None, None)
            if facts is None or checksum != checksum_of_row(self._key, facts):
                raise sqlite3.DatabaseError("the facts on a model do not have their checksum")
        found: dict[str, Any] = json.loads(facts)
        return found

    def note(self, facts: Mapping[str, Any]) -> None:
        """Record *facts* on the model; earlier ones are kept."""
        known = json.dumps(self.facts | dict(facts))
        values = (known, checksum_of_row(self._key, known), self._model)
        with self._errors_explained():
            self._connection.execute("UPDATE models SET facts = ?, checksum = ? WHERE number = ?", values)

    def count(self) -> int:
        """Return the number of pairs about which the model was asked, with or without an answer."""
        query = "SELECT sum(length(pairs)) FROM batches WHERE model = ?"
        with self._errors_explained():
            stored = self._connection.execute(query, (self._model,)).fetchone()[0] or 0
        return int(stored) // HASH_BYTES

    def look_up(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], Answers]:
        """Return which of *hashes* [n, 2] are stored, and their answers: [n], 0 where there is none."""
        found = Answers.to_fill(np.zeros((len(hashes), 3)))
        with self._transaction("DEFERRED"):
            self._refresh()
            places = self._table.find(hashes)
            for rows, stored in self._stored(places):
                found.probabilities[rows] = stored.probabilities
                found.put(rows, stored)
        return places >= 0, found

    def _stored(self, places: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], Answers]]:
        """Yield rows of *places* [n], -1 for none, each time with the answers that are stored there."""
        rows = np.argsort(places, kind="stable")[int((places < 0).sum()) :]
        starts = np.array(self._starts, dtype=np.int64)
        batches, first = np.unique(starts.searchsorted(places[rows], side="right") - 1, return_index=True)
        for group in range(0, len(batches), _BATCHES_AT_ONCE):
            chosen = batches[group : group + _BATCHES_AT_ONCE]
            stored = self._batches(chosen)
            ends = [*first[group:], len(rows)][: len(chosen) + 1]
            before = np.concatenate([[0], np.cumsum([each.size for each in stored])[:-1]])
            inside = places[rows[ends[0] : ends[-1]]] + np.repeat(before - starts[chosen], np.diff(ends))
            yield rows[ends[0] : ends[-1]], joined(stored).at(inside)

    def _refresh(self) -> None:
        """Read the hashes of batches that were added since this was last done, by whatever process."""
        run, model = self._connection.execute, (self._model,)
        self._version = self._data_version()
        forgotten = run("SELECT forgotten FROM models WHERE number = ?", model).fetchone()[0]
        if forgotten != self._forgotten:
            self._forget_all()
            self._forgotten, self._table = forgotten, HashTable(self.count())
        last = self._numbers[-1] if self._numbers else 0
        query = "SELECT number, pairs FROM batches WHERE model = ? AND number > ? ORDER BY number"
        waiting, start = bytearray(), self._table.count
        for number, pairs in run(query, (*model, last)):
            if not isinstance(pairs, bytes) or len(pairs) % HASH_BYTES:
                raise sqlite3.DatabaseError("the pairs of a batch are not hashes")
            self._numbers.append(number)
            self._starts.append(start)
            start += len(pairs) // HASH_BYTES
            waiting += pairs
            if len(waiting) >= _BYTES_AT_ONCE:
                self._table.append(from_bytes(waiting))
                waiting.clear()
        self._table.append(from_bytes(waiting))

    def _data_version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _batches(self, chosen: NDArray[np.intp]) -> list[StoredBatch]:
        """Return the batches at the places *chosen*, in ascending order; raises if one is damaged."""
        found: list[StoredBatch] = []
        for run in np.split(chosen, np.flatnonzero(np.diff(chosen) != 1) + 1):
            numbers = (self._numbers[run[0]], self._numbers[run[-1]])
            query = (
                "SELECT pairs, probabilities, more, checksum FROM batches"
                " WHERE model = ? AND number BETWEEN ? AND ? ORDER BY number"
            )
            found += map(self._checked, self._connection.execute(query, (self._model, *numbers)))
        if len(found) != len(chosen):
            raise sqlite3.DatabaseError("a batch of answers is missing")
        return found

    def _checked(self, row: tuple[Any, ...]) -> StoredBatch:
        """Return the batch in *row*, whose last column is a checksum of the others."""
        if row[-1] != checksum_of_row(self._key, *row[:-1]):
            raise sqlite3.DatabaseError("a batch of answers does not have its checksum")
        return StoredBatch(*row[1:-1])

    def add(self, hashes: NDArray[np.uint64], answers: Answers) -> None:
        """Store the *answers* for the pairs with *hashes* [n, 2], which were looked up and not found.

        All or nothing; what another process has stored since is not overwritten.  Raises TypeError or
        ValueError if a detail is not JSON.
        """
        with self._transaction("IMMEDIATE"):
            if self._version != self._data_version():
                self._refresh()
            new = self._table.find(hashes) < 0  # known since they were looked up: of another process
            if not new.all():
                hashes, answers = hashes[new], answers.at(np.flatnonzero(new))
            self._insert(to_bytes(hashes), answers)

    def _insert(self, pairs: bytes, answers: Answers) -> None:
        if pairs:
            columns = (pairs, *packed(answers))
            self._connection.execute(
                "INSERT INTO batches (model, pairs, probabilities, more, checksum) VALUES (?, ?, ?, ?, ?)",
                (self._model, *columns, checksum_of_row(self._key, *columns)),
            )

    def forget(self, statuses: Iterable[str]) -> int:
        """Forget the questions without an answer that have one of *statuses*; return how many there were.

        Their pairs are asked again.  Raises UnknownNameError for a status that is not of such a question.
        """
        codes, count = [CODES[status] for status in check_unanswered(statuses)], 0
        run, model = self._connection.execute, (self._model,)
        with self._transaction("IMMEDIATE"):
            query = (
                "SELECT number, pairs, probabilities, more, checksum FROM batches"
                " WHERE model = ? AND more IS NOT NULL"
            )
            for number, *row in run(query, model).fetchall():
                answers, pairs = joined([self._checked(tuple(row))]), row[0]
                kept = np.flatnonzero(~np.isin(answers.outcomes.codes, codes))
                if len(kept) < len(answers):
                    run("DELETE FROM batches WHERE number = ?", (number,))
                    self._insert(to_bytes(from_bytes(pairs)[kept]), answers.at(kept))
                    count += len(answers) - len(kept)
            run("UPDATE models SET forgotten = forgotten + 1 WHERE number = ?", model)
        return count
