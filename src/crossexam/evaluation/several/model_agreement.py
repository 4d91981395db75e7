"""How far several models agree item by item, and what only one of them gets right or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

import numpy as np

from crossexam.core.estimate import Estimate
from crossexam.evaluation.several.together import ScoredTogether
from crossexam.stats.agreement import cohen_kappa
from crossexam.stats.estimate import share_correct


@dataclass(frozen=True)
class PairAgreement:
    """The agreement of two models, by their numbers among the runs, on a test set.

    *same* is the share of items with the same prediction, *kappa* Cohen's kappa of the predictions, and
    *same_errors* the share of the items both get wrong for which both predict the same label.
    """

    test_set: str
    first: int
    second: int
    same: Estimate
    kappa: Estimate
    same_errors: Estimate


@dataclass(frozen=True)
class OnlyOne:
    """The items of a test set that one of all its models alone gets *right*, and that it alone gets *wrong*.

    Counts are *only_right* and *only_wrong* of the *n* items that all of the models answered.
    """

    test_set: str
    model: int
    n: int
    only_right: int
    only_wrong: int
    right: Estimate
    wrong: Estimate


def pair_agreements(scored: Sequence[ScoredTogether]) -> tuple[PairAgreement, ...]:
    """Return the agreement of every two models on each test set."""
    return tuple(
        _agreement(each, one, other)
        for each in scored
        for one, other in combinations(range(len(each.models)), 2)
    )


def _agreement(scored: ScoredTogether, one: int, other: int) -> PairAgreement:
    first, second = scored.predicted[:, one], scored.predicted[:, other]
    both_wrong = ~scored.correct[:, one] & ~scored.correct[:, other]
    same = first == second
    return PairAgreement(
        scored.name,
        scored.models[one],
        scored.models[other],
        share_correct(same, scored.clusters),
        cohen_kappa(first, second, scored.clusters),
        share_correct(same[both_wrong], scored.clusters[both_wrong]),
    )


def mean_agreement(
    agreements: Sequence[PairAgreement], one: int, other: int, statistic: str, test_sets: Sequence[str]
) -> float:
    """Return the mean of a *statistic* of two models over *test_sets*; nan if it is undefined on all."""
    found = [
        float(getattr(each, statistic).value)
        for each in agreements
        if {each.first, each.second} == {one, other} and each.test_set in test_sets
    ]
    defined = [value for value in found if not isnan(value)]
    return sum(defined) / len(defined) if defined else nan


def only_one_right(scored: Sequence[ScoredTogether]) -> tuple[OnlyOne, ...]:
    """Return for each test set and model the items that it alone gets right, and that it alone gets wrong."""
    return tuple(found for each in scored for found in _only(each))


def _only(scored: ScoredTogether) -> list[OnlyOne]:
    right = scored.correct.sum(axis=1)
    found = []
    for place, model in enumerate(scored.models):
        correct = scored.correct[:, place]
        alone, failed = correct & (right == 1), ~correct & (right == len(scored.models) - 1)
        found.append(
            OnlyOne(
                scored.name,
                model,
                scored.n,
                int(np.count_nonzero(alone)),
                int(np.count_nonzero(failed)),
                share_correct(alone, scored.clusters),
                share_correct(failed, scored.clusters),
            )
        )
    return found
