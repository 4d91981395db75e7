"""Differences of shares, on the same items or not, their tests, and what is detectable."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from crossexam.core.estimate import Bounds
from crossexam.evaluation.candidates import HeadlineChoice
from crossexam.stats.balanced_accuracy import balanced_difference
from crossexam.stats.clusters import effective_size
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import ALPHA, holm
from crossexam.stats.paired import (
    clustered_mcnemar,
    difference_of_drops,
    paired_difference,
    relative_difference,
)
from crossexam.stats.power import minimum_detectable_drop
from crossexam.stats.ranks import differences_of_means
from crossexam.stats.unpaired import difference, difference_of_unpaired_drops
from nominal.designs import (
    DESIGNS,
    SOME,
    Cell,
    Clusters,
    Flags,
    equal,
    holds,
    is_significant,
    single,
    zipf,
)
from nominal.shares import labels_of


def differences() -> Iterator[Cell]:
    """Yield the cells of drops and other differences of accuracies."""
    for before, after in ((0.8, 0.7), (0.95, 0.9), (0.99, 0.98), (0.8, 0.8)):
        for design in DESIGNS:
            hit = partial(_drop, d=design, p=before, q=after)
            yield Cell("coverage", f"drop {before:.0%} to {after:.0%}", design.name, hit)
    for before, after in ((0.8, 0.7), (0.95, 0.6), (0.99, 0.97)):
        for design in (single(300), equal(1500, 0.3), equal(1500, 0.5), zipf(1000, 100, 0.5)):
            hit = partial(_unpaired, d=design, p=before, q=after)
            yield Cell("coverage", f"unpaired drop {before:.0%} to {after:.0%}", design.name, hit)
    for shares in _OF_TWO_DROPS:
        text = "{:.0%} to {:.0%} less {:.0%} to {:.0%}".format(*shares)
        for design in SOME:
            hit = partial(_two_drops, d=design, shares=shares)
            yield Cell("coverage", "difference of two drops", f"{text}, {design.name}", hit)
            hit = partial(_two_unpaired, d=design, shares=shares)
            yield Cell("coverage", "difference of two unpaired drops", f"{text}, {design.name}", hit)
    for first, second in ((0.8, 0.75), (0.97, 0.95), (0.8, 0.8)):
        for design in SOME:
            for gold in ((1, 1, 1), (8, 3, 1)):
                hit = partial(_balanced, d=design, p=first, q=second, gold=gold)
                name = f"{first:.0%} less {second:.0%}, {design.name}, labels {':'.join(map(str, gold))}"
                yield Cell("coverage", "difference in balanced accuracy", name, hit)
    for first, second in ((0.8, 0.75), (0.97, 0.95), (0.6, 0.3)):
        for design in (single(100), equal(300, 0.3), equal(900, 0.5)):
            hit = partial(_relative, d=design, p=first, q=second)
            name = f"{first:.0%} and {second:.0%}, {design.name}"
            yield Cell("coverage", "relative improvement over 3 corpora", name, hit)
            hit = partial(_mean, d=design, p=first, q=second)
            yield Cell("coverage", "mean difference over 3 corpora", name, hit)
    for design in SOME:
        yield Cell("coverage", "drop 80% to 70%, bounds", design.name, partial(_bounds, d=design))
        yield Cell("coverage", "accuracy less majority class", design.name, partial(_majority, d=design))


#: The accuracies of two models, on the base and on the items: of the first, and of the second.
_OF_TWO_DROPS: Final = ((0.85, 0.7, 0.8, 0.75), (0.98, 0.95, 0.97, 0.96), (0.9, 0.5, 0.7, 0.3))


def _drop(rng: np.random.Generator, d: Clusters, p: float, q: float) -> bool:
    return holds(paired_difference(*d.pair(rng, p, q), d.codes), p - q)


def _unpaired(rng: np.random.Generator, d: Clusters, p: float, q: float) -> bool:
    base, items = d.events(rng, p, q)
    half = len(items) // 2
    return holds(difference(base, items[:half], d.codes, d.codes[:half]), p - q)


def _two_drops(rng: np.random.Generator, d: Clusters, shares: tuple[float, ...]) -> bool:
    one, other, third, fourth = d.events(rng, *shares)
    truth = shares[0] - shares[1] - shares[2] + shares[3]
    return holds(difference_of_drops((one, other), (third, fourth), d.codes), truth)


def _two_unpaired(rng: np.random.Generator, d: Clusters, shares: tuple[float, ...]) -> bool:
    one, other, third, fourth = d.events(rng, *shares)
    half, truth = len(one) // 2, shares[0] - shares[1] - shares[2] + shares[3]
    base, stress = (one, third), (other[:half], fourth[:half])
    return holds(difference_of_unpaired_drops(base, stress, d.codes, d.codes[:half]), truth)


def _balanced(rng: np.random.Generator, d: Clusters, p: float, q: float, gold: tuple[int, ...]) -> bool:
    one, other = d.events(rng, p, q)
    return holds(balanced_difference(one, other, labels_of(len(one), gold), d.codes), p - q)


def _relative(rng: np.random.Generator, d: Clusters, p: float, q: float) -> bool:
    pairs = [(*d.pair(rng, p, q), d.codes + k * len(d.sizes)) for k in range(3)]
    return holds(relative_difference(pairs), p / q - 1)


def _mean(rng: np.random.Generator, d: Clusters, p: float, q: float) -> bool:
    sets = [(np.stack(d.pair(rng, p, q), axis=1), d.codes + k * len(d.sizes)) for k in range(3)]
    return holds(differences_of_means(sets).tests[0, 1].difference, p - q)


def _bounds(rng: np.random.Generator, d: Clusters) -> bool:
    """Leave a tenth of the right answers to the items away, so that the drop is at its lower bound."""
    base, right, missing = d.events(rng, 0.8, 0.7, 0.1)
    found = (paired_difference(base, each, d.codes) for each in (right, right & ~missing))
    return holds(Bounds(*found), 0.8 - 0.7)


def _majority(rng: np.random.Generator, d: Clusters) -> bool:
    """Compare with the label that is the most frequent of the sample, of which another is nearly as many."""
    right, first = d.events(rng, 0.8, 0.4)
    gold = np.where(first, 0, 1 + (rng.random(len(right)) < 0.37 / 0.6))
    always = gold == np.bincount(gold).argmax()
    return holds(paired_difference(right, always, d.codes), 0.8 - 0.4)


# ---- tests


def tests() -> Iterator[Cell]:
    """Yield the cells of tests of drops, and of the drops that they detect."""
    for design in DESIGNS:
        yield Cell("level", "McNemar's test by cluster", design.name, partial(_level, d=design))
        yield Cell("level", "McNemar's test, mid-p", design.name, partial(_level_mid, d=design))
    for design in (single(300), equal(900, 0.3), zipf(1000, 100, 0.5)):
        yield Cell("level", "p (Holm), any of 10 test sets", design.name, partial(_family, d=design))
    for m, share, size, chance in _UNEVEN:
        hit = partial(_uneven, m=m, q=share, size=size, chance=chance)
        design_name = f"{m} clusters, {share:.0%} of {size}, {chance:.0%} of them won"
        yield Cell("level", "McNemar, large clusters favour one", design_name, hit)
    for design in (single(300), single(1500), equal(900, 0.3)):
        yield Cell("power", "minimum detectable drop", design.name, partial(_power, d=design))


_UNEVEN: Final = (
    (300, 0.05, 20, 0.5),
    (300, 0.05, 20, 0.25),
    (100, 0.05, 20, 0.5),
    (100, 0.05, 20, 0.25),
    (1000, 0.01, 50, 0.5),
    (1000, 0.01, 50, 0.25),
)


def _level(rng: np.random.Generator, d: Clusters) -> bool:
    return is_significant(clustered_mcnemar(*d.pair(rng, 0.8, 0.8), d.codes).p_exact)


def _level_mid(rng: np.random.Generator, d: Clusters) -> bool:
    return is_significant(clustered_mcnemar(*d.pair(rng, 0.8, 0.8), d.codes).p_mid)


def _family(rng: np.random.Generator, d: Clusters) -> bool:
    base, *sets = d.events(rng, *[0.8] * 11)
    p_values = [clustered_mcnemar(base, each, d.codes).p_exact for each in sets]
    return bool((holm(p_values) <= 0.05).any())


def _uneven(rng: np.random.Generator, m: int, q: float, size: int, chance: float) -> bool:
    large = np.arange(m) < max(1, round(m * q))
    sizes = np.where(large, size, 1)
    codes = np.repeat(np.arange(m), sizes)
    won = rng.random(m) < chance  # large clusters that the first alone gets right, whole
    lost = chance * size * large.sum() / (m - large.sum())  # small ones that make up for it
    first = np.where(large, won, rng.random(m) >= lost)
    second = np.where(large, False, True)
    return is_significant(clustered_mcnemar(first[codes], second[codes], codes).p_exact)


def _power(rng: np.random.Generator, d: Clusters) -> bool:
    before, after = d.events(rng, 0.8, 0.8)
    drops = before.astype(np.float64) - after
    size = effective_size(drops - drops.mean(), d.codes).n_eff
    loss = minimum_detectable_drop(size, float(np.abs(drops).mean()))
    before, after = d.events(rng, 0.8 + loss / 2, 0.8 - loss / 2)
    return is_significant(clustered_mcnemar(before, after, d.codes).p_exact)


# ---- the headline


def headlines() -> Iterator[Cell]:
    """Yield the cells of the drop that a headline chooses, and of what it claims."""
    for drop in (0.0, 0.02, 0.1):
        for models, sets, design in ((1, 10, single(300)), (1, 10, equal(900, 0.3)), (5, 10, single(300))):
            name = f"{models * sets} drops of {drop:.0%}, {design.name}"
            hit = partial(_largest, d=design, count=models * sets, drop=drop)
            yield Cell("coverage", "headline, largest drop", name, hit)
    for rules, share in ((9, 0.02), (9, 0.2), (45, 0.02)):
        for design in (single(300), equal(900, 0.3)):
            name = f"{rules} rules violated by {share:.0%}, {design.name}"
            hit = partial(_most_violated, d=design, rules=rules, share=share)
            yield Cell("coverage", "headline, most violated rule", name, hit)
    for count, design in (
        (10, single(300)),
        (10, equal(900, 0.3)),
        (50, single(300)),
        (50, zipf(1000, 100, 0.5)),
    ):
        for of_unpaired in (0, count // 2):
            name = f"{count} drops, {of_unpaired} of them unpaired, {design.name}"
            hit = partial(_claims, d=design, count=count, of_unpaired=of_unpaired)
            yield Cell("level", "headline claims a drop", name, hit)


def _drawn(rng: np.random.Generator, d: Clusters, count: int, drop: float) -> tuple[Flags, list[Flags]]:
    """Return which items of a base are right, and of *count* test sets that lose so much."""
    base, *sets = d.events(rng, 0.85, *[0.85 - drop] * count)
    return base, sets


def _largest(rng: np.random.Generator, d: Clusters, count: int, drop: float) -> bool:
    base, sets = _drawn(rng, d, count, drop)
    at = max(sets, key=lambda each: int(base.sum()) - int(each.sum()))
    choice = HeadlineChoice(count)
    return holds(choice.candidate(partial(paired_difference, base, at, d.codes)).loss, drop)


def _most_violated(rng: np.random.Generator, d: Clusters, rules: int, share: float) -> bool:
    worst = max(d.events(rng, *[share] * rules), key=lambda violated: int(violated.sum()))
    return holds(share_correct(worst, d.codes, 1 - ALPHA / rules), share)


def _claims(rng: np.random.Generator, d: Clusters, count: int, of_unpaired: int) -> bool:
    base, sets = _drawn(rng, d, count, 0.0)
    choice, half = HeadlineChoice(count), len(base) // 2
    for place, each in enumerate(sets):
        if place < of_unpaired:
            at = partial(difference, base, each[:half], d.codes, d.codes[:half])
            candidate = choice.candidate(at)
        else:
            p_value = clustered_mcnemar(base, each, d.codes).p_exact
            candidate = choice.candidate(partial(paired_difference, base, each, d.codes), p_value)
        if candidate.is_significant:
            return True
    return False
