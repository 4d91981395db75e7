"""How far two choices from the same items agree; a choice is true or false for each item [n]."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Agreement(NamedTuple):
    """Of *n* items, *found* were chosen, *wanted* should have been, *both* were: precision, recall, kappa.

    nan where nothing was found, nothing wanted, or where both choices are all or nothing (kappa).
    """

    precision: float
    recall: float
    kappa: float
    found: int
    wanted: int
    both: int
    n: int


def agreement(found: ArrayLike, wanted: ArrayLike) -> Agreement:
    """Return precision and recall of *found* against *wanted* [n], and Cohen's kappa of the two.

    ``kappa = (p_o - p_e) / (1 - p_e)``: ``p_o`` is the share of items on which both say the same, ``p_e``
    what that share would be by chance, from how often each says true (Cohen 1960, Educational and
    Psychological Measurement 20:37).

    >>> here, there = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> round(agreement(here, there).kappa, 2)  # (0.7 - 0.5) / (1 - 0.5)
    0.4
    """
    ours, theirs = np.asarray(found, dtype=bool), np.asarray(wanted, dtype=bool)
    if ours.shape != theirs.shape:
        raise ValueError(f"{ours.size} choices against {theirs.size}")
    n, chosen, due = len(ours), int(ours.sum()), int(theirs.sum())
    both = int((ours & theirs).sum())
    if not n:
        return Agreement(nan, nan, nan, 0, 0, 0, 0)
    observed = float((ours == theirs).mean())
    chance = (chosen * due + (n - chosen) * (n - due)) / n**2
    return Agreement(
        both / chosen if chosen else nan,
        both / due if due else nan,
        (observed - chance) / (1 - chance) if chance < 1 else nan,
        chosen,
        due,
        both,
        n,
    )
