"""Items as they are written to the file of a test set, or kept in memory, in batches.

Encoding takes longer than writing, so the processes that make items also encode them: what they hand over is
written as it is.  A batch also has what the content hash of a test set reads of each item.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.dataset import content_record
from crossexam.core.example import Edit, Example
from crossexam.core.labels import GOLDS, LABELS
from crossexam.core.stored.rows import COLUMNS, to_columns

if TYPE_CHECKING:
    import pyarrow as pa

#: In which form items are handed over: for a file of that format, or as objects.
Form = Literal["parquet", "jsonl", "examples"]


#: Items that are encoded at once if they do not come in batches.
_AT_ONCE: Final = 1_000


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
        return EncodedItems(records, _rows_without(self.items, places))


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

    arrays = {"edits": _edits([item.change.edits if item.change else () for item in items])}
    for name, values in to_columns(items, [name for name in COLUMNS if name not in arrays]).items():
        arrays[name] = _numbers("q", values) if name == "label" else _texts(values)
    return pa.record_batch([arrays[name] for name in COLUMNS], schema=schema(two_labels=False))


def _rows_without(rows: pa.RecordBatch, places: Collection[int]) -> pa.RecordBatch:
    """Return *rows* but for those at *places*, by slices: ``take`` would import all functions of pyarrow."""
    import pyarrow as pa

    bounds = [-1, *sorted(places), len(rows)]
    return pa.concat_batches(
        [rows.slice(before + 1, after - before - 1) for before, after in pairwise(bounds)]
    )


def _edits(edits: Sequence[tuple[Edit, ...]]) -> pa.ListArray:
    """Return the *edits* of each item."""
    import pyarrow as pa

    kind = schema(two_labels=False).field("edits").type
    sides, starts, stops, olds, news = [*zip(*chain.from_iterable(edits), strict=True)] or [()] * 5
    columns = [_texts(sides), _numbers("i", starts), _numbers("i", stops), _texts(olds), _texts(news)]
    structs = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
    ends = _numbers("i", list(accumulate(map(len, edits), initial=0)))
    return pa.ListArray.from_arrays(ends, structs, type=kind)


# Arrays are made from their buffers: `pa.array` imports pandas if it is installed, which takes half a second.


def _texts(texts: Sequence[str | None]) -> pa.StringArray:
    import pyarrow as pa

    known = _known(texts) if None in texts else None
    present = [text or "" for text in texts]
    lengths = [len(text) if text.isascii() else len(text.encode()) for text in present]  # most is ASCII
    ends = array("i", accumulate(lengths, initial=0))
    buffers = [known, pa.py_buffer(ends), pa.py_buffer("".join(present).encode())]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def _known(values: Sequence[str | None]) -> pa.Buffer:
    """Return a bit for each of *values*, the lowest first, that is 0 if it is None."""
    import pyarrow as pa

    bits = sum(1 << place for place, value in enumerate(values) if value is not None)
    return pa.py_buffer(bits.to_bytes((len(values) + 7) // 8, "little"))


def _numbers(code: Literal["i", "q"], numbers: Sequence[int]) -> pa.Array:
    """Return *numbers* of 32 bits (i) or 64 (q)."""
    import pyarrow as pa

    kind = pa.int32() if code == "i" else pa.int64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(array(code, numbers))])


def _json_lines(items: Sequence[Example]) -> list[str]:
    """Return *items* as the lines of a JSON-lines file."""
    columns = to_columns(items, COLUMNS)
    columns |= {"label": [item.label for item in items], "info": [*map(json.loads, columns["info"])]}
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]


_ENCODERS: Final[Mapping[Form, Callable[[Sequence[Example]], Any]]] = {
    "parquet": _record_batch,
    "jsonl": _json_lines,
    "examples": list,
}
