"""The examples of a Parquet file as a sequence, of which a part at a time is in memory.

An example is made when it is asked for and not kept.  What is computed from all examples should read columns
instead (:func:`crossexam.core.columns.columns_of`), which makes no examples at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from crossexam.core.errors import CrossexamError, FormatError, exhausted
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.stored.rows import COLUMNS, from_row

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

#: How many rows are read at once; the row groups of the files that Crossexam writes have as many.
ROWS_AT_ONCE: Final = 20_000
_WINDOWS_KEPT: Final = 4  # for access to single examples, over all files
_NEEDED: Final = ("id", "premise", "hypothesis", "label")


class ParquetRows:
    """The rows of the Parquet file *path*, read a stretch at a time.

    *own_format* says whether the columns have the types that Crossexam writes.  Raises FormatError if it is
    not a Parquet file of a test set, and whenever it was changed after it was opened.
    """

    def __init__(self, path: Path) -> None:
        import polars as pl

        self.path = path
        self._state = _state(path)
        try:
            self._scan = pl.scan_parquet(path, glob=False)  # kept, as it knows where the row groups are
            schema = self._scan.collect_schema()
            self.count: int = self._scan.select(pl.len()).collect().item()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _no_parquet(path, error) from None
        missing = [name for name in _NEEDED if name not in schema]
        if missing:
            raise FormatError(f"no column {missing[0]!r}", where=str(path), wanted=", ".join(COLUMNS))
        self.own_format = all(schema.get(name) == kind for name, kind in column_types().items())

    def read(self, start: int, stop: int, names: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the columns *names* (None: all) of the rows *start* to *stop*."""
        import polars as pl

        if _state(self.path) != self._state:
            raise FormatError(
                "the file was changed while it was in use", where=str(self.path), hint="read it again"
            )
        rows = self._scan.slice(start, stop - start)
        try:
            return (rows if names is None else rows.select(names)).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _no_parquet(self.path, error) from None


def column_types() -> dict[str, Any]:
    """Return the polars types of the columns of a test set, by name."""
    import polars as pl

    text = pl.String()
    edit = pl.Struct({"side": text, "start": pl.Int32(), "end": pl.Int32(), "old": text, "new": text})
    return {**dict.fromkeys(COLUMNS, text), "label": pl.Int64(), "edits": pl.List(edit)}


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


def _no_parquet(path: Path, error: BaseException) -> CrossexamError:
    return exhausted(error, path) or FormatError(
        f"not a Parquet file: {error}", where=str(path), hint="the file is damaged; build it again"
    )


@lru_cache(maxsize=_WINDOWS_KEPT)
def _window(rows: ParquetRows, number: int) -> pl.DataFrame:
    """Return the rows of the *number*-th stretch of ROWS_AT_ONCE; the last few are kept."""
    return rows.read(number * ROWS_AT_ONCE, (number + 1) * ROWS_AT_ONCE)


def _doubtful() -> pl.Expr:
    """Return whether a row whose columns have the right types may nevertheless be malformed."""
    import polars as pl

    info, label = pl.col("info"), pl.col("label")
    no_object = ~info.str.json_path_match("$").str.starts_with("{").fill_null(value=False)
    return (
        pl.col("premise").is_null()
        | pl.col("hypothesis").is_null()
        | ~label.is_between(-1, len(LABELS)).fill_null(value=True)
        | (no_object & (info != "").fill_null(value=False))
        | pl.col("edits").list.eval(pl.element().is_null()).list.any().fill_null(value=False)
    )


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
    def of(cls, path: Path) -> StoredExamples:
        """Return the examples in the file *path*; raises FormatError if it holds no test set."""
        return cls(ParquetRows(path))

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
        return from_row(_window(self.rows, number).row(within, named=True), where=self._where(place))

    def __iter__(self) -> Iterator[Example]:
        for places, frame in self.stretches(None):
            for place, row in zip(places, frame.iter_rows(named=True), strict=True):
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
    ) -> Iterator[tuple[Sequence[int], pl.DataFrame]]:
        """Yield places and rows of the columns *names* as they are in the file, at most *at_once* at a time.

        They are exactly so many, except for the last, if the examples stand in the file one after another.
        """
        places = self.places
        if isinstance(places, range):
            for start in range(places.start, places.stop, at_once):
                stop = min(start + at_once, places.stop)
                yield range(start, stop), self.rows.read(start, stop, names)
            return
        for window in np.split(places, np.flatnonzero(np.diff(places // at_once)) + 1):
            if len(window):
                first = int(window[0])
                read = self.rows.read(first, int(window[-1]) + 1, names)
                yield window.tolist(), read[window - first]

    def check(self) -> None:
        """Raise FormatError that names the first malformed row, if there is one."""
        if not self.rows.own_format:
            deque(self, maxlen=0)
            return
        for places, frame in self.stretches(COLUMNS):
            for row in frame.with_row_index().filter(_doubtful()).iter_rows(named=True):
                from_row(row, where=self._where(places[row["index"]]))

    def _where(self, place: int) -> str:
        return f"{self.rows.path}, row {place}"
