"""Files of predictions as rows: JSON lines, a JSON list, CSV, TSV or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError

Row = Mapping[str, Any]

# Names of columns, lower case, in the order in which they are looked for.
# fmt: off
_ID_COLUMNS: Final = ("id", "pairid", "pair_id", "uid")
_TEXT_COLUMNS: Final = (("premise", "hypothesis"), ("sentence1", "sentence2"))
_SHARE_COLUMNS: Final = (
    ("p_entailment",    "p_neutral",    "p_contradiction"),
    ("prob_entailment", "prob_neutral", "prob_contradiction"),
    ("entailment",      "neutral",      "contradiction"),
    ("p_entailment",    "p_not_entailment"),
    ("prob_entailment", "prob_not_entailment"),
    ("entailment",      "not_entailment"),
)
_LIST_COLUMNS: Final = ("probabilities", "probs")
_LOGIT_COLUMNS: Final = ("logits",)
_LABEL_COLUMNS: Final = ("prediction", "predicted", "predicted_label", "pred", "label")
# fmt: on


@dataclass(frozen=True)
class Columns:
    """Which columns of a prediction file say what, by their names in the file.

    One of ``id`` and ``text`` is there; *form* is "shares" (three named columns, or two), "probabilities" (a
    list), "logits" (a list) or "label".
    """

    id: str | None
    text: tuple[str, str] | None
    form: str
    answer: tuple[str, ...]


def read_rows(path: Path) -> list[Row]:
    """Return the rows of *path*; raises FormatError that names file and line."""
    readers: dict[str, Callable[[Path], list[Row]]] = {
        ".jsonl": _json, ".ndjson": _json, ".json": _json,
        ".csv": lambda p: _delimited(p, ","), ".tsv": lambda p: _delimited(p, "\t"),
        ".parquet": _parquet,
    }  # fmt: skip
    if not path.is_file():
        raise FormatError("there is no such file of predictions", where=str(path))
    if path.suffix.lower() not in readers:
        raise FormatError(
            f"a file of predictions does not end in '{path.suffix}'",
            where=str(path),
            wanted=", ".join(sorted(readers)),
        )
    rows = readers[path.suffix.lower()](path)
    if not rows:
        raise FormatError("the file holds no predictions", where=str(path))
    return rows


def _json(path: Path) -> list[Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: {error}", where=str(path)) from None
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text)
        except json.JSONDecodeError as error:
            raise FormatError(f"not JSON: {error}", where=str(path)) from None
        numbered = [(f"{path}, row {number}", row) for number, row in enumerate(rows)]
    else:
        numbered = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                numbered.append((where, json.loads(line)))
            except json.JSONDecodeError as error:
                raise FormatError(f"not JSON: {error}", where=where) from None
    for where, row in numbered:
        if not isinstance(row, dict):
            raise FormatError(f"a prediction is a {type(row).__name__}", where=where, wanted="a JSON object")
    return [row for _, row in numbered]


def _delimited(path: Path, delimiter: str) -> list[Row]:
    rows: list[Row] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, delimiter=delimiter, strict=True)
            for row in reader:
                if None in row or None in row.values():
                    raise FormatError(
                        "the line has another number of fields than the header",
                        where=f"{path}, line {reader.line_num}",
                    )
                rows.append(row)
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"not a table: {error}", where=str(path)) from None
    return rows


def _parquet(path: Path) -> list[Row]:
    import polars as pl

    try:
        return list(pl.read_parquet(path).to_dicts())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"not a Parquet file: {error}", where=str(path)) from None


def find_columns(names: Sequence[str], *, where: str) -> Columns:
    """Return which of the columns *names* say what; raises FormatError where one is lacking.

    >>> find_columns(["uid", "label", "probs"], where="a.jsonl").form
    'probabilities'
    """
    own = {name.strip().lower(): name for name in names}
    identity = next((own[name] for name in _ID_COLUMNS if name in own), None)
    text = next(((own[a], own[b]) for a, b in _TEXT_COLUMNS if a in own and b in own), None)
    if identity is None and text is None:
        raise FormatError(
            "no column says which item a prediction is of",
            where=where,
            wanted="id, pairID or uid; or premise and hypothesis; or sentence1 and sentence2",
            hint=f"there are: {', '.join(names)}",
        )
    for shares in _SHARE_COLUMNS:
        if all(name in own for name in shares):
            return Columns(identity, text, "shares", tuple(own[name] for name in shares))
    for form, known in (
        ("probabilities", _LIST_COLUMNS),
        ("logits", _LOGIT_COLUMNS),
        ("label", _LABEL_COLUMNS),
    ):
        for name in known:
            if name in own:
                return Columns(identity, text, form, (own[name],))
    raise FormatError(
        "no column holds predictions",
        where=where,
        wanted="p_entailment, p_neutral and p_contradiction (or p_not_entailment); or probabilities; or "
        "logits; or prediction",
        hint=f"there are: {', '.join(names)}",
    )
