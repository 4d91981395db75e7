"""The rows of test-set files: what an example looks like as a record of plain values, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS, Gold, parse_label
from crossexam.core.stored.arrays import array_of_edits, array_of_numbers, array_of_texts

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Final = ("id", "premise", "hypothesis", "label", "base", "construction", "source", "target",
                  "edits", "info")  # fmt: skip


@cache
def schema(*, two_labels: bool) -> pa.Schema:
    """Return the columns and what the hub's tools read of them; sets with two labels name the fourth."""
    import pyarrow as pa

    text = pa.string()
    edit = pa.struct(
        [("side", text), ("start", pa.int32()), ("end", pa.int32()), ("old", text), ("new", text)]
    )
    types = dict.fromkeys(COLUMNS, text) | {"label": pa.int64(), "edits": pa.list_(edit)}
    names = list(GOLDS if two_labels else LABELS)
    features = {name: {"dtype": "string", "_type": "Value"} for name in ("id", "premise", "hypothesis")}
    features_of_all = features | {"label": {"names": names, "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features_of_all}})}
    return pa.schema([pa.field(name, types[name]) for name in COLUMNS], metadata=metadata)


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


class SharedInfos:
    """The JSON of *infos*, each of which is the ``info`` of several examples, so that it is encoded once.

    >>> info = {"cluster": "a"}
    >>> SharedInfos([info]).encode([info, {"cluster": "b"}, info])
    ['{"cluster": "a"}', '{"cluster": "b"}', '{"cluster": "a"}']
    """

    def __init__(self, infos: Sequence[Mapping[str, Any]] = ()) -> None:
        self._infos = infos  # kept, so that no other object gets the id of one
        self._texts = dict(zip(map(id, infos), encode_infos(infos), strict=True))

    def encode(self, infos: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return each of *infos* as JSON, as :func:`encode_infos` does."""
        texts = [self._texts.get(id(info)) for info in infos]
        others = iter(encode_infos([info for info, text in zip(infos, texts, strict=True) if text is None]))
        return [next(others) if text is None else text for text in texts]


def to_columns(examples: Sequence[Example], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the columns *names* of *examples*; the label is its index, -1 where there is none."""
    return {name: _COLUMNS[name](examples) for name in names}


def to_batch(
    examples: Sequence[Example],
    names: Sequence[str],
    texts: Callable[[Sequence[str | None]], pa.StringArray] = array_of_texts,
    shared: SharedInfos | None = None,
) -> pa.RecordBatch:
    """Return the columns *names* of *examples* as they are in a file; *texts* makes arrays of text.

    The ``info`` of some may be *shared*.

    >>> to_batch([Example("a", "It rains.", "It is wet.", "neutral")], ["id", "label"]).to_pylist()
    [{'id': 'a', 'label': 1}]
    """
    import pyarrow as pa

    columns = schema(two_labels=False)
    arrays = []
    for name in names:
        if name == "edits":
            edits = [each.change.edits if each.change else () for each in examples]
            arrays.append(array_of_edits(edits, columns.field(name).type, texts))
        elif name == "label":
            arrays.append(array_of_numbers(np.array(_COLUMNS[name](examples), dtype=np.int64)))
        elif name == "info" and shared is not None:
            arrays.append(texts(shared.encode([each.info for each in examples])))
        else:
            arrays.append(texts(_COLUMNS[name](examples)))
    fields = [columns.field(name) for name in names]
    return pa.record_batch(arrays, schema=pa.schema(fields))


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
