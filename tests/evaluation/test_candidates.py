"""The choice of a headline: at which confidence and level each of the drops is tested, and simulations."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from crossexam.core.estimate import Estimate
from crossexam.evaluation.candidates import Candidate, HeadlineChoice
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.unpaired import difference


@pytest.mark.parametrize(("low", "is_significant"), [(0.001, True), (0.0, False)])
def test_a_drop_is_tested_at_its_share_of_the_level(low: float, is_significant: bool) -> None:
    """The interval that is shown is adjusted to 95 %, even if the level is stricter."""
    asked = list[float]()

    def at(confidence: float) -> Estimate:
        asked.append(confidence)
        return Estimate(0.1, low, 0.3, 50, 50)

    found = HeadlineChoice(4, alpha=0.01).candidate(at, 0.0025)
    assert asked == pytest.approx([1 - 0.05 / 4, 1 - 0.01 / 4])
    assert (found.p_value, found.is_significant) == (0.01, is_significant)
    assert not HeadlineChoice(4, alpha=0.01).candidate(at, 0.0026).is_significant


def paired(rng: np.random.Generator, choice: HeadlineChoice, n: int, drop: float) -> Candidate:
    """A drop of *n* pairs of which a tenth is discordant, and the true drop is *drop*."""
    kind = rng.choice(3, n, p=[0.05 + drop / 2, 0.05 - drop / 2, 0.9])  # the base alone, the item alone, both
    base, item = kind != 1, kind != 0
    test = clustered_mcnemar(base, item)
    return choice.candidate(partial(paired_difference, base, item, None), test.p_exact)


def unpaired(rng: np.random.Generator, choice: HeadlineChoice, n: int, drop: float) -> Candidate:
    """A difference of *n* items each whose true accuracies differ by *drop*."""
    base, items = rng.random(n) < 0.8, rng.random(n) < 0.8 - drop
    return choice.candidate(partial(difference, base, items, None, None))


def reports(count: int, models: int, n: int, drop: float = 0.0, of_unpaired: int = 0) -> Iterator[Any]:
    """The candidates of each of *count* reports on *models* with ten test sets, some of them not paired."""
    rng, choice = np.random.default_rng(7), HeadlineChoice(10 * models)
    for _ in range(count):
        kinds = [*[unpaired] * of_unpaired, *[paired] * (10 - of_unpaired)] * models
        yield [made(rng, choice, n, drop) for made in kinds]


def test_the_interval_of_the_largest_drop_has_the_true_one() -> None:
    """An interval of one drop at 95 % has it in four of five reports only."""
    found = reports(300, 1, 1500, drop=0.02)
    largest = [max((one.loss for one in each), key=lambda loss: loss.value) for each in found]
    assert np.mean([loss.low <= 0.02 <= loss.high for loss in largest]) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("of_unpaired", [0, 5])
def test_a_report_without_drops_rarely_claims_one(of_unpaired: int) -> None:
    """Corrected for each model by itself, one of four reports would."""
    found = reports(60, 20, 500, of_unpaired=of_unpaired)
    assert np.mean([any(one.is_significant for one in each) for each in found]) <= 0.06
