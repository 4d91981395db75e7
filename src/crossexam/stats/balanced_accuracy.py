"""Balanced accuracy: the mean of the recalls of the gold labels, however frequent each of them is."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, cluster_codes
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import paired_difference


def balanced_accuracy(
    correct: ArrayLike, gold: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return the mean of the recalls of the labels in *gold* [n], with an interval clustered by *clusters*.

    The recall ``r_k`` of a label is the accuracy on its items (*correct* [n] says which are right), and has
    the interval ``l_k, u_k`` of :func:`crossexam.stats.estimate.share_correct`.  The mean ``r`` of the K
    recalls (Brodersen et al. 2010, ICPR 20:3121) has the bounds ``r - sqrt(sum_kj c_kj (r_k - l_k) (r_j -
    l_j)) / K`` and ``r + sqrt(sum_kj c_kj (u_k - r_k) (u_j - r_j)) / K`` (Zou 2007, Psychological Methods
    12:399), where ``c_kj`` is the correlation of two recalls: that of their residuals, summed by cluster.  A
    negative one counts as 0, so that no interval is narrower than for independent items.  A label of few
    items that are all right, whose estimated variance is 0, still widens the interval.  With 8 items of the
    rarest label, 95 % intervals cover 93 % (``tests/stats/test_balanced_accuracy.py``).

    With one label this is the accuracy.  With no items the value is nan and the interval 0 to 1.
    Raises ValueError if the lengths differ.

    >>> f"{balanced_accuracy([1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 2, 2])}"  # recalls of 3/4 and 1/2
    '62.5 [32.2, 85.2]'
    """
    right, labels = np.asarray(correct, dtype=np.float64), np.asarray(gold)
    n = len(right)
    if len(labels) != n:
        raise ValueError(f"{len(labels)} gold labels for {n} items")
    if n == 0:
        return Estimate(nan, 0.0, 1.0, 0, 0)
    codes = cluster_codes(clusters, n)
    kinds = [labels == label for label in np.unique(labels).tolist()]
    recalls = [share_correct(right[items], codes[items], confidence) for items in kinds]
    return _mean(recalls, right, kinds, codes, (0.0, 1.0))


def balanced_difference(
    correct: ArrayLike,
    correct_other: ArrayLike,
    gold: ArrayLike,
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the difference of two balanced accuracies on the same items, with gold labels *gold* [n].

    It is the mean of the differences in recall, which have the intervals of
    :func:`crossexam.stats.paired.paired_difference`, combined as in :func:`balanced_accuracy`.  With no items
    the value is nan and the interval -1 to 1.  Raises ValueError if the lengths differ.

    >>> balanced_difference([1, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 2]).value
    0.5
    """
    one, other = (np.asarray(each, dtype=np.float64) for each in (correct, correct_other))
    labels = np.asarray(gold)
    n = len(labels)
    if not len(one) == len(other) == n:
        raise ValueError(f"{len(one)} and {len(other)} items for {n} gold labels")
    if n == 0:
        return Estimate(nan, -1.0, 1.0, 0, 0)
    codes = cluster_codes(clusters, n)
    kinds = [labels == label for label in np.unique(labels).tolist()]
    parts = [paired_difference(one[items], other[items], codes[items], confidence) for items in kinds]
    return _mean(parts, one - other, kinds, codes, (-1.0, 1.0))


def _mean(
    parts: Sequence[Estimate],
    values: NDArray[np.float64],
    kinds: Sequence[NDArray[np.bool_]],
    codes: NDArray[np.int64],
    bounds: tuple[float, float],
) -> Estimate:
    """Return the mean of *parts*, which are the means of *values* [n] over each of *kinds* [n]."""
    m = int(codes.max()) + 1
    sums = [
        np.bincount(codes[items], weights=values[items] - part.value, minlength=m)
        for part, items in zip(parts, kinds, strict=True)
    ]
    correlations = _correlations(np.stack(sums))
    below, above = (
        np.array([abs(getattr(part, side) - part.value) for part in parts]) for side in ("low", "high")
    )
    value = sum(part.value for part in parts) / len(parts)
    low, high = (sqrt(float(each @ correlations @ each)) / len(parts) for each in (below, above))
    return Estimate(value, max(bounds[0], value - low), min(bounds[1], value + high), len(values), m)


def _correlations(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations [k, k] of *sums* by cluster [k, m]; a negative or undefined one is 0."""
    products = sums @ sums.T
    scale = np.sqrt(np.outer(products.diagonal(), products.diagonal()))
    found: NDArray[np.float64] = np.maximum(
        0.0, np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)
    )
    np.fill_diagonal(found, 1.0)
    return found
