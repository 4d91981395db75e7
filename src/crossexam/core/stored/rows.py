"""The rows of test-set files: what an example looks like as a record of plain values, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS, Gold, parse_label

COLUMNS: Final = ("id", "premise", "hypothesis", "label", "base", "construction", "source", "target",
                  "edits", "info")  # fmt: skip

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
#: Between infos that are encoded together; if it is in one of them, they are encoded one by one.
_BETWEEN: Final = "\x1e"
_ENCODED_BETWEEN: Final = f"{_ENCODER.encode(_BETWEEN)}, "


def encode_info(info: Mapping[str, Any]) -> str:
    """Return the ``info`` of an example as JSON; raises FormatError if it has what JSON does not."""
    try:
        return _ENCODER.encode(dict(info))
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"info is not JSON: {error}", wanted="texts, numbers, true, false, None, lists and dicts of these"
        ) from None


def encode_infos(infos: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ``info`` of each of many examples as JSON, in a third of the time that one by one takes.

    >>> encode_infos([{"cluster": "a"}, {}])
    ['{"cluster": "a"}', '{}']
    """
    try:
        together = _ENCODER.encode([each for info in infos for each in (_BETWEEN, dict(info))])
    except (TypeError, ValueError, RecursionError):
        together = ""
    found = together[1:-1].split(_ENCODED_BETWEEN)[1:] if infos else []
    if len(found) != len(infos):
        return [encode_info(info) for info in infos]
    return [text.removesuffix(", ") for text in found]


def to_columns(examples: Sequence[Example], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the columns *names* of *examples*; the label is its index, -1 where there is none."""
    return {name: _COLUMNS[name](examples) for name in names}


def _of_changes(value: Callable[[Change], Any]) -> Callable[[Sequence[Example]], list[Any]]:
    """Return what reads a column of *value* of each change, null without one."""
    return lambda examples: [each.change and value(each.change) for each in examples]


def _edits(example: Example) -> list[dict[str, Any]]:
    return [
        {"side": edit.side, "start": edit.start, "end": edit.end, "old": edit.old, "new": edit.new}
        for edit in (example.change.edits if example.change else ())
    ]


_COLUMNS: Final[Mapping[str, Callable[[Sequence[Example]], list[Any]]]] = {
    "id": lambda examples: [each.id for each in examples],
    "premise": lambda examples: [each.premise for each in examples],
    "hypothesis": lambda examples: [each.hypothesis for each in examples],
    "label": lambda examples: [-1 if each.label is None else GOLD_INDEX[each.label] for each in examples],
    "base": lambda examples: [each.base for each in examples],
    "construction": _of_changes(lambda change: change.construction),
    "source": _of_changes(lambda change: change.source),
    "target": _of_changes(lambda change: change.target),
    "edits": lambda examples: [_edits(each) for each in examples],
    "info": lambda examples: encode_infos([each.info for each in examples]),
}


def from_row(row: dict[str, Any], *, where: str) -> Example:
    """Return the example in *row*; raises FormatError that names the field."""
    try:
        change = None
        if row.get("construction"):
            edits = tuple(
                Edit(e["side"], e["start"], e["end"], e["old"], e["new"]) for e in row["edits"] or ()
            )
            change = Change(row["construction"], row["source"], row["target"], edits)
        info = row.get("info") or {}
        if isinstance(info, str):
            info = json.loads(info)
        if not isinstance(info, dict):
            raise TypeError("field 'info' is not a JSON object")
        premise, hypothesis = row["premise"], row["hypothesis"]
        if not isinstance(premise, str) or not isinstance(hypothesis, str):
            raise TypeError(f"field '{'hypothesis' if isinstance(premise, str) else 'premise'}' is not text")
        return Example(
            id=str(row["id"]),
            premise=premise,
            hypothesis=hypothesis,
            label=_label(row["label"], where),
            base=row.get("base"),
            change=change,
            info=info,
        )
    except KeyError as error:
        raise FormatError(
            f"field {error.args[0]!r} is missing", where=where, wanted=", ".join(COLUMNS)
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"malformed row: {error}", where=where, wanted=", ".join(COLUMNS)) from None


def _label(value: object, where: str) -> Gold | None:
    """Return the label stored in a test-set file, by index or by name."""
    return GOLDS[-1] if value == len(LABELS) else parse_label(value, where=where)
