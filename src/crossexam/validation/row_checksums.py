"""A checksum in each row of a study, so that a damaged row is an error and never a number.

Studies of earlier versions have none.  Their rows get checksums when they are opened for the first time, and
nothing vouches for what they were until then.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from crossexam.core.sealed import checksum_of_row

#: The columns that the checksum of a row covers, by table.  The facts come last, as they say how many rows
#: the others have.
_COVERED: Final = {
    "judges": ("name", "token"),
    "items": (
        "number",
        "test_set",
        "example",
        "premise",
        "hypothesis",
        "gold",
        "predicted",
        "cluster",
        "asked",
        "suggested",
        "facts",
    ),
    "orders": ("judge", "place", "item"),
    "clicks": ("id", "judge", "item", "question", "value", "source", "undone", "at"),
    "facts": ("name", "value"),
}
_FIXED: Final = ("judges", "items", "orders")  # tables that stay as they were drawn
_ROWS: Final = "rows"  # the fact that says how many rows these have
_SEALED: Final = 1  # user_version of a database whose rows have checksums


def prepare(connection: sqlite3.Connection) -> None:
    """Make the function that computes checksums known to *connection*."""
    connection.create_function("row_checksum", -1, checksum_of_row, deterministic=True)


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Return whether the rows have checksums."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0]) == _SEALED


def seal_all(connection: sqlite3.Connection) -> None:
    """Add checksums to all tables, if they have none; the caller has begun a transaction.

    Raises ValueError if the version of the database is damaged.
    """
    known = {row[1] for row in connection.execute("PRAGMA table_info(items)")}
    if "checksum" in known:
        raise ValueError("the rows have checksums, but the version of the database says that they have none")
    if "facts" not in known:
        connection.execute("ALTER TABLE items ADD COLUMN facts TEXT NOT NULL DEFAULT '{}'")
    connection.execute("INSERT INTO facts VALUES (?, ?)", (_ROWS, _rows(connection)))
    for table in _COVERED:
        connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum BLOB")
        seal(connection, table)
    connection.execute(f"PRAGMA user_version = {_SEALED}")


def seal(connection: sqlite3.Connection, table: str, *, row: int | None = None) -> None:
    """Write the checksums of *table*, or of its *row* of that rowid."""
    where = "" if row is None else "WHERE rowid = :row"
    connection.execute(f"UPDATE {table} SET checksum = {_checksum(table)} {where}", {"row": row})  # noqa: S608


def check_rows(connection: sqlite3.Connection) -> None:
    """Raise ValueError that names the first row which does not have its checksum, or says what is missing."""
    for table in _COVERED:
        query = f"SELECT rowid FROM {table} WHERE checksum IS NOT {_checksum(table)} ORDER BY rowid"  # noqa: S608
        damaged = connection.execute(query).fetchone()
        if damaged is not None:
            raise ValueError(f"row {damaged[0]} of the table {table} does not have its checksum")
    drawn = connection.execute("SELECT value FROM facts WHERE name = ?", (_ROWS,)).fetchone()
    there = _rows(connection)
    if drawn is None or drawn[0] != there:
        raise ValueError(f"there are {there}, but there were {drawn[0] if drawn else 'others'}")
    clicks = connection.execute("SELECT count(*) FROM clicks").fetchone()[0]
    last = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'clicks'").fetchone()[0] or 0
    if clicks != last:  # SQLite numbers clicks, and none is ever removed
        raise ValueError(f"{last - clicks:,} of {last:,} rows of the table clicks are missing")


def _rows(connection: sqlite3.Connection) -> str:
    """Return in words how many rows the tables have that stay as they were drawn."""
    counts = (
        (connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0], table)  # noqa: S608
        for table in _FIXED
    )
    return ", ".join(f"{count} {table}" for count, table in counts)


def _checksum(table: str) -> str:
    """Return the expression for the checksum of a row; it never fails, whatever the values have become."""
    values = ", ".join(f"typeof({name}), CAST({name} AS BLOB)" for name in _COVERED[table])
    return f"row_checksum('{table}', {values})"
