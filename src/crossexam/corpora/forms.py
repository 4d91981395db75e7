"""What a file is, from how it begins and from its suffix: JSON lines, a table, Parquet, sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from crossexam.core.errors import FormatError

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
