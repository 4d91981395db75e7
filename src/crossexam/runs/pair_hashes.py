"""The hashes under which the answers for pairs are stored, and the distinct pairs of a stream of items.

A hash has 128 bits.  Many of them are an array [n, 2] of unsigned numbers, the first half and the second,
which takes 16 bytes per pair, however long the texts are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from crossexam.models.model import Pair
from crossexam.runs.pair_columns import PairColumns

if TYPE_CHECKING:
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
    text = _SEPARATOR.join((str(len(premise)), premise, hypothesis))
    if any(parses):
        text += "".join(f"{_SEPARATOR}{len(parse or '')}{_SEPARATOR}{parse or ''}" for parse in parses)
    return blake2b(text.encode(), digest_size=HASH_BYTES).digest()


def pair_hashes(pairs: Sequence[Pair], parses: Mapping[str, str] | None = None) -> NDArray[np.uint64]:
    """Return the hashes [n, 2] of *pairs*; *parses* are those that the model reads, by sentence.

    >>> to_bytes(pair_hashes([("a", "b")])) == pair_hash("a", "b")
    True
    """
    digests: Iterable[bytes]
    if parses:
        digests = (pair_hash(*pair, [parses.get(text) for text in pair]) for pair in pairs)
    else:
        digests = _digests(PairColumns.of(pairs).texts(_SEPARATOR))
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


def from_bytes(joined: bytes | bytearray) -> NDArray[np.uint64]:
    """Return the hashes [n, 2] whose bytes follow one another in *joined*."""
    return np.frombuffer(joined, dtype=">u8").astype(np.uint64).reshape(-1, 2)


def to_bytes(hashes: NDArray[np.uint64]) -> bytes:
    """Return the bytes of *hashes* [n, 2], one hash after another."""
    return hashes.astype(">u8").tobytes()


class HashTable:
    """The rows of the hashes that were appended, found by hash.

    It consists of three arrays.  All hashes that are appended or looked for at once look for their slots
    together: it takes 22 to 28 bytes per hash, where a dict of bytes takes 150.  With room for *at_most*
    hashes from the start, 6 to 12 bytes for each, it never grows: that takes as long as appending.

    >>> table = HashTable()
    >>> table.append(pair_hashes([("a", "b"), ("a", "c"), ("a", "b")]))[0].tolist()
    [0, 1, 0]
    >>> table.find(pair_hashes([("b", "a"), ("a", "c")])).tolist()
    [-1, 1]
    """

    def __init__(self, at_most: int = 0) -> None:
        self.count = 0
        # Of the hashes by row, and room for more, which takes no memory before it is used.
        self._halves = [np.empty(at_most, dtype=np.uint64) for _ in range(2)]
        self._slots = np.full(_slots_for(at_most, _FEWEST_SLOTS), _FREE, dtype=np.uint32)  # rows

    def append(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Append *hashes* [n, 2]; return for each the first row that has the same one, and its slot: [n]."""
        start, stop = self.count, self.count + len(hashes)
        self._reserve(stop)
        for half, column in zip(self._halves, hashes.T, strict=True):
            half[start:stop] = column
        self.count = stop
        return self._placed(np.arange(start, stop, dtype=np.uint32))

    def _reserve(self, count: int) -> None:
        """Make room for *count* rows."""
        room = len(self._halves[0])
        for half in self._halves:
            if room < count:
                half.resize(max(count, room + room // 8), refcheck=False)
        size = _slots_for(count, len(self._slots))
        if size == len(self._slots):
            return
        self._slots = np.full(size, _FREE, dtype=np.uint32)
        for start in range(0, self.count, _PLACED_AT_ONCE):
            stop = min(start + _PLACED_AT_ONCE, self.count)
            self._placed(np.arange(start, stop, dtype=np.uint32))

    def _placed(self, rows: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Find slots for *rows* [n], which ascend; return what each slot holds, and the slots.

        That is the row itself, or the first one that has the same hash.  All of them try a slot at a time.
        Rows with the same hash try the same slots; of several that find a slot free, the first has it.
        """
        of_rows = slice(rows[0], rows[-1] + 1) if len(rows) else slice(0)
        first, second = (half[of_rows] for half in self._halves)
        slots, step = self._first_slots(first, second)
        found = np.empty_like(rows)
        left = np.arange(len(rows))
        while len(left):
            tried = slots[left]
            held = self._slots.take(tried)
            free = np.flatnonzero(held == _FREE)
            last_first = free[::-1]  # of two assignments to one place, the later one counts
            self._slots[tried.take(last_first)] = rows.take(left.take(last_first))
            held[free] = self._slots.take(tried.take(free))
            found[left] = held
            left = left[~self._is_at(held, first.take(left), second.take(left))]
            slots[left] = (slots[left] + step[left]) & (len(self._slots) - 1)
        return found, slots

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the first row of each of *hashes* [n, 2], -1 where there is none."""
        first, second = np.ascontiguousarray(hashes.T)
        slots, step = self._first_slots(first, second)
        found = np.full(len(hashes), -1, dtype=np.int64)
        left = np.arange(len(hashes))
        while len(left):
            held = self._slots.take(slots[left])
            left, held = left[held != _FREE], held[held != _FREE]
            same = self._is_at(held, first.take(left), second.take(left))
            found[left[same]] = held[same]
            left = left[~same]
            slots[left] = (slots[left] + step[left]) & (len(self._slots) - 1)
        return found

    def _first_slots(
        self, first: NDArray[np.uint64], second: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the slot that each hash of these halves [n] tries first, and the step to the next one."""
        step = second.view(np.int64) | 1  # odd, so that every slot is tried
        return first.view(np.int64) & (len(self._slots) - 1), step

    def _is_at(
        self, rows: NDArray[np.uint32], first: NDArray[np.uint64], second: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Return whether the hashes in *rows* [n] have these halves."""
        same: NDArray[np.bool_] = (self._halves[0].take(rows) == first) & (
            self._halves[1].take(rows) == second
        )
        return same


class DistinctHashes(HashTable):
    """The distinct ones of the hashes that were added, numbered from 0 as they first occur."""

    def add(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
        """Return the number of each of *hashes* [n, 2], and the rows of those that were not there before."""
        start = self.count
        numbers, slots = self.append(hashes)
        is_first = numbers == np.arange(start, self.count, dtype=np.uint32)
        rows = np.flatnonzero(is_first)
        if len(rows) < len(hashes):
            self.count = start + len(rows)
            final = np.cumsum(is_first, dtype=np.uint32) + np.uint32(start) - np.uint32(1)
            self._slots[slots[rows]] = final[rows]
            for half in self._halves:
                half[start : self.count] = half[start:][rows]
            new = np.flatnonzero(numbers >= start)
            numbers[new] = final[numbers[new] - np.uint32(start)]
        return numbers, rows


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

    def __iter__(self) -> Iterator[tuple[PairColumns, NDArray[np.uint64]]]:
        """Yield the new pairs of each stretch with their hashes [n, 2]."""
        distinct = DistinctHashes(self._items or 0)
        for stretch in self._stretches:
            pairs = PairColumns.of(stretch)
            hashes = pair_hashes(pairs, self._parses)
            numbers, rows = distinct.add(hashes)
            self._numbers.append(numbers)
            self._read += len(numbers)
            self.count = distinct.count
            if len(rows):
                yield pairs.at(rows), hashes[rows]
        self.finished = True

    def numbers(self) -> NDArray[np.uint32]:
        """Return the number of the pair of each item that was read: [n], from 0 as pairs first occur."""
        return np.concatenate([np.empty(0, dtype=np.uint32), *self._numbers])
