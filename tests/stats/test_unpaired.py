"""Differences of unpaired sets against Newcombe's published intervals and a bootstrap."""

import numpy as np
import pytest

from crossexam.stats.bootstrap import bootstrap_interval
from crossexam.stats.unpaired import difference, difference_of_unpaired_drops


def test_difference_is_newcombes_published_interval() -> None:
    for first, second, low, high in (
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ):
        one, other = (np.arange(n) < right for right, n in (first, second))
        assert difference(one, other)[1:3] == pytest.approx((low, high), abs=6e-5), (first, second)


def test_sets_made_from_the_same_premises_are_not_independent() -> None:
    right = np.repeat([True, False], 60)
    codes = np.repeat(np.arange(60), 2)
    together = difference(right, right, codes, codes)
    apart = difference(right, right, codes, codes + 60)
    assert together.value == apart.value == 0.0
    assert together.high < 0.023 < apart.high / 5  # the same answers to the same premises hardly differ
    assert (together.clusters, apart.clusters) == (60, 120)
    assert difference([], [True])[1:] == (-1.0, 1.0, 1, 0)  # the whole range
    assert difference_of_unpaired_drops(([], []), ([1], [1]))[1:] == (-2.0, 2.0, 1, 0)
    with pytest.raises(ValueError, match="give them for all or for none"):
        difference(right, right, codes)


def test_a_difference_of_drops_has_the_interval_of_a_bootstrap_over_clusters() -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(400), 2)
    ease = rng.random(400)[codes]
    answers = [(rng.random(800) + ease) / 2 < share for share in (0.7, 0.6, 0.5, 0.45)]
    one, other, stressed, other_stressed = answers
    found = difference_of_unpaired_drops((one, other), (stressed, other_stressed), codes, codes)
    gaps = np.column_stack([np.ones(800), 1.0 * one - other - stressed + other_stressed])
    value, low, high = bootstrap_interval(gaps, lambda s: s[:, 1] / s[:, 0], codes, name="drops")
    assert found[:3] == (pytest.approx(value), *(pytest.approx(end, abs=0.006) for end in (low, high)))
    assert (found.n, found.clusters) == (1600, 400)
