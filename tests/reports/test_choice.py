"""The choice of a headline, simulated: how often its interval holds, and how often it claims too much.

Simulated are the answers to independent items; what is tested is what a report does with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from crossexam.evaluation.candidates import Candidate, HeadlineChoice
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.unpaired import difference

ACCURACY = 0.8


def paired(rng: np.random.Generator, choice: HeadlineChoice, n: int, drop: float) -> Candidate:
    """A drop of *n* pairs of which a tenth is discordant, and the true drop is *drop*."""
    kind = rng.choice(3, n, p=[0.05 + drop / 2, 0.05 - drop / 2, 0.9])  # the base alone, the item alone, both
    base, item = kind != 1, kind != 0
    test = clustered_mcnemar(base, item)
    return choice.candidate(partial(paired_difference, base, item, None), test.p_exact)


def unpaired(rng: np.random.Generator, choice: HeadlineChoice, n: int, drop: float) -> Candidate:
    """A difference of *n* items each whose true accuracies differ by *drop*."""
    base, items = rng.random(n) < ACCURACY, rng.random(n) < ACCURACY - drop
    return choice.candidate(partial(difference, base, items, None, None))


def reports(
    count: int, *, models: int, sets: int, n: int, drop: float = 0.0, of_unpaired: int = 0
) -> Iterator[list[Candidate]]:
    """The candidates of each of *count* reports on *models* with *sets*, some of them not paired."""
    rng = np.random.default_rng(7)
    choice = HeadlineChoice(models * sets)
    for _ in range(count):
        yield [
            (unpaired if k < of_unpaired else paired)(rng, choice, n, drop)
            for _ in range(models)
            for k in range(sets)
        ]


def coverage(count: int, drop: float, **design: int) -> float:
    """The share of *count* reports in which the interval of the largest drop has the true one."""
    found = reports(count, drop=drop, **design)
    largest = [max((one.loss for one in each), key=lambda loss: loss.value) for each in found]
    return float(np.mean([loss.low <= drop <= loss.high for loss in largest]))


def claims(count: int, **design: int) -> float:
    """The share of *count* reports that claim some drop."""
    return float(np.mean([any(one.is_significant for one in each) for each in reports(count, **design)]))


def test_the_interval_of_the_largest_drop_has_the_true_one() -> None:
    """An interval of one drop at 95 % has it in four of five reports only."""
    assert coverage(300, models=1, sets=10, n=1500, drop=0.02) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("of_unpaired", [0, 5])
def test_a_report_without_drops_rarely_claims_one(of_unpaired: int) -> None:
    """Corrected for each model by itself, one of four reports would."""
    assert claims(60, models=20, sets=10, n=500, of_unpaired=of_unpaired) <= 0.06
