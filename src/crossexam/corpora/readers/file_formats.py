"""Splitters for files that are not in a common format: no header, blocks of lines, a JSON array ..."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crossexam.core.errors import FormatError
from crossexam.core.files import allow_long_fields, csv_problem, json_problem
from crossexam.core.output.escapes import quoted
from crossexam.corpora.readers.reader import Splitter
from crossexam.corpora.records import FormattedFile, Records, Row, iter_records, json_object, text_lines

_BETWEEN: Final = re.compile(r"[\s,]*")


def headless(names: Sequence[str], **marks: str) -> Splitter:
    """Return the splitter of a tab-separated file without a header, whose columns are *names*.

    *marks* are added to every record: what only the name of the file says.
    """

    def split(path: Path) -> Records:
        for number, line, _ in text_lines(path):
            if isinstance(line, FormatError):
                yield number, line
                continue
            fields = line.split("\t")
            if len(fields) == len(names):
                yield number, {**dict(zip(names, fields, strict=True)), **marks}
            else:
                yield number, _wrong_count(fields, names)

    return split


def may_end_before(*last: str) -> Splitter:
    """Return the splitter of a tab-separated file with a header, whose lines may lack the fields *last*."""

    def split(path: Path) -> Records:
        names: list[str] = []
        for number, line, _ in text_lines(path):
            if isinstance(line, FormatError):
                yield number, line
                continue
            fields = line.split("\t")
            if not names:
                names = fields
            elif len(fields) <= len(names) and set(names[len(fields) :]) <= set(last):
                yield number, dict(zip(names, fields, strict=False))
            else:
                yield number, _wrong_count(fields, names)

    return split


def _wrong_count(fields: Sequence[str], names: Sequence[str]) -> FormatError:
    return FormatError(f"{len(fields)} fields", wanted=f"{len(names)}: {', '.join(names)}")


def groups_of_quoted(size: int) -> Splitter:
    """Return the splitter of a tab-separated file quoted as CSV, whose rows form groups of *size*.

    The field ``group`` has the split, which is the last word of the file's name, and the number of the group.
    """

    def split(path: Path) -> Records:
        name = path.stem.rpartition("_")[2]
        for count, (number, row) in enumerate(iter_records(FormattedFile(path, "csv", "\t"))):
            yield (
                number,
                row if isinstance(row, FormatError) else {**row, "group": f"{name} {count // size}"},
            )

    return split


def first_of_names(path: Path) -> Records:
    """Yield the records of a CSV file whose header repeats a name; the first column of that name counts."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        allow_long_fields()
        lines = csv.reader(stream, strict=True)
        number = 1
        try:
            names = next(lines, [])
            while True:
                number = lines.line_num + 1  # the record's first line
                fields = next(lines, None)
                if fields is None:
                    return
                if len(fields) == len(names):
                    yield number, dict(reversed(list(zip(names, fields, strict=True))))
                elif fields:
                    yield number, _wrong_count(fields, names)
        except (csv.Error, UnicodeDecodeError) as error:
            what = csv_problem(error) if isinstance(error, csv.Error) else str(error)
            raise FormatError(f"not a CSV file in UTF-8: {what}", where=f"{path}, line {number}") from None


def blocks(path: Path) -> Records:
    """Yield the records of a file of ``key: value`` lines, separated by blank lines (White et al. 2017)."""
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
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            yield number, FormatError(f"{quoted(line)} is not a field", wanted="key: value")
        elif key in row:
            yield (
                number,
                FormatError(f"the field '{key}' is repeated", wanted="a blank line between pairs"),
            )
        else:
            row[key] = value
    if row:
        yield start, row


def json_array(path: Path) -> Records:
    """Yield the objects of a file that is a JSON array (Poliak et al. 2018), with their line numbers."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: {error}", where=str(path)) from None
    position = len(text) - len(text.lstrip())
    if text[position : position + 1] != "[":
        raise FormatError("not a JSON array", where=f"{path}, line 1", wanted="[{...}, {...}]")
    decoder = json.JSONDecoder()
    line, counted, position = 1, 0, position + 1
    while True:
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        line, counted = line + text.count("\n", counted, position), position
        if text[position : position + 1] == "]":
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"not JSON: {json_problem(error)}", where=f"{path}, line {line}", wanted="[{...}, {...}]"
            ) from None
        yield line, json_object(value)
