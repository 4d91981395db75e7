"""Several models on the same items: ranks, means over test sets, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from math import sqrt
from typing import Final

import numpy as np

from crossexam.stats.agreement import cohen_kappa
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import ALPHA
from crossexam.stats.ranks import differences_of_means, holm_matrix, pairwise_tests, ranks
from nominal.designs import MANY, SOME, Cell, Clusters, Codes, Flags, equal, holds, single, zipf


def ranked() -> Iterator[Cell]:
    """Yield the cells of the ranks of models, and of their means over test sets."""
    for name, truth in TRUTHS.items():
        for design in (equal(180, 1 / 3), equal(900, 1 / 3), zipf(1000, 100, 1 / 3)):
            named = f"{design.name[: design.name.rindex(',')]}, {name}"
            for over in ("test set", "mean of 2 sets"):
                hit = partial(_ranks, d=design, truth=truth, over=over)
                yield Cell("coverage", f"all ranks, {over}", named, hit)
    for share in (0.8, 0.95, 0.99):
        for n in (30, 300):
            hit = partial(_mean, n=n, p=share)
            yield Cell("coverage", f"mean of 3 sets (ranks), {share:.0%}", f"{n} items each, by 3", hit)
    for first, second in ((0.8, 0.75), (0.97, 0.95)):
        for design in (equal(30, 0.3), equal(300, 0.3), zipf(1000, 100, 0.5)):
            hit = partial(_mean_difference, d=design, p=first, q=second)
            name = f"{first:.0%} less {second:.0%}, {design.name} each"
            yield Cell("coverage", "difference of means of 3 sets", name, hit)
    for share in (0.8, 0.97):
        for design in (equal(30, 0.3), equal(300, 0.3), zipf(1000, 100, 0.5)):
            hit = partial(_mean_level, d=design, p=share)
            yield Cell("level", "difference of means of 3 sets, p", f"{share:.0%}, {design.name} each", hit)


#: The accuracies of models that are ranked.
TRUTHS: Final = {
    "8 equal": (0.8,) * 8,
    "8 near": tuple(0.7 + 0.01 * k for k in range(8)),
    "two groups of 4": (0.9,) * 4 + (0.6,) * 4,
    "rare errors": (0.995,) * 4 + (0.98,) * 4,
}


def answered(rng: np.random.Generator, d: Clusters, truth: tuple[float, ...]) -> Flags:
    """Return which items [n, m] models of accuracies *truth* get right, dependent over models.

    A model is right if a normal number is below its quantile: of its variance, a share is that of the
    cluster, and a third of the rest that of the item, which all models have in common.
    """
    from scipy.special import ndtri

    shared = sqrt(1 / 3) * d.normal(rng)
    own = sqrt(2 / 3) * np.stack([d.normal(rng) for _ in truth], axis=1)
    return np.asarray(shared[:, None] + own < ndtri(np.array(truth)), dtype=np.bool_)


def _ranks(rng: np.random.Generator, d: Clusters, truth: tuple[float, ...], over: str) -> bool:
    """Return whether all ranks are held; of models of equal accuracy, every order."""
    correct, accuracies = answered(rng, d, truth), np.array(truth)
    if over == "test set":
        values, found = correct.mean(axis=0), pairwise_tests(correct, d.codes)
    else:
        again = answered(rng, d, truth)
        means, found = differences_of_means([(correct, d.codes), (again, d.codes + len(d.sizes))])
        values = np.array([mean.value for mean in means])
    intervals = ranks(values, holm_matrix(found, len(truth)) <= ALPHA)
    least = 1 + (accuracies[None, :] > accuracies[:, None]).sum(axis=1)
    most = len(truth) - (accuracies[None, :] < accuracies[:, None]).sum(axis=1)
    return bool((intervals.low <= least).all() and (intervals.high >= most).all())


def _mean(rng: np.random.Generator, n: int, p: float) -> bool:
    design = equal(n, 0.3)
    sets = [np.stack(design.events(rng, p, p), axis=1) for _ in range(3)]
    return holds(differences_of_means([(each, design.codes) for each in sets]).means[0], p)


def _sets(rng: np.random.Generator, d: Clusters, p: float, q: float) -> list[tuple[Flags, Codes]]:
    """Return three test sets made from the same premises, with the answers of two models."""
    events = d.events(rng, p, q, p, q, p, q)
    return [(np.stack(events[k : k + 2], axis=1), d.codes) for k in (0, 2, 4)]


def _mean_difference(rng: np.random.Generator, d: Clusters, p: float, q: float) -> bool:
    return holds(differences_of_means(_sets(rng, d, p, q)).tests[0, 1].difference, p - q)


def _mean_level(rng: np.random.Generator, d: Clusters, p: float) -> bool:
    return differences_of_means(_sets(rng, d, p, p)).tests[0, 1].p_value <= ALPHA


# ---- agreement of models


def agreement() -> Iterator[Cell]:
    """Yield the cells of what models answer in the same way, and of what only one of them gets right."""
    for apart in (0.02, 0.3):
        for n in (50, 100, 300, 1500):
            hit = partial(_kappa, n=n, apart=apart)
            yield Cell("coverage", "kappa of models", f"{apart:.0%} apart, {n:,} items", hit)
        for design in (equal(150, 0.5), equal(900, 0.3), zipf(1000, 100, 0.5)):
            hit = partial(_kappa_of_clusters, d=design, apart=apart)
            yield Cell("coverage", "kappa of models", f"{apart:.0%} apart, {design.name}", hit)
    for share in (0.8, 0.97):
        for design in SOME:
            for number in _OF_THREE:
                hit = partial(_of_three, d=design, p=share, number=number)
                yield Cell("coverage", number, f"{share:.0%} right, {design.name}", hit)


def _kappa(rng: np.random.Generator, n: int, apart: float) -> bool:
    one = rng.integers(0, 3, n)
    other = np.where(rng.random(n) < apart, (one + rng.integers(1, 3, n)) % 3, one)
    return holds(cohen_kappa(one, other), 1 - apart * 3 / 2)


def _predicted(rng: np.random.Generator, d: Clusters, shares: tuple[float, ...]) -> Codes:
    """Return a label per item, with these *shares*, alike in a cluster."""
    from scipy.special import ndtr

    found: Codes = np.searchsorted(np.cumsum(shares)[:-1], ndtr(d.normal(rng)))
    return found


def _kappa_of_clusters(rng: np.random.Generator, d: Clusters, apart: float) -> bool:
    """Compare models that predict three labels unequally often; the second draws anew where they differ."""
    shares = (0.5, 0.3, 0.2)
    one = _predicted(rng, d, shares)
    (differ,) = d.events(rng, apart)
    other = np.where(differ, rng.choice(3, d.n, p=shares), one)
    return holds(cohen_kappa(one, other, d.codes), 1 - apart)


_OF_THREE: Final = ("same errors", "only one right", "only one wrong")


def _shares_of_three(rng: np.random.Generator, d: Clusters, p: float) -> dict[str, tuple[Flags, Flags]]:
    """Return by number which items count, and of which of these it is true, for three models."""
    right = answered(rng, d, (p,) * 3)
    errors = d.normal(rng)[:, None] + d.normal(rng)[:, None] * np.array([1, 0, 0])  # below 0: one wrong label
    same = (errors[:, 0] < 0) == (errors[:, 1] < 0)
    every = np.ones(d.n, dtype=np.bool_)
    return {
        "same errors": (~right[:, 0] & ~right[:, 1], same),
        "only one right": (every, right[:, 0] & ~right[:, 1] & ~right[:, 2]),
        "only one wrong": (every, ~right[:, 0] & right[:, 1] & right[:, 2]),
    }


@cache
def _true_share(p: float, number: str) -> float:
    kept, true = _shares_of_three(np.random.default_rng(1), single(MANY), p)[number]
    return float(true[kept].mean())


def _of_three(rng: np.random.Generator, d: Clusters, p: float, number: str) -> bool:
    kept, true = _shares_of_three(rng, d, p)[number]
    return holds(share_correct(true[kept], d.codes[kept]), _true_share(p, number))
