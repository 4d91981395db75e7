"""Selective prediction: how often a model is wrong if it may abstain where it is least confident.

Conventions: *wrong* are errors [n] (0 or 1), *confidence* the probabilities of the predicted labels [n], not
a number (NaN) for items without an answer.  The *coverage* is the share of all items that are answered, most
confident first; the *risk* is the share of these that are wrong (El-Yaniv and Wiener 2010, JMLR 11:1605;
Geifman and El-Yaniv 2017, NeurIPS 30).  Items of equal confidence are answered in random order, of which the
figures are the expectation.  Items without an answer are the first abstained, and count in the coverage.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, nan
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import (
    PRIOR_CLUSTERS,
    Clusters,
    cluster_codes,
    normal_quantile,
    student_quantile,
)
from crossexam.stats.estimate import mean_of_items, wilson

_WINDOW: Final = 0.05  # share of the items around a threshold from which the risk at it is estimated


@dataclass(frozen=True)
class RiskCoverage:
    """The risk-coverage curve of *n* items in so many *clusters*: k = 1, 2, ... of them answered [a].

    *risk* is the share of errors among the k items, *n_eff* the effective number of independent items, by
    which risks have Wilson's interval.  *area* is that under the curve, with its interval.
    """

    n: int
    clusters: int
    risk: NDArray[np.float64]
    n_eff: NDArray[np.float64]
    area: Estimate

    @property
    def coverage(self) -> NDArray[np.float64]:
        """The share of the items that are answered: [a]."""
        return np.arange(1, len(self.risk) + 1) / self.n

    def accuracy_at(self, coverage: float, confidence: float = 0.95) -> Estimate:
        """Return the accuracy at the least coverage from *coverage* on; nan if fewer items have an answer."""
        k = max(1, ceil(coverage * self.n - 1e-9))
        if k > len(self.risk):
            return Estimate(nan, 0.0, 1.0, 0, 0)
        right = 1 - float(self.risk[k - 1])
        low, high = wilson(right, float(self.n_eff[k - 1]), confidence)
        return Estimate(right, low, high, k, self.clusters)

    def coverage_at(self, risk: float, confidence: float = 0.95) -> Estimate:
        """Return the largest coverage whose risk is at most *risk*; 0 if there is none.

        *risk* is between 0 and 1.  The bounds are the largest coverages at which the upper and the lower
        bound of Wilson's interval for the risk are at most *risk*.
        """
        errors = np.sqrt(risk * (1 - risk) / self.n_eff)
        z = (self.risk - risk) / errors  # Wilson's interval contains what this score test does not reject
        value = self._largest(z <= 0)
        certain, possible = (self._largest(z <= side * normal_quantile(confidence)) for side in (-1, 1))
        return Estimate(value, certain, possible, self.n, self.clusters)

    def _largest(self, holds: NDArray[np.bool_]) -> float:
        return float(np.flatnonzero(holds)[-1] + 1) / self.n if holds.any() else 0.0


class _Ordered(NamedTuple):
    """The answered items, most confident first [a].

    *wrong* are their errors, *expected* the mean error of the items of equal confidence, which are those at
    the places *first* to *end*; *codes* are their clusters.
    """

    wrong: NDArray[np.float64]
    expected: NDArray[np.float64]
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    codes: NDArray[np.int64]


def risk_coverage(wrong: ArrayLike, confidence: ArrayLike, clusters: Clusters = None) -> RiskCoverage:
    """Return the risk-coverage curve, with the variance of every risk, and the area under it.

    The threshold of a coverage is itself estimated.  With ``A`` the answered items of coverage c, R their
    risk and r the risk of items at the threshold (the mean error of the 5 % of items around it), the
    influence of an item is ``[A (wrong - r) - c (R - r)] / c``; its sums over clusters give the variance,
    which becomes an effective sample size as in :func:`crossexam.stats.clusters.effective_size`.

    The area, ``AURC = 1/a sum_k R_k`` over the *a* items with an answer, is the mean risk (Geifman, Uziel and
    El-Yaniv 2019, ICLR).  It estimates ``sum_b e_b w_b`` over the confidences b, with the share ``e_b`` of
    errors in all items and the mean ``w_b`` of ``-ln(u)`` over the coverages u from ``u_b`` to ``v_b`` that
    its items take (Zhou et al. 2024, arXiv 2410.15361, where no two are equal).  The influence of an item is
    ``w wrong``, and what it adds by moving ``v_b`` of every confidence from its own downwards, and ``u_b`` of
    every lower one; the interval is that of :func:`crossexam.stats.estimate.mean_of_items` for them.

    >>> curve = risk_coverage([0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6])
    >>> curve.coverage.tolist(), curve.risk.round(2).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.33, 0.5])
    >>> round(curve.area.value, 3)
    0.208
    """
    mistakes, sure = np.asarray(wrong, dtype=np.float64), np.asarray(confidence, dtype=np.float64)
    codes = cluster_codes(clusters, len(sure))
    m = int(codes.max(initial=-1)) + 1
    ordered = _ordered(mistakes, sure, codes)
    risk = np.cumsum(ordered.expected) / np.arange(1, len(ordered.wrong) + 1)
    sizes = np.bincount(codes, minlength=m)
    n_eff = _effective_sizes(ordered, risk, sizes, len(sure))
    return RiskCoverage(len(sure), m, risk, n_eff, _area(ordered, risk))


def _ordered(
    wrong: NDArray[np.float64], confidence: NDArray[np.float64], codes: NDArray[np.int64]
) -> _Ordered:
    order = np.argsort(-confidence, kind="stable")
    order = order[: int((~np.isnan(confidence)).sum())]  # not a number is sorted last
    errors = wrong[order]
    firsts = np.flatnonzero(np.diff(confidence[order], prepend=np.inf))
    sizes = np.diff(firsts, append=len(order))
    means = np.add.reduceat(errors, firsts) / sizes if len(order) else errors
    first, end = np.repeat(firsts, sizes), np.repeat(firsts + sizes, sizes)
    return _Ordered(errors, np.repeat(means, sizes), first, end, codes[order])


def _effective_sizes(
    ordered: _Ordered, risk: NDArray[np.float64], sizes: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """Return the effective number of independent items behind each risk: [a]."""
    wrong, codes = ordered.wrong, ordered.codes
    a, m = len(wrong), len(sizes)
    if a == 0 or m < 2:
        return np.ones(a)
    k = np.arange(1, a + 1)
    at = _local_means(ordered.expected, max(1, round(_WINDOW * n / 2)))  # r
    within, mistakes = _running(codes, np.ones(a), wrong)  # before each item, of its cluster
    size = sizes[codes].astype(np.float64)
    nn = np.cumsum(2 * within + 1)
    ee = np.cumsum(2 * wrong * mistakes + wrong**2)
    en = np.cumsum(wrong * within + mistakes + wrong)
    em, nm = np.cumsum(wrong * size), np.cumsum(size)
    mm = float(np.square(sizes, dtype=np.float64).sum())
    shift = k / n * (risk - at)
    between = ee - 2 * at * en + at**2 * nn - 2 * shift * (em - at * nm) + shift**2 * mm
    between = m / (m - 1) * np.maximum(between, 0.0)
    alone = np.maximum(k * risk * (1 - risk), 0.0)  # of independent items at a known threshold
    worst = nn / k
    deff = (between + PRIOR_CLUSTERS * worst**2) / (alone + PRIOR_CLUSTERS * worst)
    few = (student_quantile(n - 1, 0.95) / student_quantile(m - 1, 0.95)) ** 2
    return np.maximum(1.0, k / np.maximum(1.0, deff) * few)


def _local_means(values: NDArray[np.float64], half: int) -> NDArray[np.float64]:
    """Return the mean of the *values* at most *half* places away from each."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(len(values))
    first, last = np.maximum(places - half, 0), np.minimum(places + half + 1, len(values))
    means: NDArray[np.float64] = (sums[last] - sums[first]) / (last - first)
    return means


def _running(codes: NDArray[np.int64], *several: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return for *several* arrays of values [n] the sum of those of the same code before each item."""
    order = np.argsort(codes, kind="stable")
    firsts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sizes = np.diff(firsts, append=len(codes))
    sums = []
    for values in several:
        before = np.cumsum(values[order]) - values[order]
        found = np.empty(len(codes))
        found[order] = before - np.repeat(before[firsts], sizes)
        sums.append(found)
    return sums


def _area(ordered: _Ordered, risk: NDArray[np.float64]) -> Estimate:
    """Return the area under the curve of these risks, their mean."""
    if not len(risk):
        return Estimate(nan, 0.0, 1.0, 0, 0)
    pulls = _influences(ordered)
    area = float(risk.mean())
    found = mean_of_items(area + pulls - pulls.mean(), ordered.codes, bounds=(0.0, 1.0))
    return found._replace(value=area)


def _influences(ordered: _Ordered) -> NDArray[np.float64]:
    """Return the influence of each item on the area under the curve [a], up to a constant."""
    a = len(ordered.wrong)
    new = ordered.first == np.arange(a)
    starts = np.flatnonzero(new)  # of each confidence
    u, v = starts / a, ordered.end[starts] / a
    logs = np.log(np.where(u > 0, u, 1.0))  # of u; the first is not used
    weights = (v - v * np.log(v) - (u - u * logs)) / (v - u)
    errors = ordered.expected[starts]
    ends = errors * (-np.log(v) - weights)
    begins = errors * (logs + weights)
    below = np.cumsum((ends + begins)[::-1])[::-1] - begins  # of this and all lower, without its own start
    which = np.cumsum(new) - 1
    influences: NDArray[np.float64] = weights[which] * ordered.wrong + below[which]
    return influences
