"""Two models on the same items: paired differences in what their probabilities are worth.

Conventions: differences are of the first model minus the second, so that a negative one favours the first:
all of these measures are better if lower.  Items come in parts, so that millions need little memory; all
items of a cluster are in one part.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot, inf, isfinite, nan, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate, PBound
from crossexam.stats.calibration import BINS, equal_width_bins
from crossexam.stats.clusters import Clusters, cluster_codes, design_effect, student_quantile, t_factor
from crossexam.stats.deviations import Deviations
from crossexam.stats.estimate import clopper_pearson, share_interval
from crossexam.stats.losses import Limits, Losses, brier_scores, log_losses, reach_of_errors
from crossexam.stats.p_values import LEAST_P, one_sided_p

# The columns of the sums over clusters, after which come the bins of the first and of the second model.
_ITEMS, _BRIER, _LOSS, _BRIER_IF_RIGHT, _LOSS_IF_RIGHT, _ONLY_A_WRONG, _ONLY_B_WRONG = range(7)
_SCORES: Final = 7


class ItemLosses(NamedTuple):
    """What the answers of a model to items are worth, arrays [n].

    The *brier* scores and *log* losses, the *confidence* in the predictions, and which of them are *right*.
    """

    brier: Losses
    log: Losses
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
    """The differences of two models on *n* items in the Brier score, the log loss, and ECE.

    *impossible_a* and *impossible_b* are the numbers of items to whose gold label a model gave the
    probability 0, which makes its log loss infinite.
    """

    n: int
    impossible_a: int
    impossible_b: int
    brier: PairedDifference
    log_loss: PairedDifference
    ece: PairedDifference


def item_losses(shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike) -> ItemLosses:
    """Return what *shares* [n, k] are worth, given the indices of *gold* and *predicted* labels [n].

    >>> item_losses([[0.5, 0.25, 0.25]], [1], [0]).confidence.tolist()
    [0.5]
    """
    p = np.asarray(shares, dtype=np.float64)
    labels, winners = (np.asarray(each, dtype=np.int64) for each in (gold, predicted))
    confidence = p[np.arange(len(p)), winners]
    brier, log = brier_scores(p, labels, winners), log_losses(p, labels, winners)
    return ItemLosses(brier, log, confidence, labels == winners)


def paired_probabilities(
    parts: Iterable[tuple[ItemLosses, ItemLosses, Clusters]],
    n: int,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedProbabilities:
    """Return the differences of two models in Brier score, log loss and ECE over the *n* items of *parts*.

    A part is the losses of both models, and the clusters of the items; no cluster may be in two parts.

    Brier score and log loss: the mean of the differences *d* of the items, with the clustered t interval (-2
    to 2 for Brier), or wider: one that allows for errors of only one of the models, which are rare and large,
    as :func:`crossexam.stats.losses.mean_loss` does for one model.  The lower bound then takes fewer errors
    of the first alone and more of the second alone than were seen, and the upper one the opposite (MOVER).
    The p-value is that of no difference: twice the smallest tail at which the interval, with exact limits of
    the shares of errors, excludes 0 (:func:`crossexam.stats.p_values.one_sided_p`).  The log loss of a model
    that gives some gold label the probability 0 is infinite, and so is the difference; it is undefined (nan)
    if both do.  There is then no interval and no p-value.

    ECE (15 bins of equal width): the difference of the two errors.  Chance adds to an error
    (:func:`crossexam.stats.calibration.calibration_error`), and more to that of the model which is closer to
    calibrated, so that the difference of two errors is biased towards 0, and percentiles of a bootstrap are
    biased further.  Let ``d = delta + e`` be the deviations of the bins of both models
    (:mod:`crossexam.stats.deviations`), and ``s = sign(delta)``.  Then ``s e <= |d| - |delta| <= |e|``, and
    the left side is exact for bins whose sign is certain.  So the error of the difference is at most ``sum
    |e|`` of the uncertain bins of the first model, plus ``s e`` of its certain ones, minus ``s e`` of all
    bins of the second, and at least the same with the models exchanged.  The interval subtracts the 97.5th
    percentiles of these two.  It is conservative if the signs of many bins are uncertain: two calibrated
    models have an interval that is wider than need be (``tests/stats/test_paired_probabilities.py``).  There
    is no p-value.

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
        sums.ece(seed, confidence),
    )


class _Sums:
    """Sums of the losses of two models over all items, and of the products of their sums over clusters.

    For the jackknife, products are of sums divided by the share of the items that are not in the cluster.
    """

    def __init__(self, n: int) -> None:
        """Begin with none of the *n* items."""
        self.n, self.squared_sizes = n, 0.0
        width = _SCORES + 2 * BINS
        self.m = 0
        self.totals, self.products = np.zeros(width), np.zeros((width, width))
        self.impossible, self.whole = np.zeros(2, dtype=np.int64), np.zeros(4)
        self.counts, self.events = np.zeros(2 * BINS), np.zeros(2 * BINS)
        self.squares = np.zeros(2)  # of right - confidence of both models
        # Of Brier score and log loss by model: squares of what was paid where only that model is wrong, and
        # of prices, with the number of the finite ones.
        self.paid, self.prices, self.priced = (np.zeros((2, 2)) for _ in range(3))

    def add(self, a: ItemLosses, b: ItemLosses, codes: NDArray[np.int64]) -> None:
        """Add the items of a part."""
        m = int(codes.max(initial=-1)) + 1
        only = [a.brier.wrong & ~b.brier.wrong, b.brier.wrong & ~a.brier.wrong]
        columns = [
            np.ones(len(codes)),
            a.brier.observed - b.brier.observed,
            _finite(a.log.observed) - _finite(b.log.observed),
            a.brier.if_right - b.brier.if_right,
            a.log.if_right - b.log.if_right,
            *only,
        ]
        sums = np.empty((m, len(self.totals)))
        for place, column in enumerate(columns):
            sums[:, place] = np.bincount(codes, weights=column, minlength=m)
        for place, each in enumerate((a, b)):
            bins = equal_width_bins(each.confidence).astype(np.int64)
            off = each.right - each.confidence
            start = _SCORES + place * BINS
            sums[:, start : start + BINS] = np.bincount(
                codes * BINS + bins, weights=off, minlength=m * BINS
            ).reshape(m, BINS)
            own = slice(place * BINS, (place + 1) * BINS)
            self.counts[own] += np.bincount(bins, minlength=BINS)
            self.events[own] += np.bincount(bins, weights=each.right, minlength=BINS)
            self.squares[place] += float(off @ off)
            self.impossible[place] += int(np.isinf(each.log.observed).sum())
            for row, losses in enumerate((each.brier, each.log)):
                finite = only[place] & np.isfinite(losses.observed)
                self.whole[2 * row + place] += float(_finite(losses.observed).sum())
                self.paid[row, place] += losses.paid_squares(finite)
                self.prices[row, place] += losses.price_squares
                self.priced[row, place] += losses.priced
        self.m += m
        self.totals += sums.sum(axis=0)
        sizes = sums[:, _ITEMS]
        self.squared_sizes += float(sizes @ sizes)
        rest = 1 - sizes / self.n
        left_out = sums / np.where(rest > 0, rest, inf)[:, None]
        self.products += left_out.T @ left_out

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
        value = float(self.totals[(_BRIER, _LOSS)[row]]) / n
        if self.m < 2:
            return PairedDifference(a, b, Estimate(value, -most, most, n, self.m), None)

        def at(confidence: float, limits: Limits = share_interval) -> Estimate:
            half = self._half((_BRIER, _LOSS)[row], confidence)
            certain = self._half((_BRIER_IF_RIGHT, _LOSS_IF_RIGHT)[row], confidence)
            fewer_a, more_a = self._reach(row, 0, confidence, limits)
            fewer_b, more_b = self._reach(row, 1, confidence, limits)
            low = value - max(half, hypot(certain, fewer_a, more_b))
            high = value + max(half, hypot(certain, more_a, fewer_b))
            return Estimate(value, max(-most, low), min(most, high), n, self.m)

        def exactly(confidence: float) -> Estimate:
            return at(confidence, clopper_pearson)

        p = min(one_sided_p(exactly, 0.0, "above"), one_sided_p(exactly, 0.0, "below"))
        return PairedDifference(a, b, at(confidence), PBound(2 * p) if p <= LEAST_P else min(1.0, 2 * p))

    def _between(self, column: int) -> float:
        """Return the variance of the total of *column* from its sums over clusters."""
        mean = self.totals[column] / self.n
        squares = self.products[column, column] - 2 * mean * self.products[column, _ITEMS]
        squares += mean**2 * self.products[_ITEMS, _ITEMS]
        return (self.m - 1) / self.m * max(0.0, float(squares))

    def _half(self, column: int, confidence: float) -> float:
        """Return half of the clustered t interval of the mean of *column*."""
        return student_quantile(self.freedom, confidence) * sqrt(self._between(column)) / self.n

    @property
    def worst(self) -> float:
        """The design effect if all items of a cluster were alike."""
        return self.squared_sizes / self.n

    @property
    def freedom(self) -> float:
        """The effective number of clusters less 1."""
        return max(1.0, self.n / self.worst - 1)

    def _reach(self, row: int, place: int, confidence: float, limits: Limits) -> tuple[float, float]:
        """Return how far the mean cost of errors of one model alone may lie below and above its value."""
        n, column = self.n, (_ONLY_A_WRONG, _ONLY_B_WRONG)[place]
        errors = int(self.totals[column])
        within = n / (n - 1) * errors * (1 - errors / n)
        deff = float(design_effect(self._between(column), within, self.worst))
        n_eff = max(1.0, n / deff * t_factor(n - 1, self.freedom, confidence))
        priced = self.priced[row, place]
        price = self.prices[row, place] / priced if priced else inf
        return reach_of_errors(
            errors, n, n_eff, float(self.paid[row, place]), float(price), confidence, limits
        )

    def ece(self, seed: int, confidence: float) -> PairedDifference:
        """Return the difference in the calibration error."""
        n, bins = self.n, slice(_SCORES, None)
        if not n:
            return PairedDifference(nan, nan, Estimate(nan, -1.0, 1.0, 0, 0), None)
        values, used = self.totals[bins] / n, self.counts > 0
        a, b = float(np.abs(values[:BINS]).sum()), float(np.abs(values[BINS:]).sum())
        if self.m < 2:
            return PairedDifference(a, b, Estimate(a - b, -1.0, 1.0, n, self.m), None)
        cross = np.outer(values, self.products[bins, _ITEMS])
        products = self.products[bins, bins] - cross - cross.T
        products += self.products[_ITEMS, _ITEMS] * np.outer(values, values)
        covariance = (self.m - 1) / self.m * products / n**2
        effects = np.repeat([self._design_effect(place) for place in (0, 1)], BINS)
        reach = Deviations(
            values[used],
            covariance[np.ix_(used, used)],
            self.freedom,
            self.counts[used] / n,
            self.events[used] / self.counts[used],
            (self.counts / effects)[used],
            n,
        ).reach(confidence)
        signs, first = np.sign(values[used]), np.flatnonzero(used) < BINS
        free = np.where(reach.certain, signs, 0.0)  # 0: the absolute value of the error
        above = reach.exceeded(np.where(first, free, -signs), seed)
        below = reach.exceeded(np.where(first, -signs, free), seed)
        low, high = max(-1.0, a - b - above), min(1.0, a - b + below)
        return PairedDifference(a, b, Estimate(a - b, low, high, n, self.m), None)

    def _design_effect(self, place: int) -> float:
        """Return the design effect of the deviations of a model, whatever their bins."""
        bins = slice(_SCORES + place * BINS, _SCORES + (place + 1) * BINS)
        mean = self.totals[bins].sum() / self.n
        squares = self.products[bins, bins].sum() - 2 * mean * self.products[bins, _ITEMS].sum()
        squares += mean**2 * self.products[_ITEMS, _ITEMS]
        within = self.n / (self.n - 1) * max(0.0, self.squares[place] - self.n * mean**2)
        between = (self.m - 1) / self.m * max(0.0, float(squares))
        return float(design_effect(between, within, self.worst))


def _finite(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return *losses* with 0 in place of infinite ones."""
    return np.where(np.isinf(losses), 0.0, losses)
