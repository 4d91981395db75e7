"""The store of predictions, from which an interrupted run resumes.

It is an SQLite file in WAL mode.  A prediction is that of one model, identified by its key, for the text of
one pair.  So a pair that is in several test sets is predicted once, and no model reads the predictions of
another.  Everything has a checksum, so that a damaged prediction is an error and not a number in a report.

A question without an answer (:mod:`crossexam.core.outcome`) is stored too, with the reason, so that it is not
asked again unless it is forgotten.  What failed for now is not stored.

A prediction lies in one of three places, and is looked for in them in this order:

- in a *part*, an immutable file in the folder ``answers`` beside the store
  (:mod:`crossexam.runs.stored_answers`), into which a million predictions of a model are moved at a time;
- in a row of the table *batches*, which holds a batch of a fast model, of 256 pairs or more, as arrays: that
  takes a twentieth of the time of as many rows;
- in a row of the table *answers*, which holds one prediction, or the reason why there is none, and what else
  is known of it.

A part is listed in the store in the same transaction that deletes its predictions from the tables.  The file
is finished before: what a process leaves that is killed in between is a file that is not listed, and is
removed the next time.

Stores of earlier formats are brought to format 4 when they are opened.  Format 3 lacks the mass of the
labels.  Format 2 lacks batches, parts and the status of a prediction too.  Format 1 says that a pair was
truncated, but not where; these predictions are removed, so that their pairs are predicted again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.files import disk_full, sweep
from crossexam.core.outcome import Outcome, Outcomes, check_unanswered
from crossexam.core.sealed import checksum_of_row
from crossexam.models.model import CharactersRead
from crossexam.runs.answer_rows import (
    NO_FACTS,
    OK,
    Detail,
    check_stored,
    checksum_of_batch,
    from_batch,
    from_rows,
    packed_detail,
    packed_facts,
    packed_rows,
    sealed_facts,
    unpacked,
    unpacked_detail,
    unpacked_facts,
)
from crossexam.runs.pair_hashes import HASH_BYTES, as_bytes
from crossexam.runs.stored_answers import (
    ALL_READ,
    Answers,
    SortedAnswers,
    characters,
    concatenated,
    part_path,
    read_part,
    write_part,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE_NAME: Final = "store.sqlite"
#: The folder of the parts, beside the file.
PARTS: Final = "answers"
#: A batch of at least so many pairs is stored as one row.
PAIRS_IN_ONE_ROW: Final = 256
#: So many predictions of a model are moved into a part.
PREDICTIONS_IN_PART: Final = 1_000_000
_FORMAT: Final = 5
_WAIT_SECONDS: Final = 60.0  # for another process to finish writing
_PAUSE_SECONDS: Final = 0.01
_LOOKED_UP_AT_ONCE: Final = 500  # older versions of SQLite allow 999 parameters
_READ_AT_ONCE: Final = 10_000
#: To read a row by its key takes as long as to read some in order.
_ROWS_PER_LOOKUP: Final = 4
#: Beyond so many predictions in parts, their pages are not kept in memory between lookups: 160 MB.
_MOST_MAPPED: Final = 4_000_000
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS models (
    number INTEGER PRIMARY KEY,
    key TEXT UNIQUE NOT NULL,
    name TEXT NOT NULL,
    facts TEXT NOT NULL DEFAULT '{}' -- what was learnt of the model by asking it: a checksum, and JSON
);
CREATE TABLE IF NOT EXISTS answers (
    model INTEGER NOT NULL REFERENCES models(number),
    pair BLOB NOT NULL,          -- hash of premise and hypothesis
    probabilities BLOB NOT NULL, -- three little-endian doubles, in the order of LABELS; NaN without an answer
    premise_read INTEGER,        -- characters read of a truncated pair, NULL if all were
    hypothesis_read INTEGER,
    checksum BLOB NOT NULL,
    status TEXT NOT NULL DEFAULT 'ok', -- anything else says why there is no prediction
    detail TEXT,                 -- what else is known of the answer: JSON, or a BLOB of it compressed by zlib
    label_mass REAL,             -- the probability of all labels together, NULL if that is not known
    PRIMARY KEY (model, pair)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
    model INTEGER NOT NULL REFERENCES models(number),
    pairs BLOB NOT NULL,         -- hashes, one after another
    probabilities BLOB NOT NULL, -- little-endian doubles, three per pair
    read BLOB,                   -- two little-endian 32-bit numbers per pair, -1 if all was read; NULL: all
    checksum BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS parts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL REFERENCES models(number),
    checksum TEXT NOT NULL,      -- names the file
    predictions INTEGER NOT NULL
);
"""
#: What brings a store of an earlier format to the next one, but for the rows and their checksums.
_FROM_FORMAT: Final = {
    1: """
DELETE FROM answers WHERE truncated != 0;
ALTER TABLE answers RENAME TO answers_of_format_1;
ALTER TABLE models ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
""",
    2: """
ALTER TABLE answers ADD COLUMN status TEXT NOT NULL DEFAULT 'ok';
ALTER TABLE answers ADD COLUMN detail TEXT;
ALTER TABLE answers ADD COLUMN label_mass REAL;
""",
    3: "ALTER TABLE answers ADD COLUMN label_mass REAL;\n",
    4: "",  # the facts had no checksum, or some had
}
_DAMAGED: Final = "move the file elsewhere; its pairs will then be predicted again"

_COLUMNS: Final = "pair, probabilities, premise_read, hypothesis_read, checksum, status, detail, label_mass"
#: What is stored is never overwritten.
_INSERT: Final = (
    f"INSERT INTO answers (model, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
    "ON CONFLICT (model, pair) DO NOTHING"
)
_OF_MODEL: Final = "FROM answers WHERE model = ?"
#: Parts hold predictions only, so that rows that say more stay.
_MOVED: Final = f"{_OF_MODEL} AND status = '{OK}' AND detail IS NULL AND label_mass IS NULL"


def _take(
    table: SortedAnswers, missing: NDArray[np.intp], found: Answers, known: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Put what *table* has for the *missing* rows of *found* there; return the rows that it lacks."""
    places = table.find(found.hashes[missing])
    there = places >= 0
    rows, places = missing[there], places[there]
    known[rows] = True
    found.probabilities[rows], found.read[rows] = table.probabilities[places], table.read[places]
    found.outcomes.codes[rows] = table.outcomes.codes[places]
    found.outcomes.label_mass[rows] = table.outcomes.label_mass[places]
    still: NDArray[np.intp] = missing[~there]
    return still


def has_predictions(path: Path) -> bool:
    """Return whether the file *path* is a store with at least one prediction; a damaged one counts.

    What was learnt of a model by asking it, such as what a probe used up, counts too.
    """
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path)) as connection:
            tables = ("answers", "batches", "parts")
            query = " UNION ALL ".join(f"SELECT 1 FROM {table}" for table in tables)  # noqa: S608
            query += f" UNION ALL SELECT 1 FROM models WHERE facts != '{NO_FACTS}'"  # noqa: S608
            return connection.execute(f"SELECT 1 FROM ({query}) LIMIT 1").fetchone() is not None  # noqa: S608
    except sqlite3.Error:
        return True


class AnswerStore:
    """The predictions of the model with *key*, in the file *path* or, if it is None, in memory.

    A context manager.  Several processes may use one file at once.  Raises FormatError if the file is not a
    store.
    """

    def __init__(self, path: Path | None, key: str, name: str) -> None:
        self._path, self._key, self._name = path, key, name
        # What was read of the store so far: parts, batches (in a few tables), and the last of each.
        self._parts: list[SortedAnswers] = []
        self._batches: list[SortedAnswers] = []
        self._last_part = self._last_batch = 0
        self._first_batch: tuple[int] | None = None
        self._in_batches = self._in_rows = 0
        self._outside_parts = 0  # of these, those that a part can take
        self._rows: SortedAnswers | None = None  # all of them, if they were read
        self._has_more = True  # whether something was added since, by whatever process
        self._is_counted = False
        self._version: int | None = None  # changes when another process has written
        self._is_alone = True  # whether none has, so far

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
        if version not in (*_FROM_FORMAT, _FORMAT) and (version or tables):
            run("ROLLBACK")
            raise FormatError(
                f"the store has format {version}, not {_FORMAT}", where=str(self._path), hint=_DAMAGED
            )
        for statement in (_FROM_FORMAT.get(version, "") + _SCHEMA).split(";\n"):
            run(statement)
        if version == 1:
            self._take_over()
        if version in _FROM_FORMAT:
            self._seal_facts()
        run(f"PRAGMA user_version={_FORMAT}")
        run("INSERT OR IGNORE INTO models (key, name) VALUES (?, ?)", (self._key, self._name))
        self._model = int(run("SELECT number FROM models WHERE key = ?", (self._key,)).fetchone()[0])
        run("COMMIT")

    @property
    def facts(self) -> dict[str, Any]:
        """What was learnt of the model by asking it: a run from the store alone cannot learn it again."""
        with self._errors_explained():
            query = "SELECT facts FROM models WHERE number = ?"
            return unpacked_facts(self._key, self._connection.execute(query, (self._model,)).fetchone()[0])

    def note(self, facts: Mapping[str, Any]) -> None:
        """Record *facts* on the model; earlier ones are kept."""
        known = packed_facts(self._key, self.facts | dict(facts))
        with self._errors_explained():
            self._connection.execute("UPDATE models SET facts = ? WHERE number = ?", (known, self._model))

    def _take_over(self) -> None:
        """Move the predictions of format 1, none of them for a truncated pair, into the present table."""
        import numpy as np

        run = self._connection.execute
        old = run("SELECT model, pair, probabilities FROM answers_of_format_1")
        while rows := old.fetchmany(_LOOKED_UP_AT_ONCE):
            table = np.array([unpacked(packed) for _, _, packed in rows])
            check_stored(table, Outcomes.all_answered(len(table)))
            self._connection.executemany(
                _INSERT,
                [
                    (*row, None, None, checksum_of_row(*row, None, None), OK, None, None)
                    for row in rows  # model, pair, probabilities
                ],
            )
        run("DROP TABLE answers_of_format_1")

    def _seal_facts(self) -> None:
        """Give the facts on models, which are JSON alone in earlier formats, their checksums."""
        run = self._connection.execute
        for number, key, facts in run("SELECT number, key, facts FROM models").fetchall():
            run("UPDATE models SET facts = ? WHERE number = ?", (sealed_facts(key, facts), number))

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

    def look_up(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], Answers]:
        """Return which of *hashes* [n, 2] are stored, and their answers: [n], 0 where there is none."""
        with self._transaction("DEFERRED"):
            self._refresh()
            return self._found(hashes)

    def _found(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], Answers]:
        import numpy as np

        known = np.zeros(len(hashes), dtype=bool)
        read = np.full((len(hashes), 2), ALL_READ, dtype=np.int32)
        outcomes = Outcomes(np.zeros(len(hashes), dtype=np.int8), np.full(len(hashes), np.nan))
        found = Answers(hashes, np.zeros((len(hashes), 3)), read, outcomes)
        missing = np.argsort(hashes[:, 0])
        stored = sum(map(len, self._parts))
        left = [len(missing)]
        for part in self._parts:
            missing = _take(part, missing, found, known) if len(missing) else missing
            left.append(len(missing))
            if stored > _MOST_MAPPED:
                part.forget_pages()
        # A run asks in the same order again, so that what is looked up next is probably where this was.
        order = sorted(range(len(self._parts)), key=lambda place: left[place + 1] - left[place])
        self._parts = [self._parts[place] for place in order]
        for batches in self._batches:
            missing = _take(batches, missing, found, known)
        if self._in_rows and len(missing):
            _take(self._single_rows(hashes[missing]), missing, found, known)
        check_stored(found.probabilities[known], outcomes.at(known))
        return known, found

    def _refresh(self) -> None:
        """Read the parts and batches that were added since this was last done, by whatever process."""
        run, model = self._connection.execute, self._model
        self._note_others()
        if not self._has_more:
            return
        if not self._is_counted:
            self._count()
        self._has_more, self._is_counted = False, True
        query = "SELECT number, checksum FROM parts WHERE model = ? AND number > ? ORDER BY number"
        for number, checksum in run(query, (model, self._last_part)).fetchall():
            if self._path is not None:  # a store in memory has no parts
                self._parts.append(read_part(self._path.parent / PARTS, checksum))
            self._last_part = number
        query = "SELECT number FROM batches WHERE model = ? ORDER BY number LIMIT 1"
        first = run(query, (model,)).fetchone()
        if first != self._first_batch:  # those that were read were moved into a part
            self._batches.clear()
            self._first_batch, self._last_batch = first, 0
        new = concatenated(self._batches_after(self._last_batch))
        if len(new.hashes):
            self._add_batches(new)

    def count(self) -> int:
        """Return the number of pairs about which the model was asked, with or without an answer."""
        query = "SELECT sum(predictions) FROM parts WHERE model = ?"
        with self._transaction("DEFERRED"):
            self._count()
            in_parts = self._connection.execute(query, (self._model,)).fetchone()[0] or 0
            return int(in_parts) + self._in_batches + self._in_rows

    def _note_others(self) -> None:
        """Find out whether another process has written to the store since this was last asked."""
        version = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._is_alone &= self._version is None
            self._version, self._is_counted, self._has_more, self._rows = version, False, True, None

    def _count(self) -> None:
        """Count the predictions in batches and in single rows, and those that a part can take."""
        run, model = self._connection.execute, (self._model,)
        stored = run("SELECT sum(length(pairs)) FROM batches WHERE model = ?", model).fetchone()[0] or 0
        self._in_rows = int(run(f"SELECT count(*) {_OF_MODEL}", model).fetchone()[0])
        moved = int(run(f"SELECT count(*) {_MOVED}", model).fetchone()[0])
        self._in_batches = stored // HASH_BYTES
        self._outside_parts = self._in_batches + moved

    def _batches_after(self, last: int) -> Iterator[Answers]:
        query = (
            "SELECT number, pairs, probabilities, read, checksum FROM batches "
            "WHERE model = ? AND number > ? ORDER BY number"
        )
        for number, *row in self._connection.execute(query, (self._model, last)):
            yield from_batch(self._model, *row)
            self._last_batch = number

    def _add_batches(self, new: Answers) -> None:
        """Add *new* to the batches that were read, in so few tables that they are quickly searched."""
        while self._batches and len(self._batches[-1]) < 2 * len(new.hashes):
            new = concatenated([self._batches.pop().unsorted(), new])
        self._batches.append(SortedAnswers.of(new))

    def _single_rows(self, hashes: NDArray[np.uint64]) -> SortedAnswers:
        """Return the predictions in single rows: all of them, or those for *hashes* if these are few."""
        where = f"SELECT {_COLUMNS} {_OF_MODEL}"
        if self._rows is None and self._in_rows > _ROWS_PER_LOOKUP * len(hashes):
            found: list[Answers] = []
            for query in self._queries_for(as_bytes(hashes)):
                found += self._answers_in(*query)
            return SortedAnswers.of(concatenated(found))
        if self._rows is None:
            self._rows = SortedAnswers.of(concatenated(self._answers_in(where, (self._model,))))
        return self._rows

    def _answers_in(self, query: str, values: Sequence[object]) -> Iterator[Answers]:
        selected = self._connection.execute(query, values)
        while rows := selected.fetchmany(_READ_AT_ONCE):
            yield from_rows(self._model, rows)

    def add(
        self,
        hashes: NDArray[np.uint64],
        probabilities: NDArray[np.float64],
        read: Sequence[CharactersRead | None],
        outcomes: Sequence[Outcome] = (),
    ) -> None:
        """Store what became of one batch of pairs, all or nothing; nothing earlier is overwritten.

        *hashes* [n, 2] are those of the pairs; *read* says how much of each was read, None for all of it.
        *outcomes* say which questions have no answer; if there are none, all were answered.  Raises TypeError
        or ValueError if a detail is not JSON.
        """
        import numpy as np

        table = np.asarray(probabilities, dtype=np.float64)
        given = Answers(hashes, table, characters(read), Outcomes.of(outcomes, len(hashes)))
        details = [packed_detail(each.detail) for each in outcomes] or [None] * len(hashes)
        with self._transaction("IMMEDIATE"):
            is_unread = self._version is None
            self._note_others()
            if is_unread or not self._is_alone:  # some may have been stored since they were looked up
                self._refresh()
                known, _ = self._found(hashes)
                given = given.at(~known)
                details = [detail for detail, there in zip(details, known, strict=True) if not there]
            more = given.outcomes.noted | np.array([detail is not None for detail in details], dtype=bool)
            plain = given.at(~more)
            if len(plain.hashes) >= PAIRS_IN_ONE_ROW:
                self._insert_batch(plain)
                self._insert_rows(
                    given.at(more), [detail for detail, m in zip(details, more, strict=True) if m]
                )
            else:
                self._insert_rows(given, details)
        self._has_more = True
        self._outside_parts += len(plain.hashes)
        if self._path is not None and self._outside_parts >= PREDICTIONS_IN_PART:
            self._move_into_part(self._path.parent / PARTS)

    def _insert_batch(self, given: Answers) -> None:
        pairs = b"".join(as_bytes(given.hashes))
        probabilities = given.probabilities.astype("<f8").tobytes()
        read = given.read.astype("<i4").tobytes() if (given.read != ALL_READ).any() else None
        checksum = checksum_of_batch(self._model, pairs, probabilities, read)
        self._connection.execute(
            "INSERT INTO batches (model, pairs, probabilities, read, checksum) VALUES (?, ?, ?, ?, ?)",
            (self._model, pairs, probabilities, read, checksum),
        )

    def _insert_rows(self, given: Answers, details: Sequence[Detail]) -> None:
        rows = packed_rows(self._model, given, details)
        self._connection.executemany(_INSERT, rows)
        self._rows = None
        self._in_rows += len(rows)

    def forget(self, statuses: Iterable[str]) -> int:
        """Forget the questions without an answer that have one of *statuses*; return how many there were.

        Their pairs are asked again.  Raises UnknownNameError for a status that is not of such a question.
        """
        forgotten = check_unanswered(statuses)
        with self._transaction("IMMEDIATE"):
            marks = ",".join("?" * len(forgotten))
            deleted = self._connection.execute(
                f"DELETE {_OF_MODEL} AND status IN ({marks})", (self._model, *forgotten)
            ).rowcount
            self._is_counted, self._has_more, self._rows = False, True, None
        return deleted

    def details(self, hashes: NDArray[np.uint64]) -> list[dict[str, Any] | None]:
        """Return what is stored beside the answers for *hashes* [n, 2]: [n], None where there is nothing."""
        pairs, found = as_bytes(hashes), dict[bytes, dict[str, Any] | None]()
        with self._transaction("DEFERRED"):
            for query, wanted in self._queries_for(pairs):
                rows = self._connection.execute(query, wanted).fetchall()
                from_rows(self._model, rows)  # their checksums
                found |= {row[0]: unpacked_detail(row[6]) for row in rows}
        return [found.get(pair) for pair in pairs]

    def _queries_for(self, pairs: Sequence[bytes]) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yield queries that select the single rows of *pairs*, with what they are about."""
        for start in range(0, len(pairs), _LOOKED_UP_AT_ONCE):
            wanted = pairs[start : start + _LOOKED_UP_AT_ONCE]
            marks = ",".join("?" * len(wanted))
            yield f"SELECT {_COLUMNS} {_OF_MODEL} AND pair IN ({marks})", (self._model, *wanted)

    def _move_into_part(self, folder: Path) -> None:
        """Move what lies outside of parts into a new one, unless another process has just done that.

        Others cannot write in the meantime.
        """
        run, model = self._connection.execute, (self._model,)
        with self._transaction("IMMEDIATE"):
            self._remove_unlisted_parts(folder)
            self._count()
            if self._outside_parts < PREDICTIONS_IN_PART:
                return
            self._refresh()
            batches = (self._batches.pop(0).unsorted() for _ in range(len(self._batches)))
            rows = self._answers_in(f"SELECT {_COLUMNS} {_MOVED}", model)
            answers = SortedAnswers.of(concatenated([*batches, *rows]))
            checksum = write_part(folder, answers)
            run(
                "INSERT INTO parts (model, checksum, predictions) VALUES (?, ?, ?)",
                (*model, checksum, len(answers)),
            )
            run("DELETE FROM batches WHERE model = ?", model)
            run(f"DELETE {_MOVED}", model)
            self._count()
        self._rows, self._has_more = None, True

    def _remove_unlisted_parts(self, folder: Path) -> None:
        """Remove the files of processes that were killed before they listed them."""
        listed = {part_path(folder, row[0]) for row in self._connection.execute("SELECT checksum FROM parts")}
        for path in folder.glob("*.arrow"):
            if path not in listed:
                path.unlink()
        sweep(folder)
