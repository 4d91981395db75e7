"""Means, differences and ratios of estimates against the bootstrap and the delta method."""

import math

import numpy as np
import pytest

from crossexam.core.estimate import Estimate
from crossexam.stats.combined import difference_of, mean_of, ratio_less_one
from crossexam.stats.estimate import share_correct

SHARES = ((0.72, 400), (0.35, 900), (0.55, 150), (0.9, 300))
ANSWERS = [(np.arange(n) < round(share * n)).astype(float) for share, n in SHARES]
PARTS = [share_correct(each) for each in ANSWERS]


def test_a_set_twice_says_no_more_than_once_unless_its_clusters_are_others() -> None:
    values, codes = (np.random.default_rng(8).random(600) < 0.6).astype(float), np.repeat(np.arange(200), 3)
    once = share_correct(values, codes)
    same, apart = (mean_of([once] * 2, [values] * 2, [codes, codes + k], (0.0, 1.0)) for k in (0, 1000))
    assert same[:3] == pytest.approx(once[:3])
    assert (apart.high - apart.low) / (once.high - once.low) == pytest.approx(1 / np.sqrt(2))
    assert (same.n, same.clusters, apart.clusters) == (1200, 200, 400)
    one_cluster = mean_of([once], [values], [np.zeros(600, dtype=int)], (0.0, 1.0))
    assert one_cluster[1:3] == (0.0, 1.0)


def test_a_ratio_is_the_bootstraps() -> None:
    reference, mean = PARTS[-1], mean_of(PARTS[:3], ANSWERS[:3], [None] * 3, (0.0, 1.0))
    relative = ratio_less_one(mean, reference)
    assert relative.value == pytest.approx(mean.value / reference.value - 1)
    rng = np.random.default_rng(3)
    drawn = np.stack([rng.binomial(n, round(share * n) / n, 20_000) / n for share, n in SHARES])
    ratios = drawn[:3].mean(axis=0) / drawn[3] - 1
    assert relative[1:3] == pytest.approx(np.quantile(ratios, [0.025, 0.975]), abs=0.008)


def test_table_2_of_the_paper_comes_out() -> None:
    """ESIM: 56.0 against 87.5 is -31.5 points, -36.0 % (Zhang et al. 2020, Table 2)."""
    mean, snli = Estimate(0.56, 0.55, 0.57, 9, 9), Estimate(0.875, 0.87, 0.88, 9, 9)
    assert round(100 * difference_of(mean, snli).value, 1) == -31.5
    assert round(100 * ratio_less_one(mean, snli).value, 1) == -36.0
    assert math.isnan(ratio_less_one(Estimate(0.5, 0.4, 0.6, 9, 9), Estimate(0.0, 0.0, 0.2, 9, 9)).value)


def test_a_difference_takes_the_upper_bound_of_what_is_subtracted_for_its_lower_one() -> None:
    found = difference_of(Estimate(0.5, 0.4, 0.7, 10, 10), Estimate(0.3, 0.1, 0.35, 10, 10))
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.2 - (0.1**2 + 0.05**2) ** 0.5)
    assert found.high == pytest.approx(0.2 + (0.2**2 + 0.2**2) ** 0.5)
