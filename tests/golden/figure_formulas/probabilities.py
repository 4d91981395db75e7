"""What probabilities are worth: calibration, losses and selective prediction, by their formulas.

The formulas are those of docs/probabilities.md and of ``calibration``, ``deviations``, ``losses``,
``selective`` and ``paired_probabilities`` of the package, none of which is imported: what is expected is
summed over all outcomes, influences are derivatives, and draws are a million instead of 20,000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, exp, hypot, inf, isfinite, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from figure_formulas.answers import Answers
from figure_formulas.intervals import (
    Array,
    Figure,
    Limits,
    Named,
    Number,
    covariance,
    effective,
    exact,
    freedom,
    kept_share,
    mean,
    quantile,
    scaled,
    share,
    sums_of,
    widened,
)
from scipy.optimize import brentq
from scipy.stats import binom, norm

BINS = 15
BATCH, BATCHES = 20_000, 50  # a report draws one batch
BLOCK = 32  # numbers that are drawn together


class Losses(NamedTuple):
    """What answers cost: as observed, if they were right, and how much more is expected if not."""

    observed: Array
    if_right: Array
    price: Array

    @property
    def paid(self) -> Array:
        return self.observed - self.if_right


def item_losses(a: Answers) -> dict[str, Losses]:
    gold, predicted = ([a.labels.index(label) for label in each] for each in (a.gold, a.predicted))
    places, labels = np.arange(len(a.gold)), np.eye(len(a.labels))
    with np.errstate(divide="ignore"):
        costs = {
            "brier": ((a.shares[:, None] - labels) ** 2).sum(axis=2),  # [n, k]: if label k is gold
            "log_loss": -np.log(a.shares),
        }
    others = np.where(labels[predicted] > 0, 0.0, a.shares)
    found = {}
    for name, cost in costs.items():
        expected = (others * np.where(others > 0, cost, 0.0)).sum(axis=1) / others.sum(axis=1)
        right = cost[places, predicted]
        found[name] = Losses(cost[places, gold], right, expected - right)
    return found


def reach(
    wrong: Array,
    paid: Array,
    price: Array,
    clusters: Array,
    confidence: float = 0.95,
    limits: Limits = widened,
) -> tuple[float, float]:
    """How far below and above its value the mean cost of errors may lie."""
    p = float(wrong.mean())
    low, high = limits(p, effective(wrong, [clusters], None, confidence)[0], confidence)
    finite = price[np.isfinite(price)]
    squares = float((paid[wrong & np.isfinite(paid)] ** 2).sum()) + float((finite**2).mean())
    cost = sqrt(squares / (wrong.sum() + 1))
    return cost * (p - low), cost * (high - p)


def mean_loss(losses: Losses, clusters: Array, most: float) -> Number:
    found = mean(losses.observed, clusters, (0.0, most))
    if not isfinite(found.value):
        return found
    wrong, certain = losses.paid > 0, mean(losses.if_right, clusters)
    below, above = reach(wrong, losses.paid, losses.price, clusters)
    half = certain.high - certain.value
    low, high = max(0.0, found.value - hypot(below, half)), min(most, found.value + hypot(above, half))
    return found._replace(low=min(found.low, low), high=max(found.high, high))


def by_width(stated: Array) -> Array:
    bins: Array = np.maximum(0, np.ceil(np.round(stated * BINS, 9)) - 1)
    return bins


def by_mass(stated: Array) -> Array:
    """Bins that end with the items at the places n/15, 2n/15 ...; equal probabilities are in one bin."""
    ordered, n = np.sort(stated), len(stated)
    ends = sorted({ordered[max(0, k * n // BINS - 1)] for k in range(1, BINS)})
    return np.searchsorted(ends, stated)


class Bins(NamedTuple):
    """What each item adds to the deviation of bins [n, b], and their items, events and stated means [b]."""

    added: Array
    counts: Array
    events: Array
    stated: Array
    deff: Array

    @property
    def values(self) -> Array:
        values: Array = self.added.mean(axis=0)
        return values


def bins_of(stated: Array, happened: Array, bins: Array, clusters: Array) -> Bins:
    """The bins that have items, of the columns of *stated* [n, k] together."""
    off, k = happened - stated, stated.shape[1]
    deff = max(effective(column, [clusters])[1] for column in off.T)  # the largest of the labels
    found = []
    for label in range(k):
        for number in np.unique(bins[:, label]):
            inside = bins[:, label] == number
            events, mean_stated = happened[inside, label].sum(), stated[inside, label].mean()
            found.append((off[:, label] * inside / k, inside.sum(), events, mean_stated, deff))
    added, *numbers = (np.array(each) for each in zip(*found, strict=True))
    return Bins(added.T, *numbers)


@cache
def normal_numbers(block: int) -> Array:
    return np.random.default_rng(1 + block).standard_normal((BATCH * BATCHES, BLOCK), np.float32)


class Reach(NamedTuple):
    """How far chance may have moved the deviations of bins."""

    values: Array
    below: Array
    above: Array
    r: Array
    certain: Array

    @classmethod
    def of(cls, bins: Bins, clusters: Array, labels: int = 1) -> Reach:
        n, values = len(clusters), bins.values
        joint = covariance(bins.added, clusters)
        spread, df = np.sqrt(np.diag(joint)), freedom(clusters)
        rates, weights = bins.events / bins.counts, bins.counts / (n * labels)
        sizes = bins.counts / bins.deff * kept_share(n, df)
        ends = np.array([widened(p, size) for p, size in zip(rates, sizes, strict=True)])
        below = np.maximum(quantile(df, 0.95) * spread, weights * (rates - ends[:, 0]))
        above = np.maximum(quantile(df, 0.95) * spread, weights * (ends[:, 1] - rates))
        r = scaled(joint)
        np.fill_diagonal(r, 1.0)
        inwards = np.where(values > 0, below, above) / norm.ppf(0.975)
        return cls(values, below, above, r, np.abs(values) > 4 * inwards)

    def outwards(self) -> float:
        sign = np.where(self.values < 0, -1.0, 1.0)
        outer, inner = np.where(sign > 0, (self.above, self.below), (self.below, self.above))
        x = sign * np.maximum(outer, inner - 2 * np.abs(self.values))
        return sqrt(max(0.0, float(x @ self.r @ x)))

    def exceeded(self, signs: Array, enough: float) -> tuple[float, float]:
        """The quantile of what chance adds, and its error in a batch; of one batch if that is *enough*."""
        values, vectors = np.linalg.eigh(self.r)
        roots = (vectors * np.sqrt(np.maximum(values, 0.0))).T.astype(np.float32)
        quantiles: list[float] = []
        for start in range(0, BATCH * BATCHES, BATCH):
            e = np.zeros((BATCH, len(roots)), np.float32)
            for block, first in enumerate(range(0, len(roots), BLOCK)):
                some = roots[first : first + BLOCK]
                e += normal_numbers(block)[start : start + BATCH, : len(some)] @ some
            e *= np.where(e > 0, self.below, self.above).astype(np.float32) / np.float32(norm.ppf(0.975))
            chance = np.where(signs == 0, np.abs(e), signs * e).sum(axis=1)
            quantiles.append(float(np.quantile(chance, 0.975)))
            if quantiles[0] > 1.2 * enough:
                return quantiles[0], 0.0
        return float(np.mean(quantiles)), float(np.std(quantiles, ddof=1))


def drawn(value: float, by: tuple[float, float], sign: int, bound: float) -> tuple[float, float]:
    """The bound of an interval by draws, and how far that of a report may be from it: 4 standard errors."""
    end = value + sign * by[0]
    return (bound, 0.0) if sign * (end - bound) >= 0 and not by[1] else (end, 4 * by[1])


def calibration_error(stated: Array, happened: Array, bins: Array, clusters: Array) -> tuple[Figure, float]:
    """The error, its interval and what is expected if calibrated, the mean deviation of binomial numbers."""
    stated, happened, bins = (each.reshape(len(clusters), -1) for each in (stated, happened, bins))
    found, (n, k) = bins_of(stated, happened, bins, clusters), stated.shape
    expected = 0.0
    for count, p in zip(found.counts, found.stated, strict=True):
        numbers = np.arange(count + 1)
        expected += float(binom.pmf(numbers, count, p) @ np.abs(numbers - count * p)) / (n * k)
    value, far = float(np.abs(found.values).sum()), Reach.of(found, clusters, k)
    chance = far.exceeded(np.where(far.certain, np.sign(found.values), 0.0), value)
    low, tolerance = drawn(value, chance, -1, 0.0)
    high = min(1.0, value + far.outwards())
    return {"value": value, "low": max(0.0, low), "high": high, "n": n, "low_within": tolerance}, expected


def is_gold(a: Answers) -> Array:
    return np.array([[label == gold for label in a.labels] for gold in a.gold]).astype(float)


def calibration(a: Answers) -> Iterator[Named]:
    kept = a.at(a.answered & (a.mass >= 0.5))
    sure, right, premise = kept.top, kept.right.astype(float), kept.premise
    errors = {
        "ece": (sure, right, by_width(sure)),
        "ece_equal_mass": (sure, right, by_mass(sure)),
        "classwise_ece": (kept.shares, is_gold(kept), by_width(kept.shares)),
    }
    for name, given in errors.items():
        error, expected = calibration_error(*given, premise)
        yield name, error
        yield f"{name}_if_calibrated", expected
    losses = item_losses(kept)
    yield "brier", mean_loss(losses["brier"], premise, 2.0)
    yield "log_loss", mean_loss(losses["log_loss"], premise, inf)
    yield "confidence", float(sure.mean())
    yield "calibration_unanswered", a.missing
    yield "calibration_low_mass", int((a.answered & (a.mass < 0.5)).sum())
    yield "calibration_impossible", int(np.isinf(losses["log_loss"].observed).sum())
    yield from reliability(kept)


def reliability(kept: Answers) -> Iterator[Named]:
    """The points of the diagram: accuracy by bin, and confidence with the ends for a calibrated model."""
    bins = by_width(kept.top)
    for number in np.unique(bins):
        inside = kept.at(bins == number)
        n, confidence = len(inside.gold), float(inside.top.mean())
        low, high = binom.ppf([0.025, 0.975], n, confidence) / n
        key = f"|confidence={confidence:.4f}"
        yield f"reliability{key}", share(inside.right, [inside.premise])
        yield f"reliability_if_calibrated{key}", {"value": confidence, "low": low, "high": high, "n": n}


def risks(
    wrong: Array, sure: Array, premise: Array, order: Sequence[int], confidence: float = 0.95
) -> tuple[Array, list[float]]:
    """The risk of the first items of *order*, 1, 2 and so on, and the effective sizes behind the risks.

    The sizes take items of equal confidence in their order, which the package does not state.
    """
    n, every = len(wrong), np.unique(premise)
    likely = np.array([wrong[sure == sure[item]].mean() for item in order])
    risk = np.cumsum(likely) / np.arange(1, len(order) + 1)
    half, size = max(1, round(0.05 * n / 2)), []
    for k in range(1, len(order) + 1):
        at = likely[max(0, k - 1 - half) : k + half].mean()
        chosen = np.isin(np.arange(n), order[:k])
        influence = chosen * (wrong - at) - k / n * (risk[k - 1] - at)
        between = len(every) / (len(every) - 1) * float((sums_of(influence, premise, every) ** 2).sum())
        worst = float((sums_of(chosen, premise, every).astype(float) ** 2).sum()) / k
        deff = max(1.0, (between + worst**2 / 4) / (k * risk[k - 1] * (1 - risk[k - 1]) + worst / 4))
        size.append(max(1.0, k / deff * kept_share(n, len(every) - 1, confidence)))
    return risk, size


def selective(a: Answers) -> Iterator[Named]:
    """The risk at each coverage, the most confident first; equal confidence in random order, on average."""
    n, wrong, sure, premise = len(a.gold), ~a.right, a.top, a.premise
    order = sorted(np.flatnonzero(a.answered), key=lambda item: (-sure[item], item))
    risk, size = risks(wrong, sure, premise, order)
    yield "selective_risk|", share(wrong[a.answered], [premise[a.answered]])
    yield "selective_unanswered|", a.missing
    for percent in range(5, 101, 5):
        first = round(percent / 100 * n)
        if 0 < first <= len(order):
            yield f"selective_risk|coverage={percent / 100:.2f}", float(risk[first - 1])
    yield "selective_aurc|", area(wrong[order], sure[order], premise[order], float(risk.mean()))
    k = ceil(0.8 * n - 1e-9)
    number = Number(nan, 0.0, 1.0, 0)
    if k <= len(order):
        number = Number(1 - risk[k - 1], *widened(1 - risk[k - 1], size[k - 1]), k)
    yield "selective_accuracy|coverage=0.8", number
    below, above = np.array([exact(p, n_p, 0.025) for p, n_p in zip(risk, size, strict=True)]).T
    holds = (risk <= 0.05, above <= 0.05, below < 0.05)
    value, low, high = (max(np.flatnonzero(each) + 1, default=0) / n for each in holds)
    yield "selective_coverage|risk=0.05", Number(value, min(low, value), max(high, value), n)


def likely_risks(wrong: Array, sure: Array) -> float:
    """The mean risk over all coverages, items of equal confidence in random order."""
    likely = np.array([wrong[sure == p].mean() for p in sorted(sure, reverse=True)])
    return float((np.cumsum(likely) / np.arange(1, len(sure) + 1)).mean())


def area_by_item(wrong: Array, sure: Array) -> tuple[Array, Array]:
    """The influence of each item on the area, its derivative by the weight, and what an error on it adds."""
    n, levels = len(wrong), sorted(set(sure), reverse=True)

    def parts(weights: Array) -> list[tuple[Any, Any]]:
        """The errors at each confidence, and the mean of -ln over the coverages that its items take."""
        found, end = [], 0.0
        for p in levels:
            begin, end = end, end + weights[sure == p].sum()
            whole = (end - end * np.log(end)) - (begin - begin * np.log(begin) if begin else 0.0)
            found.append((weights[(sure == p) & wrong].sum(), whole / (end - begin)))
        return found

    steps = np.full(n, 1 / n) + 1e-30j * np.eye(n)
    pulls = np.array([sum(error * weight for error, weight in parts(row)).imag for row in steps]) / 1e-30
    prices = [price for _, price in parts(np.full(n, 1 / n))]
    return pulls, np.array([float(prices[levels.index(p)]) for p in sure])


def area(wrong: Array, sure: Array, premise: Array, value: float) -> Number:
    """The area under a risk-coverage curve."""
    pulls, price = area_by_item(wrong, sure)
    found = mean(pulls - pulls.mean() + value, premise, (0.0, 1.0))
    fewer, more = reach(wrong, price, price, premise)
    skewed = value * exp((found.high - value) / value) if value else 0.0
    low, high = min(found.low, value - fewer), max(found.high, value + more, skewed)
    return Number(value, max(0.0, low), min(1.0, high), len(wrong))


def compared_probabilities(a: Answers, b: Answers) -> Iterator[Named]:
    """The differences of two models in what their probabilities are worth."""
    answered = a.answered & b.answered
    kept = answered & (a.mass >= 0.5) & (b.mass >= 0.5)
    yield "probabilities_n|", int(kept.sum())
    yield "probabilities_unanswered|", int((~answered).sum())
    yield "probabilities_low_mass|", int((answered & ~kept).sum())
    a, b = a.at(kept), b.at(kept)
    both = item_losses(a), item_losses(b)
    for side, losses in zip("ab", both, strict=True):
        yield f"log_loss_impossible_{side}|", int(np.isinf(losses["log_loss"].observed).sum())
    for name, most in (("brier", 2.0), ("log_loss", inf)):
        yield from compared_losses(name, both[0][name], both[1][name], a.premise, most)
    columns = (
        [(each.top[:, None], each.right.astype(float)[:, None]) for each in (a, b)],
        [(each.shares, is_gold(each)) for each in (a, b)],
    )
    for name, models in zip(("ece", "classwise_ece"), columns, strict=True):
        yield from compared_errors(name, models, a.premise)
    yield from compared_areas(a, b)


def compared_losses(name: str, a: Losses, b: Losses, premise: Array, most: float) -> Iterator[Named]:
    of_a, of_b = float(a.observed.mean()), float(b.observed.mean())
    yield f"{name}_a|", of_a
    yield f"{name}_b|", of_b
    if not isfinite(of_a) or not isfinite(of_b):
        yield f"{name}_difference|", nan if of_a == of_b else of_a - of_b
        return
    value = of_a - of_b
    alone = (a.paid > 0) & ~(b.paid > 0), (b.paid > 0) & ~(a.paid > 0)

    def at(confidence: float, limits: Limits) -> tuple[float, float]:
        of_all = mean(a.observed - b.observed, premise, confidence=confidence).high - value
        certain = mean(a.if_right - b.if_right, premise, confidence=confidence)
        half, reaches = certain.high - certain.value, []
        for errors, each in zip(alone, (a, b), strict=True):
            reaches.append(reach(errors, each.paid, each.price, premise, confidence, limits))
        (fewer_a, more_a), (fewer_b, more_b) = reaches
        low = value - max(of_all, hypot(half, fewer_a, more_b))
        return max(-most, low), min(most, value + max(of_all, hypot(half, more_a, fewer_b)))

    def beyond(tail: float) -> float:
        low, high = at(1 - 2 * tail, lambda p, n, level: exact(p, n, (1 - level) / 2))
        return low if value > 0 else -high

    low, high = at(0.95, widened)
    yield f"{name}_difference|", {"value": value, "low": low, "high": high}
    is_none = beyond(0.4999) < 0
    yield f"{name}_p_value|", 1.0 if is_none else min(1.0, 2 * brentq(beyond, 1e-12, 0.4999, xtol=1e-14))


def compared_errors(name: str, models: Sequence[tuple[Array, Array]], premise: Array) -> Iterator[Named]:
    """The difference of two calibration errors, the bins of both models together."""
    labels = models[0][0].shape[1]
    bins = [bins_of(stated, happened, by_width(stated), premise) for stated, happened in models]
    first, second = (float(np.abs(each.values).sum()) for each in bins)
    joint = Bins(
        np.hstack([each.added for each in bins]),
        *(np.concatenate(each) for each in list(zip(*bins, strict=True))[1:]),
    )
    far, signs = Reach.of(joint, premise, labels), np.sign(joint.values)
    of_first = np.arange(len(signs)) < len(bins[0].counts)
    free = np.where(far.certain, signs, 0.0)
    above = far.exceeded(np.where(of_first, free, -signs), inf)
    below = far.exceeded(np.where(of_first, -signs, free), inf)
    yield f"{name}_a|", first
    yield f"{name}_b|", second
    low, low_within = drawn(first - second, above, -1, -1.0)
    high, high_within = drawn(first - second, below, 1, 1.0)
    within = {"low_within": low_within, "high_within": high_within}
    yield (
        f"{name}_difference|",
        {"value": first - second, **within, "low": max(-1.0, low), "high": min(1.0, high)},
    )


def compared_areas(a: Answers, b: Answers) -> Iterator[Named]:
    """The difference of the areas under two risk-coverage curves of the same items."""
    first, second = (likely_risks(~each.right, each.top) for each in (a, b))
    value, pulls, reaches = first - second, [], []
    for each, other in ((a, b), (b, a)):
        alone = other.right & ~each.right
        pull, price = area_by_item(~each.right, each.top)
        pulls.append(pull)
        reaches.append(reach(alone, price, price, a.premise))
    (fewer_a, more_a), (fewer_b, more_b) = reaches
    difference = pulls[0] - pulls[1]
    found = mean(difference - difference.mean() + value, a.premise)
    half = found.high - found.value
    yield "aurc_a|", first
    yield "aurc_b|", second
    low = max(-1.0, value - max(half, hypot(fewer_a, more_b)))
    high = min(1.0, value + max(half, hypot(more_a, fewer_b)))
    yield "aurc_difference|", {"value": value, "low": low, "high": high}
