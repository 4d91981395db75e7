"""Tokenized pairs, and the batches in which a sequence classifier predicts them.

Batches are sorted by length and hold as many pairs as a budget of tokens allows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.models.model import CharactersRead, Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: More workers than this only wait for the GIL; further cores are distributed as threads.
MOST_WORKERS: Final = 8

T = TypeVar("T")


def small_numbers(
    rows: Iterable[Sequence[int]], dtype: type[np.integer[Any]], where: str
) -> list[NDArray[Any]]:
    """Return *rows* of numbers of tokens, or of types, as arrays; raises FormatError for larger ones."""
    try:
        return [np.asarray(row, dtype=dtype) for row in rows]
    except OverflowError:
        raise FormatError(
            "a token, or a type of tokens, has a number that no model has",
            where=where,
            wanted="the tokenizer with which the model was trained",
        ) from None


class TokenizedPairs:
    """Tokenized pairs in flat arrays: ``ids`` and, if the model has them, ``types`` of tokens.

    Pair k has the tokens ``starts[k]`` to ``starts[k + 1]``: 5 bytes per token, instead of lists of Python
    integers.  ``read`` holds what was read of those pairs that were truncated.
    """

    def __init__(
        self,
        ids: NDArray[np.int32],
        types: NDArray[np.int8] | None,
        lengths: NDArray[np.int64],
        read: Mapping[int, CharactersRead],
    ) -> None:
        self.ids, self.types, self.lengths, self.read = ids, types, lengths, read
        self.starts = np.concatenate([[0], np.cumsum(lengths)])

    def padded(
        self, rows: Sequence[int], values: NDArray[np.int32] | NDArray[np.int8], fill: int, side: str
    ) -> NDArray[np.int64]:
        """Return the *values* of *rows*, padded on *side* with *fill*: [len(rows), longest]."""
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
        """Return the attention mask of *rows*, 1 for tokens and 0 for padding: [len(rows), longest]."""
        lengths = self.lengths[list(rows)][:, None]
        places = np.arange(int(lengths.max()))[None, :]
        real = places < lengths if side == "right" else places >= lengths.max() - lengths
        return real.astype(np.int64)


def characters_read(
    pair: Pair, sides: Iterable[int | None], offsets: Iterable[tuple[int, int]]
) -> CharactersRead:
    """Return how far *pair* is read by tokens with these *sides* (0, 1, None) and *offsets*.

    >>> characters_read(("It rains now.", "It "), [None, 0, 0, 1], [(0, 0), (0, 2), (3, 8), (0, 2)])
    CharactersRead(premise=8, hypothesis=3)
    """
    ends = [0, 0]
    for side, (_, end) in zip(sides, offsets, strict=True):
        if side is not None:
            ends[side] = max(ends[side], end)
    return CharactersRead(*(whole_end(text, end) for text, end in zip(pair, ends, strict=True)))


def whole_end(text: str, end: int) -> int:
    """Return the length of *text* if only blanks follow *end*, which no token holds, else *end*."""
    return end if text[end:].strip() else len(text)


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
    """Return whether the next pair is so much shorter than the longest that padding it costs too much.

    A tenth is tolerated: over whole suites padding is then under 2 % of the tokens, and batches of rare
    lengths are not cut to single pairs.
    """
    return count > 0 and (longest - length) * 10 > longest


def results_in_order(
    pool: Executor, task: Callable[[Sequence[int]], T], batches: Sequence[Sequence[int]]
) -> Iterator[T]:
    """Yield what *task* returns for each of *batches*, in their order, while *pool* works on the next ones.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(results_in_order(pool, sum, [[1, 2], [3]]))
    [3, 3]
    """
    waiting: deque[Future[T]] = deque()
    try:
        for rows in batches:
            waiting.append(pool.submit(task, rows))
            if len(waiting) > 3 * MOST_WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
