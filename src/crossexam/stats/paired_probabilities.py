"""Two models on the same items: paired differences in what their probabilities are worth.

Conventions: differences are of the first model minus the second, so that a negative one favours the first:
all of these measures are better if lower.  Items come in parts, so that millions need little memory; all
items of a cluster are in one part.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite, nan, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.bootstrap import generator
from crossexam.stats.calibration import BINS, brier_scores, equal_width_bins, log_losses
from crossexam.stats.clusters import Clusters, cluster_codes, normal_quantile, student_quantile

_DRAWS: Final = 4_000  # of errors in the interval of a difference of calibration errors
_CERTAIN: Final = 4.0  # standard errors from 0 at which the sign of a deviation is certain

# The columns of the sums over clusters, after which come the bins of the first and of the second model.
_ITEMS, _BRIER, _LOSS = range(3)
_SCORES: Final = 3


class ItemLosses(NamedTuple):
    """What the answers of a model to items are worth, arrays [n].

    The *brier* scores and *log_losses*, the *confidence* in the predictions, and which of them are *right*.
    """

    brier: NDArray[np.float64]
    log_losses: NDArray[np.float64]
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
    return ItemLosses(brier_scores(p, labels), log_losses(p, labels), confidence, labels == winners)


def paired_probabilities(
    parts: Iterable[tuple[ItemLosses, ItemLosses, Clusters]], *, seed: int = 0, confidence: float = 0.95
) -> PairedProbabilities:
    """Return the differences of two models in Brier score, log loss and ECE over the items of *parts*.

    A part is the losses of both models, and the clusters of the items; no cluster may be in two parts.

    Brier score and log loss: the mean of the differences *d* of the items, with the clustered t interval of
    :func:`crossexam.stats.estimate.mean_of_items` (-2 to 2 for Brier), and the p-value of the same t.  No
    p-value is below ``2^(1-m)`` for *m* clusters, the least that exchanging the models in whole clusters can
    give.  The log loss of a model that gives some gold label the probability 0 is infinite, and so is the
    difference; it is undefined (nan) if both do.  There is then no interval and no p-value.

    ECE (15 bins of equal width): see :func:`calibration_difference`; there is no p-value.

    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> gold, same = [0, 0, 1], [0, 0, 1]
    >>> sure, half = (item_losses(each, gold, same) for each in (shares, np.full((3, 2), 0.5)))
    >>> found = paired_probabilities([(sure, half, None)])
    >>> round(found.brier.a, 3), round(found.brier.b, 3), round(found.brier.difference.value, 3)
    (0.093, 0.5, -0.407)
    """
    width = _SCORES + 2 * BINS
    m, impossible, whole = 0, np.zeros(2, dtype=np.int64), np.zeros(4)
    totals, products = np.zeros(width), np.zeros((width, width))
    for a, b, clusters in parts:
        losses = [np.where(np.isinf(each.log_losses), 0.0, each.log_losses) for each in (a, b)]
        impossible += [int(np.isinf(each.log_losses).sum()) for each in (a, b)]
        whole += [a.brier.sum(), b.brier.sum(), *(each.sum() for each in losses)]
        sums = _cluster_sums(a, b, losses[0] - losses[1], cluster_codes(clusters, len(a.right)))
        m += len(sums)
        totals += sums.sum(axis=0)
        products += sums.T @ sums
    n = int(totals[_ITEMS])
    means = whole / n if n else np.full(4, nan)
    gold_excluded = impossible > 0
    errors = calibration_difference(
        totals[_SCORES:], products[_SCORES:, _SCORES:], n, m, seed=seed, confidence=confidence
    )
    brier, loss = (_mean_difference(totals, products, each, n, m, confidence) for each in (_BRIER, _LOSS))
    return PairedProbabilities(
        n,
        int(impossible[0]),
        int(impossible[1]),
        PairedDifference(float(means[0]), float(means[1]), _within(brier[0], 2.0), brier[1]),
        _log_loss_difference(np.where(gold_excluded, inf, means[2:]), loss, n, m),
        errors,
    )


def _cluster_sums(
    a: ItemLosses, b: ItemLosses, loss: NDArray[np.float64], codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the sums over each cluster: items, differences of the losses, deviations of the bins."""
    m = int(codes.max(initial=-1)) + 1
    sums = np.empty((m, _SCORES + 2 * BINS))
    sums[:, _ITEMS] = np.bincount(codes, minlength=m)
    sums[:, _BRIER] = np.bincount(codes, weights=a.brier - b.brier, minlength=m)
    sums[:, _LOSS] = np.bincount(codes, weights=loss, minlength=m)
    for place, each in enumerate((a, b)):
        bins = codes * BINS + equal_width_bins(each.confidence).astype(np.int64)
        deviations = np.bincount(bins, weights=each.right - each.confidence, minlength=m * BINS)
        start = _SCORES + place * BINS
        sums[:, start : start + BINS] = deviations.reshape(m, BINS)
    return sums


def _mean_difference(
    totals: NDArray[np.float64],
    products: NDArray[np.float64],
    column: int,
    n: int,
    m: int,
    confidence: float,
) -> tuple[Estimate, float | None]:
    """Return the mean of *column* with its clustered t interval, and the p-value of a mean of 0."""
    from scipy.special import stdtr

    value = float(totals[column]) / n if n else nan
    if m < 2:
        return Estimate(value, -inf, inf, n, m), None
    squares = products[column, column] - 2 * value * products[column, _ITEMS]
    squares = max(0.0, float(squares + value**2 * products[_ITEMS, _ITEMS]))
    error = sqrt(m / (m - 1) * squares) / n
    half = student_quantile(m - 1, confidence) * error
    t = abs(value) / error if error else (inf if value else 0.0)
    least = 0.5 ** min(m - 1, 1000)
    p_value = min(1.0, max(least, 2 * float(stdtr(m - 1, -t))))
    return Estimate(value, value - half, value + half, n, m), p_value


def _within(found: Estimate, bound: float) -> Estimate:
    return found._replace(low=max(-bound, found.low), high=min(bound, found.high))


def _log_loss_difference(
    values: NDArray[np.float64], finite: tuple[Estimate, float | None], n: int, m: int
) -> PairedDifference:
    """Return the difference of the log losses *values* [2]: *finite* unless one of them is infinite."""
    a, b = (float(each) for each in values)
    if isfinite(a) and isfinite(b):
        return PairedDifference(a, b, *finite)
    difference = nan if a == b else a - b
    return PairedDifference(a, b, Estimate(difference, -inf, inf, n, m), None)


def calibration_difference(
    totals: ArrayLike,
    products: ArrayLike,
    n: int,
    m: int,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedDifference:
    """Return the difference of the calibration errors of two models, with an interval that allows for chance.

    *totals* [2b] are the sums of ``right - confidence`` of *n* items in the bins of the first model and then
    of the second, *products* [2b, 2b] the sums over *m* clusters of the products of their own sums.

    Chance adds to an error (:func:`crossexam.stats.calibration.calibration_error`), and more to that of the
    model which is closer to calibrated, so that the difference of two errors is biased towards 0, and
    percentiles of a bootstrap are biased further.  Let ``d = delta + e`` be the deviations of the bins, with
    the joint covariance of *e* from the sums of clusters, and ``s = sign(delta)``.  Then ``s e <= |d| -
    |delta| <= |e|``, and the left side is exact for bins whose sign is certain (``|d|`` above 4 standard
    errors).  So the error of the difference is at most ``sum |e|`` of the uncertain bins of the first model,
    plus ``s e`` of its certain ones, minus ``s e`` of all bins of the second, and at least the same with the
    models exchanged.  The interval subtracts the 97.5th and the 2.5th percentile of these two in 4,000 draws
    from the normal distribution, scaled by t / z.  It holds the difference of the population in at least 95 %
    of samples, up to chance, and is conservative if the signs of many bins are uncertain: two calibrated
    models have an interval that is wider than need be (``tests/stats/test_paired_probabilities.py``).

    Resampling whole clusters keeps both models together, hence the covariance between them.  With fewer than
    two clusters the interval is -1 to 1.

    >>> sums = np.array([[0.4, -0.1], [0.2, 0.1]])  # of two clusters of two items, in one bin of each model
    >>> found = calibration_difference(sums.sum(axis=0), sums.T @ sums, 4, 2)
    >>> round(found.a, 2), round(found.b, 2), round(found.difference.value, 2)
    (0.15, 0.0, 0.15)
    """
    if not n:
        return PairedDifference(nan, nan, Estimate(nan, -1.0, 1.0, 0, 0), None)
    summed, squares = np.asarray(totals, dtype=np.float64), np.asarray(products, dtype=np.float64)
    deviations = summed / n
    half = len(deviations) // 2
    a, b = float(np.abs(deviations[:half]).sum()), float(np.abs(deviations[half:]).sum())
    if m < 2:
        return PairedDifference(a, b, Estimate(a - b, -1.0, 1.0, n, m), None)
    covariance = m / (m - 1) * (squares - np.outer(summed, summed) / m) / n**2
    values, vectors = np.linalg.eigh(covariance)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = generator(seed, "difference of calibration errors").standard_normal((_DRAWS, len(values)))
    noise = drawn @ roots.T * (student_quantile(m - 1, confidence) / normal_quantile(confidence))
    signed = noise * np.sign(deviations)
    certain = np.abs(deviations) > _CERTAIN * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    most = np.where(certain, signed, np.abs(noise))
    above = most[:, :half].sum(axis=1) - signed[:, half:].sum(axis=1)
    below = signed[:, :half].sum(axis=1) - most[:, half:].sum(axis=1)
    low = a - b - float(np.quantile(above, 0.5 + confidence / 2))
    high = a - b - float(np.quantile(below, 0.5 - confidence / 2))
    return PairedDifference(a, b, Estimate(a - b, max(-1.0, low), min(1.0, high), n, m), None)
