"""The area under the ROC curve against scikit-learn, DeLong's variance and a jackknife."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, t

from crossexam.stats.estimate import wilson
from crossexam.stats.roc_auc import _placements, roc_auc


def sample(seed: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Normal scores of items of both kinds."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    return rng.normal(size=n) + 1.2 * positive, positive


def test_the_value_is_that_of_scikit_learn_and_of_the_order_alone() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    scores, positive = rng.integers(0, 9, 300) / 8, rng.random(300) < 0.2  # with equal scores
    assert roc_auc(scores, positive).value == pytest.approx(metrics.roc_auc_score(positive, scores))
    (scores, positive), codes = sample(4, 150), np.arange(150) // 3
    ranks = np.argsort(np.argsort(scores)).astype(float)
    ranks[ranks.argmax()], ranks[ranks.argmin()] = np.inf, -np.inf
    assert roc_auc(ranks, positive, codes) == roc_auc(scores, positive, codes)


def test_the_interval_of_many_independent_items_is_delongs() -> None:
    scores, positive = sample(1, 3000)
    high, low = scores[positive], scores[~positive]
    wins = (high[:, None] > low[None, :]).astype(float)  # DeLong et al. 1988, written out
    variance = wins.mean(axis=1).var(ddof=1) / len(high) + wins.mean(axis=0).var(ddof=1) / len(low)
    found = roc_auc(scores, positive)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * np.sqrt(variance), rel=0.01)


def test_few_large_documents_widen_the_interval() -> None:
    """The variance is that of a jackknife, and t counts documents by their sizes."""
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(21), [60] + [3] * 20)
    positive = np.arange(120) % 3 == 0
    scores = rng.normal(size=21)[codes] + rng.normal(size=120) + positive
    values = _placements(scores, positive)
    auc = values[positive].mean()
    sums, effective = [], []
    for kind in (positive, ~positive):
        held = np.array([(codes[kind] == code).mean() for code in range(21)])
        added = [(values[kind][codes[kind] == code] - auc).sum() / kind.sum() for code in range(21)]
        sums.append(np.array(added) / (1 - held))
        effective.append(1 / (held**2).sum())
    variance = 20 / 21 * ((sums[0] ** 2).sum() + (sums[1] ** 2).sum() + 2 * (sums[0] * sums[1]).sum())
    prior = 0.25 / 21
    size = (auc * (1 - auc) + prior) / (variance + prior / 21)
    size *= (norm.ppf(0.975) / t.ppf(0.975, min(effective) - 1)) ** 2
    found = roc_auc(scores, positive, codes)
    assert found[1:3] == pytest.approx(wilson(auc, size), rel=1e-6)
    assert min(effective) < 4


def test_one_kind_and_one_cluster_say_nothing_and_perfect_scores_little() -> None:
    first = np.arange(40) < 20
    found = roc_auc(first, first)
    assert found.value == 1.0
    assert 0.1 < found.high - found.low < 0.3  # twenty of twenty: the share may be as low as 84 %
    assert roc_auc([0.1, 0.9], [True, True])[1:3] == (0.0, 1.0)
    assert roc_auc([0.1, 0.9, 0.4], [0, 1, 0], ["a", "a", "a"])[:3] == (1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="1 labels for 2 scores"):
        roc_auc([0.1, 0.9], [True])
