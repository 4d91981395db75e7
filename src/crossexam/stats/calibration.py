"""Calibration: whether an answer that a model gives a probability of 80 % is right in 80 % of the cases.

Conventions: *shares* are the probabilities of k labels [n, k], *gold* indices of labels [n].  *stated* are
probabilities of events, *happened* says which of them occurred, both [n] (of the predicted label: is it
right?) or [n, k] (of each label: is it the gold label?).  *bins* are the numbers of the bins of *stated*.

The calibration error of a model that is calibrated is above 0 in every finite sample, because the frequency
in a bin varies by chance.  Each error therefore comes with its expectation if the model is calibrated, and
its interval allows for chance (:func:`calibration_error`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, nan
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.stretches import stretches
from crossexam.stats.chances import improbable_count
from crossexam.stats.clusters import Clusters, cluster_codes
from crossexam.stats.deviations import BinSums, Deviations
from crossexam.stats.estimate import share_correct

#: The number of bins (Guo et al. 2017).
BINS: Final = 15

_LEAST: Final = 1e-12  # stands for a probability of 0 while a temperature is fitted
_TEMPERATURES: Final = (0.01, 100.0)


class CalibrationError(NamedTuple):
    """A calibration error, and the error that is expected *if_calibrated*, by chance alone."""

    error: Estimate
    if_calibrated: float


class ReliabilityBin(NamedTuple):
    """The items of a bin: their number, mean *confidence* and *accuracy*.

    *low* and *high* bound 95 % of the accuracies that a calibrated model has in such a bin.
    """

    n: int
    confidence: float
    accuracy: Estimate
    low: float
    high: float


def equal_width_bins(stated: ArrayLike, bins: int = BINS) -> NDArray[np.unsignedinteger[Any]]:
    """Return the bin of each of *stated*, of so many bins of equal width, ``(0, 1/bins]`` and so on.

    A probability of 0 is in the first bin.

    >>> equal_width_bins([0.0, 0.1, 0.5, 0.51, 1.0], bins=2).tolist()
    [0, 0, 0, 1, 1]
    """
    return _bins_between(np.linspace(0.0, 1.0, bins + 1)[1:-1], np.asarray(stated, dtype=np.float64))


def equal_mass_bins(stated: ArrayLike, bins: int = BINS) -> NDArray[np.unsignedinteger[Any]]:
    """Return the bin of each of *stated* [n], of at most so many bins with about as many items each.

    Equal probabilities are in the same bin.

    >>> equal_mass_bins([0.9, 0.4, 0.5, 0.6, 0.6, 0.6], bins=3).tolist()
    [2, 0, 0, 1, 1, 1]
    """
    given = np.asarray(stated, dtype=np.float64)
    if not len(given):
        return np.zeros(0, dtype=np.uint8)
    places = np.arange(1, bins) * len(given) // bins
    last = np.maximum(places - 1, 0)  # the last item of each bin but the last
    return _bins_between(np.unique(np.sort(given)[last]), given)


def _bins_between(edges: NDArray[np.float64], given: NDArray[np.float64]) -> NDArray[np.unsignedinteger[Any]]:
    """Return the bin of each of *given*; a bin contains the edge above it."""
    bins = np.empty(given.shape, dtype=np.min_scalar_type(len(edges)))
    for part in stretches(len(given)):
        bins[part] = np.searchsorted(edges, given[part], side="left")
    return bins


@dataclass(frozen=True)
class BinnedErrors:
    """The deviations of bins, of which a calibration error is the sum of the absolute values.

    They are of *n* items in so many *clusters*; *if_calibrated* as in :class:`CalibrationError`.
    """

    deviations: Deviations
    n: int
    clusters: int
    if_calibrated: float

    def error(self, confidence: float = 0.95) -> Estimate:
        """Return the calibration error with its interval at *confidence*: see :func:`calibration_error`."""
        value = float(np.abs(self.deviations.values).sum())
        if self.clusters < 2:
            return Estimate(value, 0.0, 1.0, self.n, self.clusters)
        below, above = self.distances(confidence)
        return Estimate(value, max(0.0, value - below), min(1.0, value + above), self.n, self.clusters)

    def distances(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return how far below and above its value the bounds lie, if they are not cut off at 0 and 1."""
        reach = self.deviations.reach(confidence)
        return reach.exceeded(reach.certain_signs), reach.outwards()


def calibration_error(
    stated: ArrayLike,
    happened: ArrayLike,
    bins: NDArray[np.integer[Any]],
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> CalibrationError:
    """Return the expected calibration error, ECE, of probabilities in *bins*, with its interval.

    ``ECE = sum_b |sum of (happened - stated) in bin b| / n`` (Naeini et al. 2015, AAAI 29; Guo et al. 2017,
    section 2).  For several labels [n, k] it is the mean over the labels, the class-wise ECE (Kull et al.
    2019, NeurIPS 32, section 2.1).

    *if_calibrated* is the mean of the simulations of Vaicenavicius et al. (2019, AISTATS 22, section 4),
    without simulating.  The interval allows for chance, which adds to the error; each bound holds in at least
    97.5 % of samples (docs/derivations.md#calibration-errors).

    >>> sure = [0.9] * 10
    >>> found = calibration_error(sure, [True] * 6 + [False] * 4, equal_width_bins(sure))
    >>> round(found.error.value, 3), round(found.if_calibrated, 3)
    (0.3, 0.07)
    """
    found = binned_errors(stated, happened, bins, clusters)
    if found is None:
        return CalibrationError(Estimate(nan, 0.0, 1.0, 0, 0), nan)
    return CalibrationError(found.error(confidence), found.if_calibrated)


def binned_errors(
    stated: ArrayLike,
    happened: ArrayLike,
    bins: NDArray[np.integer[Any]],
    clusters: Clusters = None,
) -> BinnedErrors | None:
    """Return the deviations of *bins*, from which :func:`calibration_error` comes at any confidence.

    None if there are no items.

    >>> found = binned_errors([0.9] * 10, [True] * 10, np.zeros(10, dtype=np.int64))
    >>> f"{found.error():.0f}", f"{found.error(0.5):.0f}"
    ('10 [0, 18]', '10 [3, 10]')
    """
    p, y = np.asarray(stated, dtype=np.float64), np.asarray(happened)
    p, y = (each[:, None] if each.ndim == 1 else each for each in (p, y))
    n, k = p.shape
    if n == 0:
        return None
    sums = BinSums(n, k, int(bins.max()) + 1)
    sums.add(p, y, bins.reshape(n, k), cluster_codes(clusters, n))
    means = sums.stated / np.maximum(sums.counts, 1)
    by_chance = float(_binomial_deviations(sums.counts, means).sum()) / (n * k)
    # The largest: with each label's own, class-wise intervals held the truth in up to 3 % fewer samples.
    deviations = sums.deviations(n * k, sums.design_effects.max())
    return BinnedErrors(deviations, n, sums.clusters.clusters, by_chance)


def _binomial_deviations(n: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean absolute deviation of binomial variables from their means."""
    from scipy.special import gammaln

    v = np.clip(np.floor(n * p) + 1, 0, n)
    q = np.clip(p, 1e-300, 1.0)
    rest = np.clip(1 - p, 1e-300, 1.0)
    logs = gammaln(n + 1) - gammaln(v + 1) - gammaln(n - v + 1) + v * np.log(q) + (n - v + 1) * np.log(rest)
    found: NDArray[np.float64] = np.where((n == 0) | (p >= 1), 0.0, 2 * v * np.exp(logs))
    return found


def reliability(
    stated: ArrayLike, happened: ArrayLike, bins: NDArray[np.integer[Any]], clusters: Clusters = None
) -> tuple[ReliabilityBin, ...]:
    """Return the bins of a reliability diagram that have items, in order.

    *low* and *high* of a bin are the 2.5th and 97.5th percentile of the accuracy of a calibrated model, the
    consistency bars of Bröcker and Smith (2007, Weather and Forecasting 22:651), from the binomial
    distribution with the mean of the bin.  Accuracies have the interval of
    :func:`crossexam.stats.estimate.share_correct`.

    >>> sure = [0.9] * 10
    >>> (only,) = reliability(sure, [True] * 6 + [False] * 4, equal_width_bins(sure))
    >>> only.n, round(only.confidence, 2), only.accuracy.value, only.low, only.high
    (10, 0.9, 0.6, 0.7, 1.0)
    """
    p, y = np.asarray(stated, dtype=np.float64), np.asarray(happened, dtype=bool)
    codes = cluster_codes(clusters, len(p))
    found = []
    for number in range(int(bins.max(initial=0)) + 1):
        inside = bins == number
        n = int(np.count_nonzero(inside))
        if n:
            mean = float(p[inside].mean())
            low, high = ((improbable_count(n, mean, level) - 1) / n for level in (0.975, 0.025))
            found.append(ReliabilityBin(n, mean, share_correct(y[inside], codes[inside]), low, high))
    return tuple(found)


def tempered(probabilities: ArrayLike, temperature: float) -> NDArray[np.float64]:
    """Return *probabilities* [n, k] at a *temperature* T: each to the power of 1/T, normalised.

    It is the softmax of logits divided by T (Guo et al. 2017, section 4.2).  Above 1 it makes a model less
    confident; the order of the labels stays.  Rows that are not numbers stay so.  Raises ValueError unless T
    is above 0.

    >>> tempered([[0.8, 0.2, 0.0]], 2.0).round(3).tolist()
    [[0.667, 0.333, 0.0]]
    """
    if not 0 < temperature < inf:
        raise ValueError(f"the temperature is {temperature}; it must be above 0")
    p = np.asarray(probabilities, dtype=np.float64)
    top = p.max(axis=1, keepdims=True) if len(p) else p
    powers = (p / top) ** (1 / temperature)
    scaled: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return scaled


def fit_temperature(
    probabilities: ArrayLike, right: NDArray[np.bool_], counted: NDArray[np.bool_] | None = None
) -> float:
    """Return the temperature with the least log loss on items with these *probabilities* [n, k].

    *right* [n, k] are the labels that agree with the gold label (two of three if it is not_entailment),
    *counted* [n, k] those that the gold labels distinguish (all by default).  A probability of 0 counts as
    1e-12; the temperature is between 0.01 and 100.  Raises ValueError if there are no items.

    >>> sure = np.array([[0.99, 0.01]] * 4)
    >>> right = np.array([[True, False]] * 3 + [[False, True]])
    >>> temperature = fit_temperature(sure, right)
    >>> round(temperature, 2), tempered(sure[:1], temperature).round(2).tolist()
    (4.18, [[0.75, 0.25]])
    """
    from scipy.optimize import minimize_scalar

    p = np.asarray(probabilities, dtype=np.float64)
    if not len(p):
        raise ValueError("no items to fit a temperature on")
    logs = np.log(np.maximum(p, _LEAST))
    everything = np.ones_like(right) if counted is None else counted

    def loss(log_temperature: float) -> float:
        scaled = logs * np.exp(-log_temperature)
        return float((_log_sums(scaled, everything) - _log_sums(scaled, right)).mean())

    bounds = (log(_TEMPERATURES[0]), log(_TEMPERATURES[1]))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def _log_sums(logs: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the logarithms of the sums of the exponentials of the *chosen* of *logs* in each row."""
    kept = np.where(chosen, logs, -inf)
    top = kept.max(axis=1)
    sums: NDArray[np.float64] = top + np.log(np.exp(kept - top[:, None]).sum(axis=1))
    return sums
