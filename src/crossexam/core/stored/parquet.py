"""Parquet files, read a stretch at a time: whatever is wrong with one is one error.

Everything that is read is validated, since Arrow does not ask whether texts are UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.errors import CrossexamError, FormatError, exhausted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: How a Parquet file begins and ends.
PARQUET: Final = b"PAR1"
#: How many rows are read at once; the row groups of the files that Crossexam writes have as many.
ROWS_AT_ONCE: Final = 20_000
_BUFFER: Final = 2**20  # bytes of a column that are read at once, so that a large row group is not held


class ParquetRows:
    """The rows of the Parquet file *path*, read a stretch at a time.

    Texts and lists have the plain types of Arrow however wide those of the file are, and times are in
    microseconds, which Python has.  Raises FormatError, with *hint* as the way out, if the file is damaged or
    not a Parquet file, and whenever it was changed after it was opened.
    """

    def __init__(self, path: Path, *, hint: str = "write or download it again") -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path, self._hint = path, hint
        self._state = _state(path)
        with self._one_error():
            _check_start(path)
            with pq.ParquetFile(path) as file:
                self._metadata, found = file.metadata, file.schema_arrow
            self._cast = any(plain_type(each.type) != each.type for each in found)
            fields = [pa.field(each.name, plain_type(each.type)) for each in found]
            self.schema: pa.Schema = pa.schema(fields, found.metadata)
        repeated = next((name for name in self.schema.names if self.schema.names.count(name) > 1), None)
        if repeated is not None:
            raise FormatError(f"column {repeated!r} is repeated", where=str(path), wanted="unique names")
        self.count: int = self._metadata.num_rows
        groups = range(self._metadata.num_row_groups)
        rows = [self._metadata.row_group(number).num_rows for number in groups]
        self._starts = np.cumsum([0, *rows])  # of each row group, and the end of the last

    def stretches(
        self, start: int, stop: int, names: Sequence[str] | None = None, at_once: int = ROWS_AT_ONCE
    ) -> Iterator[pa.RecordBatch]:
        """Yield the columns *names* (None: all) of the rows *start* to *stop*, in order.

        There are *at_once* rows in each batch but the last.
        """
        pending: list[pa.RecordBatch] = []
        missing = at_once
        for first, batch in self._batches(*self._groups(start, stop), names, at_once):
            begin, end = (min(max(place - first, 0), len(batch)) for place in (start, stop))
            while begin < end:
                pending.append(batch.slice(begin, min(end - begin, missing)))
                begin += len(pending[-1])
                missing -= len(pending[-1])
                if not missing:
                    yield _joined(pending)
                    pending, missing = [], at_once
            if first + len(batch) >= stop:  # the rest of a row group is not read
                break
        if pending:
            yield _joined(pending)

    def at(
        self, places: NDArray[np.int64], names: Sequence[str] | None = None, at_once: int = ROWS_AT_ONCE
    ) -> Iterator[tuple[NDArray[np.int64], pa.RecordBatch]]:
        """Yield ascending *places* with the columns *names* of their rows, at most *at_once* at a time.

        Row groups without any of them are not read.
        """
        from crossexam.core.stored.arrays import array_of_numbers

        groups = np.searchsorted(self._starts, places, side="right") - 1
        for group in np.unique(groups).tolist():
            for first, batch in self._batches(group, group + 1, names, at_once):
                here = slice(*np.searchsorted(places, [first, first + len(batch)]).tolist())
                if here.start < here.stop:
                    yield places[here], batch.take(array_of_numbers(places[here] - first))
                if here.stop == len(places):
                    break

    def records(
        self, names: Sequence[str] | None = None, at_once: int = ROWS_AT_ONCE
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows as records of the columns *names*, with the values that Python has for them."""
        for batch in self.stretches(0, self.count, names, at_once):
            with self._one_error():
                columns = [column.to_pylist() for column in batch.columns]
            for values in zip(*columns, strict=True):
                yield dict(zip(batch.schema.names, values, strict=True))

    def _groups(self, start: int, stop: int) -> tuple[int, int]:
        """Return the first row group with rows from *start* to *stop*, and the number after the last."""
        if start >= stop:
            return 0, 0
        first = int(np.searchsorted(self._starts, start, side="right")) - 1
        return first, int(np.searchsorted(self._starts, stop))

    def _batches(
        self, first: int, last: int, names: Sequence[str] | None, at_once: int
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield what the row groups from *first* to before *last* have, with the place of the first row."""
        import pyarrow.parquet as pq

        chosen = self.schema.names if names is None else list(names)
        if absent := [name for name in chosen if name not in self.schema.names]:
            raise FormatError(f"no column {absent[0]!r}", where=str(self.path), wanted=", ".join(chosen))
        start = int(self._starts[first])
        self._check_unchanged()
        columns = None if names is None else chosen
        with (
            self._one_error(),
            pq.ParquetFile(self.path, metadata=self._metadata, buffer_size=_BUFFER) as file,
        ):
            for batch in file.iter_batches(at_once, range(first, last), columns, use_threads=False):
                self._check_unchanged()
                batch.validate(full=True)
                yield start, self._plain(batch.select(chosen))
                start += len(batch)

    def _plain(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return *batch* with the types of the schema."""
        import pyarrow as pa

        if not self._cast:
            return batch
        fields = [self.schema.field(name) for name in batch.schema.names]
        return batch.cast(pa.schema(fields, batch.schema.metadata), safe=False)  # of times, to microseconds

    def _check_unchanged(self) -> None:
        if _state(self.path) != self._state:
            raise FormatError(
                "the file was changed while it was in use", where=str(self.path), hint="read it again"
            )

    @contextmanager
    def _one_error(self) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except CrossexamError:
            raise
        except (
            pa.ArrowException,
            OSError,
            ValueError,  # names that are not UTF-8
            TypeError,
            LookupError,
            ArithmeticError,
            MemoryError,
            NotImplementedError,
        ) as error:
            damaged = FormatError(
                f"the Parquet file is damaged: {error}", where=str(self.path), hint=self._hint
            )
            raise exhausted(error, self.path) or damaged from None


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    import pyarrow as pa

    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the plain type for a type of texts, lists or times, also within lists and structs; else *kind*.

    >>> import pyarrow as pa
    >>> plain_type(pa.large_list(pa.large_string())), plain_type(pa.timestamp("ns"))
    (ListType(list<item: string>), TimestampType(timestamp[us]))
    """
    import pyarrow as pa

    is_a = pa.types
    if is_a.is_large_string(kind) or is_a.is_string_view(kind):
        return pa.string()
    if is_a.is_list(kind) or is_a.is_large_list(kind):
        return pa.list_(plain_type(kind.value_type))
    if is_a.is_struct(kind):
        return pa.struct([pa.field(each.name, plain_type(each.type)) for each in kind])
    if getattr(kind, "unit", None) != "ns":
        return kind
    if is_a.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    return pa.duration("us") if is_a.is_duration(kind) else pa.time64("us")


def _state(path: Path) -> tuple[int, int, int]:
    """Return what changes if *path* is written again; raises FormatError if it is not there."""
    try:
        found = path.stat()
    except OSError:
        raise FormatError(
            "the file is not there any more",
            where=str(path),
            hint="put it back, or read the test set again from where it is now",
        ) from None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _check_start(path: Path) -> None:
    """Raise FormatError if *path* does not begin as Parquet files do."""
    with path.open("rb") as stream:
        if stream.read(len(PARQUET)) != PARQUET:
            raise FormatError("not a Parquet file", where=str(path), wanted="a file that begins with PAR1")
