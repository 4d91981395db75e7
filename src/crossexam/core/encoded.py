"""Items as they are written to the file of a test set, or kept in memory, in batches.

Encoding takes longer than writing, so the processes that make items also encode them: what they hand over is
written as it is.  A batch also has what the content hash of a test set reads of each item.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.dataset import content_record
from crossexam.core.example import Edit, Example
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS
from crossexam.core.rows import COLUMNS, encode_info, to_row

if TYPE_CHECKING:
    import pyarrow as pa

#: In which form items are handed over: for a file of that format, or as objects.
Form = Literal["parquet", "jsonl", "examples"]


#: Items that are encoded at once if they do not come in batches.
_AT_ONCE: Final = 1_000


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


@dataclass(frozen=True)
class EncodedItems:
    """Items of a test set: the *records* that its content hash reads, and the *items* in one form."""

    records: list[bytes]
    items: Any

    def __len__(self) -> int:
        return len(self.records)

    def without(self, places: Collection[int]) -> EncodedItems:
        """Return the items but for those at *places*."""
        if not places:
            return self
        kept = [place for place in range(len(self)) if place not in places]
        records = [self.records[place] for place in kept]
        if isinstance(self.items, list):
            return EncodedItems(records, [self.items[place] for place in kept])
        return EncodedItems(records, self.items.take(kept))


def encoded(items: Sequence[Example], form: Form) -> EncodedItems:
    """Return *items* in *form*.

    >>> encoded([Example("a", "It rains.", "It is wet.", "neutral")], "examples").items[0].id
    'a'
    """
    return EncodedItems([content_record(item) for item in items], _ENCODERS[form](items))


def encoded_in_batches(items: Iterable[Example], form: Form) -> Iterator[EncodedItems]:
    """Yield *items* in *form*, in batches of a thousand."""
    stream = iter(items)
    while batch := list(islice(stream, _AT_ONCE)):
        yield encoded(batch, form)


def _record_batch(items: Sequence[Example]) -> pa.RecordBatch:
    """Return *items* as the rows of a Parquet file."""
    import pyarrow as pa

    changes = [item.change for item in items]
    columns: dict[str, Any] = {
        "id": [item.id for item in items],
        "premise": [item.premise for item in items],
        "hypothesis": [item.hypothesis for item in items],
        "label": [-1 if item.label is None else GOLD_INDEX[item.label] for item in items],
        "base": [item.base for item in items],
        "construction": [change.construction if change else None for change in changes],
        "source": [change.source if change else None for change in changes],
        "target": [change.target if change else None for change in changes],
        "edits": _edit_column([change.edits if change else () for change in changes]),
        "info": [encode_info(item.info) for item in items],
    }
    return pa.record_batch([columns[name] for name in COLUMNS], schema=schema(two_labels=False))


def _edit_column(edits: Sequence[tuple[Edit, ...]]) -> pa.ListArray:
    """Return the *edits* of each item; built column by column: lists of dicts take much longer."""
    import pyarrow as pa

    kind = schema(two_labels=False).field("edits").type
    flat = [edit for of_item in edits for edit in of_item]
    values = {
        "side": [edit.side for edit in flat],
        "start": [edit.start for edit in flat],
        "end": [edit.end for edit in flat],
        "old": [edit.old for edit in flat],
        "new": [edit.new for edit in flat],
    }
    arrays = [pa.array(values[field.name], field.type) for field in kind.value_type]
    structs = pa.StructArray.from_arrays(arrays, fields=list(kind.value_type))
    ends = accumulate((len(of_item) for of_item in edits), initial=0)
    return pa.ListArray.from_arrays(pa.array(list(ends), pa.int32()), structs, type=kind)


def _json_lines(items: Sequence[Example]) -> list[str]:
    """Return *items* as the lines of a JSON-lines file."""
    lines = []
    for item in items:
        row = to_row(item)
        readable = {**row, "label": item.label, "info": json.loads(row["info"])}
        lines.append(json.dumps(readable, ensure_ascii=False) + "\n")
    return lines


_ENCODERS: Final[Mapping[Form, Callable[[Sequence[Example]], Any]]] = {
    "parquet": _record_batch,
    "jsonl": _json_lines,
    "examples": list,
}
