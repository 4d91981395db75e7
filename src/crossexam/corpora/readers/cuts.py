"""Ways to cut a file into records that its form does not tell: no header, blocks, one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crossexam.core.errors import FormatError
from crossexam.corpora.readers.reader import Cut
from crossexam.corpora.records import Row, text_lines


def headless(names: Sequence[str]) -> Cut:
    """Return the cut of a tab-separated file without a header, whose columns are *names*."""

    def cut(path: Path) -> Iterator[tuple[int, Row | FormatError]]:
        for number, line, _ in text_lines(path):
            if isinstance(line, FormatError):
                yield number, line
                continue
            fields = line.split("\t")
            if len(fields) == len(names):
                yield number, dict(zip(names, fields, strict=True))
            else:
                wanted = f"{len(names)}: {', '.join(names)}"
                yield number, FormatError(f"{len(fields)} fields", wanted=wanted)

    return cut


def blocks(path: Path) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield the records of a file of ``key: value`` lines that blank lines part (White et al. 2017)."""
    row: Row = {}
    start = last = 0
    for number, line, _ in text_lines(path):
        if row and number > last + 1:
            yield start, row
            row = {}
        start = start if row else number
        last = number
        if isinstance(line, FormatError):
            yield number, line
            continue
        key, colon, value = line.partition(":")
        if colon:
            row[key.strip()] = value.strip()
        else:
            yield number, FormatError(f"'{line[:40]}' is no field", wanted="key: value")
    if row:
        yield start, row


def json_values(path: Path) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield the objects of a file that is one JSON array, or an object of objects by id (key ``key``)."""
    try:
        whole: Any = json.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as error:
        raise FormatError(f"not JSON: {error}", where=str(path), wanted="one JSON array or object") from None
    named = whole.items() if isinstance(whole, dict) else ((None, value) for value in whole)
    for number, (name, value) in enumerate(named, 1):
        if isinstance(value, dict):
            yield number, value if name is None else {"key": name, **value}
        else:
            yield number, FormatError("not an object", wanted='{"field": ...}')
