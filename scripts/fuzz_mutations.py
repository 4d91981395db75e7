"""How ``scripts/fuzz.py`` damages a file: a table of mutations of bytes, JSON, SQLite and Parquet."""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

Mutation = Callable[[bytes, random.Random], bytes]

CONTROLS: Final = (b"\x00", b"\x1b[31m", b"\r", b"\x85", b"\x1c", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80",
                   "\u2028".encode(), "\u202e".encode(), b"\t", b'"', b"\x7f")  # fmt: skip
NUMBERS: Final = (b"NaN", b"-1", b"1e999", b"-Infinity", b"9" * 5000, b"1e-400", b"0.5",
                  b"99999999999999999999", b"-9223372036854775808", b"2147483648", b"0", b"1.0")  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (None, True, -1, 0, 1.5, 10**30, "", "x", "\ud800", [], {}, [[]], {"a": 1},
                                  "NaN", float("nan"), float("inf"), ["a", 1], "../../etc/passwd",
                                  "a" * 100_000)  # fmt: skip
ENCODINGS: Final = ("utf-16", "utf-32", "latin-1", "utf-8-sig", "cp037")


def flip(data: bytes, rng: random.Random) -> bytes:
    """Flip one bit, or a few."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(data: bytes, rng: random.Random) -> bytes:
    """Cut the end off."""
    return data[: rng.randrange(len(data) + 1)]


def cut(data: bytes, rng: random.Random) -> bytes:
    """Cut a stretch out."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.randrange(64) :]


def repeat(data: bytes, rng: random.Random) -> bytes:
    """Repeat a stretch."""
    start = rng.randrange(len(data) + 1)
    end = start + rng.randrange(64)
    return data[:end] + data[start:end] * rng.choice((1, 3, 1000)) + data[end:]


def zeros(data: bytes, rng: random.Random) -> bytes:
    """Replace a page by zeros, as after a crash of the machine."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((16, 512, 4096)))
    return data[:start] + bytes(end - start) + data[end:]


def line(data: bytes, rng: random.Random) -> bytes:
    """Delete, repeat or exchange lines."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return b"\n"
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(4)
    if how == 0:
        del lines[first]
    elif how == 1:
        lines.insert(first, lines[second])
    elif how == 2:
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines[first] = lines[first].rstrip(b"\r\n") + lines[second]
    return b"".join(lines)


def control(data: bytes, rng: random.Random) -> bytes:
    """Insert a character that is seldom meant."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + rng.choice(CONTROLS) + data[start:]


def number(data: bytes, rng: random.Random) -> bytes:
    """Replace a number by another one, or by what is none."""
    starts = [k for k, byte in enumerate(data[:200_000]) if 48 <= byte <= 57 and not 48 <= data[k - 1] <= 57]
    if not starts:
        return data + rng.choice(NUMBERS)
    start = end = rng.choice(starts)
    while end < len(data) and data[end : end + 1] in b"0123456789.e-+":
        end += 1
    return data[:start] + rng.choice(NUMBERS) + data[end:]


def encoding(data: bytes, rng: random.Random) -> bytes:
    """Write the text in another encoding."""
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def other(data: bytes, rng: random.Random) -> bytes:
    """Replace the file by something else, as large or empty."""
    return rng.choice((b"", b"\n", b"{}", b"[]", b"null", b"0", b"[" * 100_000, b'{"a":' * 50_000,
                       gzip.compress(data), b"PK\x03\x04" + data, b"PAR1" + data, rng.randbytes(300),
                       b"<html>502 Bad Gateway</html>",
                       data + data, b'""', b"\x93NUMPY" + data, b"SQLite format 3\x00" + data))  # fmt: skip


def _nodes(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in *value*: a container and a key or index."""
    found: list[tuple[Any, Any]] = []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        found.append((value, key))
        if len(found) < 5000:
            found += _nodes(each)
    return found


def in_json(data: bytes, rng: random.Random) -> bytes:
    """Replace, remove or exchange values of a JSON file, or of one of its lines."""
    lines = [data] if data.lstrip()[:1] in b"[{" and _is_json(data) else data.splitlines()
    place = rng.randrange(len(lines)) if lines else 0
    if not lines or not _is_json(lines[place]):
        return flip(data, rng)
    value = json.loads(lines[place])
    nodes = _nodes(value)
    if not nodes:
        lines[place] = json.dumps(rng.choice(VALUES)).encode()
        return b"\n".join(lines) + b"\n"
    (first, key), (second, other_key) = rng.choice(nodes), rng.choice(nodes)
    how = rng.randrange(5)
    if how == 0:
        del first[key]
    elif how == 1 and not _within(first[key], second):
        first[key], second[other_key] = second[other_key], first[key]
        if _circular(value):
            return flip(data, rng)
    elif how == 2 and isinstance(first, dict):
        first[rng.choice(("x", "", key.upper() or "y", " "))] = first.pop(key)
    else:
        first[key] = rng.choice(VALUES)
    lines[place] = json.dumps(value).encode()
    return b"\n".join(lines) + b"\n"


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _within(value: Any, container: Any) -> bool:
    return value is container or any(place[0] is container for place in _nodes(value))


def _circular(value: Any) -> bool:
    try:
        json.dumps(value)
    except (ValueError, RecursionError):
        return True
    return False


def in_sqlite(path: Path, rng: random.Random) -> None:
    """Change, delete or exchange cells of a database with SQL."""
    values: tuple[Any, ...] = (None, -1, 0, 1.5, "x", b"", b"\x00" * 24, "ok", "refused", "{}", 10**15,
                               rng.randbytes(24), "[]", "1", '{"two_label": true}')  # fmt: skip
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        opened.execute("PRAGMA foreign_keys=OFF")
        names = [row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled = [name for name in names if not name.startswith("sqlite_")
                  and opened.execute(f"SELECT count(*) FROM {name}").fetchone()[0]]  # fmt: skip
        table = rng.choice(filled)
        columns = [row[1] for row in opened.execute(f"PRAGMA table_info({table})")]
        column, count = rng.choice(columns), opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        row = opened.execute(f"SELECT * FROM {table} LIMIT 1 OFFSET {rng.randrange(count)}").fetchone()
        known = " AND ".join(f"{name} IS ?" for name in columns)
        how = rng.randrange(5)
        try:
            if how == 0:
                opened.execute(f"DELETE FROM {table} WHERE {known}", row)
            elif how == 1:
                swap = (
                    f"UPDATE {table} SET {column} = (SELECT {column} FROM {table} ORDER BY random() LIMIT 1)"
                )
                opened.execute(f"{swap} WHERE {known}", row)
            elif how == 2:
                opened.execute(f"DROP TABLE {table}")
            elif how == 3:
                opened.execute(f"PRAGMA user_version={rng.choice((0, 1, 2, 3, 9))}")
            else:
                opened.execute(f"UPDATE {table} SET {column} = ? WHERE {known}", (rng.choice(values), *row))
        except sqlite3.Error:
            opened.execute(f"DELETE FROM {table}")
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def in_parquet(path: Path, rng: random.Random) -> None:
    """Change cells, rows or types of a Parquet file, and write it as a valid one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    name = rng.choice(table.column_names)
    place, column = table.column_names.index(name), table[name].to_pylist()
    how = rng.randrange(6)
    if how == 0:
        table = table.slice(0, rng.randrange(len(table) + 1))
    elif how == 1:
        table = table.drop_columns([name])
    elif how == 2:
        table = table.take(rng.sample(range(len(table)), len(table)))
    elif how == 3:
        made = rng.choice(([b"\xff\xfe"] * len(column), [[1]] * len(column), [{"a": 1}] * len(column),
                           [None] * len(column), [1.5] * len(column), [True] * len(column),
                           [10**15] * len(column)))  # fmt: skip
        table = table.set_column(place, name, pa.array(made))
    elif how == 4:  # text that is not UTF-8
        raw = pa.array([b"\xff\xfe" for _ in column], pa.binary())
        text = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
        table = table.set_column(place, name, text)
    else:
        row = rng.randrange(len(column))
        column[row] = column[rng.randrange(len(column))] if rng.random() < 0.5 else None
        table = table.set_column(place, name, pa.array(column, type=table.schema.field(name).type))
    pq.write_table(table, path, compression="zstd")


MUTATIONS: Final[tuple[Mutation, ...]] = (flip, flip, flip, truncate, cut, repeat, zeros, line, control,
                                          number, encoding, other, in_json, in_json, in_json)  # fmt: skip
#: Mutations of files with a structure of their own, by their suffix; every second one of such a file.
STRUCTURED: Final = {".sqlite": in_sqlite, ".parquet": in_parquet}


def damage(path: Path, rng: random.Random) -> str:
    """Damage the file *path*; return the name of the mutation."""
    structured = STRUCTURED.get(path.suffix)
    if structured is not None and rng.random() < 0.5:
        structured(path, rng)
        return structured.__name__
    mutation = rng.choice(MUTATIONS)
    path.write_bytes(mutation(path.read_bytes(), rng))
    return mutation.__name__
