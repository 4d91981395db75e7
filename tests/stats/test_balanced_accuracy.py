"""Balanced accuracy against scikit-learn, and thresholds."""

from collections.abc import Callable

import numpy as np
import pytest

from crossexam.stats.balanced_accuracy import (
    balanced_accuracy,
    balanced_difference,
    best_threshold,
    exact_balanced_accuracy,
)
from crossexam.stats.estimate import exact_share, share_correct


def test_the_value_is_that_of_scikit_learn_and_of_one_label_the_accuracy() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    gold, predicted = rng.integers(0, 3, 500), rng.integers(0, 3, 500)
    gold[:400] = 1
    found = balanced_accuracy(gold == predicted, gold)
    assert found.value == pytest.approx(metrics.balanced_accuracy_score(gold, predicted), abs=1e-12)
    right = np.array([True, True, False, True])
    assert balanced_accuracy(right, np.zeros(4)) == pytest.approx(share_correct(right))


def test_no_other_threshold_is_better() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    sets = [(rng.integers(0, 50, n) / 50, rng.random(n) < share) for n, share in ((80, 0.2), (30, 0.7))]

    def mean(threshold: float) -> float:
        found = [metrics.balanced_accuracy_score(positive, scores > threshold) for scores, positive in sets]
        return float(np.mean(found))

    every = [-0.01, *(k / 100 for k in range(101))]
    assert mean(best_threshold(sets)) == pytest.approx(max(map(mean, every)))


def test_of_equally_good_ones_the_nearest_to_one_half() -> None:
    scores, positive = np.array([0.1, 0.3, 0.6, 0.8]), np.array([False, True, False, True])
    # at 0.2 and at 0.7 all items of one kind and half of the other are right
    assert best_threshold([(scores, positive)]) == pytest.approx(0.7)
    assert best_threshold([(np.array([0.1, 0.9]), np.array([False, True]))]) == 0.5
    assert best_threshold([(np.array([0.7, 0.7]), np.array([False, True]))]) == 0.5  # nothing to separate
    next_one = float(np.nextafter(0.7, 1))  # neighbouring floats are separated
    assert 0.7 <= best_threshold([(np.array([0.7, next_one]), np.array([False, True]))]) < next_one


def test_the_exact_interval_is_that_of_a_share_if_all_labels_are_as_frequent() -> None:
    right, gold = np.arange(60) > 2, np.arange(60) % 3
    codes = np.arange(60) // 2
    for confidence in (0.95, 0.999):
        found = exact_balanced_accuracy(right, gold, codes, confidence)
        assert found[:3] == pytest.approx(exact_share(right, codes, confidence)[:3])
    assert found.value == pytest.approx(balanced_accuracy(right, gold).value)


def test_no_items_other_lengths_and_one_kind(refused: Callable[..., str]) -> None:
    assert balanced_accuracy([], [])[1:] == (0.0, 1.0, 0, 0)
    assert balanced_difference([], [], [])[1:] == (-1.0, 1.0, 0, 0)
    for says, call, *given in (
        ("2 gold labels for 1 items", balanced_accuracy, [True], [0, 1]),
        ("1 and 2 items for 2 gold labels", balanced_difference, [True], [True, False], [0, 1]),
        ("both kinds", best_threshold, [(np.array([0.1, 0.2]), np.array([True, True]))]),
    ):
        assert says in refused(ValueError, call, *given)
