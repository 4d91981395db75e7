"""Length mismatch (Naik et al., 2018, C18-1198, section 3.2).

"And true is true" five times after the premise.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from crossexam.constructions.construction import Outcome
from crossexam.constructions.resources import Resources
from crossexam.constructions.tautology import append
from crossexam.core.example import Example

_TIMES = 5  # section 3.2


def length_mismatch(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """The premise becomes much longer than the hypothesis without saying more."""
    yield from append(example, "premise", "true is true", _TIMES, "length_mismatch.v1")
