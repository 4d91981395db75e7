"""The key of an item: the word pair or words that it tests, which items may share.

A frequent pair (man/woman) can decide the score of a test set.  The field ``key`` of a construction names the
entries of ``info`` that make up the key.  Wherever keys are counted, the two orders of a pair of words,
hot/cold and cold/hot, are one key: they are the same words (:func:`counted_keys`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.entry import Construction
from crossexam.constructions.table import KNOWN
from crossexam.core.columns import info_values
from crossexam.core.example import PAIR, Example
from crossexam.core.randomness import rng_for

#: The constructions whose items have keys.
KEYED: Final = frozenset(name for name, construction in KNOWN.items() if construction.key)
#: The reason in the yield table for items beyond the maximum number per key.
NOT_DRAWN_PER_KEY: Final = "not drawn (--per-key)"


def key_of(item: Example, construction: Construction) -> str | None:
    """Return the key of *item*, None if *construction* has no key or the item does not state it.

    >>> from crossexam.constructions.table import construction_named
    >>> item = Example("a", "It is hot.", "It is cold.", "contradiction", info={"pair": "hot/cold"})
    >>> key_of(item, construction_named("antonymy"))
    'hot/cold'
    """
    values = [_shown(item.info.get(name)) for name in construction.key]
    known = [value for value in values if value is not None]
    return ", ".join(known) if values and len(known) == len(values) else None


def _shown(value: Any) -> str | None:
    """Return the *value* of an entry of ``info`` as a part of a key, None if it is not stated."""
    if value is None:
        return None
    return "/".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def keys_of(items: Sequence[Example], construction: str) -> list[str] | None:
    """Return the key of each of *items*, None if the construction has none or an item does not state it."""
    if construction not in KEYED:
        return None
    stated = [
        values.mapped(_shown).tolist() for values in info_values(items, KNOWN[construction].key).values()
    ]
    if any(value is None for values in stated for value in values):
        return None
    return stated[0] if len(stated) == 1 else [", ".join(parts) for parts in zip(*stated, strict=True)]


def in_one_order(pair: str) -> str:
    """Return the two words of *pair* in lower case and alphabetical order.

    >>> in_one_order("hot/cold"), in_one_order("cold/hot")
    ('cold/hot', 'cold/hot')
    """
    return "/".join(sorted(pair.lower().split("/")))


def counted_keys(items: Sequence[Example], construction: str) -> list[str] | None:
    """Return the key of each of *items* as keys are counted, a pair of words in one order.

    None if the construction has no keys or an item does not state its own.

    >>> item = Example("a", "It is hot.", "It is cold.", "contradiction", info={"pair": "hot/cold"})
    >>> counted_keys([item], "antonymy"), keys_of([item], "antonymy")
    (['cold/hot'], ['hot/cold'])
    """
    keys = keys_of(items, construction)
    if keys is None or not is_word_pair(KNOWN[construction]):
        return keys
    counted = {key: in_one_order(key) for key in dict.fromkeys(keys)}
    return [counted[key] for key in keys]


def is_word_pair(construction: Construction) -> bool:
    """Return whether the key of *construction* is a pair of words."""
    return construction.key == (PAIR,)


def keys_are_sampled(construction: str) -> bool:
    """Return whether the keys of the items of a *construction* are a sample of all that there are.

    >>> keys_are_sampled("antonymy"), keys_are_sampled("numerical_reasoning"), keys_are_sampled("mine")
    (True, False, False)
    """
    known = KNOWN.get(construction)
    return known is not None and known.keys_are_sampled


def key_clusters(
    items: Sequence[Example], construction: str, known: dict[str, int] | None = None
) -> NDArray[np.int32] | None:
    """Return numbers of the keys of *items* [n] if the keys of the *construction* are a sample, else None.

    Keys that have a number in *known* have that; the others are added to it.

    >>> pairs = ("hot/cold", "cold/hot", "up/down")
    >>> items = [Example(pair, "", "", None, info={"pair": pair}) for pair in pairs]
    >>> key_clusters(items, "antonymy").tolist()
    [0, 0, 1]
    """
    if not keys_are_sampled(construction) or (keys := counted_keys(items, construction)) is None:
        return None
    numbers = {} if known is None else known
    codes = [numbers.setdefault(key, len(numbers)) for key in keys]
    return np.array(codes, dtype=np.int32)


def at_most_per_key(
    items: Iterable[Example], construction: Construction, most: int, seed: int
) -> list[Example]:
    """Return *items* in their order, with at most *most* per key, chosen at random.

    The two orders of a pair of words are one key.  Whether an item is chosen depends on the seed and on the
    items of its key alone.  Items without a key are kept.
    """
    listed = list(items)
    of_key: dict[str, list[Example]] = defaultdict(list)
    for item in listed:
        if (key := key_of(item, construction)) is not None:
            of_key[in_one_order(key) if is_word_pair(construction) else key].append(item)
    dropped: set[str] = set()
    for same in of_key.values():
        if len(same) > most:
            ranked = sorted(same, key=lambda item: rng_for(seed, "per_key", item.id).random())
            dropped.update(item.id for item in ranked[most:])
    return [item for item in listed if item.id not in dropped]
