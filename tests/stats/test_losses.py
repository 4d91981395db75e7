"""Brier scores and log losses against scikit-learn."""

import numpy as np
import pytest

from crossexam.stats.losses import brier_scores, log_losses, mean_loss


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
