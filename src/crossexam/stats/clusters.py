"""Clusters of dependent items: the one standard error of a mean, and the effective sample size.

Predictions on items with the same premise are not independent.  The variance of a mean is therefore estimated
from clusters, by the jackknife: with :math:`n` items in :math:`m` clusters, residuals :math:`e_i`, their
cluster sums :math:`z_k` and the share :math:`h_k` of the items that cluster *k* has, it is ``B / n^2`` with

    B = (m-1)/m sum_k (z_k / (1 - h_k))^2,

which for clusters of equal size is the usual ``m/(m-1) sum_k z_k^2``, and does not fail if one cluster has
many items (CV3 of MacKinnon, Nielsen & Webb 2023, Econometrics Journal 26:C1).  Its degrees of freedom are
``g - 1``, where *g* is the effective number of clusters, ``1 / sum_k h_k^2``, which is *m* if they are of
equal size (Kish 1965; Carter, Schnepel & Steigerwald 2017, Review of Economics and Statistics 99:698).

A mean of numbers has the t interval of these (:func:`clustered_mean`).  That of a share is one for
independent items at the *effective sample size* (:func:`effective_size`), ``n / deff`` (Kish 1965, *Survey
Sampling*; for Wilson's interval Dean & Pagano 2015, J. Surv. Stat. Methodol. 3:484), times ``(t[n-1] /
t[g-1])^2``, because a variance of few clusters is itself uncertain (Korn & Graubard 1998, Survey Methodology
24:193).  The *design effect* ``deff = B / W`` is the ratio to the variance of independent items, ``W =
n/(n-1) sum_i e_i^2``.  If every item is a cluster of its own, all factors are exactly 1.

Items may be clustered in two ways at once, by premise and by the word pair that was swapped: *codes* [n, 2].
The variance is then ``B = B_first + B_second - B_both``, where the last term is clustered by the sets of
items that share both (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29:238), and *g* the smaller *m*.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import exp, inf, isfinite, nan, sqrt
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate

#: The cluster of each item, by any hashable name; None if every item is its own cluster.  Of an array of two
#: columns [n, 2], each is a clustering.
Clusters: TypeAlias = Sequence[Hashable] | NDArray[Any] | None

_LARGEST: Final = 700.0  # of which the exponential function is a number
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


def codes_together(clusters: Sequence[Clusters], sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """Return the clusters of sets of so many items as integers; the same name is the same one in every set.

    If no set has clusters, every item is its own.  If some are in two clusterings [n, 2], the clusters of
    the others are both of theirs.  Raises ValueError if only some of the sets have clusters.

    >>> [codes.tolist() for codes in codes_together([["a", "b"], ["b", "c", "c"]], [2, 3])]
    [[0, 1], [1, 2, 2]]
    >>> [codes.tolist() for codes in codes_together([np.array([[7, 1], [8, 1]]), np.array([8])], [2, 1])]
    [[[0, 0], [1, 0]], [[1, 1]]]
    """
    given = [each for each in clusters if each is not None]
    if given and len(given) < len(sizes):
        raise ValueError("clusters are given for only some of the sets: give them for all or for none")
    if any(len(each) != size for each, size in zip(given, sizes, strict=False)):
        raise ValueError(f"clusters for {[len(each) for each in given]} items, not for {list(sizes)}")
    every: Clusters = None
    if given and all(isinstance(each, np.ndarray) for each in given):
        every = np.concatenate(_in_as_many_ways([np.asarray(each) for each in given]))
    elif given:
        every = [name for each in given for name in each]
    return np.split(cluster_codes(every, sum(sizes)), np.cumsum(sizes)[:-1])


def _in_as_many_ways(clusters: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
    """Return *clusters* as they are, or, if some are in two clusterings, all in two."""
    if all(each.ndim == clusters[0].ndim for each in clusters):
        return clusters
    free = 1 + max(int(each[:, 1].max(initial=-1)) for each in clusters if each.ndim > 1)
    return [each if each.ndim > 1 else np.stack([each, each + free], axis=1) for each in clusters]


def _dense(codes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return *codes* renumbered without gaps, in linear time if they are small.

    Others, such as hashes, are numbered as they first occur, so that nothing depends on what they are.
    """
    if codes.size and codes.min() >= 0 and codes.max() < 8 * codes.size + 1024:
        used = np.bincount(codes) > 0
        if used.all():
            return codes.astype(np.int64, copy=False)
        numbers: NDArray[np.int64] = (np.cumsum(used) - 1).astype(np.int64, copy=False)
        return numbers.take(codes)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    places = np.argsort(np.argsort(first)).astype(np.int64, copy=False)
    return places.take(np.asarray(inverse, np.intp)).reshape(codes.shape)


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


class ClusteredMean(NamedTuple):
    """The mean *value* of *n* items in so many *clusters*, its standard *error* and degrees of *freedom*.

    The error is infinite if there are fewer than two clusters, which do not show how they vary.
    """

    value: float
    error: float
    freedom: float
    n: int
    clusters: int

    def half(self, confidence: float = 0.95) -> float:
        """Return half of the t interval."""
        return student_quantile(self.freedom, confidence) * self.error

    def log_high(self, confidence: float = 0.95) -> float:
        """Return the upper bound of the t interval of the logarithm of a mean above 0, else infinity."""
        if self.value <= 0:
            return inf
        return self.value * exp(min(_LARGEST, self.half(confidence) / self.value))

    def interval(
        self,
        bounds: tuple[float, float] = (-inf, inf),
        confidence: float = 0.95,
        reach: tuple[float, float] = (0.0, 0.0),
    ) -> Estimate:
        """Return the mean with its t interval, cut off at *bounds*.

        If that does not *reach* so far below and above the mean, it is made wider.  It is the bounds if the
        error or the mean is infinite.
        """
        low, high = bounds
        if isfinite(self.value) and isfinite(self.error):
            half = self.half(confidence)
            below, above = (max(half, each) for each in reach)
            low, high = max(low, self.value - below), min(high, self.value + above)
        return Estimate(self.value, low, high, self.n, self.clusters)


def clustered_mean(
    values: ArrayLike, clusters: Clusters = None, weights: NDArray[np.float64] | None = None
) -> ClusteredMean:
    """Return the mean of *values* [n] with the standard error ``sqrt(B) / n`` of the module.

    With *weights* [n], which sum to 1, it is a weighted mean; a statistic that is not a mean has the error of
    what its items contribute to it (linearisation).  With no items the value is nan.

    >>> f"{clustered_mean([0.2, 0.4, 0.6, 0.4]).interval((0, 1))}"
    '40.0 [14.0, 66.0]'
    """
    given = np.asarray(values, dtype=np.float64)
    n = len(given)
    if n == 0:
        return ClusteredMean(nan, inf, 1.0, 0, 0)
    mean = float(given.mean() if weights is None else weights @ given)
    codes = cluster_codes(clusters, n)
    m = count_clusters(codes)
    if m < 2 or not isfinite(mean):
        return ClusteredMean(mean, inf, 1.0, n, m)
    total, _, freedom = _variance(given, mean, codes, weights)
    return ClusteredMean(mean, sqrt(max(0.0, total)) / n, freedom, n, m)


class EffectiveSize(NamedTuple):
    """The effective number of independent items, with the design effect *deff* before the t factor.

    *clusters* is their number, of two kinds the smaller.
    """

    n_eff: float
    deff: float
    clusters: int

    @classmethod
    def of(cls, n: int, deff: float, clusters: int, freedom: float, confidence: float) -> EffectiveSize:
        """Return that of *n* items with this design effect, of a variance with these degrees of *freedom*."""
        return cls(max(1.0, n / deff * t_factor(n - 1, freedom, confidence)), deff, clusters)


def effective_size(
    residuals: NDArray[np.float64],
    codes: NDArray[np.int64],
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> EffectiveSize:
    """Return the effective sample size of the mean of items with these *residuals* [n] and cluster *codes*.

    It is ``n / deff (t[n-1] / t[g-1])^2``, with the :func:`design_effect`; *codes* are [n] or [n, 2].  With
    *weights* [n], which sum to 1, it is that of a weighted mean: ``z_k / n`` becomes the weighted sum,
    ``h_k`` the weight of the cluster, and *deff* is at least that of independent items of these weights.  A
    single cluster, which does not show how clusters vary, counts as one item.

    >>> correct = np.tile([1.0, 1.0, 0.0, 0.0], 1000)  # the items of each pair are alike
    >>> round(effective_size(correct - 0.5, np.arange(4000) // 2).deff, 2)
    2.0
    """
    n, m = len(residuals), count_clusters(codes)
    if n < 2 or m < 2:
        return EffectiveSize(float(min(n, m)), float(max(n, 1)), m)
    if m == n and weights is None:
        return EffectiveSize(float(n), 1.0, m)
    between, worst, freedom = _variance(residuals, 0.0, codes, weights)
    squares = residuals @ residuals if weights is None else n * float(weights @ (residuals * residuals))
    within = n / (n - 1) * float(squares)
    alone = 1.0 if weights is None else n * float(weights @ weights)
    size = worst if codes.ndim == 1 else n / m
    deff = float(design_effect(between, within, worst, alone, size))
    return EffectiveSize.of(n, deff, m, freedom, confidence)


def design_effect(
    between: ArrayLike, within: ArrayLike, worst: ArrayLike, alone: float = 1.0, size: float | None = None
) -> NDArray[np.float64]:
    """Return the design effect of a total with the variances *between* (*B*) and *within* (*W*) clusters.

    *worst* is the one if all items of a cluster were alike, *alone* that of independent items.  In two cases
    the plain estimate ``B / W`` fails:

    - Hardly any item differs from the rest (for an accuracy of 0 or 1 it is 0/0).  It is therefore shrunk
      towards Kish's worst case ``s = n sum_k h_k^2``, with the weight of a quarter of a wrong cluster:
      ``(B + s^2/4) / (W + s/4)``.  The effect vanishes as errors accumulate, and is none if clusters are
      single items.  The weight is ours; with twice as much, 95 % intervals of 10 clusters cover 98 %.  Of
      items in two clusterings, one of which often has a cluster of most items, it is a quarter of a cluster
      of average *size*, ``n/m``.
    - Clusters more similar to each other than chance (a constant prediction on one item of each label): the
      estimate is below that of independent items.  It is set to that, so that no interval is narrower.

    >>> float(design_effect(50.0, 25.0, 2.0))
    2.0
    """
    b, w, s = (np.asarray(each, dtype=np.float64) for each in (between, within, worst))
    items = PRIOR_CLUSTERS * (s if size is None else size)
    shrunk: NDArray[np.float64] = np.maximum(alone, (b + items * s) / (w + items))
    return shrunk


def t_factor(items: float, freedom: float, confidence: float) -> float:
    """Return ``(t[items] / t[freedom])^2``, by which *freedom* of clusters makes an effective size smaller.

    *items* are the degrees of freedom of independent items, infinite for a normal quantile.

    >>> round(t_factor(99, 9, 0.95), 3), t_factor(9, 9, 0.95)
    (0.769, 1.0)
    """
    return (student_quantile(items, confidence) / student_quantile(freedom, confidence)) ** 2


class ClusterSums:
    """The sums of several columns of values over clusters, which come in parts, and *B* of their totals.

    Of millions of items, only the sums of a part are in memory.
    """

    def __init__(self, n: int, columns: int) -> None:
        """Begin with none of the *n* items."""
        self.n, self.clusters = n, 0
        self.totals = np.zeros(columns)
        self._squared_sizes = 0.0
        # Products of sums and of sizes of clusters, divided by the shares of the items outside of them.
        self._products, self._with_sizes = np.zeros((columns, columns)), np.zeros(columns)
        self._sizes = 0.0

    def add(self, sizes: NDArray[Any], sums: NDArray[np.float64]) -> None:
        """Add the *sums* [m, columns] of clusters of so many items [m]; they are overwritten."""
        self.clusters += len(sizes)
        self.totals += sums.sum(axis=0)
        self._squared_sizes += float(sizes.astype(np.float64) @ sizes)
        rest = 1 - sizes / self.n
        rest[rest <= 0] = inf
        of_sizes = sizes / rest
        sums /= rest[:, None]
        self._products += sums.T @ sums
        self._with_sizes += of_sizes @ sums
        self._sizes += float(of_sizes @ of_sizes)

    def variance(self, columns: slice) -> NDArray[np.float64]:
        """Return *B* of the totals of *columns*, less their means, and between them: [columns, columns]."""
        means = self.totals[columns] / self.n
        cross = np.outer(means, self._with_sizes[columns])
        centred = self._products[columns, columns] - cross - cross.T + self._sizes * np.outer(means, means)
        variance: NDArray[np.float64] = (self.clusters - 1) / max(1, self.clusters) * centred
        return variance

    def mean(self, column: int) -> ClusteredMean:
        """Return the mean of a *column*."""
        value, n = float(self.totals[column]) / self.n, self.n
        variance = float(self.variance(slice(column, column + 1))[0, 0])
        error = sqrt(max(0.0, variance)) / n if self.clusters > 1 else inf
        return ClusteredMean(value, error, self.freedom, n, self.clusters)

    def size_of_share(self, column: int, confidence: float) -> EffectiveSize:
        """Return the effective sample size of the mean of a *column* of zeros and ones.

        There must be at least two clusters.
        """
        n, found = self.n, self.mean(column)
        ones = round(n * found.value)
        within = n / (n - 1) * ones * (1 - ones / n)
        deff = float(design_effect((n * found.error) ** 2, within, self.worst))
        return EffectiveSize.of(n, deff, self.clusters, found.freedom, confidence)

    @property
    def worst(self) -> float:
        """Kish's worst design effect: if all items of a cluster were alike."""
        return self._squared_sizes / self.n

    @property
    def freedom(self) -> float:
        """The degrees of freedom, as of :func:`freedom_of`."""
        return max(1.0, self.n / self.worst - 1)


def count_clusters(codes: NDArray[np.int64]) -> int:
    """Return the number of clusters with these *codes*, of two clusterings [n, 2] the smaller.

    >>> count_clusters(np.array([[0, 0], [1, 0], [2, 1]]))
    2
    """
    ways = codes.T if codes.ndim > 1 else (codes,)
    return 1 + min(int(each.max(initial=-1)) for each in ways)


def _variance(
    values: NDArray[np.float64],
    mean: float,
    codes: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
) -> tuple[float, float, float]:
    """Return *B* of the residuals ``values - mean``, the worst design effect, and the degrees of freedom."""
    n = len(values)
    total, worst = 0.0, 0.0
    for each, sign in codings(codes):
        held = np.bincount(each, weights).astype(np.float64, copy=False)  # items, or their weights: (m,)
        sums = np.bincount(each, values if weights is None else weights * values) - mean * held
        shares = held / n if weights is None else held
        total += sign * jackknife(sums if weights is None else n * sums, shares)
        worst += sign * n * float(shares @ shares)
    return total, worst, freedom_of(shares) if codes.ndim == 1 else count_clusters(codes) - 1.0


def codings(codes: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], int]]:
    """Return the codes [n] of which the variances are added (1) and subtracted (-1).

    >>> [(each.tolist(), sign) for each, sign in codings(np.array([[0, 0], [1, 0], [1, 0]]))]
    [([0, 1, 1], 1), ([0, 0, 0], 1), ([0, 1, 1], -1)]
    """
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
