"""Means of items that are clustered in two ways at once: by premise, and by the word pair that was swapped.

The variance of a mean is ``V = V_premise + V_key - V_both``, where each term is the variance clustered by
premises, by keys, and by the sets of items that share both (Cameron, Gelbach & Miller 2011, J. Bus. Econ.
Stat. 29:238).  With contributions ``u_i = w_i (y_i - mean)`` of items of weights ``w_i`` that sum to 1, and m
clusters: ``V_clusters = m / (m - 1) sum_k (sum of u_i in cluster k)^2``.

As elsewhere (:mod:`crossexam.stats.clusters`), V becomes an effective sample size, for Wilson's or Tango's
interval, with the t quantile for the smaller number of clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import PRIOR_CLUSTERS, Clusters, EffectiveSize, cluster_codes, student_quantile
from crossexam.stats.estimate import wilson
from crossexam.stats.paired import tango


def equal_weights(keys: Clusters, n: int) -> NDArray[np.float64]:
    """Return weights of *n* items under which all *keys* have the same weight, and sum to 1: [n].

    The mean under these weights is the mean over keys of their means.

    >>> equal_weights(["hot/cold", "hot/cold", "big/small"], 3).tolist()
    [0.25, 0.25, 0.5]
    """
    codes = cluster_codes(keys, n)
    sizes = np.bincount(codes)
    weights: NDArray[np.float64] = 1 / (len(sizes) * sizes[codes])
    return weights


def two_way_variance(contributions: ArrayLike, first: Clusters, second: Clusters) -> float:
    """Return the variance of a sum of *contributions* [n] that are clustered by *first* and by *second*.

    The formula is that of the module; it can be negative if there are few clusters.

    >>> two_way_variance([0.1, -0.1, 0.2, -0.2], [0, 1, 2, 3], [0, 1, 2, 3]).__round__(4)
    0.1333
    """
    u = np.asarray(contributions, dtype=np.float64)
    return _over_three(_between, u, *_three(first, second, len(u)))


def two_way_size(
    residuals: ArrayLike,
    weights: ArrayLike,
    first: Clusters,
    second: Clusters,
    confidence: float = 0.95,
) -> EffectiveSize:
    """Return the effective sample size of a weighted mean of items with these *residuals* [n].

    ``n / deff (t[n-1] / t[m-1])^2`` with m the smaller number of clusters.  *deff* is the two-way variance
    over that of independent items, shrunk towards the worst case, in which all items of a cluster are alike,
    as in :func:`crossexam.stats.clusters.effective_size`, and not below that of independent items of these
    weights.  A single cluster in either way counts as one item.

    >>> size = two_way_size([0.5, -0.5] * 50, [0.01] * 100, range(100), range(100))
    >>> round(size.n_eff), round(size.deff)
    (100, 1)
    """
    e, w = np.asarray(residuals, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    n = len(e)
    codes = _three(first, second, n)
    m = min(int(each.max()) + 1 if n else 0 for each in codes[:2])
    if n < 2 or m < 2:
        return EffectiveSize(float(min(n, m)), float(max(n, 1)), m)
    between = n * n * _over_three(_between, w * e, *codes)
    within = n / (n - 1) * n * float(w @ (e * e))
    worst = n * _over_three(_squares, w, *codes)
    alone = n * float(w @ w)
    deff = max(alone, (between + PRIOR_CLUSTERS * worst**2) / (within + PRIOR_CLUSTERS * worst))
    few = (student_quantile(n - 1, confidence) / student_quantile(m - 1, confidence)) ** 2
    return EffectiveSize(max(1.0, n / deff * few), deff, m)


def two_way_share(
    correct: ArrayLike,
    first: Clusters,
    second: Clusters,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the weighted share of *correct* items [n], with Wilson's interval at the two-way effective size.

    Without *weights* it is the accuracy.  With no items the value is nan and the interval 0 to 1.

    >>> f"{two_way_share([1, 1, 1, 0] * 10, range(40), list('abcd') * 10)}"
    '75.0 [14.6, 98.1]'
    """
    right = np.asarray(correct, dtype=np.float64)
    n = len(right)
    if n == 0:
        return Estimate(nan, 0.0, 1.0, 0, 0)
    w = np.full(n, 1 / n) if weights is None else np.asarray(weights, dtype=np.float64)
    share = min(1.0, float(w @ right))
    size = two_way_size(right - share, w, first, second, confidence)
    low, high = wilson(share, size.n_eff, confidence)
    return Estimate(share, min(low, share), max(high, share), n, size.clusters)


def two_way_difference(
    correct_base: ArrayLike,
    correct_stress: ArrayLike,
    first: Clusters,
    second: Clusters,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the weighted drop ``mean(base) - mean(stress)`` of paired items, with Tango's interval.

    The interval is taken at the two-way effective size of the differences.  With no pairs the value is nan
    and the interval -1 to 1.  Raises ValueError if the lengths differ.

    >>> two_way_difference([1, 1], [1, 0], [0, 1], [0, 1]).value
    0.5
    """
    before, after = np.asarray(correct_base, dtype=bool), np.asarray(correct_stress, dtype=bool)
    if before.shape != after.shape:
        raise ValueError(f"{before.size} base items for {after.size} stressed ones")
    n = len(before)
    if n == 0:
        return Estimate(nan, -1.0, 1.0, 0, 0)
    w = np.full(n, 1 / n) if weights is None else np.asarray(weights, dtype=np.float64)
    b, c = float(w @ (before & ~after)), float(w @ (~before & after))
    drops = before.astype(np.float64) - after
    size = two_way_size(drops - (b - c), w, first, second, confidence)
    low, high = tango(b * size.n_eff, c * size.n_eff, size.n_eff, confidence)
    return Estimate(b - c, min(low, b - c), max(high, b - c), n, size.clusters)


def _three(
    first: Clusters, second: Clusters, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes of both clusterings, and of the sets of items that share both."""
    a, b = cluster_codes(first, n), cluster_codes(second, n)
    return a, b, cluster_codes(a * (int(b.max(initial=0)) + 1) + b, n)


def _over_three(
    of: Callable[[NDArray[np.float64], NDArray[np.int64]], float],
    values: NDArray[np.float64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    both: NDArray[np.int64],
) -> float:
    return of(values, a) + of(values, b) - of(values, both)


def _between(contributions: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    sums = np.bincount(codes, weights=contributions)
    m = len(sums)
    return m / (m - 1) * float(sums @ sums) if m > 1 else 0.0


def _squares(weights: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    sums = np.bincount(codes, weights=weights)
    return float(sums @ sums)
