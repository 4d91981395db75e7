"""Pairs in columns: most of a run whose answers are stored already never needs a pair as an object.

What is looked up in the store needs the hash of a pair, and where a window ends the length of its texts.
Both are computed from columns; pairs are made for what a model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from crossexam.core.example import SIDES
from crossexam.models.model import Pair

if TYPE_CHECKING:
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

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> PairColumns:
        """Return *pairs* in columns."""
        import polars as pl

        schema = [(side, pl.String) for side in SIDES]
        return pairs if isinstance(pairs, cls) else cls(pl.DataFrame(pairs, schema=schema, orient="row"))

    @classmethod
    def joined(cls, several: Iterable[PairColumns]) -> PairColumns:
        """Return the pairs of *several*, at least one, one after another."""
        import polars as pl

        return cls(pl.concat([each.table for each in several]))

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
        """Return the pairs of these *rows*, which ascend."""
        return PairColumns(self.table[rows])

    def lengths(self) -> NDArray[np.int64]:
        """Return the number of characters of each pair: [n]."""
        import polars as pl

        premise, hypothesis = (pl.col(side).str.len_chars().cast(pl.Int64) for side in SIDES)
        return self.table.select(premise + hypothesis).to_series().to_numpy()

    def texts(self, separator: str) -> list[bytes]:
        """Return of each pair the length of the premise, the premise and the hypothesis, with *separator*."""
        import polars as pl

        length = pl.col("premise").str.len_chars().cast(pl.String)
        text = pl.concat_str(length, *SIDES, separator=separator).cast(pl.Binary)
        return self.table.select(text).to_series().to_list()
