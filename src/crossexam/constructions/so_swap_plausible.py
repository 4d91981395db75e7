"""Plausible SOSwap: subject and object swapped in clauses that could well be true either way.

Of a hundred items of SOSwap about five describe something that could happen (*A bike rides a man*), and a
model may spot the others without reading who does what to whom.  Here subject and object are people, animals
or vehicles, and the verb says what either could do to the other, but not both at a time: *A dog chases a
cat*.  Items are made as in SOSwap (``so_swap.py``), by the same rules and those of
``rules/so_swap_plausible.py``.  Few sentences satisfy them, so that those of the hypotheses are used, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain

from crossexam.constructions.construction import Resources, Yielded
from crossexam.constructions.rules import so_swap as any_swap
from crossexam.constructions.rules.rule import Rule
from crossexam.constructions.rules.so_swap import Roles
from crossexam.constructions.rules.so_swap_plausible import against
from crossexam.constructions.so_swap import swapped
from crossexam.core.example import SIDES, Example


def so_swap_plausible(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield each sentence paired with its copy in which subject and object are swapped, if that could be."""
    for side in SIDES:
        yield from swapped(example, side, resources, _rules)


def _rules(roles: Roles) -> Iterator[Rule[Roles]]:
    return chain(any_swap.against(roles), against(roles))
