"""Tests of means clustered in two ways, against statsmodels and against the one-way functions."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import paired_difference
from crossexam.stats.two_way import (
    equal_weights,
    two_way_difference,
    two_way_share,
    two_way_size,
    two_way_variance,
)

RNG = np.random.default_rng(3)
N = 400
PREMISES = RNG.integers(0, 90, N)
KEYS = RNG.zipf(1.6, N) % 40  # a few frequent keys, many rare ones
CORRECT = RNG.random(N) < 0.3 + 0.4 * (KEYS % 3 == 0) + 0.2 * (PREMISES % 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_variance_is_that_of_statsmodels(weighted: bool) -> None:
    weights = equal_weights(KEYS, N) if weighted else np.full(N, 1 / N)
    fit = sm.WLS(CORRECT.astype(float), np.ones((N, 1)), weights=weights).fit()
    theirs = cov_cluster_2groups(fit, PREMISES, KEYS)[0].item()
    mean = float(weights @ CORRECT)
    assert fit.params[0] == pytest.approx(mean)
    assert two_way_variance(weights * (CORRECT - mean), PREMISES, KEYS) == pytest.approx(theirs)


def test_the_weighted_mean_is_the_mean_over_keys() -> None:
    means = [CORRECT[key == KEYS].mean() for key in np.unique(KEYS)]
    found = two_way_share(CORRECT, PREMISES, KEYS, equal_weights(KEYS, N))
    assert found.value == pytest.approx(np.mean(means))
    assert abs(found.value - CORRECT.mean()) > 0.005
    assert found.low < found.value < found.high
    assert (found.n, found.clusters) == (N, len(means))


def test_one_way_twice_is_one_way() -> None:
    """With the same clusters both ways, V + V - V = V."""
    found, one_way = two_way_share(CORRECT, PREMISES, PREMISES), share_correct(CORRECT, PREMISES)
    assert found == pytest.approx(one_way)
    other = RNG.random(N) < 0.5
    assert two_way_difference(CORRECT, other, PREMISES, PREMISES) == pytest.approx(
        paired_difference(CORRECT, other, PREMISES)
    )


def test_a_frequent_key_widens_the_interval() -> None:
    keys = np.array(["man/woman"] * 200 + [f"k{k}" for k in range(200)])
    correct = np.array([True] * 200 + [False, True] * 100)
    by_premise, two_way = share_correct(correct), two_way_share(correct, range(N), keys)
    assert two_way.value == by_premise.value == 0.75
    assert two_way.high - two_way.low > 5 * (by_premise.high - by_premise.low)
    over_keys = two_way_share(correct, range(N), keys, equal_weights(keys, N))
    assert over_keys.value == pytest.approx(101 / 201)


def test_an_accuracy_of_one_has_an_interval() -> None:
    found = two_way_share([True] * 40, range(40), [k // 10 for k in range(40)])
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low < share_correct([True] * 40).low


def test_one_key_counts_as_one_item() -> None:
    assert two_way_size([0.5, -0.5], [0.5, 0.5], ["a", "b"], ["k", "k"]).n_eff == 1
    found = two_way_share([True, False] * 9, range(18), ["k"] * 18)
    assert found[1:3] == share_correct([True, False] * 9, ["k"] * 18)[1:3]


def test_no_items_give_no_value() -> None:
    assert isnan(two_way_share([], [], []).value)
    assert two_way_difference([], [], [], [])[1:3] == (-1, 1)
    with pytest.raises(ValueError, match="1 base items for 2"):
        two_way_difference([1], [1, 0], [0], [0])


@pytest.mark.slow
def test_intervals_contain_the_mean() -> None:
    """30 premises and 25 keys with effects of their own: of 400 intervals, 95 % +- 4 hold 1/2."""
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(400):
        premises, keys = rng.integers(0, 30, 200), rng.integers(0, 25, 200)
        effects = rng.normal(0, 0.7, 30)[premises] + rng.normal(0, 0.7, 25)[keys]
        found = two_way_share(effects + rng.normal(0, 1, 200) > 0, premises, keys)
        inside += found.low <= 0.5 <= found.high
    assert 364 <= inside <= 396
