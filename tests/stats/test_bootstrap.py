"""The bootstrap interval against scipy, and how many draws p-values need."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from crossexam.stats.bootstrap import MOST_DRAWN, bootstrap_interval, draws_for


def test_the_bootstrap_of_a_mean_is_scipys() -> None:
    values = np.random.default_rng(3).exponential(size=60)
    rows = np.column_stack([np.ones(60), values])
    _, low, high = bootstrap_interval(rows, lambda s: s[:, 1] / s[:, 0], np.arange(60), name="mean")
    theirs = bootstrap((values,), np.mean, method="BCa", n_resamples=20_000, rng=0).confidence_interval
    assert (low, high) == pytest.approx(theirs, abs=0.03)


def test_draws_let_the_corrected_p_value_reach_the_level() -> None:
    for alpha, tests in ((0.05, 16), (0.0001, 16), (0.0001, 48)):
        assert tests / (draws_for(alpha, tests) + 1) <= alpha / 10
    assert draws_for(1e-12, 16) == MOST_DRAWN
    with pytest.raises(ValueError, match="alpha is 2; it must be between 0 and 1"):
        draws_for(2, 16)
