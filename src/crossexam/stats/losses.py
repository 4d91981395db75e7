"""The Brier score and the log loss: what the answers to items cost, and intervals of their mean.

Conventions: *shares* are the probabilities of k labels [n, k], *gold* and *predicted* indices of labels [n].

Errors of a strong model are rare and cost much.  A sample in which there is none, or in which the expensive
ones are missing, shows too small a mean and too small a variance: of a calibrated model that is 98 % sure, 95
% t intervals of 50 items hold the mean log loss in 60 % of samples.  But what an error *would* cost is known
for every item, from the model's own probabilities, and how many errors there may be, from the interval of
their share (:func:`reach_of_errors`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.stretches import stretches
from crossexam.stats.clusters import Clusters, cluster_codes, effective_size
from crossexam.stats.estimate import mean_of_items, share_interval


class Losses(NamedTuple):
    """What the answers to items cost [n]: as *observed*, and what they would *if_right* and *if_wrong*.

    The first is the cost if the predicted label is the gold label; the last is the expected cost if another
    is, by the probabilities that the model gives to the others.
    """

    observed: NDArray[np.float64]
    if_right: NDArray[np.float64]
    if_wrong: NDArray[np.float64]

    @property
    def paid(self) -> NDArray[np.float64]:
        """What the error on each item costs [n]; 0 if there is none."""
        paid: NDArray[np.float64] = self.observed - self.if_right
        return paid

    @property
    def price(self) -> NDArray[np.float64]:
        """What an error on each item is expected to cost [n]."""
        price: NDArray[np.float64] = self.if_wrong - self.if_right
        return price

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which answers cost more than a right one would [n]."""
        return self.observed > self.if_right


def brier_scores(shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike) -> Losses:
    """Return the Brier score of each item [n], the sum over the labels of ``(share - [label is gold])^2``.

    It is between 0 and 2 (Brier 1950, Monthly Weather Review 78:1); lower is better.  With two labels it is
    twice the score of one of them.

    >>> brier_scores([[0.5, 0.25, 0.25], [0, 1, 0]], [0, 0], [0, 1]).observed.tolist()
    [0.375, 2.0]
    """
    p, labels, winners = _read(shares, gold, predicted)
    scores = np.empty((3, len(p)))
    for part in stretches(len(p)):
        squares = np.square(p[part]).sum(axis=1)
        first, top = _own(p[part], labels[part]), _own(p[part], winners[part])
        rest = np.maximum(1 - top, 0.0)
        others = np.divide(squares - top**2, rest, out=np.zeros_like(rest), where=rest > 0)
        for row, share in enumerate((first, top, others)):
            scores[row, part] = squares - 2 * share + 1
    return Losses(*scores)


def log_losses(shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike) -> Losses:
    """Return the negative natural logarithm of the share of the gold label of each item [n].

    It is infinite if that share is 0 (Good 1952, J. R. Stat. Soc. B 14:107); lower is better.

    >>> log_losses([[0.5, 0.25, 0.25], [0, 1, 0]], [0, 0], [0, 1]).observed.round(3).tolist()
    [0.693, inf]
    """
    p, labels, winners = _read(shares, gold, predicted)
    losses = np.full((3, len(p)), inf)
    for part in stretches(len(p)):
        logs = np.log(p[part], out=np.full(p[part].shape, -inf), where=p[part] > 0)
        top = _own(p[part], winners[part])
        losses[0, part], losses[1, part] = -_own(logs, labels[part]), -_own(logs, winners[part])
        surprise = -np.multiply(p[part], logs, out=np.zeros_like(logs), where=p[part] > 0)
        rest, others = 1 - top, surprise.sum(axis=1) - _own(surprise, winners[part])
        losses[2, part] = np.divide(others, rest, out=np.full(len(rest), inf), where=rest > 0)
    return Losses(*losses)


def _read(
    shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    labels, winners = (np.asarray(each, dtype=np.int64) for each in (gold, predicted))
    return np.asarray(shares, dtype=np.float64), labels, winners


def _own(values: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the value [n] of the label of each item, of those of all labels [n, k]."""
    own: NDArray[np.float64] = values[np.arange(len(values)), labels]
    return own


#: Returns the interval of a share of so many independent items at a confidence.
Limits = Callable[[float, float, float], tuple[float, float]]


def reach_of_errors(
    errors: int,
    n: int,
    n_eff: float,
    paid_squares: float,
    mean_price_square: float,
    confidence: float = 0.95,
    limits: Limits = share_interval,
) -> tuple[float, float]:
    """Return how far below and above its value the mean cost of errors may lie, if few of them were seen.

    Of *n* items, *n_eff* effective ones, *errors* are wrong; *paid_squares* is the sum of the squares of what
    these cost, and *mean_price_square* the mean over all items of the square of what an error on them would.
    The distances are those of the share of errors to its *limits* (MOVER: Zou & Donner 2008, Statistics in
    Medicine 27:1693), times the root mean square cost of an error, for which the price counts as one more
    error: the variance of a cost that is rare is ``share E[cost^2]``.

    >>> below, above = reach_of_errors(0, 100, 100.0, 0.0, 4.0)  # no error among 100, which would cost 2
    >>> below, round(above, 3)
    (0.0, 0.074)
    """
    share = errors / n
    low, high = limits(share, n_eff, confidence)
    cost = sqrt((paid_squares + mean_price_square) / (errors + 1))
    return (cost * (share - low) if share > low else 0.0), cost * (high - share)


def mean_square_of_prices(prices: NDArray[np.float64]) -> float:
    """Return the mean of the squares of those *prices* [n] that are finite; infinite if none is.

    >>> mean_square_of_prices(np.array([1.0, 3.0, np.inf]))
    5.0
    """
    finite = prices[np.isfinite(prices)]
    return float(np.square(finite).mean()) if len(finite) else inf


def mean_loss(
    losses: Losses, clusters: Clusters = None, *, most: float = inf, confidence: float = 0.95
) -> Estimate:
    """Return the mean of *losses*, which are at most *most*, with its interval, clustered by *clusters*.

    It is the clustered t interval (:func:`crossexam.stats.estimate.mean_of_items`), or wider: with the
    :func:`reach_of_errors` on either side, combined with the t interval of what right answers would cost.
    With no items the value is nan.

    >>> sure = np.array([[0.9, 0.1]] * 60)  # 60 items, all of them right
    >>> f"{mean_loss(brier_scores(sure, np.zeros(60), np.zeros(60)), most=2):.1f}"
    '2.0 [2.0, 11.6]'
    """
    found = mean_of_items(losses.observed, clusters, bounds=(0.0, most), confidence=confidence)
    if found.clusters < 2 or not np.isfinite(found.value):
        return found
    codes = cluster_codes(clusters, found.n)
    certain = mean_of_items(losses.if_right, codes, confidence=confidence)
    half, wrong = certain.high - certain.value, losses.wrong
    below, above = (
        hypot(reach, half)
        for reach in reach_of_errors(
            int(np.count_nonzero(wrong)),
            found.n,
            effective_size(wrong - wrong.mean(), codes, confidence).n_eff,
            float(np.square(losses.paid[wrong]).sum()),
            mean_square_of_prices(losses.price),
            confidence,
        )
    )
    low, high = max(0.0, found.value - below), min(most, found.value + above)
    return found._replace(low=min(found.low, low), high=max(found.high, high))
