"""Brier scores and log losses against scikit-learn."""

from collections.abc import Callable

import numpy as np
import pytest

from crossexam.stats.losses import Losses, brier_scores, log_losses, mean_loss


@pytest.mark.parametrize("k", [2, 3])
def test_scores_are_those_of_scikit_learn(k: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(k)
    shares, gold, labels = rng.dirichlet([0.7] * k, 400), rng.integers(0, k, 400), list(range(k))
    expected = metrics.brier_score_loss(gold, shares, labels=labels, scale_by_half=False)
    winners = shares.argmax(axis=1)
    assert brier_scores(shares, gold, winners).observed.mean() == pytest.approx(expected)
    theirs = metrics.log_loss(gold, shares, labels=labels)
    assert log_losses(shares, gold, winners).observed.mean() == pytest.approx(theirs)


@pytest.mark.parametrize("of", [brier_scores, log_losses])
def test_what_an_error_would_cost_is_a_mean(of: Callable[..., Losses]) -> None:
    """Over the other labels, by their probabilities."""
    shares = np.random.default_rng(3).dirichlet([1.0, 1.0, 1.0], 50)
    winners = shares.argmax(axis=1)
    each = np.stack([of(shares, np.full(50, label), winners).observed for label in range(3)], axis=1)
    others = np.where(np.arange(3) == winners[:, None], 0.0, shares)
    expected = (others * each).sum(axis=1) / others.sum(axis=1)
    found = of(shares, winners, winners)
    assert found.mean_price_square == pytest.approx(np.mean((expected - found.observed) ** 2))


def test_a_model_without_doubt_has_no_upper_bound_of_the_log_loss() -> None:
    sure = np.tile([1.0, 0.0, 0.0], (60, 1))
    nothing = np.zeros(60, dtype=np.int64)
    found = mean_loss(log_losses(sure, nothing, nothing))
    assert (found.value, found.low, found.high) == (0.0, 0.0, np.inf)
    assert mean_loss(brier_scores(sure, nothing, nothing), most=2.0).high == pytest.approx(0.12, abs=0.01)
    wrong = nothing.copy()
    wrong[0] = 1
    assert mean_loss(log_losses(sure, wrong, nothing)).value == np.inf
    sure[:, 1] = 1e-20
    assert mean_loss(log_losses(sure, nothing + 1, nothing)).high == np.inf
