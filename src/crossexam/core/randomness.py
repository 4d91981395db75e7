"""Randomness that depends on what is drawn, not on when."""

from __future__ import annotations

import hashlib
import random


def rng_for(seed: int, *parts: str) -> random.Random:
    """Return a generator that depends on *seed* and *parts* only.

    So what is drawn for an item does not depend on the order, the batch or the process in which it is built.

    >>> rng_for(0, "antonymy", "a").random() == rng_for(0, "antonymy", "a").random()
    True
    >>> rng_for(0, "antonymy", "a").random() == rng_for(0, "antonymy", "b").random()
    False
    """
    key = "\x1f".join((str(seed), *parts)).encode()
    return random.Random(_number(key))


def _number(key: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")


class SeededOnUse(random.Random):
    """A generator that is pointed at one item after another and seeded at the first draw, if there is any.

    Seeding takes longer than building many an item.  The numbers are those of ``rng_for`` of the same parts.

    >>> chance = SeededOnUse()
    >>> chance.aim(0, "antonymy", "a")
    >>> chance.random() == rng_for(0, "antonymy", "a").random()
    True
    """

    _key: bytes | None = None

    def aim(self, seed: int, *parts: str) -> None:
        """Make the next draw the first of ``rng_for(seed, *parts)``."""
        self._key = "\x1f".join((str(seed), *parts)).encode()

    def random(self) -> float:
        """Return a number in [0, 1)."""
        self._seed_if_due()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        """Return an integer of *k* random bits, from which choice, shuffle and randint draw."""
        self._seed_if_due()
        return super().getrandbits(k)

    def _seed_if_due(self) -> None:
        if self._key is not None:
            key, self._key = self._key, None
            self.seed(_number(key))
