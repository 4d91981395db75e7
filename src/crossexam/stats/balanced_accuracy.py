"""Balanced accuracy: the mean of the recalls of the gold labels, and the threshold at which it is highest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, cluster_codes, equal_weights
from crossexam.stats.combined import mean_of
from crossexam.stats.estimate import exact_share, share_correct
from crossexam.stats.paired import paired_difference

#: Of several thresholds that are as good, the nearest to this one is the best.
USUAL: Final = 0.5


def balanced_accuracy(
    correct: ArrayLike, gold: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return the mean of the recalls of the labels in *gold* [n], with an interval clustered by *clusters*.

    The recall ``r_k`` of a label is the accuracy on its items (*correct* [n] says which are right), and has
    the interval ``l_k, u_k`` of :func:`crossexam.stats.estimate.share_correct`.  The mean ``r`` of the K
    recalls (Brodersen et al. 2010, ICPR 20:3121) has the bounds of
    :func:`crossexam.stats.combined.mean_of`, with the correlations of the residuals, summed by
    cluster. A label of few items that are all right, whose estimated variance is 0, still widens the
    interval (``bench/COVERAGE.md`` has how often 95 % intervals contain the truth).

    With one label this is the accuracy.  With no items the value is nan and the interval 0 to 1.
    Raises ValueError if the lengths differ.

    >>> f"{balanced_accuracy([1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 2, 2])}"  # recalls of 3/4 and 1/2
    '62.5 [28.0, 89.0]'
    """
    right, labels = np.asarray(correct, dtype=np.float64), np.asarray(gold)
    if len(labels) != len(right):
        raise ValueError(f"{len(labels)} gold labels for {len(right)} items")

    def recall(items: NDArray[np.bool_], codes: NDArray[np.int64]) -> Estimate:
        return share_correct(right[items], codes, confidence)

    return _mean_over_labels(recall, right, labels, clusters, (0.0, 1.0))


def balanced_influences(correct: ArrayLike, gold: ArrayLike) -> NDArray[np.float64]:
    """Return values of the items [n] whose mean is the balanced accuracy, each as it influences that.

    They are ``r + n / (K n_k) (c_i - r_k)`` with *correct* ``c_i`` and the recall ``r_k`` of the ``n_k``
    items of the same label.

    >>> balanced_influences([1, 1, 0, 1], [0, 0, 0, 2]).round(3).tolist()
    [1.056, 1.056, 0.389, 0.833]
    """
    right, labels = np.asarray(correct, dtype=np.float64), np.asarray(gold)
    kinds = [labels == label for label in np.unique(labels).tolist()]
    recalls = [float(right[kind].mean()) for kind in kinds]
    values = np.full(len(right), sum(recalls) / max(1, len(kinds)))
    for kind, recall in zip(kinds, recalls, strict=True):
        values[kind] += len(right) / (len(kinds) * np.count_nonzero(kind)) * (right[kind] - recall)
    return values


def exact_balanced_accuracy(
    correct: ArrayLike, gold: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return the balanced accuracy with the interval from which p-values are computed, exact in its tails.

    It is a share in which the labels in *gold* [n] have the same weight, with the interval of
    :func:`crossexam.stats.estimate.exact_share`.  That of :func:`balanced_accuracy`, from the variances of
    the recalls as observed, is right at 95 %; but of a model that is right in 99 %, its far tails hold the
    truth too rarely.  Raises ValueError if the lengths differ.

    >>> f"{exact_balanced_accuracy([1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 2, 2])}"
    '62.5 [12.9, 96.9]'
    """
    right, labels = np.asarray(correct, dtype=np.float64), np.asarray(gold)
    if len(labels) != len(right):
        raise ValueError(f"{len(labels)} gold labels for {len(right)} items")
    return exact_share(right, clusters, confidence, equal_weights(labels, len(right)))


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
    if not len(one) == len(other) == len(labels):
        raise ValueError(f"{len(one)} and {len(other)} items for {len(labels)} gold labels")

    def of_label(items: NDArray[np.bool_], codes: NDArray[np.int64]) -> Estimate:
        return paired_difference(one[items], other[items], codes, confidence)

    return _mean_over_labels(of_label, one - other, labels, clusters, (-1.0, 1.0))


def _mean_over_labels(
    estimate: Callable[[NDArray[np.bool_], NDArray[np.int64]], Estimate],
    values: NDArray[np.float64],
    labels: NDArray[Any],
    clusters: Clusters,
    bounds: tuple[float, float],
) -> Estimate:
    """Return the mean over *labels* of the means of *values* [n]; *estimate* is of some items, and codes."""
    n = len(values)
    if n == 0:
        return Estimate(nan, *bounds, 0, 0)
    codes = cluster_codes(clusters, n)
    kinds = [labels == label for label in np.unique(labels).tolist()]
    parts = [estimate(items, codes[items]) for items in kinds]
    return mean_of(parts, [values[each] for each in kinds], [codes[each] for each in kinds], bounds)


def best_threshold(sets: Sequence[tuple[NDArray[np.float64], NDArray[np.bool_]]]) -> float:
    """Return the threshold with the highest mean balanced accuracy over *sets* of items.

    Each set has the scores [n] of its items, and which of them are positive [n]; items that score above the
    threshold count as positive.  The candidates are 1/2 and the middles between neighbouring scores.

    Raises ValueError unless there is a set, and each has items of both kinds.

    >>> best_threshold([(np.array([0.1, 0.3, 0.4, 0.9]), np.array([False, False, True, True]))])
    0.35
    """
    if not sets or any(positive.all() or not positive.any() for _, positive in sets):
        raise ValueError("a threshold needs sets with items of both kinds")
    scores = np.unique(np.concatenate([each for each, _ in sets]))
    middles = (scores[:-1] + scores[1:]) / 2
    # The middle of two neighbouring floats is one of them: the lower one divides them, the upper does not.
    between = np.where(middles < scores[1:], middles, scores[:-1])
    candidates = np.concatenate([between, [USUAL]])
    total = sum(_doubled_accuracies(each, positive, candidates) for each, positive in sets)
    best = candidates[total >= np.max(total) - 1e-12]
    return float(best[np.argmin(np.abs(best - USUAL))])


def _doubled_accuracies(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum of both recalls at each of *thresholds* [t]."""
    high, low = np.sort(scores[positive]), np.sort(scores[~positive])
    missed = np.searchsorted(high, thresholds, side="right") / len(high)
    rejected = np.searchsorted(low, thresholds, side="right") / len(low)
    sums: NDArray[np.float64] = 1 - missed + rejected
    return sums
