"""Shares of items: accuracies, flips, labels, violations of rules, bounds; means of shares; asking again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Final

import numpy as np

from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.labels import LABELS
from crossexam.evaluation.repeat import Noise, noise_floor
from crossexam.evaluation.verified import shares_of_labels
from crossexam.stats.balanced_accuracy import balanced_accuracy, balanced_influences
from crossexam.stats.combined import difference_of, mean_of, ratio_less_one
from crossexam.stats.estimate import by_slice, share_correct
from crossexam.stats.roc_auc import roc_auc, roc_influences
from nominal.designs import (
    DESIGNS,
    OF_SLICES,
    SOME,
    Cell,
    Clusters,
    Codes,
    equal,
    holds,
    single,
    zipf,
)


def accuracies() -> Iterator[Cell]:
    """Yield the cells of accuracies, of whole test sets and of slices."""
    for share in (0.5, 0.8, 0.95, 0.99):
        for design in DESIGNS:
            yield Cell(
                "coverage", f"accuracy {share:.0%}", design.name, partial(_accuracy, d=design, p=share)
            )
    for share in (0.5, 0.8, 0.95):
        for design in OF_SLICES:
            hit = partial(_slice, d=design, p=share)
            yield Cell("coverage", "accuracy of a slice", f"{share:.0%}, {design.name}", hit)
    for share in (0.02, 0.2):
        for design in SOME:
            hit = partial(_flips, d=design, p=share)
            yield Cell("coverage", "flip rate", f"{share:.0%}, {design.name}", hit)
    for share in (0.01, 0.1, 0.34):
        for design in SOME:
            hit = partial(_label, d=design, p=share)
            yield Cell("coverage", "share of a label", f"{share:.0%}, {design.name}", hit)
    for share in (0.8, 0.95):
        for design in SOME:
            hit = partial(_bounds, d=design, p=share)
            yield Cell("coverage", "accuracy, bounds", f"{share:.0%}, {design.name}", hit)


def _accuracy(rng: np.random.Generator, d: Clusters, p: float) -> bool:
    (right,) = d.events(rng, p)
    return holds(share_correct(right, d.codes), p)


def _slice(rng: np.random.Generator, d: Clusters, p: float) -> bool:
    """Divide items, of which a tenth is in another slice that is right less often."""
    (right, rest) = d.events(rng, p, p / 2)
    others = (len(right) + 8) // 9
    found = by_slice(
        np.concatenate([right, rest[:others]]),
        ["this"] * len(right) + ["other"] * others,
        np.concatenate([d.codes, d.codes[:others]]),
    )
    return holds(found["this"], p)


def _flips(rng: np.random.Generator, d: Clusters, p: float) -> bool:
    (changed,) = d.events(rng, p)
    before = rng.integers(0, 3, len(changed))
    return holds(share_correct(before != (before + changed) % 3, d.codes), p)


def _label(rng: np.random.Generator, d: Clusters, p: float) -> bool:
    """Judge items, the answers about one of which are a cluster."""
    (given,) = d.events(rng, p)
    answers = [(LABELS[1 - int(each)], int(code)) for each, code in zip(given, d.codes, strict=True)]
    return holds(shares_of_labels(LABELS, answers)[LABELS[0]], p)


def _bounds(rng: np.random.Generator, d: Clusters, p: float) -> bool:
    """Leave a tenth of the right answers away, so that the accuracy is at its upper bound."""
    right, missing = d.events(rng, p, 0.1)
    least, most = right & ~missing, right
    return holds(Bounds(*(share_correct(each, d.codes) for each in (least, most))), p)


# ---- shares of some of the items


def parts() -> Iterator[Cell]:
    """Yield the cells of shares among the items that fulfil a condition."""
    for condition, share in ((0.4, 0.02), (0.4, 0.2), (0.1, 0.5)):
        for design in SOME:
            hit = partial(_conditional, d=design, c=condition, v=share)
            name = f"{share:.0%} of the {condition:.0%} of {design.name}"
            yield Cell("coverage", "violations of a rule, of condition", name, hit)
    for shares in ((0.34, 0.33, 0.33), (0.5, 0.3, 0.2)):
        for n in (10, 50, 300):
            hit = partial(_most_frequent, n=n, shares=shares)
            yield Cell("coverage", "share of the most frequent label", f"{shares[0]:.0%}, {n} items", hit)


@cache
def _share_given(icc: float, condition: float, event: float) -> float:
    """Return how many of the items with a condition have an event, which is as frequent given the cluster."""
    easy = (np.arange(100_000) + 0.5) / 100_000
    of = Clusters("", (), icc)
    has = of.chances(easy, condition)
    return float((has * of.chances(easy, event)).mean() / has.mean())


def _conditional(rng: np.random.Generator, d: Clusters, c: float, v: float) -> bool:
    has, violated = d.events(rng, c, v)
    return holds(share_correct(violated[has], d.codes[has]), _share_given(d.icc, c, v))


def _most_frequent(rng: np.random.Generator, n: int, shares: tuple[float, ...]) -> bool:
    gold = rng.choice(3, n, p=shares)
    return holds(share_correct(gold == np.bincount(gold).argmax()), shares[0])


# ---- means


def means() -> Iterator[Cell]:
    """Yield the cells of means of shares, over labels and over corpora."""
    for share in (0.8, 0.97, 0.99):
        for design in (single(150), equal(300, 0.3), equal(900, 0.5)):
            for gold, name in _GOLD.items():
                hit = partial(_balanced, d=design, p=share, gold=gold)
                yield Cell("coverage", "balanced accuracy", f"{share:.0%}, {design.name}{name}", hit)
    for share in (0.8, 0.95, 0.99):
        for n in (30, 300):
            hit = partial(_mean, n=n, p=share)
            yield Cell("coverage", f"mean of 3 sets, {share:.0%}", f"{n} items each", hit)
    for design in (equal(150, 0.5), equal(900, 0.3), zipf(1000, 100, 0.5)):
        for what in _OF_CLAIMS:
            hit = partial(_same_documents, d=design, what=what)
            yield Cell("coverage", f"{what}, mean of 3 sets about the same documents", design.name, hit)
    for share, reference in ((0.6, 0.9), (0.9, 0.97), (0.97, 0.99)):
        for n in (100, 1000):
            of = f"3 corpora {share:.0%}, SNLI {reference:.0%}, {n} items each"
            for what in ("difference", "relative difference"):
                hit = partial(_from_reference, n=n, p=share, q=reference, what=what)
                yield Cell("coverage", f"{what} from SNLI", of, hit)


#: How often labels are gold, and what is added to the name of the design.
_GOLD: Final = {(1, 1, 1): "", (8, 3, 1): ", labels 8 : 3 : 1"}


def labels_of(n: int, shares: tuple[int, ...]) -> Codes:
    """Return the gold labels of *n* items, in turn with these shares."""
    return np.resize(np.repeat(np.arange(len(shares)), shares), n)


def _balanced(rng: np.random.Generator, d: Clusters, p: float, gold: tuple[int, ...]) -> bool:
    (right,) = d.events(rng, p)
    return holds(balanced_accuracy(right, labels_of(len(right), gold), d.codes), p)


def _mean(rng: np.random.Generator, n: int, p: float) -> bool:
    return holds(_mean_of_corpora(rng, n, p), p)


def _mean_of_corpora(rng: np.random.Generator, n: int, p: float) -> Estimate:
    right = [rng.random(n) < p for _ in range(3)]
    values = [each.astype(np.float64) for each in right]
    return mean_of([share_correct(each) for each in right], values, [None] * 3, (0.0, 1.0))


#: By how much supported claims score above the others, in standard deviations of either.
_APART: Final = 1.2
#: The figures of fact checking whose mean over data sets is simulated.
_OF_CLAIMS: Final = ("balanced accuracy", "ROC AUC", "missed support")


def _same_documents(rng: np.random.Generator, d: Clusters, what: str) -> bool:
    """Draw three sets of claims, half of them supported; a document is as hard in each of them."""
    common = np.sqrt(d.icc) * rng.standard_normal(len(d.sizes))[d.codes]
    parts, values, clusters = [], [], []
    for _ in range(3):
        supported = rng.random(d.n) < 0.5
        margin = _APART / 2 + common + np.sqrt(1 - d.icc) * rng.standard_normal(d.n)
        scores, right, codes = np.where(supported, margin, -margin), margin > 0, d.codes
        if what == "ROC AUC":
            parts.append(roc_auc(scores, supported, codes))
            values.append(roc_influences(scores, supported))
        elif what == "balanced accuracy":
            parts.append(balanced_accuracy(right, supported, codes))
            values.append(balanced_influences(right, supported))
        else:
            codes = codes[supported]
            parts.append(share_correct(~right[supported], codes))
            values.append(1.0 - right[supported])
        clusters.append(codes)
    return holds(mean_of(parts, values, clusters, (0.0, 1.0)), _of_claims(what))


def _of_claims(what: str) -> float:
    from scipy.special import ndtr

    if what == "ROC AUC":
        return float(ndtr(_APART / np.sqrt(2)))
    return float(ndtr(_APART / 2 if what == "balanced accuracy" else -_APART / 2))


def _from_reference(rng: np.random.Generator, n: int, p: float, q: float, what: str) -> bool:
    mean = _mean_of_corpora(rng, n, p)
    reference = share_correct(rng.random(n) < q)
    if what == "difference":
        return holds(difference_of(mean, reference), p - q)
    return holds(ratio_less_one(mean, reference), p / q - 1)


# ---- asking again


def again() -> Iterator[Cell]:
    """Yield the cells of changed answers: their share, and how often they change a drop by more."""
    for share in (0.01, 0.05, 0.2):
        for times in (1, 3):
            hit = partial(_changed, f=share, times=times)
            yield Cell("coverage", "changed answers", f"{share:.0%}, 100 pairs, {times} times", hit)
        for n in (300, 1500):
            hit = partial(_beyond_the_floor, f=share, n=n)
            yield Cell("level", "noise floor exceeded", f"{share:.0%} change, {n:,} pairs", hit)


def _changes(rng: np.random.Generator, f: float, times: int) -> Estimate:
    """Return the share of changed answers of 100 pairs, half of which change twice as often as on average."""
    unsure = np.arange(100) % 2 == 0
    flips = rng.random((times, 100)) < 2 * f * unsure
    return share_correct(flips.ravel(), np.tile(np.arange(100), times))


def _changed(rng: np.random.Generator, f: float, times: int) -> bool:
    return holds(_changes(rng, f, times), f)


def _beyond_the_floor(rng: np.random.Generator, f: float, n: int) -> bool:
    """Ask a model again that is right about half of the items; as many answers turn right as wrong."""
    rate = _changes(rng, f, 1)
    floor = noise_floor(*[(Noise(100, 1, round(100 * rate.value), rate), n)] * 2)
    before, after = (rng.random((2, n)) < f for _ in range(2))  # which of them change, of base and items
    signs = np.where(np.arange(n) % 2 == 0, 1, -1)
    change = abs(int((signs * before[0]).sum()) - int((signs * after[0]).sum())) / n
    return floor is not None and floor > 0 and change > floor
