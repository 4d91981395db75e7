"""Clusters of dependent items, the design effect and the effective sample size.

Predictions on items with the same premise are not independent.  The variance of a mean is therefore estimated
from clusters, by the jackknife: with :math:`n` items in :math:`m` clusters, residuals :math:`e_i`, their
cluster sums :math:`z_k` and the share :math:`h_k` of the items that cluster *k* has, it is ``B / n^2`` with

    B = (m-1)/m sum_k (z_k / (1 - h_k))^2,

which for clusters of equal size is the usual ``m/(m-1) sum_k z_k^2``, and does not fail if one cluster has
many items (CV3 of MacKinnon, Nielsen & Webb 2023, Econometrics Journal 26:C1).  The *design effect* is its
ratio to that of independent items, ``W = n/(n-1) sum_i e_i^2`` (Kish 1965, *Survey Sampling*):

    deff = B / W

An interval for independent items becomes one for clustered items at the *effective sample size*
``n / deff`` (Kish 1965; for Wilson's interval Dean & Pagano 2015, J. Surv. Stat. Methodol. 3:484), times
``(t[n-1] / t[g-1])^2``, because a variance of few clusters is itself uncertain (Korn & Graubard 1998,
Survey Methodology 24:193).  *g* is the effective number of clusters, ``1 / sum_k h_k^2``, which is *m* if
they are of equal size (Kish 1965; Carter, Schnepel & Steigerwald 2017, Review of Economics and Statistics
99:698).  If every item is a cluster of its own, all factors are exactly 1.

Items may be clustered in two ways at once, by premise and by the word pair that was swapped: *codes* [n, 2].
The variance is then ``B = B_first + B_second - B_both``, where the last term is clustered by the sets of
items that share both (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29:238), and *g* the smaller *m*.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import inf
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: The cluster of each item, by any hashable name; None if every item is its own cluster.  Of an array of two
#: columns [n, 2], each is a clustering.
Clusters: TypeAlias = Sequence[Hashable] | NDArray[Any] | None

#: Weight of the shrinkage of :func:`effective_size`, in clusters.
PRIOR_CLUSTERS: Final = 0.25


def cluster_codes(clusters: Clusters, n: int) -> NDArray[np.int64]:
    """Return the clusters of *n* items as integers 0, 1, ... without gaps: [n], or [n, 2].

    It is *clusters* itself if these are such integers of 64 bits [n].  Raises ValueError if there are not
    *n*.

    >>> cluster_codes(["a", "b", "a"], 3).tolist(), cluster_codes(None, 2).tolist()
    ([0, 1, 0], [0, 1])
    """
    if clusters is None:
        return np.arange(n, dtype=np.int64)
    if len(clusters) != n:
        raise ValueError(f"{len(clusters)} clusters for {n} items")
    if isinstance(clusters, np.ndarray) and clusters.ndim == 2:
        return np.stack([cluster_codes(column, n) for column in clusters.T], axis=1)
    if isinstance(clusters, np.ndarray) and clusters.dtype.kind in "iu":
        return _dense(clusters if clusters.dtype.itemsize < 8 else clusters.astype(np.int64, copy=False))
    names = clusters.tolist() if isinstance(clusters, np.ndarray) else clusters
    index: dict[Hashable, int] = {}
    return np.fromiter((index.setdefault(name, len(index)) for name in names), np.int64, count=n)


def _dense(codes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return *codes* renumbered without gaps, in linear time if they are small."""
    if codes.size and codes.min() >= 0 and codes.max() < 8 * codes.size + 1024:
        used = np.bincount(codes) > 0
        if used.all():
            return codes.astype(np.int64, copy=False)
        numbers: NDArray[np.int64] = (np.cumsum(used) - 1).astype(np.int64, copy=False)
        return numbers.take(codes)
    inverse: NDArray[np.intp] = np.unique(codes, return_inverse=True)[1].reshape(codes.shape)
    return inverse.astype(np.int64, copy=False)


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


class EffectiveSize(NamedTuple):
    """The effective number of independent items, with the design effect *deff* before the t factor.

    *clusters* is their number, of two kinds the smaller.
    """

    n_eff: float
    deff: float
    clusters: int


def effective_size(
    residuals: NDArray[np.float64],
    codes: NDArray[np.int64],
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> EffectiveSize:
    """Return the effective sample size of the mean of items with these *residuals* [n] and cluster *codes*.

    ``n_eff = n / deff (t[n-1] / t[g-1])^2``, with *deff* as defined above; *codes* are [n] or [n, 2].  With
    *weights* [n], which sum to 1, it is that of a weighted mean: ``z_k / n`` becomes the weighted sum,
    ``h_k`` the weight of the cluster, and *deff* is at least that of independent items of these weights.  In
    three cases the plain estimate of *deff* fails:

    - Hardly any item differs from the rest (for an accuracy of 0 or 1 it is 0/0).  It is therefore shrunk
      towards Kish's worst case ``s = n sum_k h_k^2``, in which all items of a cluster are alike, with the
      weight of a quarter of a wrong cluster: ``(B + s^2/4) / (W + s/4)``.  The effect vanishes as errors
      accumulate, and is none if clusters are single items.  The weight is ours; with twice as much, 95 %
      intervals of 10 clusters cover 98 % (``tests/stats/test_coverage.py``).  Of items in two clusterings,
      one of which often has a cluster of most items, it is a quarter of a cluster of average size, ``n/m``.
    - Clusters more similar to each other than chance (a constant prediction on one item of each label): the
      estimate is below 1.  It is set to 1, so that no interval is narrower than for independent items.
    - A single cluster does not show how clusters vary: it counts as one item.

    >>> correct = np.tile([1.0, 1.0, 0.0, 0.0], 1000)  # the items of each pair are alike
    >>> round(effective_size(correct - 0.5, np.arange(4000) // 2).deff, 2)
    2.0
    """
    n = len(residuals)
    every = _codings(codes)
    m = min(int(each.max(initial=-1)) + 1 for each, _ in every)
    if n < 2 or m < 2:
        return EffectiveSize(float(min(n, m)), float(max(n, 1)), m)
    if m == n and weights is None:
        return EffectiveSize(float(n), 1.0, m)
    between, worst = 0.0, 0.0
    for each, sign in every:
        shares = np.bincount(each, weights) / (1 if weights is not None else n)  # h: (m,)
        sums: NDArray[np.float64]
        sums = np.bincount(each, residuals if weights is None else weights * residuals).astype(np.float64)
        between += sign * jackknife(sums if weights is None else n * sums, shares)
        worst += sign * n * float(shares @ shares)
    squares = residuals @ residuals if weights is None else n * float(weights @ (residuals * residuals))
    within = n / (n - 1) * float(squares)
    alone = 1.0 if weights is None else n * float(weights @ weights)
    two_ways = codes.ndim > 1
    freedom, size = (m - 1.0, n / m) if two_ways else (freedom_of(shares), worst)
    return sized(n, between, within, worst, freedom, confidence, alone, size)._replace(clusters=m)


def sized(
    n: int,
    between: float,
    within: float,
    worst: float,
    freedom: float,
    confidence: float = 0.95,
    alone: float = 1.0,
    size: float | None = None,
) -> EffectiveSize:
    """Return the effective size of *n* items from what :func:`effective_size` computes it from.

    *between* is *B*, *within* is *W*, *worst* the design effect if all items of a cluster were alike, *alone*
    that of independent items, below which there is none, and *size* that of a cluster in the shrinkage.

    >>> sized(100, 50.0, 25.0, 2.0, 49.0).deff.__round__(2)
    2.0
    """
    items = PRIOR_CLUSTERS * (worst if size is None else size)
    deff = max(alone, (between + items * worst) / (within + items))
    few = (student_quantile(n - 1, confidence) / student_quantile(freedom, confidence)) ** 2
    return EffectiveSize(max(1.0, n / deff * few), deff, int(freedom) + 1)


def _codings(codes: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], int]]:
    """Return the codes [n] of which the variances are added (1) and subtracted (-1)."""
    if codes.ndim == 1:
        return [(codes, 1)]
    first, second = codes.T
    both = cluster_codes(first * (int(second.max(initial=-1)) + 1) + second, len(codes))
    return [(first, 1), (second, 1), (both, -1)]


def jackknife(sums: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Return the variance of a total whose residuals have these *sums* over clusters [m].

    *shares* [m] are the shares of the clusters in the items, or in their weights: *B* of the module.  It is
    infinite if one cluster has all of them.

    >>> jackknife(np.array([1.0, -1.0]), np.array([0.5, 0.5]))  # 2/1 (1 + 1)
    4.0
    """
    m = len(sums)
    rest = 1 - shares
    if (rest <= 0).any():
        return inf
    left_out = sums / rest
    return (m - 1) / m * float(left_out @ left_out)


def freedom_of(shares: NDArray[np.float64]) -> float:
    """Return the degrees of freedom of a variance from clusters with these *shares* [m] of the items.

    It is the effective number of clusters less 1, and at least 1.

    >>> freedom_of(np.array([0.25, 0.25, 0.25, 0.25])), freedom_of(np.array([0.5, 0.25, 0.25]))
    (3.0, 1.6666666666666665)
    """
    return max(1.0, 1 / float(shares @ shares) - 1)


def student_quantile(freedom: float, confidence: float) -> float:
    """Return the two-sided quantile t of Student's distribution: P(|T| <= t) = *confidence*.

    >>> round(student_quantile(9, 0.95), 3)
    2.262
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + confidence / 2))


def normal_quantile(confidence: float) -> float:
    """Return the two-sided quantile z of the normal distribution: P(|Z| <= z) = *confidence*.

    Raises ValueError if *confidence* is not between 0 and 1.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must be between 0 and 1")
    return float(ndtri(0.5 + confidence / 2))
