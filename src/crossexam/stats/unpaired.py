"""The difference between the accuracies on two sets whose items are not paired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, codes_together, count_clusters
from crossexam.stats.combined import correlations, mover
from crossexam.stats.estimate import wilson_share
from crossexam.stats.paired import paired_difference


def difference(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    clusters_a: Clusters = None,
    clusters_b: Clusters = None,
    confidence: float = 0.95,
    share: Callable[..., Estimate] = wilson_share,
) -> Estimate:
    """Return ``mean(a) - mean(b)`` with Newcombe's interval from two clustered ones, by default Wilson's.

    It is :func:`crossexam.stats.combined.mover` with the :func:`crossexam.stats.combined.correlations` of
    clusters of the same name in both sets, such as items made from one premise (Newcombe 1998, Statistics in
    Medicine 17:873, method 10, where sets are independent; Zou 2007, Psychological Methods 12:399); of two
    clusterings [n, 2] the first counts.  Without clusters the sets are independent.  The accuracies and
    bounds are those of *share*: :func:`crossexam.stats.estimate.exact_share` keeps the error of each side far
    in the tail, where Wilson's does not.  The difference is a share between -1 and 1, and its *n* counts the
    items of both sets.  If a set is empty the value is nan and the interval -1 to 1.  Raises ValueError if
    only one set has clusters.

    >>> a, b = [1] * 56 + [0] * 14, [1] * 48 + [0] * 32
    >>> "{:.4f}".format(difference(a, b).low)  # Newcombe 1998, Table II, (a): 0.0524
    '0.0524'
    """
    right_a, right_b = np.asarray(correct_a, dtype=np.float64), np.asarray(correct_b, dtype=np.float64)
    codes, m = _common_codes(clusters_a, clusters_b, len(right_a), len(right_b))
    n = len(right_a) + len(right_b)
    if not len(right_a) or not len(right_b):
        return Estimate(nan, -1.0, 1.0, n, 0)
    parts = share(right_a, clusters_a, confidence), share(right_b, clusters_b, confidence)
    value, low, high = _minus(parts, (right_a, right_b), codes)
    return Estimate(value, max(-1.0, low), min(1.0, high), n, m)


def difference_of_unpaired_drops(
    base: tuple[ArrayLike, ArrayLike],
    stress: tuple[ArrayLike, ArrayLike],
    clusters_base: Clusters = None,
    clusters_stress: Clusters = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the drop of one model minus that of another, if stressed items are not paired with the base.

    Each of *base* and *stress* is which of its items the first and the second model got right.  The result is
    the paired difference of the models on the base minus that on the stressed items, each with Tango's
    interval (:func:`crossexam.stats.paired.paired_difference`), combined as in :func:`difference` with the
    correlation of the sums of the clusters that the two sets share (Zou 2007).  It is between -2 and 2, and
    its *n* counts the items of both sets.  If a set is empty the value is nan and the interval -2 to 2.
    Raises ValueError if only one set has clusters, or if the arrays of a set differ in length.

    >>> f"{difference_of_unpaired_drops(([1] * 50, [1] * 50), ([0] * 25 + [1] * 75, [1] * 100))}"
    '25.0 [14.7, 36.7]'
    """
    here, there = (np.subtract(*each, dtype=np.float64) for each in (base, stress))
    codes, m = _common_codes(clusters_base, clusters_stress, len(here), len(there))
    n = len(here) + len(there)
    if not len(here) or not len(there):
        return Estimate(nan, -2.0, 2.0, n, 0)
    parts = (
        paired_difference(*base, clusters_base, confidence),
        paired_difference(*stress, clusters_stress, confidence),
    )
    return Estimate(*_minus(parts, (here, there), codes), n, m)


def _common_codes(
    clusters_a: Clusters, clusters_b: Clusters, n_a: int, n_b: int
) -> tuple[list[NDArray[np.int64]], int]:
    """Return the codes of the clusters of two sets, numbered together, and how many clusters there are.

    Of two clusterings [n, 2], these are the first, whose clusters two sets may share.
    """
    codes = codes_together([_first(clusters_a), _first(clusters_b)], [n_a, n_b])
    return codes, count_clusters(np.concatenate(codes))


def _first(clusters: Clusters) -> Clusters:
    return clusters[:, 0] if isinstance(clusters, np.ndarray) and clusters.ndim > 1 else clusters


def _minus(
    parts: tuple[Estimate, Estimate],
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    codes: Sequence[NDArray[np.int64]],
) -> tuple[float, float, float]:
    """Return the first of *parts* minus the second, and its bounds; they are the means of *values* [n]."""
    sizes = [np.bincount(each).astype(np.float64) for each in codes]
    worst = [float(each @ each) / len(of) for each, of in zip(sizes, codes, strict=True)]
    residuals = [each - part.value for part, each in zip(parts, values, strict=True)]
    return mover(parts, [1, -1], correlations(residuals, codes, worst))
