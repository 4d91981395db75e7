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


def mean_of(parts: Sequence[Estimate]) -> Estimate:
    """Return the unweighted mean ``m`` of *k* independent *parts*; ``n`` and ``clusters`` are their sums.

    With ``c = 1/k``: ``m - sqrt(sum c^2 (p_i - l_i)^2)`` and ``m + sqrt(sum c^2 (u_i - p_i)^2)`` (Zou &
    Donner 2008).  Value and bounds are nan if there is no part or a part is nan.

    >>> mean_of([Estimate(0.4, 0.3, 0.5, 100, 100), Estimate(0.6, 0.5, 0.7, 50, 50)]).low.__round__(4)
    0.4293
    """
    if not parts or any(isnan(part.value) for part in parts):
        return Estimate(nan, nan, nan, sum(part.n for part in parts), 0)
    k = len(parts)
    value = sum(part.value for part in parts) / k
    below = sqrt(sum((part.value - part.low) ** 2 for part in parts)) / k
    above = sqrt(sum((part.high - part.value) ** 2 for part in parts)) / k
    n, clusters = sum(part.n for part in parts), sum(part.clusters for part in parts)
    return Estimate(value, value - below, value + above, n, clusters)


def dependent_mean(
    parts: Sequence[Estimate], sums: NDArray[np.float64], bounds: tuple[float, float]
) -> Estimate:
    """Return the unweighted mean ``m`` of *k* *parts*, whose residuals have these *sums* by cluster [k, m].

    With ``l, u`` the bounds of each part ``p`` and ``c_ij`` the correlation of the sums of two parts:
    ``m - sqrt(sum_ij c_ij (p_i - l_i) (p_j - l_j)) / k`` and ``m + sqrt(sum_ij c_ij (u_i - p_i) (u_j - p_j))
    / k`` (Zou 2007, Psychological Methods 12:399), cut off at *bounds*.  A negative or undefined correlation
    counts as 0, so that no interval is narrower than for independent parts.

    >>> alike = Estimate(0.5, 0.4, 0.6, 100, 2)
    >>> dependent_mean([alike, alike], np.array([[1.0, -1.0], [1.0, -1.0]]), (0.0, 1.0))[:3]
    (0.5, 0.4, 0.6)
    """
    k = len(parts)
    products = sums @ sums.T
    scale = np.sqrt(np.outer(products.diagonal(), products.diagonal()))
    correlations = np.maximum(0.0, np.divide(products, scale, out=np.zeros_like(products), where=scale > 0))
    np.fill_diagonal(correlations, 1.0)
    below, above = (
        np.array([abs(getattr(part, side) - part.value) for part in parts]) for side in ("low", "high")
    )
    value = sum(part.value for part in parts) / k
    low, high = (sqrt(float(each @ correlations @ each)) / k for each in (below, above))
    n = sum(part.n for part in parts)
    return Estimate(value, max(bounds[0], value - low), min(bounds[1], value + high), n, sums.shape[1])


def less(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference ``d = p_1 - p_2`` of two independent estimates.

    ``d - sqrt((p_1 - l_1)^2 + (u_2 - p_2)^2)`` and ``d + sqrt((u_1 - p_1)^2 + (p_2 - l_2)^2)`` (Zou & Donner
    2008).

    >>> less(Estimate(0.5, 0.4, 0.6, 10, 10), Estimate(0.5, 0.5, 0.5, 10, 10))[:3]
    (0.0, -0.1, 0.1)
    """
    value = first.value - second.value
    low = value - sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    high = value + sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Estimate(
        value, round(low, 12), round(high, 12), first.n + second.n, first.clusters + second.clusters
    )


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
