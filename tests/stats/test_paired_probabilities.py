"""Paired differences of Brier score, log loss and ECE, against other implementations."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from crossexam.core.estimate import Estimate
from crossexam.stats.calibration import calibration_error, equal_width_bins
from crossexam.stats.clusters import Clusters
from crossexam.stats.losses import brier_scores, log_losses
from crossexam.stats.paired_probabilities import PairedProbabilities, item_losses, paired_probabilities

Models = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def models(seed: int) -> Models:
    """The shares of two models, the first better informed, and the gold labels of 300 items."""
    rng = np.random.default_rng(seed)
    one = rng.dirichlet([0.7] * 3, 300)
    other = (one + rng.dirichlet([1.0] * 3, 300)) / 2
    gold = np.array([rng.choice(3, p=0.7 * row + 0.1) for row in one])
    return one, other, gold


def brier(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> NDArray[np.float64]:
    return brier_scores(shares, gold, shares.argmax(axis=1)).observed


def log(shares: NDArray[np.float64], gold: NDArray[np.int64]) -> NDArray[np.float64]:
    return log_losses(shares, gold, shares.argmax(axis=1)).observed


def compared(given: Models, clusters: Clusters = None) -> PairedProbabilities:
    one, other, gold = given
    a, b = (item_losses(shares, gold, shares.argmax(axis=1)) for shares in (one, other))
    return paired_probabilities([(a, b, clusters)], len(gold))


def test_values_are_those_of_each_model_alone() -> None:
    one, other, gold = models(3)
    found = compared((one, other, gold))
    for measure, losses in ((found.brier, brier), (found.log_loss, log)):
        alone = [losses(shares, gold).mean() for shares in (one, other)]
        assert (measure.a, measure.b) == pytest.approx(alone)
        assert measure.difference.value == pytest.approx(alone[0] - alone[1])
    for shares, value in zip((one, other), found.ece[:2], strict=True):
        stated = shares.max(axis=1)
        alone = calibration_error(stated, shares.argmax(axis=1) == gold, equal_width_bins(stated))
        assert value == pytest.approx(alone.error.value)
    same = compared((one, one, gold)).brier  # a model does not differ from itself
    assert (same.difference.value, same.p_value) == (0.0, 1.0)
    assert same.difference.low < 0 < same.difference.high  # they may differ on the next items


def test_tests_and_intervals_are_those_of_scipy() -> None:
    one, other, gold = models(5)
    found = compared((one, other, gold))
    theirs = stats.ttest_rel(brier(one, gold), brier(other, gold))  # without clusters, the paired t-test
    assert found.brier.p_value == pytest.approx(theirs.pvalue)
    assert found.brier.difference[1:3] == pytest.approx([*theirs.confidence_interval()])
    clustered = compared((one, other, gold), np.arange(300) // 3)
    by_cluster = (log(one, gold) - log(other, gold)).reshape(100, 3).mean(axis=1)
    assert clustered.log_loss.p_value == pytest.approx(stats.ttest_1samp(by_cluster, 0).pvalue)


def test_an_infinite_log_loss_is_counted_and_not_tested() -> None:
    one, other, gold = models(9)
    wrong = (gold[:2] + 1) % 3
    one[:2] = np.eye(3)[wrong]
    found = compared((one, other, gold))
    assert (found.impossible_a, found.impossible_b) == (2, 0)
    assert found.log_loss.a == found.log_loss.difference.value == np.inf
    assert found.log_loss.p_value is None
    assert np.isfinite(found.brier.difference).all()
    both = compared((one, one, gold))
    assert np.isnan(both.log_loss.difference.value)


def test_few_clusters_prove_little() -> None:
    one, other, gold = np.full((6, 2), [1.0, 0.0]), np.full((6, 2), 0.5), np.zeros(6, dtype=np.int64)
    alone = compared((one, other, gold), ["x"] * 6)
    assert alone.brier.p_value is None
    assert alone.brier.difference == Estimate(-0.5, -2.0, 2.0, 6, 1)
    assert alone.ece.difference[1:3] == (-1.0, 1.0)
    nothing = paired_probabilities([], 0)
    assert nothing.n == 0
    assert np.isnan(nothing.brier.difference.value)
