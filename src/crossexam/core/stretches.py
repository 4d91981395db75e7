"""Long arrays, a stretch at a time, so that what is computed on the way is small and stays in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

#: The items of a stretch.
AT_ONCE: Final = 2**15


def stretches(n: int, start: int = 0) -> Iterator[slice]:
    """Yield the slices of at most :data:`AT_ONCE` items, in order, from the item *start* to the item *n*.

    >>> [(part.start, part.stop) for part in stretches(AT_ONCE + 1)] == [(0, AT_ONCE), (AT_ONCE, AT_ONCE + 1)]
    True
    """
    for first in range(start, n, AT_ONCE):
        yield slice(first, min(first + AT_ONCE, n))
