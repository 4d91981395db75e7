"""Accuracy with Wilson's interval, of a whole set and by slice.

Items are correct or not [n]; accuracies and bounds are shares between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import inf, isfinite, nan, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import (
    Clusters,
    cluster_codes,
    clustered_mean,
    effective_size,
    normal_quantile,
)

#: The name of the values that :func:`by_slice` pools.
OTHER: Final = "(other)"


def wilson(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval for a *share* of *n* items; *n* need not be an integer.

    With ``z`` the normal quantile of :func:`crossexam.stats.clusters.normal_quantile`:
    ``(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)``
    (Wilson 1927, J. Am. Stat. Assoc. 22:209).

    >>> tuple(round(bound, 4) for bound in wilson(81 / 263, 263))  # Newcombe 1998, Table I
    (0.2553, 0.3662)
    """
    z = normal_quantile(confidence)
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z / scale * sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    high = 1.0 if share >= 1 else min(1.0, centre + half)
    return low, high


def share_interval(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval for a *share* of *n* items, made wider next to 0 and 1.

    The end of Wilson's interval that is next to 0 or 1 excludes too much: for a share of 0.99 and 100 items,
    the interval covers 92 %.  Brown, Cai & DasGupta (2001, Statistical Science 16:101, section 4.1.1)
    therefore put a one-sided exact limit, at the whole error 1 - *confidence*, in its place for the smallest
    counts.  Here the wider of the two bounds counts, which is Wilson's if more than ten items are right, and
    more than ten wrong.

    >>> [round(bound, 4) for bound in share_interval(0.99, 100)], round(wilson(0.99, 100)[1], 4)
    ([0.9455, 0.9995], 0.9982)
    """
    low, high = wilson(share, n, confidence)
    exact_low, exact_high = _exact_limits(share, n, 1 - confidence)
    return min(low, exact_low), max(high, exact_high)


def share_correct(
    correct: ArrayLike,
    clusters: Clusters = None,
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the accuracy, the share of *correct* items [n], with Wilson's interval.

    :func:`share_interval` with the effective sample size of :func:`crossexam.stats.clusters.effective_size`
    in place of n (Dean & Pagano 2015, J. Surv. Stat. Methodol. 3:484); without clusters it is Wilson's
    interval, widened next to 0 and 1.  With *weights* [n], which sum to 1, it is a weighted share.  With no
    items the value is nan and the interval 0 to 1.

    >>> f"{share_correct([True] * 15 + [False] * 5)}"
    '75.0 [53.1, 89.6]'
    """
    return _share(correct, clusters, confidence, share_interval, weights)


def wilson_share(correct: ArrayLike, clusters: Clusters = None, confidence: float = 0.95) -> Estimate:
    """Return the share of *correct* items [n] with plain Wilson's interval at the effective sample size.

    Newcombe's interval for a difference is made from these, and is nominal as it is.

    >>> f"{wilson_share([True] * 15 + [False] * 5)}"
    '75.0 [53.1, 88.8]'
    """
    return _share(correct, clusters, confidence, wilson)


def exact_share(
    correct: ArrayLike,
    clusters: Clusters = None,
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the share of *correct* items [n] with the exact interval of Clopper and Pearson.

    It is that of a binomial number of the effective sample size, as :func:`share_correct` is Wilson's
    (Clopper & Pearson 1934, Biometrika 26:404; for clusters Korn & Graubard 1998, Survey Methodology 24:193).
    Far in the tail and near 0 and 1, where the normal distribution of Wilson's interval fails, each side of
    it errs in no more than (1 - *confidence*) / 2 of samples.  With *weights* [n], which sum to 1, it is a
    weighted share.

    >>> f"{exact_share([True] * 97 + [False] * 3)}"
    '97.0 [91.5, 99.4]'
    """
    return _share(correct, clusters, confidence, clopper_pearson, weights)


def clopper_pearson(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the exact interval of a binomial *share* of *n* items; *n* need not be an integer.

    >>> tuple(round(bound, 4) for bound in clopper_pearson(0.97, 100, 0.95))
    (0.9148, 0.9938)
    """
    return _exact_limits(share, n, (1 - confidence) / 2)


def _exact_limits(share: float, n: float, tail: float) -> tuple[float, float]:
    """Return the two exact one-sided limits of a binomial *share* of *n* items, each with this error."""
    from scipy.special import betaincinv

    hits, misses = share * n, (1 - share) * n
    low = 0.0 if share <= 0 else float(betaincinv(hits, misses + 1, tail))
    high = 1.0 if share >= 1 else 1 - float(betaincinv(misses, hits + 1, tail))
    return low, high


def _share(
    correct: ArrayLike,
    clusters: Clusters,
    confidence: float,
    interval: Callable[[float, float, float], tuple[float, float]],
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the share of *correct* items with the *interval* of a share of so many independent items."""
    right = np.array(correct, dtype=np.float64)  # our own, of which the residuals are made
    n = len(right)
    if n == 0:
        return Estimate(nan, 0.0, 1.0, 0, 0)
    share = float(right.mean()) if weights is None else min(1.0, float(weights @ right))
    right -= share
    size = effective_size(right, cluster_codes(clusters, n), confidence, weights)
    low, high = interval(share, size.n_eff, confidence)
    return Estimate(share, min(low, share), max(high, share), n, size.clusters)


class Coded(NamedTuple):
    """The values of items: the *names* that there are, and the number of each item's among them, *codes* [n].

    Values are numbered in the order in which they first appear.
    """

    names: Sequence[Hashable]
    codes: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, values: Sequence[Hashable] | NDArray[Any]) -> Coded:
        """Return *values* [n] with their numbers.

        >>> names, codes = Coded.of(["b", "a", "b"])
        >>> names, codes.tolist()
        (['b', 'a'], [0, 1, 0])
        """
        codes = cluster_codes(values, len(values))
        firsts = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
        firsts[codes[::-1]] = np.arange(len(codes))[::-1]
        return cls([values[first] for first in firsts.tolist()], codes)

    @classmethod
    def in_order(cls, names: Sequence[Hashable], codes: NDArray[np.integer[Any]]) -> Coded:
        """Return values whose *codes* number *names* already, by first appearance, without unused names.

        >>> Coded.in_order(["a", "b", "c"], np.array([2, 0, 2])).names
        ['c', 'a']
        """
        firsts = {int((codes == number).argmax()): number for number in np.unique(codes).tolist()}
        order = [firsts[first] for first in sorted(firsts)]
        places = np.zeros(len(names), dtype=np.int32)
        places[order] = np.arange(len(order))
        return cls([names[number] for number in order], places[codes])

    @property
    def is_constant(self) -> bool:
        """Whether all items have the same value."""
        return bool((self.codes == self.codes[:1]).all())


def mean_as_share(
    values: ArrayLike,
    clusters: Clusters = None,
    *,
    most: float = 1.0,
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the mean of *values* [n] from 0 to *most*, with the interval of a share of as much variance.

    It is that of :func:`share_interval` for the mean in units of *most*, *p*, at the effective size of
    :func:`crossexam.stats.clusters.effective_size` times ``p (1 - p) / v``, with *v* the variance of the
    values in these units; times 1 if *p* is 0 or 1.  Of values that are 0 or *most* it is
    :func:`share_correct`. If all are equal otherwise, it is the mean itself.  With *weights* [n], which sum
    to 1, it is a weighted mean.  With no items the value is nan and the interval 0 to *most*.

    >>> f"{mean_as_share([1.0] * 50)}", f"{mean_as_share([1.0] * 49 + [0.8])}"
    ('100.0 [92.9, 100.0]', '99.6 [97.8, 100.0]')
    """
    shares = np.asarray(values, dtype=np.float64) / most
    n = len(shares)
    if n == 0:
        return Estimate(nan, 0.0, most, 0, 0)
    share = min(1.0, max(0.0, float(shares.mean() if weights is None else weights @ shares)))
    residuals = shares - share
    size = effective_size(residuals, cluster_codes(clusters, n), confidence, weights)
    squares = np.square(residuals)
    variance = float(squares.mean() if weights is None else weights @ squares)
    widest, low, high = share * (1 - share), share, share
    if variance > 0 or widest <= 0:
        ratio = widest / variance if variance > 0 else 1.0
        low, high = share_interval(share, size.n_eff * ratio, confidence)
    return Estimate(most * share, most * min(low, share), most * max(high, share), n, size.clusters)


def nonnegative_mean(
    values: ArrayLike, clusters: Clusters = None, *, most: float = 1.0, confidence: float = 0.95
) -> Estimate:
    """Return the mean of *values* [n] from 0 to *most*, such as shares of votes or distances.

    The clustered t interval (:func:`crossexam.stats.clusters.clustered_mean`) fails if nearly all values are
    0, or nearly all *most*, or if a few are large: the variance is then too small, and the mean skewed.  This
    one is at least as wide, and wider with the bounds of :func:`mean_as_share`; or, if *most* is infinite,
    with the upper bound ``mean exp(h / mean)``, where *h* is half of the t interval, which is the bound of
    that for the logarithm of the mean.

    >>> f"{nonnegative_mean([1.0] * 49 + [0.8])}"
    '99.6 [97.8, 100.0]'
    """
    mean = clustered_mean(values, clusters)
    found = mean.interval((0.0, inf), confidence)
    if not found.n or found.clusters < 2 or not isfinite(found.value):
        return found._replace(high=most)
    if most == inf:
        return found._replace(high=max(found.high, mean.log_high(confidence)))
    share = mean_as_share(values, clusters, most=most, confidence=confidence)
    return found._replace(low=min(found.low, share.low), high=min(most, max(found.high, share.high)))


def by_slice(
    correct: ArrayLike,
    values: Sequence[Hashable] | NDArray[Any] | Coded,
    clusters: Clusters = None,
    *,
    minimum: int = 1,
    most: int | None = None,
    confidence: float = 0.95,
) -> dict[str, Estimate]:
    """Return the accuracy (:func:`share_correct`) by value of *values* [n], the most frequent value first.

    Items with the value None are left out.  Values of fewer than *minimum* items, and those beyond the *most*
    frequent, are pooled as "(other)", which comes last.

    >>> slices = by_slice([1, 1, 0, 1], ["fiction", "fiction", "travel", None])
    >>> {value: (estimate.value, estimate.n) for value, estimate in slices.items()}
    {'fiction': (1.0, 2), 'travel': (0.0, 1)}
    """
    right = np.asarray(correct, dtype=bool)
    groups = cluster_codes(clusters, len(right))
    names, codes = values if isinstance(values, Coded) else Coded.of(values)
    counts = np.bincount(codes)
    ranked = [int(code) for code in np.argsort(-counts, kind="stable") if names[code] is not None]
    named = [code for code in ranked if counts[code] >= minimum][:most]
    order = np.argsort(codes, kind="stable")
    where = np.split(order, np.cumsum(counts)[:-1])  # the items of each value
    found = {
        str(names[code]): share_correct(right[where[code]], groups[where[code]], confidence) for code in named
    }
    pooled = [where[code] for code in ranked if code not in set(named)]
    if pooled:
        items = np.concatenate(pooled)
        found[OTHER] = share_correct(right[items], groups[items], confidence)
    return found
