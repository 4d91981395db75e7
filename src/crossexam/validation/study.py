"""A study in one SQLite file: the items, the judges, and every click that they made.

Clicks are only added.  Taking one back marks it, so that what stood before it counts again, and nothing that
a judge did is lost.  The file is in WAL mode with ``synchronous = FULL``: what :meth:`Study.answer` has
returned from is on the disk.  It holds gold labels and the judges' tokens, and only its owner may read it.

What is judged, and its row in the study's file.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import Gold, parse_label
from crossexam.validation.questions import QUESTIONS

MANIFEST: Final = "manifest.json"
FILE_NAME: Final = "study.sqlite"

_SCHEMA: Final = """
CREATE TABLE facts  (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE judges (name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE);
CREATE TABLE items  (number INTEGER PRIMARY KEY, test_set TEXT NOT NULL, example TEXT NOT NULL,
                     premise TEXT NOT NULL, hypothesis TEXT NOT NULL, gold TEXT, predicted TEXT,
                     cluster TEXT NOT NULL, asked TEXT NOT NULL, suggested TEXT NOT NULL,
                     UNIQUE (test_set, example));
CREATE TABLE orders (judge TEXT NOT NULL REFERENCES judges, place INTEGER NOT NULL,
                     item INTEGER NOT NULL REFERENCES items, PRIMARY KEY (judge, place));
CREATE TABLE clicks (id INTEGER PRIMARY KEY AUTOINCREMENT, judge TEXT NOT NULL REFERENCES judges,
                     item INTEGER NOT NULL REFERENCES items, question TEXT NOT NULL, value TEXT NOT NULL,
                     source TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0,
                     at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')));
CREATE INDEX clicks_of ON clicks (judge, item, question);
"""
# Of each group SQLite takes the bare columns from the row of max(id): the latest click that stands.
_STANDING: Final = """
SELECT judge, item, question, value, max(id) FROM clicks WHERE NOT undone {where}
GROUP BY judge, item, question
"""


class Answer(NamedTuple):
    """What *judge* says of *item* (its number)."""

    judge: str
    item: int
    question: str
    value: str


class Standing(NamedTuple):
    """Where a judge stands: the next *item* and *question* (None: all is done), of how many items."""

    item: Item | None
    question: str | None
    done: int
    total: int
    given: Mapping[str, str]


class Study:
    """An open study; every method is one transaction.  Close it, or use it in a ``with``."""

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
        """What sessions and form tokens are signed with."""
        (value,) = self._connection.execute("SELECT value FROM facts WHERE name = 'secret'").fetchone()
        return bytes.fromhex(value)

    @property
    def identity(self) -> str:
        """The study's own name: eight hexadecimal digits."""
        return str(self.manifest["study"])

    def order(self, judge: str) -> list[int]:
        """Return the numbers of the items in the order of *judge*."""
        found = self._connection.execute("SELECT item FROM orders WHERE judge = ? ORDER BY place", (judge,))
        return [number for (number,) in found.fetchall()]

    def answers(self, judge: str | None = None) -> list[Answer]:
        """Return the answers that stand, of *judge* or of all."""
        query = _STANDING.format(where="AND judge = :judge" if judge is not None else "")
        return [Answer(*row[:4]) for row in self._connection.execute(query, {"judge": judge}).fetchall()]

    def standing(self, judge: str) -> Standing:
        """Return the first question that *judge* has not answered, in the judge's order."""
        given: dict[int, dict[str, str]] = {}
        for answer in self.answers(judge):
            given.setdefault(answer.item, {})[answer.question] = answer.value
        items = [self.items[number] for number in self.order(judge)]
        due = [
            (item, left)
            for item in items
            if (left := [key for key in item.asked if key not in given.get(item.number, {})])
        ]
        if not due:
            return Standing(None, None, len(items), len(items), {})
        item, left = due[0]
        return Standing(item, left[0], len(items) - len(due), len(items), given.get(item.number, {}))

    def answer(self, answer: Answer, *, source: str = "page") -> bool:
        """Save *answer*; return False where it stood already.  Raises CrossexamError where it is none."""
        return self.answer_all([answer], source=source) == 1

    def answer_all(self, answers: Sequence[Answer], *, source: str) -> int:
        """Save *answers*, all or none; return how many did not stand already."""
        for answer in answers:
            self._check(answer)
        new = 0
        with self._transaction() as connection:
            for answer in answers:
                query = _STANDING.format(where="AND judge = ? AND item = ? AND question = ?")
                known = connection.execute(query, answer[:3]).fetchone()
                if known is None or known[3] != answer.value:
                    new += 1
                    connection.execute(
                        "INSERT INTO clicks (judge, item, question, value, source) VALUES (?, ?, ?, ?, ?)",
                        (*answer, source),
                    )
        return new

    def undo(self, judge: str) -> bool:
        """Take back the latest click of *judge* on the page; return False where there is none."""
        with self._transaction() as connection:
            done = connection.execute(
                "UPDATE clicks SET undone = 1 WHERE id = (SELECT max(id) FROM clicks "
                "WHERE judge = ? AND source = 'page' AND NOT undone)",
                (judge,),
            )
        return done.rowcount == 1

    def _check(self, answer: Answer) -> None:
        if answer.judge not in self.judges:
            raise CrossexamError(f"no judge is called '{answer.judge}'", wanted=", ".join(self.judges))
        item = self.items.get(answer.item)
        if item is None:
            raise CrossexamError(f"the study has no item {answer.item}")
        if answer.question not in item.asked:
            raise CrossexamError(
                f"item {item.name} is not asked '{answer.question}'", wanted=", ".join(item.asked)
            )
        known = [choice.value for choice in QUESTIONS[answer.question].choices]
        if answer.value not in known:
            raise CrossexamError(
                f"'{answer.value}' is no answer to '{answer.question}'", wanted=", ".join(known)
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Begin with the write lock, so that what is read is what is written over."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def open_study(folder: Path) -> Study:
    """Return the study in *folder*; raises FormatError where there is none, or a half one."""
    manifest_file = folder / MANIFEST
    if not manifest_file.exists() or not (folder / FILE_NAME).exists():
        missing = MANIFEST if not manifest_file.exists() else FILE_NAME
        raise FormatError(
            f"there is no {missing}: this is no study, or drawing it was not finished",
            where=str(folder),
            hint="crossexam validate sample SUITE -o STUDY",
        )
    manifest = read_json(manifest_file)
    if "study" not in manifest:
        raise FormatError("this is not the manifest of a study", where=str(manifest_file))
    return Study(folder, manifest)


def create_study(
    folder: Path, items: Sequence[Item], orders: Mapping[str, Sequence[int]], manifest: Mapping[str, Any]
) -> None:
    """Write a study into the empty or absent *folder*; *orders* are item numbers by judge.

    The manifest is written last.  Raises CrossexamError where *folder* holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CrossexamError("it is not empty", where=str(folder), hint="choose another -o")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.touch(mode=0o600)
    with closing(_connect(path)) as connection:
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO facts VALUES ('secret', ?)", (secrets.token_hex(32),))
        tokens = [(judge, secrets.token_urlsafe(24)) for judge in orders]
        connection.executemany("INSERT INTO judges VALUES (?, ?)", tokens)
        connection.executemany(f"INSERT INTO items VALUES ({','.join('?' * 10)})", map(row_of, items))  # noqa: S608
        places = [(judge, place, item) for judge, order in orders.items() for place, item in enumerate(order)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", places)
        connection.execute("COMMIT")
    write_json(folder / MANIFEST, {**manifest, "study": secrets.token_hex(4)})


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.DatabaseError as error:
        raise FormatError(f"not the database of a study: {error}", where=str(path)) from None
    return connection


@dataclass(frozen=True)
class Item:
    """What is judged.  *asked* are keys of questions; *predicted* and *suggested* are of error studies."""

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

    @property
    def name(self) -> str:
        """Return the name that judges and files see; it says nothing of test set or label."""
        return f"i{self.number:05d}"


def row_of(item: Item) -> tuple[object, ...]:
    """Return *item* as a row of the table of items."""
    shown = (_storable(item.premise), _storable(item.hypothesis))
    return (
        item.number,
        item.test_set,
        _storable(item.example),
        *shown,
        item.gold,
        item.predicted,
        item.cluster,
        json.dumps(item.asked),
        json.dumps(item.suggested),
    )


def _storable(text: str) -> str:
    """Return *text* with lone surrogates, which SQLite cannot hold, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def item_of(row: Sequence[Any]) -> Item:
    """Return the item in *row*, columns as :func:`row_of` gives them."""
    number, test_set, example, premise, hypothesis, gold, predicted, cluster, asked, suggested = row
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
    )
