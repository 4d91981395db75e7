"""The hashes under which the answers for pairs are stored, and the distinct pairs of a stream of items.

A hash has 128 bits.  Many of them are an array [n, 2] of unsigned numbers, the first half and the second,
which takes 16 bytes per pair, however long the texts are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from crossexam.models.model import Pair
from crossexam.runs.pair_columns import PairColumns, pairs_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HASH_BYTES: Final = 16
_SEPARATOR: Final = "\x1f"
_FREE: Final = 2**32 - 1
_FEWEST_SLOTS: Final = 2**12
_PLACED_AT_ONCE: Final = 2**20


def pair_hash(premise: str, hypothesis: str, parses: Sequence[str | None] = ()) -> bytes:
    """Return the 16 bytes under which predictions for a pair are stored.

    *parses* are those of the two sentences that the model read.

    >>> pair_hash("a b", "c") == pair_hash("a", "b c")
    False
    """
    text = _text(premise, hypothesis)
    if any(parses):
        text += "".join(f"{_SEPARATOR}{len(parse or '')}{_SEPARATOR}{parse or ''}" for parse in parses)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def _text(premise: str, hypothesis: str) -> str:
    return _SEPARATOR.join((str(len(premise)), premise, hypothesis))


def pair_hashes(pairs: Iterable[Pair], parses: Mapping[str, str] | None = None) -> NDArray[np.uint64]:
    """Return the hashes [n, 2] of *pairs*; *parses* are those that the model reads, by sentence.

    >>> as_bytes(pair_hashes([("a", "b")])) == [pair_hash("a", "b")]
    True
    """
    digests: Iterable[bytes]
    if parses:
        digests = (pair_hash(*pair, [parses.get(text) for text in pair]) for pair in pairs)
    elif isinstance(pairs, PairColumns):
        digests = _digests(pairs.joined(_SEPARATOR))
    else:
        digests = _digests(_text(*pair).encode("utf-8", "surrogatepass") for pair in pairs)
    return from_bytes(b"".join(digests))


def _digests(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the hash of each of *texts*.

    To copy a hash of nothing takes a third of the time of making one with a ``digest_size``; half of what is
    left is the compression itself.
    """
    new = blake2b(digest_size=HASH_BYTES).copy
    for text in texts:
        running = new()
        running.update(text)
        yield running.digest()


def from_bytes(joined: bytes) -> NDArray[np.uint64]:
    """Return the hashes [n, 2] whose bytes follow one another in *joined*."""
    import numpy as np

    return np.frombuffer(joined, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def as_bytes(hashes: NDArray[np.uint64]) -> list[bytes]:
    """Return the 16 bytes of each of *hashes* [n, 2]."""
    joined = hashes.astype(">u8").tobytes()
    return [joined[start : start + HASH_BYTES] for start in range(0, len(joined), HASH_BYTES)]


class DistinctHashes:
    """The distinct ones of the hashes that were added, numbered from 0 as they first occur.

    It is a hash table in three arrays, in which all hashes that are added at once look for their slots
    together: it takes 22 to 28 bytes per distinct hash, where a dict of bytes takes 150.  With room
    for *at_most* hashes from the start, 6 to 12 bytes for each, it never grows: that takes as long as adding.
    """

    def __init__(self, at_most: int = 0) -> None:
        import numpy as np

        self.count = 0
        self._halves = [np.empty(0, dtype=np.uint64) for _ in range(2)]  # of the hashes by number
        self._slots = np.full(_slots_for(at_most, _FEWEST_SLOTS), _FREE, dtype=np.uint32)  # numbers

    def add(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
        """Return the number of each of *hashes* [n, 2], and the rows of those that were not there before."""
        import numpy as np

        start, stop = self.count, self.count + len(hashes)
        self._reserve(stop)
        for half, column in zip(self._halves, hashes.T, strict=True):
            half.resize(stop, refcheck=False)
            half[start:] = column
        provisional = np.arange(start, stop, dtype=np.uint32)
        numbers, slots = self._placed(provisional)
        is_first = numbers == provisional
        rows = np.flatnonzero(is_first)
        self.count += len(rows)
        if len(rows) < len(hashes):
            final = np.cumsum(is_first, dtype=np.uint32) + np.uint32(start) - np.uint32(1)
            self._slots[slots[rows]] = final[rows]
            for half in self._halves:
                half[start : self.count] = half[start:][rows]
                half.resize(self.count, refcheck=False)
            new = np.flatnonzero(numbers >= start)
            numbers[new] = final[numbers[new] - np.uint32(start)]
        return numbers, rows

    def _reserve(self, count: int) -> None:
        """Make room for *count* numbers."""
        import numpy as np

        size = _slots_for(count, len(self._slots))
        if size == len(self._slots):
            return
        self._slots = np.full(size, _FREE, dtype=np.uint32)
        for start in range(0, self.count, _PLACED_AT_ONCE):
            stop = min(start + _PLACED_AT_ONCE, self.count)
            self._placed(np.arange(start, stop, dtype=np.uint32))

    def _placed(self, numbers: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Find slots for *numbers* [n], which ascend; return what each slot holds, and the slots.

        That is the number itself, or the first one that has the same hash.  All of them try a slot at a time.
        Numbers with the same hash try the same slots; of several that find a slot free, the first has it.
        """
        import numpy as np

        first, second = (
            half[numbers[0] : numbers[-1] + 1] if len(numbers) else half for half in self._halves
        )
        mask = len(self._slots) - 1
        step = second.view(np.int64) | 1  # odd, so that every slot is tried
        slots = first.view(np.int64) & mask
        found = np.empty_like(numbers)
        rows = np.arange(len(numbers))
        while len(rows):
            tried = slots[rows]
            held = self._slots.take(tried)
            free = np.flatnonzero(held == _FREE)
            last_first = free[::-1]  # of two assignments to one place, the later one counts
            self._slots[tried.take(last_first)] = numbers.take(rows.take(last_first))
            held[free] = self._slots.take(tried.take(free))
            found[rows] = held
            theirs = [half.take(held) for half in self._halves]
            rows = rows[(theirs[0] != first.take(rows)) | (theirs[1] != second.take(rows))]
            slots[rows] = (slots[rows] + step[rows]) & mask
        return found, slots


def _slots_for(count: int, size: int) -> int:
    """Return the least power of 2 times *size* of which *count* slots are at most two thirds."""
    while 3 * count > 2 * size:
        size *= 2
    return size


class DistinctPairs:
    """The distinct pairs of *stretches* of items, which are read as the pairs are asked for.

    *items* is the number of all items, None if it is not known; *parses* are those that the model reads.
    ``count`` pairs were found so far; the stretches were read to their end if ``finished``.
    """

    def __init__(
        self,
        stretches: Iterable[Sequence[Pair]],
        items: int | None = None,
        parses: Mapping[str, str] | None = None,
    ) -> None:
        self._stretches, self._parses, self._items = stretches, parses, items
        self._numbers: list[NDArray[np.uint32]] = []
        self.count, self._read, self.finished = 0, 0, False

    @property
    def at_most(self) -> int | None:
        """How many distinct pairs there are if all items that are not read yet have new ones; None: unknown.

        It falls with each repeated pair, to ``count`` when all items are read.
        """
        return None if self._items is None else self._items - self._read + self.count

    def __iter__(self) -> Iterator[tuple[Sequence[Pair], NDArray[np.uint64]]]:
        """Yield the new pairs of each stretch with their hashes [n, 2]."""
        distinct = DistinctHashes(self._items or 0)
        for pairs in self._stretches:
            hashes = pair_hashes(pairs, self._parses)
            numbers, rows = distinct.add(hashes)
            self._numbers.append(numbers)
            self._read += len(numbers)
            self.count = distinct.count
            if len(rows):
                yield pairs_at(pairs, rows), hashes[rows]
        self.finished = True

    def numbers(self) -> NDArray[np.uint32]:
        """Return the number of the pair of each item that was read: [n], from 0 as pairs first occur."""
        import numpy as np

        return np.concatenate([np.empty(0, dtype=np.uint32), *self._numbers])
