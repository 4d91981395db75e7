"""Sensitivity to templates: values by hand, and the interval of the spread."""

from math import log

import numpy as np
import pytest

from crossexam.stats.paired import paired_difference
from crossexam.stats.sensitivity import accuracy_spread, normalized_entropies, sensitivity


def test_entropies_are_those_computed_by_hand() -> None:
    predicted = np.array([[0, 0, 0, -1, -1], [0, 0, 1, 2, -1], [0, 1, 2, 2, 1], [0, 1, 2, -1, -1]])
    two_and_two = -2 * 0.5 * log(0.5) / log(3)
    one_one_two = -(2 * 0.25 * log(0.25) + 0.5 * log(0.5)) / log(3)
    found = normalized_entropies(predicted, classes=3)
    assert found[:4].tolist() == pytest.approx([0, two_and_two, one_one_two, 0])
    assert np.isnan(found[4])
    assert normalized_entropies(np.array([[0], [1], [2]]), classes=3).tolist() == pytest.approx([1])


def test_items_without_two_answers_are_left_out() -> None:
    predicted = np.array([[0, 0, -1], [0, 1, 1]])
    found = sensitivity(predicted, 2)
    assert (found.value, found.n, found.clusters) == (0.5, 2, 2)
    nothing = sensitivity(np.array([[-1], [0]]), 2)
    assert np.isnan(nothing.value)
    assert (nothing.low, nothing.high, nothing.n) == (0.0, 1.0, 0)


def test_the_spread_is_the_highest_minus_the_lowest_accuracy() -> None:
    correct = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]], dtype=bool)
    found = accuracy_spread(correct)
    assert (found.value, found.n) == (0.5, 4)
    same = accuracy_spread(np.array([[1, 0] * 20, [1, 0] * 20], dtype=bool))
    assert (same.value, same.low) == (0, 0)
    assert 0 < same.high < 0.2  # other items may show a difference
    assert np.isnan(accuracy_spread(np.zeros((2, 0), dtype=bool)).value)


def test_the_spread_of_two_templates_has_the_interval_of_their_difference() -> None:
    rng = np.random.default_rng(3)
    clusters = np.arange(33) // 3
    near, far = (rng.random((2, 33)) < shares for shares in ([[0.5], [0.5]], [[0.9], [0.2]]))
    for correct in (near, near[::-1], far, far[::-1]):
        pair, found = paired_difference(*correct, clusters), accuracy_spread(correct, clusters)
        assert found.value == pytest.approx(abs(pair.value))
        assert found.low == max(0.0, pair.low, -pair.high)
        assert found.high == max(pair.high, -pair.low)
