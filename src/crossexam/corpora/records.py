"""The records of a file, one at a time: JSON lines, tables with a header, Parquet, plain sentences.

A record that cannot be read is yielded as the error that says why, in its place, so that the reader
can stop at it or count it.  Lines that hold nothing but white space are no records.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.corpora.forms import BOM, Form, sniff

__all__ = ["Form", "Row", "iter_records", "sniff", "text_lines"]

Row = dict[str, Any]

_ROWS_A_BATCH: Final = 8192
_OPTIONAL_AT_END: Final = re.compile(r"label[1-5]")  # lines may end before the last annotators


def iter_records(form: Form) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield the number of the line or row, and the record or what is wrong with it."""
    if form.kind == "parquet":
        return _parquet(form.path)
    if form.kind == "csv":
        return _csv(form)
    if form.kind == "tsv":
        return _tsv(form)
    return _json_lines(form.path) if form.kind == "json lines" else _sentences(form.path)


def text_lines(path: Path) -> Iterator[tuple[int, str | FormatError, bool]]:
    """Yield number, text without its line end, and whether there was one; a line a time in memory."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if number == 1:
                line = line.removeprefix(BOM)
            if line.isspace() or not line:
                continue
            try:
                yield number, line.decode("utf-8").rstrip("\r\n"), line.endswith(b"\n")
            except UnicodeDecodeError as error:
                yield number, _not_utf8(line[error.start], error.start), True


def _not_utf8(byte: int, position: int) -> FormatError:
    return FormatError(f"byte 0x{byte:02x} at position {position} is not UTF-8", wanted="UTF-8 text")


def _json_lines(path: Path) -> Iterator[tuple[int, Row | FormatError]]:
    for number, line, ended in text_lines(path):
        if isinstance(line, FormatError):
            yield number, line
            continue
        try:
            row = json.loads(line)
            if "\\u" in line:  # an escape may state half of a surrogate pair, which no file can hold
                json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            yield number, FormatError("an escape \\uD800 to \\uDFFF stands alone", wanted="UTF-8 text")
        except (ValueError, RecursionError) as error:
            cut = "" if ended else "; the line has no end: is the file cut off?"
            yield number, FormatError(f"not JSON: {error}{cut}", wanted="one JSON object")
        else:
            if isinstance(row, dict):
                yield number, row
            else:
                yield number, FormatError(f"{_json_name(row)}, not an object", wanted='{"field": ...}')


def _json_name(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _tsv(form: Form) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield the rows of a tab-separated file, in which quotes are text (SNLI, MultiNLI, GLUE, SICK)."""
    names: list[str] = []
    for number, line, _ in text_lines(form.path):
        if isinstance(line, FormatError):
            if not names:
                raise FormatError(line.what, where=f"{form.path}, line {number}", wanted=line.wanted)
            yield number, line
        elif names:
            yield number, _row(names, line.split("\t"), "in tab-separated files quotes are text, not quotes")
        else:
            names = _header(line.split("\t"), f"{form.path}, line {number}")


def _csv(form: Form) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield the rows of a CSV file as RFC 4180 has it: quotes may hold separators and line ends."""
    names: list[str] = []
    with form.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        reader = csv.reader(stream, delimiter=form.separator, strict=True)
        while True:
            number = reader.line_num + 1
            try:
                fields = next(reader, None)
            except csv.Error as error:
                yield number, FormatError(f"malformed CSV: {error}", wanted='fields as a or "a ""b"""')
                continue
            if fields is None:
                return
            undecoded = re.search("[\udc80-\udcff]", "".join(fields))
            if undecoded:
                yield number, _not_utf8(ord(undecoded[0]) - 0xDC00, undecoded.start())
            elif names and any(fields):
                yield number, _row(names, fields, "a field that holds a separator or a quote needs quotes")
            elif not names:
                names = _header(fields, f"{form.path}, line {number}")


def _header(names: list[str], where: str) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FormatError(
            f"column '{twice[0]}' is there twice", where=where, wanted="a header with each name once"
        )
    return names


def _row(names: list[str], fields: list[str], hint: str) -> Row | FormatError:
    absent = names[len(fields) :]
    if len(fields) > len(names) or not all(_OPTIONAL_AT_END.fullmatch(name) for name in absent):
        return FormatError(
            f"{len(fields)} fields", wanted=f"{len(names)} fields, as in the header", hint=hint
        )
    return dict(zip(names, fields, strict=False))


def _sentences(path: Path) -> Iterator[tuple[int, Row | FormatError]]:
    for number, line, _ in text_lines(path):
        yield number, line if isinstance(line, FormatError) else {"sentence": line.strip()}


def _parquet(path: Path) -> Iterator[tuple[int, Row | FormatError]]:
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            classes = _class_names(file.schema_arrow.metadata or {})
            for batch in file.iter_batches(batch_size=_ROWS_A_BATCH):
                for row in pl.DataFrame(batch).iter_rows(named=True):
                    number += 1
                    for column, names in classes.items():
                        if isinstance(row.get(column), int) and 0 <= row[column] < len(names):
                            row[column] = names[row[column]]
                    yield number, row
    except (pa.ArrowException, OSError) as error:
        raise FormatError(f"the Parquet file is damaged: {error}", where=str(path)) from None


def _class_names(metadata: dict[bytes, bytes]) -> dict[str, Sequence[str]]:
    """Return the names of the numbers in each column that the hub's metadata call a ClassLabel."""
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        return {column: f["names"] for column, f in features.items() if f.get("_type") == "ClassLabel"}
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}
