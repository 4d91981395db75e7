"""Random generators that depend on what is drawn, not on when it is drawn."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import MutableSequence, Sequence
from typing import Any

from crossexam.core.example import Example


def rng_for(seed: int, *parts: str) -> random.Random:
    """Return a generator that depends on *seed* and *parts* only.

    So what is drawn for an item does not depend on the order, the batch or the process in which it is built.

    >>> rng_for(0, "antonymy", "a").random() == rng_for(0, "antonymy", "a").random()
    True
    >>> rng_for(0, "antonymy", "a").random() == rng_for(0, "antonymy", "b").random()
    False
    """
    return random.Random(_number(seed, parts))


def drawn_order(pool: Sequence[Example], seed: int) -> list[int]:
    """Return the indices of *pool* in the order of a draw, which depends on the texts and *seed* alone.

    >>> pool = [Example("a", "P", "H", None), Example("b", "Q", "H", None), Example("c", "P", "H", None)]
    >>> drawn_order(pool, 0), drawn_order(pool[:2], 0)
    ([2, 1, 0], [1, 0])
    """
    times: Counter[str] = Counter()
    keys = []
    for example in pool:
        text = f"{example.premise}\x1f{example.hypothesis}"
        times[text] += 1
        digest = hashlib.blake2b(f"{seed}\x1f{text}\x1f{times[text]}".encode("utf-8", "surrogatepass"))
        keys.append(digest.digest())
    return sorted(range(len(pool)), key=keys.__getitem__)


def _number(seed: int, parts: tuple[str, ...]) -> int:
    """Return the number by which a generator for *parts* is seeded."""
    key = "\x1f".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")


class SeededOnUse(random.Random):
    """A generator for one item after another, each set by :meth:`aim`, that is seeded only when it is used.

    Seeding takes longer than building some items, and some items draw nothing.  The numbers are those that
    :func:`rng_for` gives for the same parts.

    >>> chance = SeededOnUse()
    >>> chance.aim(0, "antonymy", "a")
    >>> chance.random() == rng_for(0, "antonymy", "a").random()
    True
    """

    _aimed_at: tuple[int, tuple[str, ...]] | None = None

    def aim(self, seed: int, *parts: str) -> None:
        """Make the next draw the first of ``rng_for(seed, *parts)``."""
        self._aimed_at = seed, parts
        self.__class__ = _Unseeded

    def _seed_if_due(self) -> None:
        if self._aimed_at is not None:
            self.__class__ = SeededOnUse
            (seed, parts), self._aimed_at = self._aimed_at, None
            super(random.Random, self).seed(_number(seed, parts))  # which needs no check of its type
            self.gauss_next = None

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Shuffle *x* in place as ``random.Random`` does, without its two calls per element.

        >>> ours, theirs = list(range(99)), list(range(99))
        >>> SeededOnUse(1).shuffle(ours), random.Random(1).shuffle(theirs), ours == theirs
        (None, None, True)
        """
        self._seed_if_due()
        drawn = self.getrandbits
        for last in range(len(x) - 1, 0, -1):
            bits = (last + 1).bit_length()
            place = drawn(bits)
            while place > last:
                place = drawn(bits)
            x[last], x[place] = x[place], x[last]


class _Unseeded(SeededOnUse):
    """The class of a generator between :meth:`aim` and its first draw, so that later draws check nothing.

    All methods of ``random.Random`` call :meth:`random` or :meth:`getrandbits`, except that :meth:`gauss`
    keeps the second of each two numbers.
    """

    def random(self) -> float:
        """Return a number in [0, 1)."""
        self._seed_if_due()
        return self.random()  # the method of SeededOnUse

    def getrandbits(self, k: int, /) -> int:
        """Return an integer of *k* random bits."""
        self._seed_if_due()
        return self.getrandbits(k)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """Return a normally distributed number."""
        self._seed_if_due()
        return self.gauss(mu, sigma)
