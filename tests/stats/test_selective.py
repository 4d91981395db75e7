"""Selective prediction: the definition by hand, ties, and items without an answer."""

import numpy as np
import pytest
from figure_formulas.probabilities import risks
from numpy.typing import NDArray

from crossexam.stats.estimate import share_interval
from crossexam.stats.selective import risk_coverage


def test_items_without_an_answer_are_abstained_first() -> None:
    wrong, sure = np.array([1, 0, 0, 1]), np.array([np.nan, 0.9, 0.8, 0.7])
    curve = risk_coverage(wrong, sure)
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75]
    assert curve.risk == pytest.approx([0, 0, 1 / 3])
    assert np.isnan(curve.accuracy_at(0.8).value)  # 3 of 4 items have an answer
    assert curve.accuracy_at(0.75).value == pytest.approx(2 / 3)
    assert curve.coverage_at(0.05).value == 0.5
    assert np.isnan(risk_coverage([1, 1], [np.nan, np.nan]).area.value)


def with_ties(seed: int, n: int) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
    """Errors, confidences of which many are equal, and clusters of one to several items."""
    rng = np.random.default_rng(seed)
    sure = np.where(rng.random(n) < 0.5, rng.random(n).round(1), rng.random(n))
    return rng.random(n) > sure, sure, np.unique(rng.integers(0, n // 2, n), return_inverse=True)[1]


def test_effective_sizes_are_those_of_the_definition() -> None:
    wrong, sure, codes = with_ties(1, 60)
    curve = risk_coverage(wrong, sure, codes)
    order = np.argsort(-sure, kind="stable").tolist()
    risk, wanted = risks(wrong, sure, codes, order, 0.95)
    assert curve.risk == pytest.approx(risk)
    assert curve.area.value == pytest.approx(np.mean(risk))
    assert curve.n_eff(slice(None), 0.95) == pytest.approx(wanted)
    found, accuracy = curve.accuracy_at(0.8), 1 - risk[47]
    low = share_interval(accuracy, wanted[47])[0]
    assert (found.value, found.low) == pytest.approx((accuracy, low))
