"""The examples of a Parquet file as a sequence, of which a part at a time is in memory.

An example is made when it is asked for and not kept.  What is computed from all examples should read columns
instead (:func:`crossexam.core.columns.columns_of`), which makes no examples at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.stored.arrays import edits_of, missing_of, numbers_of
from crossexam.core.stored.parquet import ROWS_AT_ONCE, ParquetRows
from crossexam.core.stored.rows import COLUMNS, from_row, schema

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_WINDOWS_KEPT: Final = 4  # for access to single examples, over all files
_NEEDED: Final = ("id", "premise", "hypothesis", "label")


@lru_cache(maxsize=_WINDOWS_KEPT)
def _window(rows: ParquetRows, number: int) -> pa.RecordBatch:
    """Return the rows of the *number*-th stretch of ROWS_AT_ONCE; the last few are kept."""
    return next(rows.stretches(number * ROWS_AT_ONCE, min((number + 1) * ROWS_AT_ONCE, rows.count)))


def _records(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of *batch* as :func:`crossexam.core.stored.rows.from_row` reads them."""
    edits = schema(two_labels=False).field("edits").type
    columns = [edits_of(each) if each.type == edits else each.to_pylist() for each in batch.columns]
    names = batch.schema.names
    return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))


def _record(batch: pa.RecordBatch, row: int) -> dict[str, Any]:
    """Return one row of *batch*, as :func:`_records` has it."""
    return {name: column[row].as_py() for name, column in zip(batch.schema.names, batch.columns, strict=True)}


def _doubtful(batch: pa.RecordBatch) -> NDArray[np.bool_]:
    """Return whether each row whose columns have the right types may nevertheless be malformed: [n]."""
    label, edits = batch["label"], batch["edits"]
    doubtful = missing_of(batch["premise"]) | missing_of(batch["hypothesis"]) | _is_no_object(batch["info"])
    doubtful |= ~missing_of(label) & ((numbers_of(label) < -1) | (numbers_of(label) > len(LABELS)))
    if edits.flatten().null_count:
        doubtful |= np.fromiter((None in (each or ()) for each in edits.to_pylist()), np.bool_, len(batch))
    return doubtful


def _is_no_object(info: pa.StringArray) -> NDArray[np.bool_]:
    """Return whether each text of *info*, if there is one, may be anything but a JSON object: [n]."""
    import msgspec

    texts = [text or "{}" for text in info.to_pylist()]
    read = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    refused = np.zeros(len(texts), dtype=np.bool_)
    for place, text in enumerate(texts):
        try:
            read(text)
        except msgspec.DecodeError:  # also of NaN, which the module json reads
            refused[place] = True
    return refused


class StoredExamples(Sequence[Example]):
    """The examples of a test set in a Parquet file, or some of them in their order.

    Slices and :meth:`at` return the same kind of sequence, without reading the file.  It equals every
    sequence of equal examples.  Raises FormatError for what the file does not hold; rows are checked when
    they are read, all of them by :meth:`check`.
    """

    def __init__(self, rows: ParquetRows, places: range | NDArray[np.int64] | None = None) -> None:
        self.rows = rows
        #: The places of the examples in the file, ascending.
        self.places = range(rows.count) if places is None else places

    @classmethod
    def of(cls, path: Path, *, hint: str = "build it again") -> StoredExamples:
        """Return the examples in the file *path*; raises FormatError with *hint* if it holds no test set."""
        rows = ParquetRows(path, hint=hint)
        missing = [name for name in _NEEDED if name not in rows.schema.names]
        if missing:
            raise FormatError(f"no column {missing[0]!r}", where=str(path), wanted=", ".join(COLUMNS))
        return cls(rows)

    @cached_property
    def own_format(self) -> bool:
        """Whether the columns have the types that Crossexam writes."""
        found = {each.name: each.type for each in self.rows.schema}
        return all(found.get(each.name) == each.type for each in schema(two_labels=False))

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Example: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Example]: ...

    def __getitem__(self, index: int | slice) -> Example | Sequence[Example]:
        if isinstance(index, slice):
            chosen = self.places[index]
            if isinstance(chosen, range) and chosen.step != 1:
                return self.at(range(len(self))[index])
            return StoredExamples(self.rows, chosen)
        place = int(self.places[index])
        number, within = divmod(place, ROWS_AT_ONCE)
        return from_row(_record(_window(self.rows, number), within), where=self._where(place))

    def __iter__(self) -> Iterator[Example]:
        for places, batch in self.stretches(None):
            for place, row in zip(places, _records(batch), strict=True):
                yield from_row(row, where=self._where(place))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __repr__(self) -> str:
        return f"StoredExamples({str(self.rows.path)!r}, {len(self):,} examples)"

    def at(self, chosen: Sequence[int] | NDArray[Any]) -> Sequence[Example]:
        """Return the examples at the positions *chosen*, or where a mask [n] is true.

        They are read when they are used if the positions ascend, else at once.
        """
        index = np.asarray(chosen)
        index = np.flatnonzero(index) if index.dtype == np.bool_ else index.astype(np.int64)
        if np.any(np.diff(index) <= 0):
            return tuple(self[position] for position in index.tolist())
        start = self.places.start if isinstance(self.places, range) else 0
        return StoredExamples(
            self.rows, index + start if isinstance(self.places, range) else self.places[index]
        )

    def stretches(
        self, names: Sequence[str] | None, at_once: int = ROWS_AT_ONCE
    ) -> Iterator[tuple[Sequence[int], pa.RecordBatch]]:
        """Yield places and rows of the columns *names* as they are in the file, at most *at_once* at a time.

        They are exactly so many, except for the last, if the examples stand in the file one after another.
        """
        if not isinstance(self.places, range):
            for places, batch in self.rows.at(self.places, names, at_once):
                yield places.tolist(), batch
            return
        start = self.places.start
        for batch in self.rows.stretches(start, self.places.stop, names, at_once):
            yield range(start, start + len(batch)), batch
            start += len(batch)

    def check(self) -> None:
        """Raise FormatError that names the first malformed row, if there is one."""
        if not self.own_format:
            deque(self, maxlen=0)
            return
        for places, batch in self.stretches(COLUMNS):
            for row in np.flatnonzero(_doubtful(batch)).tolist():
                from_row(_record(batch, row), where=self._where(places[row]))

    def _where(self, place: int) -> str:
        return f"{self.rows.path}, row {place}"
