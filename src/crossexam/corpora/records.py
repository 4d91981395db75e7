"""The records of a file, one at a time: JSON lines, tables with a header, Parquet, plain sentences.

A record that cannot be read is yielded as the error that says why, in its place, so that the reader
can stop at it or count it.  Lines that hold nothing but white space are no records.

What a file is, from how it begins and from its suffix: JSON lines, a table, Parquet, sentences.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from crossexam.core.errors import FormatError

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


Kind = Literal["json lines", "csv", "tsv", "parquet", "sentences"]

BOM: Final = b"\xef\xbb\xbf"
# What a file begins with that no reader of ours takes, and the way out; the first that fits is meant.
_AS_CSV: Final = "save it as CSV (UTF-8) there"
# fmt: off
_NOT_OURS: Final[tuple[tuple[bytes, str, str], ...]] = (
    (rb"PK\x03\x04.{26}\[Content_Types\]", "an Excel workbook or another Office file", _AS_CSV),
    (rb"PK\x03\x04.{26}mimetype",           "an OpenDocument sheet or text", _AS_CSV),
    (rb"PK\x03\x04",                        "a zip archive",
     "unpack it and name a file of it; or crossexam fetch NAME --from ZIP"),
    (rb"\xd0\xcf\x11\xe0",                  "an old Office file (.xls, .doc)", _AS_CSV),
    (rb"\x1f\x8b",                          "compressed (gzip)", "unpack it first: gunzip FILE"),
    (rb"\xff\xfe|\xfe\xff",                 "UTF-16 text", "save it as UTF-8: iconv -f UTF-16 -t UTF-8"),
    (rb"%PDF",                              "a PDF", "extract its text first"),
    (rb"(?i:\s*<(\?xml|!doctype|html))",    "XML or HTML",
     "extract its text first; fracas@FILE reads the FraCaS problems"),
)
_WORKBOOKS: Final = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"})
# fmt: on
_BY_SUFFIX: Final[dict[str, Kind]] = {
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}  # fmt: skip
_NO_TEXT: Final = re.compile(
    rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]"
)  # control characters but white space and escape


@dataclass(frozen=True)
class Form:
    """The form of the file at *path*: its *kind*, and what separates the fields of a CSV."""

    path: Path
    kind: Kind
    separator: str = ","

    @property
    def unit(self) -> str:
        """What the numbers count: lines of a text, rows of a Parquet file."""
        return "row" if self.kind == "parquet" else "line"


def sniff(path: Path) -> Form:
    """Return the form of *path*, from how it begins and from its suffix; raises FormatError.

    A ``.txt`` file whose first line has a tab is a table, otherwise it holds a sentence a line.  What
    separates a CSV is the commonest of comma, semicolon and tab in its header.
    """
    with path.open("rb") as stream:
        first = stream.readline(1_000_000)
        second = stream.readline(1_000_000) if not first.strip() else b""
    if not first:
        raise FormatError("the file is empty", where=str(path))
    _not_of_others(path, first + second)
    if first.startswith(b"PAR1"):
        return Form(path, "parquet")
    if path.suffix.lower() == ".parquet":
        raise FormatError("not a Parquet file", where=str(path), wanted="a file that begins with PAR1")
    start = (first.removeprefix(BOM) + second).lstrip()
    kind = _BY_SUFFIX.get(path.suffix.lower())
    if kind == "csv":
        counts = {mark: first.count(mark.encode()) for mark in (",", ";", "\t")}
        return Form(path, "csv", max(counts, key=counts.__getitem__))
    if kind is None:
        kind = "json lines" if start.startswith(b"{") else "tsv" if b"\t" in first else "sentences"
    if kind == "json lines" and start.startswith(b"["):
        raise FormatError(
            "the file is one JSON array",
            where=str(path),
            wanted="JSON lines: one object a line",
            hint="jq -c '.[]' FILE > FILE.jsonl makes them",
        )
    return Form(path, kind)


def _not_of_others(path: Path, first: bytes) -> None:
    """Refuse files of other programs, and whatever is no text though its suffix does not say what it is."""
    suffix = path.suffix.lower()
    found = next(
        ((what, hint) for begins, what, hint in _NOT_OURS if re.match(begins, first, re.DOTALL)), None
    )
    if suffix in _WORKBOOKS:
        found = ("a workbook", _AS_CSV)
    wanted = "a text or Parquet file"
    if found is not None:
        raise FormatError(f"the file is {found[0]}", where=str(path), wanted=wanted, hint=found[1])
    strange = None if suffix in _BY_SUFFIX or first.startswith(b"PAR1") else _NO_TEXT.search(first)
    if strange is not None:
        raise FormatError(
            f"the file is no text: byte 0x{first[strange.start()]:02x} at position {strange.start()}",
            where=str(path),
            wanted=wanted,
            hint="JSON lines, CSV, TSV, Parquet, or a sentence a line",
        )
