"""Differences between two answers to the same items: the drop from base to stressed item.

Conventions: *base* and *stress* are right or wrong, item by item [n]; *b* counts the items that only the
base gets right, *c* those that only the stressed one gets right; the drop is ``(b - c) / n``, positive
where stress makes it worse.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, cluster_codes, effective_size, normal_quantile
from crossexam.stats.estimate import accuracy


def discordant(base: ArrayLike, stress: ArrayLike) -> tuple[int, int]:
    """Return *b*, right before and wrong under stress, and *c*, the reverse.

    >>> discordant([1, 1, 0], [0, 0, 1])
    (2, 1)
    """
    before, after = _pair(base, stress)
    return int(np.count_nonzero(before & ~after)), int(np.count_nonzero(~before & after))


def tango(b: float, c: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Tango's score interval for the paired difference ``(b - c) / n``; counts need not be whole.

    The interval holds each difference ``d`` that the score test does not reject:
    ``|b - c - n d| <= z sqrt(n (2q + d(1-d)))``, with ``q`` the constrained estimate of the probability of
    *c*: ``q = (sqrt(B^2 - 8nC) - B) / 4n``, ``B = -b - c + (2n - b + c) d``, ``C = -c d (1 - d)``
    (Tango 1998, Statistics in Medicine 17:891).  It is defined without discordant
    items, and holds 0 exactly where McNemar's score test does not reject.

    >>> tuple(round(bound, 4) for bound in tango(6, 16, 161))  # Cavo et al. 2012, in Fagerland et al. 2014
    (-0.124, -0.0054)
    """
    z = normal_quantile(confidence)
    difference = (b - c) / n

    def score(d: float) -> float:
        quadratic = -b - c + (2 * n - b + c) * d
        root = sqrt(max(0.0, quadratic * quadratic + 8 * n * c * d * (1 - d)))
        variance = n * (2 * max(0.0, (root - quadratic) / (4 * n)) + d * (1 - d))
        return (b - c - n * d) / sqrt(max(variance, 1e-300))  # positive but for rounding

    low = -1.0 if difference <= -1 else _crossing(lambda d: score(d) - z, -1.0, difference)
    high = 1.0 if difference >= 1 else _crossing(lambda d: score(d) + z, difference, 1.0)
    return low, high


def _crossing(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where the *falling* function crosses 0 between *low* and *high*, by bisection."""
    for _ in range(50):  # 2 / 2^50: beyond what any report prints
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def paired_difference(
    correct_base: ArrayLike, correct_stress: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return the drop ``mean(base) - mean(stress)`` with Tango's interval at the effective sample size.

    The design effect is that of the differences (-1, 0, 1), whose cluster sums take their dependence into
    account; *b*, *c* and *n* are scaled to the effective size (Yang, Sun & Hardin 2012, Pharmaceutical
    Statistics 11:386, put the clustered variance into Tango's interval in the same way).

    >>> f"{paired_difference([1] * 20, [0] * 5 + [1] * 15)}"
    '25.0 [4.9, 46.9]'
    """
    before, after = _pair(correct_base, correct_stress)
    n = len(before)
    if n == 0:
        return Estimate(nan, -1.0, 1.0, 0, 0)
    b, c = discordant(before, after)
    drops = before.astype(np.float64) - after
    value = (b - c) / n
    size = effective_size(drops - value, cluster_codes(clusters, n), confidence)
    scale = size.n_eff / n
    low, high = tango(b * scale, c * scale, size.n_eff, confidence)
    return Estimate(value, low, high, n, size.clusters)


def flip_rate(
    predicted_base: ArrayLike,
    predicted_stress: ArrayLike,
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the share of items whose predicted label changes from base to stress, right or wrong.

    >>> flip_rate([0, 1, 2, 2], [0, 1, 2, 0]).value
    0.25
    """
    return accuracy(np.asarray(predicted_base) != np.asarray(predicted_stress), clusters, confidence)


def _pair(base: ArrayLike, stress: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return both as arrays of truth values; raises ValueError where they are not of one length."""
    before, after = np.asarray(base, dtype=bool), np.asarray(stress, dtype=bool)
    if before.shape != after.shape:
        raise ValueError(f"{len(before)} base items for {len(after)} stressed ones: pairs are wanted")
    return before, after
