"""The bootstrap interval against scipy; p-values from draws: how many there are, and when they stop."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from crossexam.stats.bootstrap import (
    ENOUGH,
    FEWEST_DRAWN,
    MOST_DRAWN,
    batch_sizes,
    bootstrap_interval,
    draws_for,
    sampled_p,
)


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


def test_draws_beyond_the_first_stop_at_the_thousandth_that_is_as_extreme() -> None:
    first, rest = np.zeros(FEWEST_DRAWN, dtype=bool), np.tile([True, False], 5_000)
    assert sampled_p([first, rest]) == (ENOUGH / (FEWEST_DRAWN + 1_999), FEWEST_DRAWN + 1_999)
    assert sampled_p([np.zeros(99, dtype=bool)]) == (0.01, 99)  # no draw as extreme: the smallest p-value
    first[:ENOUGH] = True
    assert sampled_p(iter([first, rest])) == (1_001 / 100_000, FEWEST_DRAWN)
    assert FEWEST_DRAWN in np.cumsum(batch_sizes(250_000, 30_000))  # which are the same for any number
