"""Balanced accuracy against scikit-learn and a cluster bootstrap, and thresholds."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossexam.stats.balanced_accuracy import (
    balanced_accuracy,
    balanced_difference,
    best_threshold,
    exact_balanced_accuracy,
)
from crossexam.stats.bootstrap import bootstrap_interval
from crossexam.stats.estimate import exact_share, share_correct
from made.cases import refused


def test_the_value_is_that_of_scikit_learn_and_of_one_label_the_accuracy() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    gold, predicted = rng.integers(0, 3, 500), rng.integers(0, 3, 500)
    gold[:400] = 1
    found = balanced_accuracy(gold == predicted, gold)
    assert found.value == pytest.approx(metrics.balanced_accuracy_score(gold, predicted), abs=1e-12)
    right = np.array([True, True, False, True])
    assert balanced_accuracy(right, np.zeros(4)) == pytest.approx(share_correct(right))


def test_the_interval_is_about_that_of_a_cluster_bootstrap() -> None:
    right, gold, codes = sample(np.random.default_rng(1), 600, (0.6, 0.3, 0.1), (0.9, 0.7, 0.5))
    rows = [gold == k for k in range(3)] + [(gold == k) & right for k in range(3)]
    expected = quantiles(rows, lambda s: (s[:, 3:] / s[:, :3]).mean(axis=1), codes)
    assert balanced_accuracy(right, gold, codes)[:3] == expected


def test_a_difference_is_that_of_the_two_balanced_accuracies() -> None:
    rng = np.random.default_rng(3)
    one, gold, codes = sample(rng, 200, (0.7, 0.3), (0.9, 0.6))
    other = np.where(rng.random(len(one)) < 0.8, one, ~one)
    found = balanced_difference(one, other, gold, codes)
    expected = balanced_accuracy(one, gold).value - balanced_accuracy(other, gold).value
    assert found.value == pytest.approx(expected)
    assert balanced_difference(other, one, gold, codes)[:3] == pytest.approx(
        (-found.value, -found.high, -found.low)
    )
    rows = [each for k in range(2) for each in (gold == k, (gold == k) * (one * 1.0 - other))]
    assert found[:3] == quantiles(rows, lambda s: (s[:, 1] / s[:, 0] + s[:, 3] / s[:, 2]) / 2, codes)


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


def test_no_items_other_lengths_and_one_kind() -> None:
    assert balanced_accuracy([], [])[1:] == (0.0, 1.0, 0, 0)
    assert balanced_difference([], [], [])[1:] == (-1.0, 1.0, 0, 0)
    for says, call, *given in (
        ("2 gold labels for 1 items", balanced_accuracy, [True], [0, 1]),
        ("1 and 2 items for 2 gold labels", balanced_difference, [True], [True, False], [0, 1]),
        ("both kinds", best_threshold, [(np.array([0.1, 0.2]), np.array([True, True]))]),
    ):
        assert says in refused(ValueError, call, *given)


def sample(
    rng: np.random.Generator, m: int, shares: tuple[float, ...], recalls: tuple[float, ...]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Which items are right, their gold labels and clusters: premises with 1 to 4 items each.

    A premise is easy or hard for all labels, so that items of different labels depend on each other.
    """
    codes = np.repeat(np.arange(m), rng.integers(1, 5, m))
    gold = rng.choice(len(shares), size=len(codes), p=shares)
    easy = rng.random(m)[codes]
    return np.clip(np.array(recalls)[gold] + easy - 0.5, 0, 1) > rng.random(len(codes)), gold, codes


def quantiles(rows: Sequence[NDArray[Any]], statistic: Callable[..., Any], codes: NDArray[np.int64]) -> Any:
    """The value and the interval of a bootstrap over clusters, to 15 % of the interval's width."""
    columns = np.column_stack(rows).astype(np.float64)
    value, low, high = bootstrap_interval(columns, statistic, codes, name="recalls")
    near = [pytest.approx(end, abs=0.15 * (high - low)) for end in (low, high)]
    return (pytest.approx(value), *near)
