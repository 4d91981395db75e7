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
from math import hypot, inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.stretches import stretches
from crossexam.stats.clusters import Clusters, cluster_codes, clustered_mean, effective_size
from crossexam.stats.estimate import share_interval


class Losses(NamedTuple):
    """What the answers to items cost [n]: as *observed*, and what they would *if_right*.

    The latter is the cost if the predicted label is the gold label.  The price of an error on an item is what
    it would cost more if another label is, on average by the probabilities that the model gives to the
    others; *price_squares* is the sum of the squares of the *priced* ones that are finite.
    """

    observed: NDArray[np.float64]
    if_right: NDArray[np.float64]
    price_squares: float
    priced: int

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which answers cost more than a right one would [n]."""
        return self.observed > self.if_right

    def paid_squares(self, wrong: NDArray[np.bool_]) -> float:
        """Return the sum of the squares of what the *wrong* ones [n] cost more than right ones would."""
        total = 0.0
        for part in stretches(len(wrong)):
            paid = self.observed[part][wrong[part]] - self.if_right[part][wrong[part]]
            total += float(paid @ paid)
        return total

    @property
    def mean_price_square(self) -> float:
        """The mean of the squares of finite prices; infinite if none is."""
        return self.price_squares / self.priced if self.priced else inf


def brier_scores(shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike) -> Losses:
    """Return the Brier score of each item [n], the sum over the labels of ``(share - [label is gold])^2``.

    It is between 0 and 2 (Brier 1950, Monthly Weather Review 78:1); lower is better.  With two labels it is
    twice the score of one of them.

    >>> brier_scores([[0.5, 0.25, 0.25], [0, 1, 0]], [0, 0], [0, 1]).observed.tolist()
    [0.375, 2.0]
    """
    p, labels, winners = _read(shares, gold, predicted)
    observed, if_right, prices = np.empty(len(p)), np.empty(len(p)), 0.0
    for part in stretches(len(p)):
        squares = np.square(p[part]).sum(axis=1)
        top = _own(p[part], winners[part])
        rest = np.maximum(1 - top, 0.0)
        others = np.divide(squares - top**2, rest, out=np.zeros_like(rest), where=rest > 0)
        observed[part] = squares - 2 * _own(p[part], labels[part]) + 1
        if_right[part] = squares - 2 * top + 1
        prices += float(np.square(2 * (top - others)).sum())
    return Losses(observed, if_right, prices, len(p))


def log_losses(shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike) -> Losses:
    """Return the negative natural logarithm of the share of the gold label of each item [n].

    It is infinite if that share is 0 (Good 1952, J. R. Stat. Soc. B 14:107); lower is better.

    >>> log_losses([[0.5, 0.25, 0.25], [0, 1, 0]], [0, 0], [0, 1]).observed.round(3).tolist()
    [0.693, inf]
    """
    p, labels, winners = _read(shares, gold, predicted)
    observed, if_right, prices, priced = np.empty(len(p)), np.empty(len(p)), 0.0, 0
    for part in stretches(len(p)):
        logs = np.log(p[part], out=np.full(p[part].shape, -inf), where=p[part] > 0)
        top = _own(p[part], winners[part])
        surprise = -np.multiply(p[part], logs, out=np.zeros_like(logs), where=p[part] > 0)
        rest, others = 1 - top, surprise.sum(axis=1) - _own(surprise, winners[part])
        observed[part], if_right[part] = -_own(logs, labels[part]), -_own(logs, winners[part])
        doubted = rest > 0
        price = others[doubted] / rest[doubted] - if_right[part][doubted]
        prices, priced = prices + float(price @ price), priced + len(price)
    return Losses(observed, if_right, prices, priced)


def _read(
    shares: ArrayLike, gold: ArrayLike, predicted: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
    """Return arrays; labels that are integers are not copied."""
    given = (np.asarray(each) for each in (gold, predicted))
    labels, winners = (each if each.dtype.kind in "iu" else each.astype(np.int64) for each in given)
    return np.asarray(shares, dtype=np.float64), labels, winners


def _own(values: NDArray[np.float64], labels: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
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
    return (cost * (share - low) if share > low else 0.0), cost * (high - share) if cost < inf else inf


def mean_loss(
    losses: Losses, clusters: Clusters = None, *, most: float = inf, confidence: float = 0.95
) -> Estimate:
    """Return the mean of *losses*, which are at most *most*, with its interval, clustered by *clusters*.

    It is the clustered t interval (:func:`crossexam.stats.clusters.clustered_mean`), or wider: with the
    :func:`reach_of_errors` on either side, combined with the t interval of what right answers would cost.
    With no items the value is nan.

    >>> sure = np.array([[0.9, 0.1]] * 60)  # 60 items, all of them right
    >>> f"{mean_loss(brier_scores(sure, np.zeros(60), np.zeros(60)), most=2):.1f}"
    '2.0 [2.0, 11.6]'
    """
    codes = cluster_codes(clusters, len(losses.observed))
    found = clustered_mean(losses.observed, codes)
    if found.clusters < 2 or not isfinite(found.value):
        return found.interval((0.0, most), confidence)
    half, wrong = clustered_mean(losses.if_right, codes).half(confidence), losses.wrong
    fewer, more = reach_of_errors(
        int(np.count_nonzero(wrong)),
        found.n,
        effective_size(wrong - wrong.mean(), codes, confidence).n_eff,
        losses.paid_squares(wrong),
        losses.mean_price_square,
        confidence,
    )
    return found.interval((0.0, most), confidence, (hypot(fewer, half), hypot(more, half)))
