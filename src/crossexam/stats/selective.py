"""Selective prediction: how often a model is wrong if it may abstain where it is least confident.

Conventions: *wrong* are errors [n] (0 or 1), *confidence* the probabilities of the predicted labels [n], not
a number (NaN) for items without an answer.  The *coverage* is the share of all items that are answered, most
confident first; the *risk* is the share of these that are wrong (El-Yaniv and Wiener 2010, JMLR 11:1605;
Geifman and El-Yaniv 2017, NeurIPS 30).  Items of equal confidence are answered in random order, of which the
figures are the expectation.  Items without an answer are the first abstained, and count in the coverage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, nan
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.stretches import stretches
from crossexam.stats.clusters import (
    Clusters,
    cluster_codes,
    clustered_mean,
    design_effect,
    effective_size,
    t_factor,
)
from crossexam.stats.estimate import share_interval
from crossexam.stats.losses import reach_of_errors

_WINDOW: Final = 0.05  # share of the items around a threshold from which the risk at it is estimated


@dataclass(frozen=True)
class RiskCoverage:
    """The risk-coverage curve of *n* items in so many *clusters*: k = 1, 2, ... of them answered [a].

    *risk* is the share of errors among the k items, *sizes* the number of independent items that would have
    its variance.  *area* is that under the curve, with its interval.
    """

    n: int
    clusters: int
    risk: NDArray[np.float64]
    sizes: NDArray[np.float64]
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
        low, high = share_interval(right, float(self.n_eff(slice(k - 1, k), confidence)[0]), confidence)
        return Estimate(right, low, high, k, self.clusters)

    def coverage_at(self, risk: float, confidence: float = 0.95) -> Estimate:
        """Return the largest coverage whose risk is at most *risk*; 0 if there is none.

        *risk* is between 0 and 1.  The bounds are the largest coverages at which the upper and the lower
        bound of the exact interval for the risk, that of a binomial number of the effective size, are at most
        *risk*: of one or two effective items, Wilson's interval excludes what is not improbable.
        """
        from scipy.special import betainc

        tail = (1 - confidence) / 2
        certain, possible = (np.empty(len(self.risk), dtype=np.bool_) for _ in range(2))
        for part in stretches(len(self.risk)):
            size = self.n_eff(part, confidence)
            errors = self.risk[part] * size
            fewer = 1 - betainc(errors + 1, np.maximum(size - errors, 1e-12), risk)  # P(X <= errors)
            more = np.where(errors > 0, betainc(np.maximum(errors, 1e-12), size - errors + 1, risk), 1.0)
            certain[part], possible[part] = fewer <= tail, more > tail
        value = self._largest(self.risk <= risk)
        low, high = self._largest(certain), self._largest(possible)
        return Estimate(value, min(low, value), max(high, value), self.n, self.clusters)

    def n_eff(self, part: slice, confidence: float) -> NDArray[np.float64]:
        """Return the effective sample sizes of a stretch of the risks."""
        factor = t_factor(self.n - 1, self.clusters - 1, confidence) if self.clusters > 1 else 1.0
        return np.maximum(1.0, self.sizes[part] * factor)

    def _largest(self, holds: NDArray[np.bool_]) -> float:
        return float(np.flatnonzero(holds)[-1] + 1) / self.n if holds.any() else 0.0


class _Ordered(NamedTuple):
    """The *a* items with an answer, most confident first.

    *wrong* says which are errors [a], *codes* are their clusters [a].  The items of each confidence begin at
    the places *firsts* [g]; *sums* are the expected errors before each place and at the end [a + 1].
    """

    wrong: NDArray[np.bool_]
    codes: NDArray[np.int64]
    firsts: NDArray[np.int32]
    sums: NDArray[np.float64]


def risk_coverage(wrong: ArrayLike, confidence: ArrayLike, clusters: Clusters = None) -> RiskCoverage:
    """Return the risk-coverage curve, with the variance of every risk, and the area under it.

    The area, ``AURC = 1/a sum_k R_k`` over the *a* items with an answer, is the mean risk (Geifman, Uziel and
    El-Yaniv 2019, ICLR).  All intervals are from the influences of items, which allow for the threshold being
    estimated; that of the area is at 95 % (docs/derivations.md#risk-and-coverage).

    >>> curve = risk_coverage([0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6])
    >>> curve.coverage.tolist(), curve.risk.round(2).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.33, 0.5])
    >>> round(curve.area.value, 3)
    0.208
    """
    mistakes, sure = np.asarray(wrong, dtype=bool), np.asarray(confidence, dtype=np.float64)
    ordered, sizes = _ordered(mistakes, sure, clusters)
    independent = _independent_sizes(ordered, sizes, len(sure))
    risk = ordered.sums[1:]  # in the place of the sums, which are not used again
    for part in stretches(len(risk)):
        risk[part] /= _ranks(part)
    return RiskCoverage(len(sure), len(sizes), risk, independent, _area(ordered, risk))


def _ranks(part: slice) -> NDArray[np.int64]:
    """Return the ranks of the items of a stretch, from 1."""
    return np.arange(part.start + 1, part.stop + 1)


def _ordered(
    wrong: NDArray[np.bool_], confidence: NDArray[np.float64], clusters: Clusters
) -> tuple[_Ordered, NDArray[np.int64]]:
    """Return the items in order, and the number of items in each cluster."""
    codes = cluster_codes(clusters, len(wrong))
    order, firsts = _most_confident_first(confidence)
    errors, codes_in_order = wrong[order], codes[order]
    return _Ordered(errors, codes_in_order, firsts, _expected_sums(errors, firsts)), np.bincount(codes)


def _most_confident_first(confidence: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the order of the items with an answer [a], and the first place of each confidence [g].

    Items of equal confidence stay in their order.  Sorting them afterwards takes half of the time of a stable
    sort.
    """
    order = np.argsort(-confidence)[: int(np.count_nonzero(~np.isnan(confidence)))]  # nan is sorted last
    sure = confidence[order]
    is_first = np.ones(len(sure), dtype=bool)
    np.not_equal(sure[1:], sure[:-1], out=is_first[1:])
    if not is_first.all():
        before = np.cumsum(is_first) * len(confidence)
        order += before
        order.sort()
        order -= before
    return order, np.flatnonzero(is_first).astype(np.int32)


def _of_groups(
    firsts: NDArray[np.int32], a: int, *, backwards: bool = False
) -> Iterator[tuple[slice, slice, NDArray[np.int64]]]:
    """Yield stretches of the *g* confidences of *a* items, with the places and the numbers of their items."""
    every = [*stretches(len(firsts))]
    for groups in reversed(every) if backwards else every:
        stop = int(firsts[groups.stop]) if groups.stop < len(firsts) else a
        yield groups, slice(int(firsts[groups.start]), stop), np.diff(firsts[groups], append=stop)


def _errors_expected(wrong: NDArray[np.bool_], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of errors in each of the groups of so many items: [g]."""
    starts = np.cumsum(sizes) - sizes
    means: NDArray[np.float64] = np.add.reduceat(wrong.astype(np.int64), starts) / sizes
    return means


def _expected_sums(wrong: NDArray[np.bool_], firsts: NDArray[np.int32]) -> NDArray[np.float64]:
    sums = np.zeros(len(wrong) + 1)
    for _, items, sizes in _of_groups(firsts, len(wrong)):
        sums[items.start + 1 : items.stop + 1] = np.repeat(_errors_expected(wrong[items], sizes), sizes)
    return np.cumsum(sums, out=sums)


def _independent_sizes(ordered: _Ordered, cluster_sizes: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return how many independent items would have the variance of each risk: [a]."""
    a, m = len(ordered.wrong), len(cluster_sizes)
    independent = np.ones(a)
    if a == 0 or m < 2:
        return independent
    half = max(1, round(_WINDOW * n / 2))
    mm = float(np.square(cluster_sizes, dtype=np.float64).sum())
    carried = np.zeros((5, 1))
    for part, within, mistakes in _running(ordered.codes, ordered.wrong, m):
        wrong, size = ordered.wrong[part].astype(np.float64), cluster_sizes[ordered.codes[part]]
        added = (
            2 * within + 1,
            2 * wrong * mistakes + wrong,
            wrong * within + mistakes + wrong,
            wrong * size,
            size,
        )
        totals = (
            np.cumsum(added, axis=1, dtype=np.float64) + carried
        )  # whole numbers, so that none is rounded
        nn, ee, en, em, nm = totals
        carried = totals[:, -1:]
        k = _ranks(part)
        risk = ordered.sums[part.start + 1 : part.stop + 1] / k
        at = _local_means(ordered.sums, part, half)  # r
        shift = k / n * (risk - at)
        between = ee - 2 * at * en + at**2 * nn - 2 * shift * (em - at * nm) + shift**2 * mm
        between = m / (m - 1) * np.maximum(between, 0.0)
        alone = np.maximum(k * risk * (1 - risk), 0.0)  # of independent items at a known threshold
        independent[part] = k / design_effect(between, alone, nn / k)
    return independent


def _local_means(sums: NDArray[np.float64], part: slice, half: int) -> NDArray[np.float64]:
    """Return the mean of the values, of which *sums* [a + 1] are those before each, in the neighbourhood.

    It is that of the values at most *half* places away from each place of *part*.
    """
    places = np.arange(part.start, part.stop)
    first, last = np.maximum(places - half, 0), np.minimum(places + half + 1, len(sums) - 1)
    means: NDArray[np.float64] = (sums[last] - sums[first]) / (last - first)
    return means


def _running(
    codes: NDArray[np.int64], wrong: NDArray[np.bool_], m: int
) -> Iterator[tuple[slice, NDArray[np.int64], NDArray[np.int64]]]:
    """Yield stretches of the items with the number of items of the same cluster before each, and of errors.

    There are *m* clusters.
    """
    counts, errors = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)  # so far
    for part in stretches(len(codes)):
        size = part.stop - part.start
        keys = codes[part] * size + np.arange(size)
        keys.sort()  # by cluster, and in each by place
        clusters, places = np.divmod(keys, size)
        firsts = np.flatnonzero(np.diff(clusters, prepend=-1))
        lengths, which = np.diff(firsts, append=size), clusters[firsts]
        mistaken = wrong[part][places]
        before: NDArray[np.int64] = np.cumsum(mistaken) - mistaken
        within, mistakes = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
        within[places] = np.arange(size) + np.repeat(counts[which] - firsts, lengths)
        mistakes[places] = before + np.repeat(errors[which] - before[firsts], lengths)
        yield part, within, mistakes
        counts[which] += lengths
        errors[which] += np.add.reduceat(mistaken.astype(np.int64), firsts)


def _area(ordered: _Ordered, risk: NDArray[np.float64]) -> Estimate:
    """Return the area under the curve of these risks, their mean."""
    if not len(risk):
        return Estimate(nan, 0.0, 1.0, 0, 0)
    area = float(risk.mean())
    pulls, costs = _influences(ordered.wrong, ordered.firsts)
    pulls += area - pulls.mean()
    mean = clustered_mean(pulls, ordered.codes)._replace(value=area)
    wrong = ordered.wrong
    reach = reach_of_errors(
        int(np.count_nonzero(wrong)),
        len(wrong),
        effective_size(wrong - wrong.mean(), ordered.codes).n_eff,
        float(np.square(costs[wrong]).sum()),
        float(np.square(costs).mean()),
    )
    found = mean.interval((0.0, 1.0), reach=reach)
    return found._replace(high=max(found.high, min(1.0, mean.log_high() if area else 0.0)))


def _influences(
    wrong: NDArray[np.bool_], firsts: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the influence of each item on the area under the curve [a], up to a constant, and its weight.

    It is ``weight wrong`` and what the item moves of its own and all lower confidences
    (docs/derivations.md#risk-and-coverage).  The weight [a] is what an error on the item adds to the area.
    """
    a = len(wrong)
    influences, costs = np.empty(a), np.empty(a)
    lower = 0.0  # of all lower confidences
    for groups, items, sizes in _of_groups(firsts, a, backwards=True):
        starts = firsts[groups].astype(np.int64)  # of each confidence
        u, v = starts / a, (starts + sizes) / a
        logs = np.log(np.where(u > 0, u, 1.0))  # of u; the first is not used
        weights = (v - v * np.log(v) - (u - u * logs)) / (v - u)
        errors = _errors_expected(wrong[items], sizes)
        ends = errors * (-np.log(v) - weights)
        begins = errors * (logs + weights)
        moved = ends + begins
        moved[-1] += lower
        below = np.cumsum(moved[::-1])[::-1]  # of this and all lower
        lower = below[0]
        below -= begins  # without its own start
        costs[items] = np.repeat(weights, sizes)
        influences[items] = costs[items] * wrong[items] + np.repeat(below, sizes)
    return influences, costs


class AreaByItem(NamedTuple):
    """The *area* under a risk-coverage curve, and what each item, in the order given, has to do with it.

    *influences* [n] are those on the area, up to a constant; *costs* [n] are what an error on the item adds.
    """

    area: float
    influences: NDArray[np.float64]
    costs: NDArray[np.float64]


def area_by_item(wrong: ArrayLike, confidence: ArrayLike) -> AreaByItem:
    """Return the area under the curve of items that all have an answer, and the influence of each on it.

    >>> found = area_by_item([1, 0, 1, 0], [0.6, 0.8, 0.7, 0.9])
    >>> round(found.area, 3), found.costs.round(2).tolist()
    (0.208, [0.14, 1.0, 0.48, 2.39])
    """
    mistakes, sure = np.asarray(wrong, dtype=bool), np.asarray(confidence, dtype=np.float64)
    order, firsts = _most_confident_first(sure)
    in_order = mistakes[order]
    risks = _expected_sums(in_order, firsts)[1:] / np.arange(1, len(order) + 1)
    found = AreaByItem(float(risks.mean()), np.empty(len(sure)), np.empty(len(sure)))
    found.influences[order], found.costs[order] = _influences(in_order, firsts)
    return found
