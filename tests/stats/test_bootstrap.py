"""The bootstrap interval against scipy."""

from __future__ import annotations

import numpy as np
import pytest

from crossexam.stats.bootstrap import bootstrap_interval


def test_the_bootstrap_of_a_mean_is_scipys() -> None:
    from scipy.stats import bootstrap

    values = np.random.default_rng(3).exponential(size=60)
    rows = np.column_stack([np.ones(60), values])
    _, low, high = bootstrap_interval(rows, lambda s: s[:, 1] / s[:, 0], np.arange(60), name="mean")
    theirs = bootstrap((values,), np.mean, method="BCa", n_resamples=20_000, rng=0).confidence_interval
    assert (low, high) == pytest.approx(theirs, abs=0.03)
    plain = bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=0).confidence_interval
    assert abs(high - theirs.high) < abs(high - plain.high)  # skewed: the two differ
