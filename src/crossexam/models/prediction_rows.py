"""The rows of a prediction file, read as the records of a corpus are."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.core.files import json_problem
from crossexam.corpora.records import (
    BOM,
    FormattedFile,
    detect_format,
    iter_records,
    json_object,
    way_to_utf8,
)

Row = Mapping[str, Any]

_JSON: Final = (".json", ".jsonl", ".ndjson")
_SUFFIXES: Final = (".csv", *_JSON, ".parquet", ".tsv")


class Rows(NamedTuple):
    """The *rows* of a file, and the *numbers* of the lines or rows where they are; *unit* says which."""

    path: Path
    rows: Sequence[Row]
    unit: str
    numbers: Sequence[int]

    def place(self, index: int) -> str:
        """Return where the row at *index* is, for errors."""
        return f"{self.path}, {self.unit} {self.numbers[index]}"


def read_rows(path: Path) -> Rows:
    """Return the rows of *path*, at least one; raises FormatError.

    In tab-separated files fields may be quoted as in CSV, and a JSON file may be a list of objects.
    """
    if not path.is_file():
        raise FormatError(
            "this is a folder" if path.is_dir() else "no such file",
            where=str(path),
            wanted="a file of predictions",
        )
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise FormatError(
            f"'{path.suffix}' is not a supported format for prediction files",
            where=str(path),
            wanted=", ".join(_SUFFIXES),
        )
    found = _listed(path) if suffix in _JSON else None
    if found is None and path.stat().st_size:
        found = _recorded(FormattedFile(path, "csv", "\t") if suffix == ".tsv" else detect_format(path))
    if found is None or not found.rows:
        raise FormatError("the file holds no predictions", where=str(path), wanted="at least one")
    return found


def _recorded(file: FormattedFile) -> Rows:
    rows, numbers, unit = list[Row](), array("q"), file.source.unit
    for number, row in iter_records(file):
        if isinstance(row, FormatError):
            where, hint = f"{file.path}, {unit} {number}", way_to_utf8(row.what) or row.hint
            raise FormatError(row.what, where=where, wanted=row.wanted, hint=hint)
        rows.append(row)
        numbers.append(number)
    return Rows(file.path, rows, unit, numbers)


def _listed(path: Path) -> Rows | None:
    """Return the objects in the JSON array that *path* is, None if it is none."""
    with path.open("rb") as stream:
        if not stream.read(1_000).removeprefix(BOM).lstrip().startswith(b"["):
            return None
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"not JSON: {json_problem(error)}", where=str(path), wanted="a list of JSON objects"
        ) from None
    for number, row in enumerate(rows, 1):
        if isinstance(wrong := json_object(row), FormatError):
            raise FormatError(wrong.what, where=f"{path}, row {number}", wanted=wrong.wanted)
    return Rows(path, rows, "row", range(1, len(rows) + 1))
