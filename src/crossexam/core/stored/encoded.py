"""Items as they are written to the file of a test set, or kept in memory, in batches.

Encoding takes longer than writing, so the processes that make items also encode them: what they hand over is
written as it is.  A batch also has what the content hash of a test set reads of each item.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.dataset import content_record
from crossexam.core.example import Example
from crossexam.core.stored.rows import COLUMNS, SharedInfos, to_batch, to_columns

if TYPE_CHECKING:
    import pyarrow as pa

#: In which form items are handed over: for a file of that format, or as objects.
Form = Literal["parquet", "jsonl", "examples"]


#: Items that are encoded at once if they do not come in batches.
_AT_ONCE: Final = 1_000


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


def encoded(items: Sequence[Example], form: Form, shared: SharedInfos | None = None) -> EncodedItems:
    """Return *items* in *form*; the ``info`` of some may be *shared*.

    >>> encoded([Example("a", "It rains.", "It is wet.", "neutral")], "examples").items[0].id
    'a'
    """
    return EncodedItems([content_record(item) for item in items], _ENCODERS[form](items, shared))


def encoded_in_batches(items: Iterable[Example], form: Form) -> Iterator[EncodedItems]:
    """Yield *items* in *form*, in batches of a thousand."""
    stream = iter(items)
    while batch := list(islice(stream, _AT_ONCE)):
        yield encoded(batch, form)


def _rows_without(rows: pa.RecordBatch, places: Collection[int]) -> pa.RecordBatch:
    """Return *rows* but for those at *places*, by slices: ``take`` would import all functions of pyarrow."""
    import pyarrow as pa

    bounds = [-1, *sorted(places), len(rows)]
    return pa.concat_batches(
        [rows.slice(before + 1, after - before - 1) for before, after in pairwise(bounds)]
    )


def _json_lines(items: Sequence[Example], _: SharedInfos | None) -> list[str]:
    """Return *items* as the lines of a JSON-lines file."""
    columns = to_columns(items, COLUMNS)
    columns |= {"label": [item.label for item in items], "info": [*map(json.loads, columns["info"])]}
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]


_ENCODERS: Final[Mapping[Form, Callable[[Sequence[Example], SharedInfos | None], Any]]] = {
    "parquet": lambda items, shared: to_batch(items, COLUMNS, shared=shared),
    "jsonl": _json_lines,
    "examples": lambda items, _: list(items),
}
