"""Accuracy and slices against published intervals and statsmodels."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from crossexam.stats.clusters import clustered_mean
from crossexam.stats.estimate import (
    OTHER,
    by_slice,
    mean_as_share,
    nonnegative_mean,
    share_correct,
    share_interval,
    wilson_share,
)


def answers(right: int, n: int) -> list[bool]:
    return [True] * right + [False] * (n - right)


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_without_clusters_accuracy_is_statsmodels_wilson(n: int, share: float, confidence: float) -> None:
    """Next to 0 and 1 it is the one-sided exact limit, at the whole error, if that is further out."""
    right = round(share * n)
    found = share_correct(answers(right, n), confidence=confidence)
    low, high = proportion_confint(right, n, alpha=1 - confidence, method="wilson")
    exact = proportion_confint(right, n, alpha=2 * (1 - confidence), method="beta")
    assert found.value == right / n
    assert found.low == pytest.approx(min(low, exact[0]), abs=1e-9)
    assert found.high == pytest.approx(max(high, exact[1]), abs=1e-9)
    assert (found.n, found.clusters) == (n, n)
    if 4 <= right <= n - 4:
        assert wilson_share(answers(right, n), None, confidence)[1:3] == pytest.approx((low, high), abs=1e-9)


def test_the_edges_of_shares() -> None:
    few = (stats.t.ppf(0.975, 59) / stats.t.ppf(0.975, 19)) ** 2  # Korn & Graubard 1998
    for right in (0, 60):  # counts clusters, not items
        found = share_correct(answers(right, 60), np.repeat(np.arange(20), 3))
        assert (found.low, found.high) == pytest.approx(share_interval(right / 60, 20 * few))
        assert found.low == 0.0 or found.high == 1.0
    alone = share_correct(answers(9, 10), ["one"] * 10)  # counts as one item
    assert (alone.low, alone.high, alone.clusters) == (*share_interval(0.9, 1), 1)
    assert isnan(share_correct([]).value)
    assert share_correct([])[1:] == (0.0, 1.0, 0, 0)
    with pytest.raises(ValueError, match="2 clusters for 3 items"):
        share_correct([True] * 3, ["a", "b"])


def test_slices_are_ordered_pooled_and_clustered() -> None:
    values = ["b"] * 4 + ["a"] * 6 + ["c", "d"] + [None]
    right = [True] * 4 + [False] * 6 + [True, False] + [True]
    found = by_slice(right, values, ["x"] * 4 + ["y"] * 9, minimum=2)
    assert list(found) == ["a", "b", OTHER]
    assert [found[key].value for key in found] == [0.0, 1.0, 0.5]
    assert [found[key].n for key in found] == [6, 4, 2]
    assert found["b"] == share_correct([True] * 4, ["x"] * 4)
    assert by_slice(right, values, most=1)[OTHER].n == 6
    assert by_slice([], []) == {}


def test_a_mean_of_values_that_are_0_or_1_is_a_share() -> None:
    right, codes, weights = np.array(answers(95, 100)), np.arange(100) // 4, np.arange(1, 101) / 5050
    weighted = mean_as_share(right, codes, weights=weights)
    assert weighted == pytest.approx(share_correct(right, codes, weights=weights))


def test_a_mean_of_shares_is_no_narrower_than_the_t_interval() -> None:
    rng = np.random.default_rng(0)
    values, codes = rng.random(60), np.arange(60) // 3
    found, plain = nonnegative_mean(values, codes), clustered_mean(values, codes).interval((0.0, 1.0))
    assert found.value == plain.value
    assert found.low <= plain.low < plain.high <= found.high
    assert nonnegative_mean([0.0] * 50).high == pytest.approx(share_interval(0.0, 50)[1])
    assert nonnegative_mean([0.3, 0.5], ["a", "a"])[1:3] == (0.0, 1.0)


def test_the_upper_bound_without_a_limit_is_that_of_the_logarithm() -> None:
    values = np.random.default_rng(1).exponential(2.0, 30)
    found, plain = nonnegative_mean(values, most=np.inf), clustered_mean(values).interval()
    assert found.low == max(0.0, plain.low)
    assert found.high == pytest.approx(plain.value * np.exp((plain.high - plain.value) / plain.value))
    assert nonnegative_mean([1.0, np.inf], most=np.inf)[:3] == (np.inf, 0.0, np.inf)
