"""How much the answers to the same items depend on how they are asked."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, cluster_codes, count_clusters
from crossexam.stats.estimate import nonnegative_mean
from crossexam.stats.paired import paired_difference


def normalized_entropies(predicted: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """Return the entropy of the predictions of each item over k templates, divided by log *classes*: [n].

    *predicted* [k, n] are indices of labels, negative without an answer.  With p the shares of the labels
    among the answers to an item, it is ``-sum(p log p) / log classes``: the sensitivity of Errica et al. 2024
    (arXiv 2406.12334, section 3), which needs no gold labels.  It is not a number (nan) for an item with
    fewer than two answers.

    >>> normalized_entropies(np.array([[0, 0, 0], [0, 1, -1]]), classes=2).tolist()
    [0.0, 1.0, nan]
    """
    answered = (predicted >= 0).sum(axis=0)
    labels = np.unique(predicted[predicted >= 0])
    counts = np.stack([(predicted == label).sum(axis=0) for label in labels] or [0 * answered])
    shares = counts / np.maximum(answered, 1)
    powers = np.where(shares > 0, shares * np.log(np.where(shares > 0, shares, 1.0)), 0.0)
    entropies: NDArray[np.float64] = np.where(
        answered >= 2, -powers.sum(axis=0) / np.log(classes) + 0.0, np.nan
    )
    return entropies


def sensitivity(predicted: NDArray[np.int64], classes: int, clusters: Clusters = None) -> Estimate:
    """Return the mean of :func:`normalized_entropies` over items, 0 if no answer depends on the template.

    The interval is that of :func:`crossexam.stats.estimate.nonnegative_mean`, by *clusters* of items.  Items
    with fewer than two answers are left out.

    >>> f"{sensitivity(np.array([[0, 0, 1, 1], [0, 0, 1, 2]]), classes=3)}"
    '15.8 [0.0, 66.0]'
    """
    entropies = normalized_entropies(predicted, classes)
    kept = ~np.isnan(entropies)
    return nonnegative_mean(entropies[kept], None if clusters is None else np.asarray(clusters)[kept])


def accuracy_spread(
    correct: NDArray[np.bool_], clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return the difference between the highest and the lowest accuracy of k templates on the same items.

    *correct* is [k, n].  The bounds are the largest difference that simultaneous intervals of all
    ``k(k-1)/2`` paired differences show, and the largest that they allow
    (:func:`crossexam.stats.paired.paired_difference`, clustered; Bonferroni-corrected to *confidence*), so
    that they agree with these differences.  The observed spread is too large on average, the more so the
    fewer the items and the more the templates; that of a bootstrap sample is larger still, so that bootstrap
    intervals miss a small spread.

    >>> f"{accuracy_spread(np.array([[True] * 80 + [False] * 20, [True] * 60 + [False] * 40]))}"
    '20.0 [13.3, 28.9]'
    """
    k, n = correct.shape
    codes = cluster_codes(clusters, n)
    if n == 0:
        return Estimate(np.nan, 0.0, 1.0, 0, 0)
    means = correct.mean(axis=1)
    pairs = list(combinations(range(k), 2))
    level = 1 - (1 - confidence) / max(1, len(pairs))
    found = [paired_difference(correct[one], correct[other], codes, level) for one, other in pairs]
    low = max((max(each.low, -each.high) for each in found), default=0.0)
    high = max((max(-each.low, each.high) for each in found), default=0.0)
    return Estimate(float(np.ptp(means)), max(0.0, low), min(1.0, high), n, count_clusters(codes))
