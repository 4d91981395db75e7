"""A study: one SQLite file with the items, the judges, and every answer that they clicked.

Clicks are only added.  Undoing one marks it, so that the previous one counts again and nothing that a judge
did is lost.  The file is in WAL mode with ``synchronous = FULL``: when :meth:`Study.record` returns, the
judgement is on the disk.  Each row has a checksum (:mod:`crossexam.validation.row_checksums`).  The file
holds gold labels and the tokens of the judges, so only its owner may read it.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import SIDES, Side
from crossexam.core.files import disk_full, writing
from crossexam.core.labels import Gold, Projection, parse_label, projection_of
from crossexam.core.manifest import TestSetEntry, entries_of
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.validation.questions import ANTONYM_KIND, CANNOT_SAY, GRAMMAR_KEPT, QUESTIONS
from crossexam.validation.row_checksums import check_rows, is_sealed, prepare, seal, seal_all

MANIFEST: Final = "manifest.json"
FILE_NAME: Final = "study.sqlite"
_RESTORE: Final = "restore the file from a copy of the study; the judgements themselves are in study.sqlite"

# Every table has a column ``checksum`` besides, which seal_all adds.
_SCHEMA: Final = """
CREATE TABLE facts  (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE judges (name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE);
CREATE TABLE items  (number INTEGER PRIMARY KEY, test_set TEXT NOT NULL, example TEXT NOT NULL,
                     premise TEXT NOT NULL, hypothesis TEXT NOT NULL, gold TEXT, predicted TEXT,
                     cluster TEXT NOT NULL, asked TEXT NOT NULL, suggested TEXT NOT NULL,
                     facts TEXT NOT NULL, UNIQUE (test_set, example));
CREATE TABLE orders (judge TEXT NOT NULL REFERENCES judges, place INTEGER NOT NULL,
                     item INTEGER NOT NULL REFERENCES items, PRIMARY KEY (judge, place));
CREATE TABLE clicks (id INTEGER PRIMARY KEY AUTOINCREMENT, judge TEXT NOT NULL REFERENCES judges,
                     item INTEGER NOT NULL REFERENCES items, question TEXT NOT NULL, value TEXT NOT NULL,
                     source TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0,
                     at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')));
CREATE INDEX clicks_of ON clicks (judge, item, question);
"""
# SQLite takes the bare columns of each group from the row of max(id): the latest click that was not undone.
_LATEST: Final = """
SELECT judge, item, question, value, max(id) FROM clicks WHERE NOT undone {where}
GROUP BY judge, item, question
"""


@dataclass(frozen=True)
class Item:
    """An item to judge; *asked* are keys of questions, *predicted* and *suggested* are for error studies.

    *before* has the sentences that its construction edited, as they were, *pair* its two words; *status* is
    that of a label that was only proposed.  Studies of earlier versions have none of these.
    """

    number: int
    test_set: str
    example: str
    premise: str
    hypothesis: str
    gold: Gold | None
    predicted: Gold | None
    cluster: str
    asked: tuple[str, ...]
    suggested: tuple[tuple[str, str], ...] = ()
    before: Mapping[Side, str] = field(default_factory=dict)
    status: str | None = None
    pair: str | None = None

    def revealed(self, question: str) -> dict[str, str]:
        """Return by column what judges see with *question* and must not see with others."""
        if question == GRAMMAR_KEPT:
            return {f"{side} before the change": self.before.get(side, "") for side in SIDES}
        return {"words": self.pair or ""} if question == ANTONYM_KIND else {}

    @property
    def name(self) -> str:
        """Return the name that judges see; it reveals neither the test set nor the label."""
        return f"i{self.number:05d}"


class Judgement(NamedTuple):
    """The answer *value* of *judge* to *question* about the item with the number *item*."""

    judge: str
    item: int
    question: str
    value: str


class JudgeProgress(NamedTuple):
    """How far a judge is: *done* of *total* items, and the next *item* and *question* (None if all is done).

    *given* are the answers to earlier questions about the next item.
    """

    item: Item | None
    question: str | None
    done: int
    total: int
    given: Mapping[str, str]


class Study:
    """An open study; every method is one transaction.  Close it, or use it as a context manager."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self._connection = _connect(folder / FILE_NAME)

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @cached_property
    def items(self) -> dict[int, Item]:
        """The items by number."""
        rows = self._connection.execute("SELECT * FROM items ORDER BY number").fetchall()
        return {row[0]: item_of(row) for row in rows}

    @cached_property
    def judges(self) -> dict[str, str]:
        """The token of each judge by name."""
        return dict(self._connection.execute("SELECT name, token FROM judges ORDER BY rowid").fetchall())

    @cached_property
    def secret(self) -> bytes:
        """The key that signs cookies and form tokens."""
        (value,) = self._connection.execute("SELECT value FROM facts WHERE name = 'secret'").fetchone()
        return bytes.fromhex(value)

    @property
    def identity(self) -> str:
        """The id of the study: eight hexadecimal digits."""
        return str(self.manifest["study"])

    def check(self) -> None:
        """Raise an error of SQLite or ValueError unless all that the study holds is as it was written."""
        (sound,) = self._connection.execute("PRAGMA integrity_check").fetchone()
        if sound != "ok":
            raise ValueError(sound)
        if is_sealed(self._connection):
            check_rows(self._connection)
        known = set(self.manifest["test_sets"])
        for item in self.items.values():
            if item.test_set not in known or not set(item.asked) <= set(QUESTIONS):
                raise ValueError(
                    f"item {item.number} is of test set {item.test_set!r}, and asks {item.asked}"
                )
            if not isinstance(item.premise, str) or not isinstance(item.hypothesis, str):
                raise ValueError(f"the sentences of item {item.number} are not text")
        for judge in self.judges:
            if not set(self.order(judge)) <= set(self.items):
                raise ValueError(f"the order of {judge} has items that there are not")
        for judgement in self.judgements():
            self._check(judgement)
        if len(self.secret) == 0:
            raise ValueError("the key that signs forms is empty")

    def seal(self) -> None:
        """Give the rows of a study of an earlier version their checksums, unless they have them."""
        if not is_sealed(self._connection):
            with self._transaction() as connection:
                if not is_sealed(connection):  # by another process
                    seal_all(connection)

    def entry(self, name: str) -> TestSetEntry:
        """Return what the manifest says of test set *name*; raises KeyError if it is not in the study."""
        return TestSetEntry.from_json(name, self.manifest["test_sets"][name])

    @cached_property
    def projections(self) -> dict[str, Projection]:
        """How the labels of each test set are read; judges choose among three, a corpus may have two."""
        golds: dict[str, list[Gold | None]] = {}
        for item in self.items.values():
            golds.setdefault(item.test_set, []).append(item.gold)
        entries = self.manifest["test_sets"]
        return {name: projection_of(entries[name], of_set) for name, of_set in golds.items()}

    def label(self, item: Item, value: str) -> str:
        """Return the answer *value* to the question for the label, as one of the labels of the test set.

        Of two labels, neutral and contradiction are not_entailment.  CANNOT_SAY remains what it is.
        """
        if value == CANNOT_SAY:
            return value
        return self.projections[item.test_set].read(parse_label(value)) or CANNOT_SAY

    def is_good(self, item: Item, question: str, value: str) -> bool:
        """Return whether *value* is the generated label of *item*, or the good answer to another question."""
        if question == "label":
            return self.label(item, value) == item.gold
        return value == QUESTIONS[question].good

    def order(self, judge: str) -> list[int]:
        """Return the numbers of the items in the order of *judge*."""
        rows = self._connection.execute("SELECT item FROM orders WHERE judge = ? ORDER BY place", (judge,))
        return [number for (number,) in rows.fetchall()]

    def judgements(self, judge: str | None = None) -> list[Judgement]:
        """Return the latest judgements, of *judge* or of all judges."""
        query = _LATEST.format(where="AND judge = :judge" if judge is not None else "")
        return [Judgement(*row[:4]) for row in self._connection.execute(query, {"judge": judge}).fetchall()]

    def progress(self, judge: str) -> JudgeProgress:
        """Return how far *judge* is, with the first unanswered question in the judge's order of items."""
        given: dict[int, dict[str, str]] = {}
        for judgement in self.judgements(judge):
            given.setdefault(judgement.item, {})[judgement.question] = judgement.value
        items = [self.items[number] for number in self.order(judge)]
        due = [
            (item, left)
            for item in items
            if (left := [key for key in item.asked if key not in given.get(item.number, {})])
        ]
        if not due:
            return JudgeProgress(None, None, len(items), len(items), {})
        item, left = due[0]
        return JudgeProgress(item, left[0], len(items) - len(due), len(items), given.get(item.number, {}))

    def record(self, judgement: Judgement, *, source: str = "page") -> bool:
        """Save *judgement*; return False if it changes nothing.  Raises CrossexamError if it is not valid."""
        return self.record_all([judgement], source=source) == 1

    def record_all(self, judgements: Sequence[Judgement], *, source: str) -> int:
        """Save *judgements*, all or none; return how many are new or changed.  Raises CrossexamError."""
        for judgement in judgements:
            self._check(judgement)
        new = 0
        with self._transaction() as connection:
            for judgement in judgements:
                query = _LATEST.format(where="AND judge = ? AND item = ? AND question = ?")
                known = connection.execute(query, judgement[:3]).fetchone()
                if known is None or known[3] != judgement.value:
                    new += 1
                    inserted = connection.execute(
                        "INSERT INTO clicks (judge, item, question, value, source) VALUES (?, ?, ?, ?, ?)",
                        (*judgement, source),
                    )
                    seal(connection, "clicks", row=inserted.lastrowid)
        return new

    def undo(self, judge: str) -> bool:
        """Undo the latest click of *judge* on the page; return False if there is none."""
        with self._transaction() as connection:
            (latest,) = connection.execute(
                "SELECT max(id) FROM clicks WHERE judge = ? AND source = 'page' AND NOT undone", (judge,)
            ).fetchone()
            if latest is None:
                return False
            connection.execute("UPDATE clicks SET undone = 1 WHERE id = ?", (latest,))
            seal(connection, "clicks", row=latest)
        return True

    def _check(self, judgement: Judgement) -> None:
        if judgement.judge not in self.judges:
            raise CrossexamError(f"no judge is called '{judgement.judge}'", wanted=", ".join(self.judges))
        item = self.items.get(judgement.item)
        if item is None:
            raise CrossexamError(f"the study has no item {judgement.item}")
        if judgement.question not in item.asked:
            raise CrossexamError(
                f"'{judgement.question}' is not a question about item {item.name}",
                wanted=", ".join(item.asked),
            )
        known = [choice.value for choice in QUESTIONS[judgement.question].choices]
        if judgement.value not in known:
            raise CrossexamError(
                f"'{judgement.value}' is not an answer to '{judgement.question}'", wanted=", ".join(known)
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Begin with the write lock, so that nobody writes between reading and writing."""
        with writing(self.folder / FILE_NAME):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._connection.execute("ROLLBACK")
                raise


def open_study(folder: Path) -> Study:
    """Return the study in *folder*; raises FormatError if there is none or it was not finished."""
    manifest_file = folder / MANIFEST
    if not manifest_file.exists() or not (folder / FILE_NAME).exists():
        missing = MANIFEST if not manifest_file.exists() else FILE_NAME
        raise FormatError(
            f"there is no {missing}: this is not a study, or sampling did not finish",
            where=str(folder),
            hint="crossexam validate sample SUITE -o STUDY",
        )
    manifest = read_manifest(manifest_file, hint=_RESTORE)
    try:
        entries_of(manifest)
        if "study" not in manifest or not isinstance(manifest.get("test_sets"), dict):
            raise FormatError("this is not the manifest of a study", wanted="fields 'study' and 'test_sets'")
    except FormatError as error:
        raise FormatError(error.what, where=str(manifest_file), wanted=error.wanted, hint=_RESTORE) from None
    study = Study(folder, manifest)
    try:
        _check_database(study)
    except BaseException:
        study.close()
        raise
    return study


def _check_database(study: Study) -> None:
    """Raise FormatError if the database of *study* is damaged, or is not that of its manifest."""
    path = study.folder / FILE_NAME
    try:
        study.check()
        study.seal()
    except (
        sqlite3.DatabaseError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
    ) as error:
        if (full := disk_full(error, path)) is not None:
            raise full from None
        raise FormatError(
            f"the database of the study is damaged: {error}",
            where=str(path),
            wanted="the file that `crossexam validate sample` wrote, with what judges have answered",
            hint=_RESTORE,
        ) from None
    except CrossexamError as error:
        hint = error.hint or _RESTORE
        raise FormatError(error.what, where=str(path), wanted=error.wanted, hint=hint) from None


def create_study(
    folder: Path, items: Sequence[Item], orders: Mapping[str, Sequence[int]], manifest: Mapping[str, Any]
) -> None:
    """Write a study into *folder*; *orders* are the item numbers in the order of each judge.

    The manifest is written last; what an interrupted call left is written anew.  Raises CrossexamError if
    *folder* exists and has anything else, if the disk is full, or if the name of a test set is not text.
    """
    for name in {item.test_set for item in items}:
        if _storable(name) != name:
            raise CrossexamError(
                f"the name of test set '{name}' has an unpaired surrogate",
                wanted="a name that UTF-8 can encode",
                hint="rename the test set in the manifest of the suite",
            )
    if folder.exists() and (not folder.is_dir() or not _only_leftovers(folder)):
        raise CrossexamError("this folder is not empty", where=str(folder), hint="choose another -o")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    for stale in folder.iterdir():
        stale.unlink()
    path.touch(mode=0o600)
    with writing(path), closing(_connect(path)) as connection:
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO facts VALUES ('secret', ?)", (secrets.token_hex(32),))
        tokens = [(judge, secrets.token_urlsafe(24)) for judge in orders]
        connection.executemany("INSERT INTO judges VALUES (?, ?)", tokens)
        connection.executemany(f"INSERT INTO items VALUES ({','.join('?' * 11)})", map(row_of, items))  # noqa: S608
        places = [(judge, place, item) for judge, order in orders.items() for place, item in enumerate(order)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", places)
        seal_all(connection)
        connection.execute("COMMIT")
    write_manifest(folder / MANIFEST, {**manifest, "study": secrets.token_hex(4)})


def _only_leftovers(folder: Path) -> bool:
    """Return whether *folder* is empty but for what an interrupted create_study left, without judgements."""
    path = folder / FILE_NAME
    databases = {path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"}
    temporary = set(folder.glob(f".{MANIFEST}.*.part"))
    if not all(each.name in databases or each in temporary for each in folder.iterdir()):
        return False
    if not path.exists():
        return True
    with closing(_connect(path)) as connection:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'clicks'").fetchone()[0]
        return not (tables and connection.execute("SELECT count(*) FROM clicks").fetchone()[0])


def row_of(item: Item) -> tuple[object, ...]:
    """Return *item* as a row of the table ``items``."""
    shown = (_storable(item.premise), _storable(item.hypothesis))
    return (
        item.number,
        item.test_set,
        _storable(item.example),
        *shown,
        item.gold,
        item.predicted,
        _storable(item.cluster),
        json.dumps(item.asked),
        json.dumps(item.suggested),
        json.dumps({"before": _storable_texts(item.before), "status": item.status, "pair": item.pair}),
    )


def _storable(text: str) -> str:
    """Return *text* with lone surrogates, which SQLite cannot store, replaced by their escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _storable_texts(texts: Mapping[Side, str]) -> dict[Side, str]:
    return {side: _storable(text) for side, text in texts.items()}


def item_of(row: Sequence[Any]) -> Item:
    """Return the item in *row*, the inverse of :func:`row_of`."""
    number, test_set, example, premise, hypothesis, gold, predicted, cluster, asked, suggested = row[:10]
    facts = json.loads(row[10]) if len(row) > 10 else {}  # studies of earlier versions have ten columns
    return Item(
        number,
        test_set,
        example,
        premise,
        hypothesis,
        parse_label(gold),
        parse_label(predicted),
        cluster,
        tuple(json.loads(asked)),
        tuple((category, why) for category, why in json.loads(suggested)),
        facts.get("before") or {},
        facts.get("status"),
        facts.get("pair"),
    )


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        prepare(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite quotes what is damaged
        raise FormatError(f"not the database of a study: {error}", where=str(path)) from None
    return connection
