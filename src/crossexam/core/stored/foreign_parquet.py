"""Parquet files that others wrote, or for which no checksum vouches: they may be damaged anywhere.

They are read by Arrow and validated before polars gets them: on some damage polars ends the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.errors import CrossexamError, FormatError, exhausted

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_ROWS_AT_ONCE: Final = 20_000
#: How a Parquet file begins and ends.
PARQUET: Final = b"PAR1"


def foreign_frames(
    path: Path, columns: Sequence[str] | None = None, *, at_once: int = _ROWS_AT_ONCE
) -> Iterator[pl.DataFrame]:
    """Yield the rows of *path*, *at_once* in a frame, with the *columns* (None: all).

    Raises FormatError if the file is damaged, or lacks a column.
    """
    import polars as pl
    import pyarrow.parquet as pq

    with _as_one_error(path):
        _check_start(path)
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if missing := [name for name in columns or () if name not in names]:
                raise FormatError(
                    f"no column {missing[0]!r}", where=str(path), wanted=", ".join(columns or ())
                )
            chosen = None if columns is None else list(columns)
            for batch in file.iter_batches(batch_size=at_once, columns=chosen):
                batch.validate(full=True)  # text that is not UTF-8 makes polars panic
                yield pl.DataFrame(batch)


def foreign_schema(path: Path) -> pa.Schema:
    """Return the schema of *path*; raises FormatError if the file is damaged."""
    import pyarrow.parquet as pq

    with _as_one_error(path):
        _check_start(path)
        return pq.read_schema(path)


def _check_start(path: Path) -> None:
    """Raise FormatError if *path* does not begin as Parquet files do."""
    with path.open("rb") as stream:
        if stream.read(len(PARQUET)) != PARQUET:
            raise FormatError("not a Parquet file", where=str(path), wanted="a file that begins with PAR1")


def check_foreign(path: Path, *, hint: str) -> None:
    """Raise FormatError with *hint* if *path* is damaged in a way that its format can tell."""
    try:
        for _ in foreign_frames(path):
            pass
    except FormatError as error:
        raise FormatError(error.what, where=error.where, wanted=error.wanted, hint=hint) from None


@contextmanager
def _as_one_error(path: Path) -> Iterator[None]:
    import polars as pl
    import pyarrow as pa

    try:
        yield
    except CrossexamError:
        raise
    except (
        pa.ArrowException,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
        ValueError,  # names that are not UTF-8
        TypeError,
        LookupError,
        ArithmeticError,
        MemoryError,
        NotImplementedError,
    ) as error:
        damaged = FormatError(
            f"the Parquet file is damaged: {error}", where=str(path), hint="write or download it again"
        )
        raise exhausted(error, path) or damaged from None
