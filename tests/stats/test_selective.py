"""Selective prediction: the definition by hand, ties, items without an answer, and coverage by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from crossexam.stats.selective import risk_coverage


def test_the_curve_is_the_error_of_the_most_confident() -> None:
    rng = np.random.default_rng(0)
    wrong, sure = rng.random(50) < 0.3, rng.random(50)
    curve = risk_coverage(wrong, sure)
    best = np.argsort(-sure)
    for k in (1, 7, 50):
        assert curve.risk[k - 1] == pytest.approx(wrong[best[:k]].mean())
    assert curve.area.value == pytest.approx(curve.risk.mean())
    assert curve.accuracy_at(0.8).value == pytest.approx(1 - wrong[best[:40]].mean())


def test_ties_are_the_mean_over_all_orders() -> None:
    wrong, sure = np.array([0, 1, 0, 1]), np.array([0.9, 0.5, 0.5, 0.5])
    orders = [[0, *order] for order in itertools.permutations([1, 2, 3])]
    risks = [np.cumsum(wrong[order]) / np.arange(1, 5) for order in orders]
    assert risk_coverage(wrong, sure).risk == pytest.approx(np.mean(risks, axis=0))


def test_items_without_an_answer_are_abstained_first() -> None:
    wrong, sure = np.array([1, 0, 0, 1]), np.array([np.nan, 0.9, 0.8, 0.7])
    curve = risk_coverage(wrong, sure)
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75]
    assert curve.risk == pytest.approx([0, 0, 1 / 3])
    assert np.isnan(curve.accuracy_at(0.8).value)  # 3 of 4 items have an answer
    assert curve.accuracy_at(0.75).value == pytest.approx(2 / 3)
    assert curve.coverage_at(0.05).value == 0.5


def test_nothing_is_answered() -> None:
    curve = risk_coverage([1, 1], [np.nan, np.nan])
    assert curve.coverage_at(0.05).value == 0.0
    assert np.isnan(curve.area.value)


def population(rng: np.random.Generator, n: int, clustered: bool) -> tuple[NDArray[np.float64], ...]:
    """Errors, confidences (half of them rounded, so that many tie) and clusters of 3 if *clustered*."""
    from scipy.special import ndtr

    codes = np.arange(n) // 3 if clustered else np.arange(n)
    first, second = (
        ndtr(np.sqrt(0.3) * rng.standard_normal(n)[codes] + np.sqrt(0.7) * rng.standard_normal(n))
        for _ in range(2)
    )
    right = first ** (1 / 3) * 2 / 3 + 1 / 3
    sure = np.where(np.arange(n) % 2 == 0, right, right.round(1))
    return (second > right).astype(np.float64), sure, codes


@pytest.mark.parametrize("clustered", [False, True])
def test_the_intervals_cover(clustered: bool) -> None:
    rng = np.random.default_rng(7)
    wrong, sure, _ = population(rng, 400_000, clustered=False)
    whole = risk_coverage(wrong, sure)
    truth = (
        whole.accuracy_at(0.8).value,
        whole.coverage_at(0.05).value,
        whole.area.value,
    )
    held = np.zeros(3)
    for _ in range(200):
        wrong, sure, codes = population(rng, 900, clustered)
        curve = risk_coverage(wrong, sure, codes)
        found = (
            curve.accuracy_at(0.8),
            curve.coverage_at(0.05),
            curve.area,
        )
        held += [each.low <= true <= each.high for each, true in zip(found, truth, strict=True)]
    assert (held / 200 >= 0.91).all(), held / 200
    assert (held / 200 <= 0.995).all(), held / 200
