"""Pairs in columns: most of a run whose answers are stored already never needs a pair as an object.

What is looked up in the store needs the hash of a pair, and where a window ends the length of its texts.
Both are computed from the columns of a file as they are read; pairs are made for what a model is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, overload

from crossexam.core.example import SIDES
from crossexam.models.model import Pair

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


class PairColumns(Sequence[Pair]):
    """The pairs whose texts are in the columns ``premise`` and ``hypothesis`` of *table*.

    A pair is made when it is used; slices and :meth:`at` make none.

    >>> import polars as pl
    >>> pairs = PairColumns(pl.DataFrame({"premise": ["a", "b"], "hypothesis": ["c", "d"]}))
    >>> pairs[1], list(pairs[:1])
    (('b', 'd'), [('a', 'c')])
    """

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table.select(SIDES)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Pair]:
        premises, hypotheses = (self.table[side].to_list() for side in SIDES)
        return zip(premises, hypotheses, strict=True)

    @overload
    def __getitem__(self, index: int) -> Pair: ...

    @overload
    def __getitem__(self, index: slice) -> PairColumns: ...

    def __getitem__(self, index: int | slice) -> Pair | PairColumns:
        if isinstance(index, slice):
            return PairColumns(self.table[index])
        premise, hypothesis = self.table.row(index)
        return premise, hypothesis

    def at(self, rows: NDArray[np.intp]) -> PairColumns:
        """Return the pairs of these *rows*."""
        return PairColumns(self.table[rows])

    def lengths(self) -> NDArray[np.int64]:
        """Return the number of characters of each pair: [n]."""
        import polars as pl

        premise, hypothesis = (pl.col(side).str.len_chars().cast(pl.Int64) for side in SIDES)
        return self.table.select(premise + hypothesis).to_series().to_numpy()

    def joined(self, separator: str) -> list[bytes]:
        """Return of each pair the length of the premise, the premise and the hypothesis, with *separator*."""
        import polars as pl

        length = pl.col("premise").str.len_chars().cast(pl.String)
        text = pl.concat_str(length, *SIDES, separator=separator).cast(pl.Binary)
        return self.table.select(text).to_series().to_list()


def pairs_at(pairs: Sequence[Pair], rows: NDArray[np.intp]) -> Sequence[Pair]:
    """Return those of *pairs* in *rows*, which ascend."""
    if len(rows) == len(pairs):
        return pairs
    return pairs.at(rows) if isinstance(pairs, PairColumns) else [pairs[row] for row in rows.tolist()]


def lengths_of(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    """Return the number of characters of each of *pairs*: [n]."""
    import numpy as np

    if isinstance(pairs, PairColumns):
        return pairs.lengths()
    return np.fromiter(
        (len(premise) + len(hypothesis) for premise, hypothesis in pairs), np.int64, len(pairs)
    )


def one_after_another(several: Sequence[Sequence[Pair]]) -> Sequence[Pair]:
    """Return the pairs of *several* sequences as one; columns stay columns if all of them are."""
    import polars as pl

    columns = [pairs.table for pairs in several if isinstance(pairs, PairColumns)]
    if columns and len(columns) == len(several):
        return PairColumns(pl.concat(columns))
    return list(chain.from_iterable(several))
