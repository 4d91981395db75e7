"""The records of a file, one at a time: JSON lines, tables with a header, Parquet, one sentence per line.

The format is recognised by the first bytes of the file and by its suffix.  A malformed record is
yielded as the error that describes it, so that the caller can stop or count it.  Blank lines are skipped.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.core.files import allow_long_fields, csv_problem, json_problem
from crossexam.core.stored.parquet import PARQUET, ParquetRows

Row = dict[str, Any]
#: The number of each line or row, and its record or the error that describes it.
Records = Iterator[tuple[int, Row | FormatError]]

_ROWS_PER_BATCH: Final = 8192
_OPTIONAL_AT_END: Final = re.compile(r"label[1-5]")  # lines may end before the last annotators' labels


def iter_records(file: FormattedFile) -> Records:
    """Yield the number of each line or row, and its record or the error that describes it."""
    if file.format == "parquet":
        return _parquet(file.path)
    if file.format == "csv":
        return _csv(file)
    if file.format == "tsv":
        return _tsv(file)
    return _json_lines(file.path) if file.format == "json lines" else _sentences(file.path)


def text_lines(path: Path) -> Iterator[tuple[int, str | FormatError, bool]]:
    """Yield the number of each line that is not blank, its text, and whether it ended in a newline."""
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


_NOT_UTF8: Final = "is not UTF-8"


def _not_utf8(byte: int, position: int) -> FormatError:
    return FormatError(
        f"byte 0x{byte:02x} at position {position} {_NOT_UTF8}",
        wanted="UTF-8 text",
        hint=f"{_CONVERTED}; --skip-bad (skip_bad=True) skips such records and counts them",
    )


_CONVERTED: Final = "save the file as UTF-8 (of Windows: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE)"


def way_to_utf8(error: str) -> str | None:
    """Return how to convert the file of a record with this *error*, None if it is about something else.

    >>> way_to_utf8("not JSON") is None
    True
    """
    return _CONVERTED if _NOT_UTF8 in error else None


def _json_lines(path: Path) -> Records:
    for number, line, ended in text_lines(path):
        if isinstance(line, FormatError):
            yield number, line
            continue
        try:
            row = json.loads(line)
            if "\\u" in line:  # an escape may be half of a surrogate pair, which UTF-8 cannot encode
                json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            yield (
                number,
                FormatError("an unpaired surrogate escape (\\uD800 to \\uDFFF)", wanted="UTF-8 text"),
            )
        except (ValueError, RecursionError) as error:
            cut = "" if ended else "; the line does not end in a newline: is the file truncated?"
            yield number, FormatError(f"not JSON: {json_problem(error)}{cut}", wanted="one JSON object")
        else:
            yield number, json_object(row)


#: What JSON calls values, by their types here.
_JSON_NAMES: Final = {bool: "true or false", int: "a number", float: "a number", str: "a string",
                      list: "an array", dict: "an object", type(None): "null"}  # fmt: skip


def json_name(value: object) -> str:
    """Return what JSON calls *value*, by its type: "a number".

    >>> json_name(None), json_name([1]), json_name((1,))
    ('null', 'an array', 'a tuple')
    """
    return _JSON_NAMES.get(type(value), f"a {type(value).__name__}")


def json_object(value: Any) -> Row | FormatError:
    """Return *value* of a JSON file as a record, or the error that it is none."""
    if isinstance(value, dict):
        return value
    return FormatError(f"{json_name(value)}, not an object", wanted='{"field": ...}')


def _tsv(file: FormattedFile) -> Records:
    """Yield the rows of a tab-separated file, in which quotes are plain text (SNLI, MultiNLI, GLUE, SICK)."""
    names: list[str] = []
    for number, line, _ in text_lines(file.path):
        if isinstance(line, FormatError):
            if not names:
                where = f"{file.path}, line {number}"
                raise FormatError(line.what, where=where, wanted=line.wanted, hint=_CONVERTED)
            yield number, line
        elif names:
            yield number, _row(names, line.split("\t"), "in tab-separated files, quotes are plain text")
        else:
            names = unique_names(line.split("\t"), where=f"{file.path}, line {number}")


def _csv(file: FormattedFile) -> Records:
    """Yield the rows of a CSV file by RFC 4180: quoted fields may contain separators and newlines."""
    names: list[str] = []
    with file.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        allow_long_fields()
        reader = csv.reader(stream, delimiter=file.separator, strict=True)
        while True:
            number = reader.line_num + 1
            try:
                fields = next(reader, None)
            except csv.Error as error:
                what = f"malformed CSV: {csv_problem(error)}"
                yield number, FormatError(what, wanted='fields such as a or "a ""b"""')
                continue
            if fields is None:
                return
            undecoded = re.search("[\udc80-\udcff]", "".join(fields))
            if undecoded:
                yield number, _not_utf8(ord(undecoded[0]) - 0xDC00, undecoded.start())
            elif names and any(fields):
                yield (
                    number,
                    _row(names, fields, "a field that contains a separator or a quote must be quoted"),
                )
            elif not names:
                names = unique_names(fields, where=f"{file.path}, line {number}")


def unique_names(names: list[str], *, where: str) -> list[str]:
    """Return the *names* of the columns; raises FormatError if one is repeated."""
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise FormatError(f"the header repeats column '{repeated[0]}'", where=where, wanted="unique names")
    return names


def _row(names: list[str], fields: list[str], hint: str) -> Row | FormatError:
    absent = names[len(fields) :]
    if len(fields) > len(names) or not all(_OPTIONAL_AT_END.fullmatch(name) for name in absent):
        return FormatError(
            f"{len(fields)} fields", wanted=f"{len(names)} fields, as in the header", hint=hint
        )
    return dict(zip(names, fields, strict=False))


def _sentences(path: Path) -> Records:
    for number, line, _ in text_lines(path):
        yield number, line if isinstance(line, FormatError) else {"sentence": line.strip()}


def _parquet(path: Path) -> Records:
    rows = ParquetRows(path)
    classes = class_names(rows.schema.metadata or {})
    for number, row in enumerate(rows.records(at_once=_ROWS_PER_BATCH), 1):
        yield number, with_class_names(row, classes)


def with_class_names(row: Row, classes: Mapping[str, Sequence[str]]) -> Row:
    """Return *row* with the name of the class for its number in each column of *classes*.

    >>> with_class_names({"label": 1, "id": 1}, {"label": ["entailed", "not entailed"]})
    {'label': 'not entailed', 'id': 1}
    """
    named = {
        column: names[row[column]]
        for column, names in classes.items()
        if isinstance(row.get(column), int) and 0 <= row[column] < len(names)
    }
    return {**row, **named} if named else row


def class_names(metadata: Mapping[bytes, bytes]) -> dict[str, Sequence[str]]:
    """Return the class names of each column that the hub's metadata call a ClassLabel."""
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        return {column: f["names"] for column, f in features.items() if f.get("_type") == "ClassLabel"}
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}


Format = Literal["json lines", "csv", "tsv", "parquet", "sentences"]

BOM: Final = b"\xef\xbb\xbf"
# The first bytes of files that cannot be read, what these files are, and the way out; the first match counts.
_AS_CSV: Final = "save it as CSV (UTF-8) in that program"


class Foreign(NamedTuple):
    """What a file is that cannot be read, and the *way out*."""

    what: str
    way_out: str


XML: Final = "XML"

# fmt: off
_NOT_OURS: Final[tuple[tuple[bytes, str, str], ...]] = (
    (rb"PK\x03\x04.{26}\[Content_Types\]", "an Excel workbook or another Office file", _AS_CSV),
    (rb"PK\x03\x04.{26}mimetype",           "an OpenDocument sheet or text", _AS_CSV),
    (rb"PK\x03\x04",                        "a zip archive",
     "unpack it and give one of its files; or crossexam fetch NAME --from ZIP"),
    (rb"\xd0\xcf\x11\xe0",                  "an old Office file (.xls, .doc)", _AS_CSV),
    (rb"\x1f\x8b",                          "compressed (gzip)", "unpack it first: gunzip FILE"),
    (rb"\xff\xfe|\xfe\xff",                 "UTF-16 text", "save it as UTF-8: iconv -f UTF-16 -t UTF-8"),
    (rb"%PDF",                              "a PDF", "extract its text first"),
    (rb"version https://git-lfs",           "a pointer of Git LFS, not the file that it stands for",
     "download the file itself: git lfs pull"),
    (rb"(?i:\s*<(!doctype\s+html|html|head|body|title|script|meta)\b)", "a page for a browser",
     "extract its text first"),
    (rb"(?i:\s*<(\?xml|!doctype))",         XML,
     "extract its text first; fracas@FILE reads the FraCaS problems"),
)
_WORKBOOKS: Final = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"})
# fmt: on
_BY_SUFFIX: Final[dict[str, Format]] = {
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}  # fmt: skip
_ARCHIVES: Final = frozenset({".gz", ".zip", ".bz2", ".xz", ".zst", ".tar", ".tgz", ".7z"})
# Control characters other than white space and escape.
_NOT_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True)
class Source:
    """Where records come from: a *kind* of thing ("file") that errors call *where*.

    Records are numbered in *unit* ("line", "row").  With *one_header*, all records have the same fields.
    ``records`` returns a new stream of them each time: the number of each, and the record or the error that
    describes it.
    """

    where: str
    kind: str
    unit: str
    one_header: bool
    records: Callable[[], Records]


@dataclass(frozen=True)
class FormattedFile:
    """The file at *path*, its *format*, and the *separator* of the fields of a CSV file."""

    path: Path
    format: Format
    separator: str = ","

    @property
    def source(self) -> Source:
        """The file as a source of records: lines of a text file, rows of a Parquet file."""
        unit = "row" if self.format == "parquet" else "line"
        one_header = self.format != "json lines"
        return Source(str(self.path), "file", unit, one_header, partial(iter_records, self))


#: The header of a file in a zip archive, with the name that tells a workbook, is not longer.
_HEADER: Final = 64


def detect_format(path: Path) -> FormattedFile:
    """Return the file at *path* with its format, by its first bytes and its suffix; raises FormatError.

    A ``.txt`` file whose first line has a tab is a table, otherwise it has one sentence per line.  The
    separator of a CSV file is the most frequent of comma, semicolon and tab in its header.
    """
    with path.open("rb") as stream:
        first = stream.readline(1_000_000)
        second = stream.readline(1_000_000) if not first.strip() else b""
        foreign = foreign_format(first + second + stream.read(_HEADER))  # a line feed may be in the header
    if not first:
        raise FormatError("the file is empty", where=str(path), wanted="at least one record")
    _refuse_other_formats(path, first + second, foreign)
    if first.startswith(PARQUET) or path.suffix.lower() == ".parquet":
        return FormattedFile(path, "parquet")
    start = (first.removeprefix(BOM) + second).lstrip()
    kind = _BY_SUFFIX.get(path.suffix.lower())
    if kind == "csv":
        counts = {mark: first.count(mark.encode()) for mark in (",", ";", "\t")}
        return FormattedFile(path, "csv", max(counts, key=counts.__getitem__))
    if kind is None:
        kind = "json lines" if start.startswith(b"{") else "tsv" if b"\t" in first else "sentences"
    if kind == "json lines" and start.startswith(b"["):
        raise FormatError(
            "the file is a JSON array",
            where=str(path),
            wanted="JSON lines: one object per line",
            hint="jq -c '.[]' FILE > FILE.jsonl converts it",
        )
    return FormattedFile(path, kind)


def foreign_format(first: bytes) -> Foreign | None:
    """Return what a file that begins with *first* is, if it is one of another program; else None.

    >>> foreign_format(b"%PDF-1.7").what, foreign_format(b"premise,hypothesis")
    ('a PDF', None)
    """
    matches = (Foreign(what, out) for begins, what, out in _NOT_OURS if re.match(begins, first, re.DOTALL))
    return next(matches, None)


def _refuse_other_formats(path: Path, first: bytes, foreign: Foreign | None) -> None:
    """Raise FormatError for a *foreign* file and, if the suffix is unknown, for a binary one."""
    suffix = path.suffix.lower()
    found = Foreign("a workbook", _AS_CSV) if suffix in _WORKBOOKS else foreign
    wanted = "a text or Parquet file"
    if found is not None:
        raise FormatError(f"the file is {found.what}", where=str(path), wanted=wanted, hint=found.way_out)
    if suffix in _ARCHIVES:
        raise FormatError(
            f"the file is not what its suffix '{path.suffix}' says",
            where=str(path),
            wanted=wanted,
            hint="download it again, or rename it if it is text",
        )
    strange = None if suffix in _BY_SUFFIX or first.startswith(PARQUET) else _NOT_TEXT.search(first)
    if strange is not None:
        raise FormatError(
            f"the file is not text: byte 0x{first[strange.start()]:02x} at position {strange.start()}",
            where=str(path),
            wanted=wanted,
            hint="JSON lines, CSV, TSV, Parquet, or one sentence per line",
        )
