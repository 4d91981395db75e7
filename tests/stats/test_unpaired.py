"""Differences of unpaired sets against Newcombe's published intervals and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from crossexam.stats.unpaired import difference


def answers(right: int, n: int) -> list[bool]:
    return [True] * right + [False] * (n - right)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:873, Table II, method 10
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_difference_is_newcombes_published_interval(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    found = difference(answers(*first), answers(*second))
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))
    ours = confint_proportions_2indep(*first, *second, method="newcomb")
    assert (found.low, found.high) == pytest.approx(ours, abs=1e-9)


def test_sets_made_from_the_same_premises_are_not_independent() -> None:
    right = np.repeat([True, False], 60)
    codes = np.repeat(np.arange(60), 2)
    together = difference(right, right, codes, codes)
    apart = difference(right, right, codes, codes + 60)
    assert together.value == apart.value == 0.0
    assert together.high < 0.02 < apart.high  # the same answers to the same premises cannot differ
    assert (together.clusters, apart.clusters) == (60, 120)
    assert apart == difference(right, right, [f"a{i}" for i in codes], [f"b{i}" for i in codes])
    with pytest.raises(ValueError, match="give both or neither"):
        difference(right, right, codes)


def test_an_empty_set_gives_the_whole_range() -> None:
    assert difference([], [True])[1:] == (-1.0, 1.0, 1, 0)
