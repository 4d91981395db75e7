"""Negation (Naik et al., 2018, C18-1198, section 3.2): "and false is not true" after the hypothesis."""

from __future__ import annotations

import random
from collections.abc import Iterator

from crossexam.constructions.construction import Outcome
from crossexam.constructions.resources import Resources
from crossexam.constructions.tautology import append
from crossexam.core.example import Example


def negation(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """The tautology contains a strong negation word, which must not be taken for a contradiction."""
    yield from append(example, "hypothesis", "false is not true", 1, "negation.v1")
