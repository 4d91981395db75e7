"""Annotators and judges: how far they agree, and how often they are right; prompt templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final

import numpy as np

from crossexam.core.estimate import Estimate
from crossexam.stats.agreement import cohen_kappa, fleiss_kappa, human_accuracy, krippendorff_alpha, votes_of
from crossexam.stats.sensitivity import accuracy_spread, normalized_entropies, sensitivity
from nominal.designs import MANY, Cell, Clusters, Codes, equal, holds, single, zipf

_DESIGNS: Final = (
    single(20),
    single(50),
    single(200),
    equal(150, 0.5),
    equal(900, 0.3),
    zipf(1000, 100, 0.5),
)


def annotators() -> Iterator[Cell]:
    """Yield the cells of the agreement of annotators, and of their accuracy."""
    for apart in (0.01, 0.05, 0.3):
        for design in _DESIGNS:
            for number in _AGREEMENT:
                hit = partial(_agree, d=design, apart=apart, number=number)
                yield Cell("coverage", number, f"{apart:.0%} otherwise, {design.name}", hit)
    for apart in (0.01, 0.1, 0.3):
        for design in _DESIGNS:
            for number in ("human accuracy, one label", "human accuracy, expected"):
                hit = partial(_human, d=design, apart=apart, number=number)
                yield Cell("coverage", number, f"{apart:.0%} otherwise, {design.name}", hit)


def _cohen(ratings: Codes, codes: Codes) -> Estimate:
    return cohen_kappa(ratings[:, 0], ratings[:, 1], codes)


def _fleiss(ratings: Codes, codes: Codes) -> Estimate:
    return fleiss_kappa(votes_of(ratings, 3), codes)


def _alpha(ratings: Codes, codes: Codes) -> Estimate:
    """Leave a label of every third item away."""
    kept = ratings.copy()
    kept[::3, 2] = -1
    return krippendorff_alpha(votes_of(kept, 3), codes)


_AGREEMENT: Final[dict[str, Callable[[Codes, Codes], Estimate]]] = {
    "Cohen's kappa": _cohen,
    "Fleiss' kappa": _fleiss,
    "Krippendorff's alpha": _alpha,
}


def _ratings(rng: np.random.Generator, d: Clusters, apart: float, annotators: int) -> tuple[Codes, Codes]:
    """Return the labels [n, annotators] and that of the item [n], from which one differs with *apart*.

    How hard an item is varies by cluster: all annotators differ there more often.
    """
    from scipy.special import ndtr

    label = np.searchsorted([0.5, 0.8], ndtr(d.normal(rng)))
    differ = np.stack(d.events(rng, *[apart] * annotators), axis=1)
    return np.where(differ, (label[:, None] + rng.integers(1, 3, differ.shape)) % 3, label[:, None]), label


@cache
def _true_agreement(icc: float, apart: float, number: str) -> float:
    """Return the agreement in the population."""
    many = _population(icc)
    ratings, _ = _ratings(np.random.default_rng(1), many, apart, 3)
    one, other = ratings[:, 0], ratings[:, 1]
    if number == "Cohen's kappa":
        shares = [np.bincount(each, minlength=3) / many.n for each in (one, other)]
        chance = float(shares[0] @ shares[1])
        return (float((one == other).mean()) - chance) / (1 - chance)
    shares_of_all = np.bincount(ratings.ravel(), minlength=3) / ratings.size
    chance = float(shares_of_all @ shares_of_all)
    same = np.mean([(ratings[:, a] == ratings[:, b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))])
    return float((same - chance) / (1 - chance))


def _population(icc: float) -> Clusters:
    """Return very many single items, which vary as much as clusters of this intraclass correlation do."""
    return Clusters("many", (1,) * MANY, icc)


def _agree(rng: np.random.Generator, d: Clusters, apart: float, number: str) -> bool:
    ratings, _ = _ratings(rng, d, apart, 2 if number == "Cohen's kappa" else 3)
    found = _AGREEMENT[number](ratings, d.codes)
    return bool(np.isnan(found.value)) or holds(found, _true_agreement(d.icc, apart, number))


def _expectation(rng: np.random.Generator, d: Clusters, apart: float) -> tuple[Codes, Codes]:
    """Return the votes [n, 3] of five annotators, and the label of most of them [n]."""
    ratings, _ = _ratings(rng, d, apart, 5)
    votes = votes_of(ratings, 3)
    return votes, votes.argmax(axis=1)


@cache
def _true_human(icc: float, apart: float) -> float:
    votes, gold = _expectation(np.random.default_rng(1), _population(icc), apart)
    return float(votes[np.arange(len(gold)), gold].mean() / 5)


def _human(rng: np.random.Generator, d: Clusters, apart: float, number: str) -> bool:
    votes, gold = _expectation(rng, d, apart)
    found = human_accuracy(votes, gold, d.codes, seed=int(rng.integers(2**31)))
    return holds(found.expected if number.endswith("expected") else found.drawn, _true_human(d.icc, apart))


# ---- prompt templates


def templates() -> Iterator[Cell]:
    """Yield the cells of the spread of accuracies over templates, and of the sensitivity to them."""
    for shares in ((0.8,) * 3, (0.8, 0.78, 0.76, 0.74, 0.72), (0.97, 0.95)):
        spread = f"{len(shares)} templates, {shares[-1]:.0%} to {shares[0]:.0%}"
        for design in (single(50), single(300), equal(150, 0.5), equal(900, 0.3)):
            hit = partial(_spread, d=design, shares=shares)
            yield Cell("coverage", "spread over templates", f"{spread}, {design.name}", hit)
    for apart in (0.005, 0.05, 0.3):
        for design in _DESIGNS:
            hit = partial(_sensitivity, d=design, apart=apart)
            yield Cell("coverage", "sensitivity to templates", f"{apart:.1%} otherwise, {design.name}", hit)


def _spread(rng: np.random.Generator, d: Clusters, shares: tuple[float, ...]) -> bool:
    return holds(accuracy_spread(np.stack(d.events(rng, *shares)), d.codes), shares[0] - shares[-1])


@cache
def _true_sensitivity(icc: float, apart: float) -> float:
    ratings, _ = _ratings(np.random.default_rng(1), _population(icc), apart, 3)
    return float(normalized_entropies(ratings.T, 3).mean())


def _sensitivity(rng: np.random.Generator, d: Clusters, apart: float) -> bool:
    ratings, _ = _ratings(rng, d, apart, 3)
    return holds(sensitivity(ratings.T, 3, d.codes), _true_sensitivity(d.icc, apart))
