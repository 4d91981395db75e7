"""The store of predictions, from which an interrupted run resumes.

It is one SQLite file in WAL mode; a row is the prediction of one model, identified by its key, for the text
of one pair.  So a pair that is in several test sets is predicted once, and no model reads the predictions of
another.  Each row has a checksum, so that a damaged prediction is an error and not a number in a report.

A store of format 1 is brought to format 2 when it is opened.  Format 1 says that a pair was truncated, but
not where; these predictions are removed, so that their pairs are predicted again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.core.files import disk_full
from crossexam.models.model import CharactersRead

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE_NAME: Final = "store.sqlite"
_FORMAT: Final = 2
_WAIT_SECONDS: Final = 60.0  # for another process to finish writing
_PAUSE_SECONDS: Final = 0.01
_LOOKED_UP_AT_ONCE: Final = 500  # older versions of SQLite allow 999 parameters
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS models (
    number INTEGER PRIMARY KEY,
    key TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL,
    facts TEXT NOT NULL DEFAULT '{}' -- what was learnt of the model by asking it, as JSON
);
CREATE TABLE IF NOT EXISTS answers (
    model INTEGER NOT NULL REFERENCES models(number),
    pair BLOB NOT NULL,          -- hash of premise and hypothesis
    probabilities BLOB NOT NULL, -- three little-endian doubles, in the order of LABELS
    premise_read INTEGER,        -- characters read of a truncated pair, NULL if all were
    hypothesis_read INTEGER,
    checksum BLOB NOT NULL,
    PRIMARY KEY (model, pair)
) WITHOUT ROWID;
"""
#: What brings a store of format 1 to format 2, but for the rows and their checksums.
_FROM_FORMAT_1: Final = """
DELETE FROM answers WHERE truncated != 0;
ALTER TABLE answers RENAME TO answers_of_format_1;
ALTER TABLE models ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
"""
#: How far from 1 the sum of three probabilities may be.
SUM_TOLERANCE: Final = 1e-6
_DAMAGED: Final = "move the file elsewhere; its pairs will then be predicted again"


class StoredPrediction(NamedTuple):
    """The probabilities of a pair in the order of LABELS, and what was *read* of it (None: all of it)."""

    probabilities: tuple[float, float, float]
    read: CharactersRead | None


def pair_hash(premise: str, hypothesis: str, parses: Sequence[str | None] = ()) -> bytes:
    """Return the 16 bytes under which predictions for a pair are stored.

    *parses* are those of the two sentences that the model read.

    >>> pair_hash("a b", "c") == pair_hash("a", "b c")
    False
    """
    text = f"{len(premise)}\x1f{premise}\x1f{hypothesis}"
    if any(parses):
        text += "".join(f"\x1f{len(parse or '')}\x1f{parse or ''}" for parse in parses)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


_COLUMNS: Final = "pair, probabilities, premise_read, hypothesis_read, checksum"
_INSERT: Final = "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?)"


def _checksum(*values: object) -> bytes:
    """Return the checksum of the *values* of a row, whatever they have become."""
    return hashlib.blake2b(repr(values).encode(), digest_size=8).digest()


def _prediction(
    model: int, pair: bytes, packed: bytes, premise: int | None, hypothesis: int | None, checksum: bytes
) -> StoredPrediction:
    """Return the prediction of a row; raises DatabaseError if it is not what was stored."""
    shares = _unpacked(packed)
    if _checksum(model, pair, packed, premise, hypothesis) != checksum:
        raise sqlite3.DatabaseError("a prediction does not have its checksum")
    if premise is None or hypothesis is None:
        return StoredPrediction(shares, None)
    return StoredPrediction(shares, CharactersRead(premise, hypothesis))


def _unpacked(packed: bytes) -> tuple[float, float, float]:
    """Return the probabilities that *packed* holds; raises DatabaseError if they are none."""
    try:
        first, second, third = struct.unpack("<3d", packed)
    except (struct.error, TypeError):
        raise sqlite3.DatabaseError("a prediction is not three numbers") from None
    # A comparison with NaN is false, so that NaN and infinity are refused too.
    if not (min(first, second, third) >= 0 and abs(first + second + third - 1) < SUM_TOLERANCE):
        raise sqlite3.DatabaseError(f"a prediction is not three probabilities: {first}, {second}, {third}")
    return first, second, third


def has_predictions(path: Path) -> bool:
    """Return whether the file *path* is a store with at least one prediction; a damaged one counts."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT 1 FROM answers LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


class AnswerStore:
    """The predictions of the model with *key*, in the file *path* or, if it is None, in memory.

    A context manager.  Several processes may use one file at once.  Raises FormatError if the file is not a
    store.
    """

    def __init__(self, path: Path | None, key: str, name: str) -> None:
        self._path, self._key, self._name = path, key, name

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

    def _prepare(self) -> None:
        run = self._connection.execute
        self._enter_wal_mode()
        run("PRAGMA synchronous=NORMAL")  # safe against the death of the process; a power cut costs a batch
        run("BEGIN IMMEDIATE")
        version = int(run("PRAGMA user_version").fetchone()[0])
        tables = int(run("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if version not in (1, _FORMAT) and (version or tables):
            run("ROLLBACK")
            raise FormatError(
                f"the store has format {version}, not {_FORMAT}", where=str(self._path), hint=_DAMAGED
            )
        for statement in (_FROM_FORMAT_1 if version == 1 else "").split(";\n"):
            run(statement)
        for statement in _SCHEMA.split(";\n"):
            run(statement)
        if version == 1:
            self._take_over()
        run(f"PRAGMA user_version={_FORMAT}")
        run("INSERT OR IGNORE INTO models (key, name) VALUES (?, ?)", (self._key, self._name))
        self._model = int(run("SELECT number FROM models WHERE key = ?", (self._key,)).fetchone()[0])
        run("COMMIT")

    @property
    def facts(self) -> dict[str, Any]:
        """What was learnt of the model by asking it: a run from the store alone cannot learn it again."""
        with self._errors_explained():
            query = "SELECT facts FROM models WHERE number = ?"
            text = self._connection.execute(query, (self._model,)).fetchone()[0]
            try:
                known: dict[str, Any] = json.loads(text)
            except (TypeError, ValueError):
                raise sqlite3.DatabaseError("the facts on a model are not JSON") from None
            return known

    def note(self, facts: Mapping[str, Any]) -> None:
        """Record *facts* on the model; earlier ones are kept."""
        known = json.dumps(self.facts | dict(facts))
        with self._errors_explained():
            self._connection.execute("UPDATE models SET facts = ? WHERE number = ?", (known, self._model))

    def _take_over(self) -> None:
        """Move the predictions of format 1, none of them for a truncated pair, into the table of format 2."""
        run = self._connection.execute
        old = run("SELECT model, pair, probabilities FROM answers_of_format_1")
        while rows := old.fetchmany(_LOOKED_UP_AT_ONCE):
            for _, _, packed in rows:
                _unpacked(packed)
            self._connection.executemany(
                _INSERT,
                [
                    (model, pair, packed, None, None, _checksum(model, pair, packed, None, None))
                    for model, pair, packed in rows
                ],
            )
        run("DROP TABLE answers_of_format_1")

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
            if (full := disk_full(error, self._path)) is not None:
                raise full from None
            locked = "locked" in str(error)
            raise FormatError(
                f"the store cannot be used: {error}",
                where=str(self._path),
                hint="another process is using it: wait until it has finished, or choose another folder"
                if locked
                else "check that the folder is writable and the disk is not full",
            ) from None
        except sqlite3.DatabaseError as error:
            raise FormatError(
                f"the store is damaged: {error}",
                where=str(self._path),
                hint=_DAMAGED,
            ) from None

    def known(self, hashes: Sequence[bytes]) -> dict[bytes, StoredPrediction]:
        """Return the stored predictions by hash, for those of *hashes* that have one."""
        stored: dict[bytes, StoredPrediction] = {}
        with self._errors_explained():
            for start in range(0, len(hashes), _LOOKED_UP_AT_ONCE):
                wanted = hashes[start : start + _LOOKED_UP_AT_ONCE]
                marks = ",".join("?" * len(wanted))
                # Only question marks are put into the query.
                where = f"model = ? AND pair IN ({marks})"
                query = f"SELECT {_COLUMNS} FROM answers WHERE {where}"  # noqa: S608
                for row in self._connection.execute(query, (self._model, *wanted)):
                    stored[row[0]] = _prediction(self._model, *row)
        return stored

    def add(
        self,
        hashes: Iterable[bytes],
        probabilities: NDArray[np.float64],
        read: Sequence[CharactersRead | None],
    ) -> None:
        """Store the predictions for one batch of pairs, all or none; earlier ones are not overwritten.

        *read* says how much of each pair the model read, None for all of it.
        """
        rows = []
        for pair, shares, part in zip(hashes, probabilities.tolist(), read, strict=True):
            packed = struct.pack("<3d", *shares)
            premise, hypothesis = part or (None, None)
            checksum = _checksum(self._model, pair, packed, premise, hypothesis)
            rows.append((self._model, pair, packed, premise, hypothesis, checksum))
        with self._errors_explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(_INSERT, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._connection.execute("ROLLBACK")
                raise
