"""Randomness that depends on what is drawn, not on when."""

from __future__ import annotations

import hashlib
import random


def rng_for(seed: int, *parts: str) -> random.Random:
    """Return a generator that depends on *seed* and *parts* alone.

    The order, the batch and the process in which items are built make no difference.

    >>> rng_for(0, "antonymy", "a").random() == rng_for(0, "antonymy", "a").random()
    True
    >>> rng_for(0, "antonymy", "a").random() == rng_for(0, "antonymy", "b").random()
    False
    """
    key = "\x1f".join((str(seed), *parts)).encode()
    return random.Random(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big"))
