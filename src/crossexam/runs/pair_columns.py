"""Pairs in columns: most of a run whose answers are stored already never needs a pair as an object.

What is looked up in the store needs the hash of a pair, and where a window ends the length of its texts.
Both are computed from columns; pairs are made for what a model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from crossexam.core.example import SIDES, Side
from crossexam.core.stored.arrays import array_of_numbers, array_of_texts, joined_texts, numbers_of
from crossexam.models.model import Pair

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


class PairColumns(Sequence[Pair]):
    """The pairs whose texts are in the columns ``premise`` and ``hypothesis`` of *batch*.

    A pair is made when it is used; slices and :meth:`at` make none.

    >>> pairs = PairColumns.of([("a", "c"), ("b", "d")])
    >>> pairs[1], list(pairs[:1])
    (('b', 'd'), [('a', 'c')])
    """

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch.select(SIDES)

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> PairColumns:
        """Return *pairs* in columns."""
        import pyarrow as pa

        if isinstance(pairs, cls):
            return pairs
        sides = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(pa.record_batch([*map(array_of_texts, sides)], names=list(SIDES)))

    @classmethod
    def joined(cls, several: Iterable[PairColumns]) -> PairColumns:
        """Return the pairs of *several*, at least one, one after another."""
        import pyarrow as pa

        return cls(pa.concat_batches([each.batch for each in several]))

    def __len__(self) -> int:
        return len(self.batch)

    def __iter__(self) -> Iterator[Pair]:
        premises, hypotheses = (self.batch[side].to_pylist() for side in SIDES)
        return zip(premises, hypotheses, strict=True)

    @overload
    def __getitem__(self, index: int) -> Pair: ...

    @overload
    def __getitem__(self, index: slice) -> PairColumns: ...

    def __getitem__(self, index: int | slice) -> Pair | PairColumns:
        if isinstance(index, slice):
            return PairColumns(self.batch[index])
        premise, hypothesis = (self.batch[side][index].as_py() for side in SIDES)
        return premise, hypothesis

    def at(self, rows: NDArray[np.intp]) -> PairColumns:
        """Return the pairs of these *rows*, which ascend."""
        if len(rows) == len(self):
            return self
        return PairColumns(self.batch.take(array_of_numbers(rows)))

    def lengths(self) -> NDArray[np.int64]:
        """Return the number of characters of each pair: [n]."""
        premise, hypothesis = (numbers_of(self._characters(side)) for side in SIDES)
        lengths: NDArray[np.int64] = np.add(premise, hypothesis, dtype=np.int64)
        return lengths

    def texts(self, separator: str) -> list[bytes]:
        """Return of each pair the length of the premise, the premise and the hypothesis, with *separator*."""
        import pyarrow as pa

        length = self._characters("premise").cast(pa.string())
        found: list[bytes] = joined_texts(
            [length, *(self.batch[side] for side in SIDES)], separator
        ).to_pylist()
        return found

    def _characters(self, side: Side) -> pa.Array:
        """Return how many characters each text of *side* has."""
        import pyarrow.compute as pc

        return pc.utf8_length(self.batch[side])
