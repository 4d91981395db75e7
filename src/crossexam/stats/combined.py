"""Intervals for means, differences and ratios of estimates that have intervals.

The method of variance estimates recovery (MOVER: Zou & Donner 2008, Statistics in Medicine 27:1693) takes the
distance from an estimate ``p`` to each of its bounds ``l`` and ``u`` for the standard error on that side, so
that the bounds of a combination are as good as those of its parts; for normal parts it is the delta method.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import PRIOR_CLUSTERS, Clusters, codes_together, codings, count_clusters


def mover(
    parts: Sequence[Estimate], weights: Sequence[float], correlations: NDArray[np.float64] | None = None
) -> tuple[float, float, float]:
    """Return the sum of *parts* with these *weights*, and its bounds, by the bounds of the parts.

    ``v = sum w_i p_i``; with ``d_i`` the distance from ``w_i p_i`` to its lower bound, which is that of
    ``p_i`` to its upper one if ``w_i`` is negative, and ``c_ij`` the *correlations* of the parts [k, k] (None
    if they are independent), the lower bound is ``v - sqrt(sum_ij sign(w_i w_j) c_ij d_i d_j)``, and the
    upper one likewise (Zou & Donner 2008; Zou 2007, Psychological Methods 12:399).

    >>> alike = Estimate(0.5, 0.4, 0.6, 100, 2)
    >>> tuple(round(each, 4) for each in mover([alike, alike], [0.5, 0.5]))
    (0.5, 0.4293, 0.5707)
    >>> mover([alike, alike], [1, -1], np.ones((2, 2)))
    (0.0, 0.0, 0.0)
    """
    value = sum(weight * part.value for weight, part in zip(weights, parts, strict=True))
    distances = np.array(
        [
            (weight * (part.value - part.low), weight * (part.high - part.value))
            if weight > 0
            else (weight * (part.high - part.value), weight * (part.value - part.low))
            for weight, part in zip(weights, parts, strict=True)
        ]
    ).T  # below and above, with the sign of the weight: (2, k)
    related = np.eye(len(parts)) if correlations is None else correlations
    below, above = (sqrt(max(0.0, float(each @ related @ each))) for each in distances)
    return value, value - below, value + above


def mean_of(
    parts: Sequence[Estimate],
    values: Sequence[NDArray[np.float64]],
    clusters: Sequence[Clusters],
    bounds: tuple[float, float],
) -> Estimate:
    """Return the unweighted mean of *parts*, each the mean of *values* [n] of items in *clusters* [n].

    A statistic that is not a mean has the values by which its items influence it.  The same name is the same
    cluster in every part.  The bounds are those of MOVER with the :func:`correlations` of the parts, cut off
    at *bounds*.  A negative correlation counts as 0, so that no interval is narrower than for independent
    parts; those of parts without common clusters are 0.  The interval of a single cluster, which does not
    show how clusters vary, is the *bounds*.

    >>> alike, values, codes = Estimate(0.5, 0.4, 0.6, 4, 2), np.array([1.0, 0, 1, 0]), np.array([0, 1, 0, 1])
    >>> mean_of([alike, alike], [values, values], [codes, codes], (0.0, 1.0))[:3]
    (0.5, 0.4, 0.6)
    >>> mean_of([alike, alike], [values, values], [codes, codes + 2], (0.0, 1.0)).low.__round__(4)
    0.4293
    """
    codes = codes_together(clusters, [len(each) for each in values])
    residuals = [each - part.value for part, each in zip(parts, values, strict=True)]
    related = np.maximum(0.0, correlations(residuals, codes))
    value, low, high = mover(parts, [1 / len(parts)] * len(parts), related)
    n, m = sum(part.n for part in parts), count_clusters(np.concatenate(codes))
    if m < 2:
        return Estimate(value, *bounds, n, m)
    return Estimate(value, max(bounds[0], low), min(bounds[1], high), n, m)


def correlations(
    residuals: Sequence[NDArray[np.float64]],
    codes: Sequence[NDArray[np.int64]],
    worst: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Return the correlations [k, k] of means whose items, in clusters *codes*, have *residuals* [n].

    With *z* the sums of the residuals over clusters, they are ``sum z_a z_b / sqrt(sum z_a^2 sum z_b^2)``, or
    0 where nothing varies.  Of two clusterings [n, 2], each of these sums is that over the first plus that
    over the second less that over both (:mod:`crossexam.stats.clusters`).

    If few items differ from the rest, they may be of one cluster by chance, so that two means seem to depend
    on each other.  Where that would make an interval too narrow, as for a difference, the variances are
    increased as in :func:`crossexam.stats.clusters.design_effect`, by ``s^2 / 4`` with the *worst* design
    effects *s* of the means [k].

    >>> values, codes = np.array([1.0, -1.0]), np.array([0, 1])
    >>> correlations([values, -values], [codes, codes]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    ends = np.cumsum([len(each) for each in codes])[:-1]
    products = np.zeros((len(residuals), len(residuals)))
    for whole, sign in codings(np.concatenate(codes)):
        m, split = count_clusters(whole), np.split(whole, ends)
        sums = np.stack([np.bincount(of, each, m) for of, each in zip(split, residuals, strict=True)])
        products += sign * (sums @ sums.T)
    variances = np.maximum(0.0, products.diagonal()) + PRIOR_CLUSTERS * np.square(
        0.0 if worst is None else worst
    )
    scale = np.sqrt(np.outer(variances, variances))
    found: NDArray[np.float64] = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
    np.fill_diagonal(found, 1.0)
    return found


def difference_of(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent estimates by MOVER.

    >>> difference_of(Estimate(0.5, 0.4, 0.6, 10, 10), Estimate(0.5, 0.5, 0.5, 10, 10))[:3]
    (0.0, -0.1, 0.1)
    """
    value, low, high = mover([first, second], [1, -1])
    n, clusters = first.n + second.n, first.clusters + second.clusters
    return Estimate(value, round(low, 12), round(high, 12), n, clusters)


def ratio_less_one(first: Estimate, second: Estimate) -> Estimate:
    """Return the relative difference ``p_1 / p_2 - 1`` of two independent, positive estimates.

    The bounds of the ratio are ``(p_1 p_2 - sqrt((p_1 p_2)^2 - l_1 u_2 (2 p_1 - l_1)(2 p_2 - u_2))) / (u_2 (2
    p_2 - u_2))`` and ``(p_1 p_2 + sqrt((p_1 p_2)^2 - u_1 l_2 (2 p_1 - u_1)(2 p_2 - l_2))) / (l_2 (2 p_2 -
    l_2))`` (Donner & Zou 2012, Statistical Methods in Medical Research 21:347).  If the interval of *second*
    reaches 0, the value is nan and the interval the whole range.

    >>> ratio_less_one(Estimate(0.4, 0.4, 0.4, 9, 9), Estimate(0.8, 0.8, 0.8, 9, 9))[:3]
    (-0.5, -0.5, -0.5)
    """
    n, clusters = first.n + second.n, first.clusters + second.clusters
    if isnan(first.value) or isnan(second.value) or second.low <= 0:
        return Estimate(nan, -1.0, inf, n, clusters)
    a, b = first.value, second.value
    low = _bound(a * b, first.low * (2 * a - first.low), second.high * (2 * b - second.high), -1)
    high = _bound(a * b, first.high * (2 * a - first.high), second.low * (2 * b - second.low), 1)
    return Estimate(a / b - 1, low - 1, high - 1, n, clusters)


def _bound(product: float, numerator: float, denominator: float, sign: int) -> float:
    if denominator <= 0:
        return inf if sign > 0 else 0.0
    return (product + sign * sqrt(max(0.0, product * product - numerator * denominator))) / denominator
