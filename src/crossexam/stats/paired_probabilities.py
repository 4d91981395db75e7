"""Two models on the same items: paired differences in what their probabilities are worth.

Conventions: differences are of the first model minus the second, so that a negative one favours the first:
all of these measures are better if lower.  Items come in parts, so that millions need little memory; all
items of a cluster are in one part.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot, inf, isfinite, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate, PBound
from crossexam.stats.calibration import BINS, equal_width_bins
from crossexam.stats.clusters import (
    Clusters,
    ClusterSums,
    cluster_codes,
    clustered_mean,
    effective_size,
)
from crossexam.stats.deviations import BinSums
from crossexam.stats.estimate import clopper_pearson, share_interval
from crossexam.stats.losses import Limits, Losses, brier_scores, log_losses, reach_of_errors
from crossexam.stats.p_values import LEAST_P, AtConfidence, one_sided_p
from crossexam.stats.selective import area_by_item

# The columns of the sums over clusters.
_BRIER, _LOSS, _BRIER_IF_RIGHT, _LOSS_IF_RIGHT, _ONLY_A_WRONG, _ONLY_B_WRONG = range(6)


class ItemLosses(NamedTuple):
    """What the answers of a model to items are worth, arrays [n].

    The *brier* scores and *log* losses, the *confidence* in the predictions, and which of them are *right*;
    the *shares* of the labels [n, k], and the indices of the *gold* labels.
    """

    brier: Losses
    log: Losses
    confidence: NDArray[np.float64]
    right: NDArray[np.bool_]
    shares: NDArray[np.float64]
    gold: NDArray[np.int64]


class Ranked(NamedTuple):
    """The *confidence* of a model in its answers to items, and which of them are *right*: arrays [n]."""

    confidence: NDArray[np.float64]
    right: NDArray[np.bool_]


class PairedDifference(NamedTuple):
    """The values *a* and *b* of two models, and the *difference* of the first minus the second.

    *p_value* is that of no difference, None if there is no test of it.
    """

    a: float
    b: float
    difference: Estimate
    p_value: float | None


class PairedProbabilities(NamedTuple):
    """The differences of two models on *n* items in the Brier score, the log loss, ECE and class-wise ECE.

    *impossible_a* and *impossible_b* are the numbers of items to whose gold label a model gave the
    probability 0, which makes its log loss infinite.
    """

    n: int
    impossible_a: int
    impossible_b: int
    brier: PairedDifference
    log_loss: PairedDifference
    ece: PairedDifference
    classwise_ece: PairedDifference


def item_losses(shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike) -> ItemLosses:
    """Return what *shares* [n, k] are worth, given the indices of *gold* and *predicted* labels [n].

    >>> item_losses([[0.5, 0.25, 0.25]], [1], [0]).confidence.tolist()
    [0.5]
    """
    p = np.asarray(shares, dtype=np.float64)
    labels, winners = (np.asarray(each, dtype=np.int64) for each in (gold, predicted))
    confidence = p[np.arange(len(p)), winners]
    brier, log = brier_scores(p, labels, winners), log_losses(p, labels, winners)
    return ItemLosses(brier, log, confidence, labels == winners, p, labels)


def paired_probabilities(
    parts: Iterable[tuple[ItemLosses, ItemLosses, Clusters]],
    n: int,
    *,
    confidence: float = 0.95,
) -> PairedProbabilities:
    """Return the differences of two models in the losses and calibration errors of the *n* items of *parts*.

    A part is the losses of both models, and the clusters of the items; no cluster may be in two parts.

    Brier score and log loss: the mean of the differences of the items, with the clustered t interval (-2 to 2
    for Brier), or wider, by what errors of only one of the models would cost, as
    :func:`crossexam.stats.losses.mean_loss` allows for those of one.  The p-value is that of no difference:
    twice the smallest tail at which the interval, with exact limits of the shares of errors, excludes 0
    (:func:`crossexam.stats.p_values.one_sided_p`).  A log loss is infinite if some gold label has the
    probability 0, and so is the difference, or it is undefined (nan) if both are; there is then no interval
    and no p-value.

    ECE and class-wise ECE (15 bins of equal width): the difference of the two errors, with an interval that
    allows for what chance adds to each, and no p-value.  The intervals are derived in
    docs/derivations.md#differences-of-probabilities.

    Clusters keep both models together, hence the covariance between them.  With fewer than two, the intervals
    are the whole range.

    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> gold, same = [0, 0, 1], [0, 0, 1]
    >>> sure, half = (item_losses(each, gold, same) for each in (shares, np.full((3, 2), 0.5)))
    >>> found = paired_probabilities([(sure, half, None)], 3)
    >>> round(found.brier.a, 3), round(found.brier.b, 3), round(found.brier.difference.value, 3)
    (0.093, 0.5, -0.407)
    """
    sums = _Sums(n)
    for a, b, clusters in parts:
        sums.add(a, b, cluster_codes(clusters, len(a.right)))
    return PairedProbabilities(
        sums.n,
        int(sums.impossible[0]),
        int(sums.impossible[1]),
        sums.brier(confidence),
        sums.log_loss(confidence),
        _difference_of_errors(sums.bins, confidence),
        _difference_of_errors(sums.label_bins, confidence),
    )


def paired_calibration(parts: Iterable[tuple[ItemLosses, ItemLosses, Clusters]], n: int) -> AtConfidence:
    """Return the difference in ECE of :func:`paired_probabilities` alone, at any confidence.

    >>> sure, half = (item_losses([[each, 1 - each]], [0], [0]) for each in (0.9, 0.5))
    >>> round(paired_calibration([(sure, half, None)], 1)(0.95).value, 3)
    -0.4
    """
    bins = BinSums(n, 2, BINS)
    for a, b, clusters in parts:
        _add_answers(bins, a, b, cluster_codes(clusters, len(a.right)))
    return lambda confidence: _difference_of_errors(bins, confidence).difference


def paired_areas(
    a: Ranked | ItemLosses, b: Ranked | ItemLosses, clusters: Clusters = None, *, confidence: float = 0.95
) -> PairedDifference:
    """Return the difference of two models in the area under the risk-coverage curve, AURC.

    Each model answers the items in the order of its own confidence (:mod:`crossexam.stats.selective`).  The
    interval is the clustered t interval of the differences of the influences of items, or wider, by what
    errors of only one of the models would cost, as that of :func:`paired_probabilities`; there is no p-value.

    >>> gold = [0, 0, 1, 1]
    >>> p = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> sure, unsure = item_losses(p, gold, [0] * 4), item_losses(p[::-1], gold, [0] * 4)
    >>> found = paired_areas(sure, unsure)
    >>> round(found.a, 3), round(found.b, 3), round(found.difference.value, 3)
    (0.208, 0.792, -0.583)
    """
    n = len(a.right)
    if not n:
        return PairedDifference(nan, nan, Estimate(nan, -1.0, 1.0, 0, 0), None)
    codes = cluster_codes(clusters, n)
    first, second = (area_by_item(~each.right, each.confidence) for each in (a, b))
    value = first.area - second.area
    found = clustered_mean(first.influences - second.influences, codes)._replace(value=value)
    reaches = []
    for area, alone in ((first, ~a.right & b.right), (second, ~b.right & a.right)):
        size = effective_size(alone - alone.mean(), codes, confidence).n_eff
        paid, price = float(np.square(area.costs[alone]).sum()), float(np.square(area.costs).mean())
        reaches.append(reach_of_errors(int(alone.sum()), n, size, paid, price, confidence))
    (fewer_a, more_a), (fewer_b, more_b) = reaches
    reach = hypot(fewer_a, more_b), hypot(more_a, fewer_b)
    return PairedDifference(first.area, second.area, found.interval((-1.0, 1.0), confidence, reach), None)


class _Sums:
    """Sums of the losses of two models, and of the deviations of their bins."""

    def __init__(self, n: int) -> None:
        """Begin with none of the *n* items."""
        self.n = n
        self.losses, self.bins = ClusterSums(n, 6), BinSums(n, 2, BINS)
        self.label_bins = BinSums(n, 0, BINS)  # of the labels of both models, whose number the items tell
        self.impossible, self.whole = np.zeros(2, dtype=np.int64), np.zeros(4)
        # Of Brier score and log loss by model: squares of what was paid where only that model is wrong, and
        # of prices, with the number of the finite ones.
        self.paid, self.prices, self.priced = (np.zeros((2, 2)) for _ in range(3))

    def add(self, a: ItemLosses, b: ItemLosses, codes: NDArray[np.int64]) -> None:
        """Add the items of a part."""
        only = [a.brier.wrong & ~b.brier.wrong, b.brier.wrong & ~a.brier.wrong]
        columns = (
            a.brier.observed - b.brier.observed,
            _finite(a.log.observed) - _finite(b.log.observed),
            a.brier.if_right - b.brier.if_right,
            a.log.if_right - b.log.if_right,
            *only,
        )
        self.losses.add(np.bincount(codes), np.stack([np.bincount(codes, each) for each in columns], axis=1))
        _add_answers(self.bins, a, b, codes)
        shares = np.hstack([a.shares, b.shares])
        labels = np.arange(a.shares.shape[1])
        is_gold = np.hstack([each.gold[:, None] == labels for each in (a, b)])
        if not len(self.label_bins.counts):
            self.label_bins = BinSums(self.n, shares.shape[1], BINS)
        self.label_bins.add(shares, is_gold, equal_width_bins(shares), codes)
        for place, each in enumerate((a, b)):
            self.impossible[place] += int(np.isinf(each.log.observed).sum())
            for row, losses in enumerate((each.brier, each.log)):
                finite = only[place] & np.isfinite(losses.observed)
                self.whole[2 * row + place] += float(_finite(losses.observed).sum())
                self.paid[row, place] += losses.paid_squares(finite)
                self.prices[row, place] += losses.price_squares
                self.priced[row, place] += losses.priced

    @property
    def m(self) -> int:
        """The number of clusters."""
        return self.losses.clusters

    def brier(self, confidence: float) -> PairedDifference:
        """Return the difference in the Brier score."""
        return self._mean_difference(0, 2.0, confidence)

    def log_loss(self, confidence: float) -> PairedDifference:
        """Return the difference in the log loss, infinite or undefined if a model's is infinite."""
        found = self._mean_difference(1, inf, confidence)
        a, b = (
            inf if impossible else value for impossible, value in zip(self.impossible, found[:2], strict=True)
        )
        if isfinite(a) and isfinite(b):
            return found
        difference = nan if a == b else a - b
        return PairedDifference(a, b, Estimate(difference, -inf, inf, self.n, self.m), None)

    def _mean_difference(self, row: int, most: float, confidence: float) -> PairedDifference:
        """Return the difference in the losses of *row*, which are at most *most*."""
        n = self.n
        if not n:
            return PairedDifference(nan, nan, Estimate(nan, -most, most, 0, 0), None)
        a, b = (float(each) / n for each in self.whole[2 * row : 2 * row + 2])
        found = self.losses.mean((_BRIER, _LOSS)[row])
        of_right = self.losses.mean((_BRIER_IF_RIGHT, _LOSS_IF_RIGHT)[row])
        if self.m < 2:
            return PairedDifference(a, b, found.interval((-most, most)), None)

        def at(confidence: float, limits: Limits = share_interval) -> Estimate:
            certain = of_right.half(confidence)
            fewer_a, more_a = self._reach(row, 0, confidence, limits)
            fewer_b, more_b = self._reach(row, 1, confidence, limits)
            reach = hypot(certain, fewer_a, more_b), hypot(certain, more_a, fewer_b)
            return found.interval((-most, most), confidence, reach)

        def exactly(confidence: float) -> Estimate:
            return at(confidence, clopper_pearson)

        p = min(one_sided_p(exactly, 0.0, "above"), one_sided_p(exactly, 0.0, "below"))
        return PairedDifference(a, b, at(confidence), PBound(2 * p) if p <= LEAST_P else min(1.0, 2 * p))

    def _reach(self, row: int, place: int, confidence: float, limits: Limits) -> tuple[float, float]:
        """Return how far the mean cost of errors of one model alone may lie below and above its value."""
        n, column = self.n, (_ONLY_A_WRONG, _ONLY_B_WRONG)[place]
        errors = round(float(self.losses.totals[column]))
        n_eff = self.losses.size_of_share(column, confidence).n_eff
        priced = self.priced[row, place]
        price = self.prices[row, place] / priced if priced else inf
        return reach_of_errors(
            errors, n, n_eff, float(self.paid[row, place]), float(price), confidence, limits
        )


def _add_answers(bins: BinSums, a: ItemLosses, b: ItemLosses, codes: NDArray[np.int64]) -> None:
    """Add the predictions of two models to *bins*, a column each."""
    sure = np.stack([a.confidence, b.confidence], axis=1)
    bins.add(sure, np.stack([a.right, b.right], axis=1), equal_width_bins(sure), codes)


def _difference_of_errors(bins: BinSums, confidence: float) -> PairedDifference:
    """Return the difference in the calibration error of *bins*: the first half is the first model's."""
    n, k, m = bins.n, len(bins.counts) // 2, bins.clusters.clusters
    if not n:
        return PairedDifference(nan, nan, Estimate(nan, -1.0, 1.0, 0, 0), None)
    a, b = np.abs(bins.values / (n * k)).reshape(2, -1).sum(axis=1).tolist()
    if m < 2:
        return PairedDifference(a, b, Estimate(a - b, -1.0, 1.0, n, m), None)
    largest = bins.design_effects.reshape(2, k).max(axis=1)  # of the labels of a model
    reach = bins.deviations(n * k, np.repeat(largest, k)).reach(confidence)
    first = np.nonzero(bins.counts)[0] < k  # of the first model
    signs, free = np.sign(reach.values), reach.certain_signs  # 0: the absolute value of the error
    above = reach.exceeded(np.where(first, free, -signs))
    below = reach.exceeded(np.where(first, -signs, free))
    low, high = max(-1.0, a - b - above), min(1.0, a - b + below)
    return PairedDifference(a, b, Estimate(a - b, low, high, n, m), None)


def _finite(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return *losses* with 0 in place of infinite ones."""
    return np.where(np.isinf(losses), 0.0, losses)
