"""The best threshold against trying all of them with scikit-learn's balanced accuracy."""

from __future__ import annotations

import numpy as np
import pytest

from crossexam.stats.thresholds import best_threshold


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


def test_neighbouring_floats_are_separated() -> None:
    low = 0.7
    high = float(np.nextafter(low, 1))
    found = best_threshold([(np.array([low, high]), np.array([False, True]))])
    assert low <= found < high


def test_one_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="both kinds"):
        best_threshold([(np.array([0.1, 0.2]), np.array([True, True]))])
    with pytest.raises(ValueError, match="both kinds"):
        best_threshold([])
