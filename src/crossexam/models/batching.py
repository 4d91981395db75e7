"""Batches of encoded pairs: sorted by length, as many as a budget of tokens allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Encoded:
    """Encoded pairs in flat arrays: ``ids`` and, where the model has them, ``types`` of tokens.

    Pair k has the tokens ``starts[k]`` to ``starts[k + 1]``: 5 bytes a token, not a list of Python
    integers each.
    """

    def __init__(self, ids: NDArray[np.int32], types: NDArray[np.int8] | None, lengths: NDArray[np.int64],
                 truncated: NDArray[np.bool_]) -> None:  # fmt: skip
        import numpy as np

        self.ids, self.types, self.lengths, self.truncated = ids, types, lengths, truncated
        self.starts = np.concatenate([[0], np.cumsum(lengths)])

    def padded(
        self, rows: Sequence[int], values: NDArray[np.int32] | NDArray[np.int8], fill: int, side: str
    ) -> NDArray[np.int64]:
        """Return the *values* of *rows*, *fill*-ed on *side* to the longest: [len(rows), longest]."""
        import numpy as np

        longest = int(self.lengths[list(rows)].max())
        table = np.full((len(rows), longest), fill, dtype=np.int64)
        for line, row in zip(table, rows, strict=True):
            piece = values[self.starts[row] : self.starts[row + 1]]
            if side == "right":
                line[: len(piece)] = piece
            else:
                line[longest - len(piece) :] = piece
        return table

    def mask(self, rows: Sequence[int], side: str) -> NDArray[np.int64]:
        """Return 1 where a token of *rows* stands, 0 where there is padding: [len(rows), longest]."""
        import numpy as np

        lengths = self.lengths[list(rows)][:, None]
        places = np.arange(int(lengths.max()))[None, :]
        real = places < lengths if side == "right" else places >= lengths.max() - lengths
        return real.astype(np.int64)


def plan_batches(
    lengths: Sequence[int], *, tokens: int | None = None, pairs: int | None = None
) -> list[list[int]]:
    """Return batches of indices, the longest first: at most *tokens* with padding, at most *pairs*.

    The plan depends on *lengths* alone.

    >>> plan_batches([30, 90, 30, 85], tokens=180)
    [[1, 3], [0, 2]]
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    longest = 0
    for index in order:
        current = batches[-1] if batches else []
        full = (
            not current
            or (pairs is not None and len(current) >= pairs)
            or (tokens is not None and (len(current) + 1) * longest > tokens)
            or _wasteful(len(current), longest, lengths[index])
        )
        if full:
            batches.append([index])
            longest = lengths[index]
        else:
            current.append(index)
    return batches


def _wasteful(count: int, longest: int, length: int) -> bool:
    """Tell whether the next pair is so much shorter than the longest that padding it costs too much.

    A tenth is let pass: over whole suites padding is then under 2 % of the tokens, while batches of
    rare lengths are not cut to single pairs.
    """
    return count > 0 and (longest - length) * 10 > longest
