"""The order of several models on each test set and over them, with simultaneous intervals of their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crossexam.core.estimate import Estimate
from crossexam.evaluation.several.together import ScoredTogether, counted_in_mean
from crossexam.stats.estimate import share_correct
from crossexam.stats.ranks import (
    PairedTest,
    differences_of_means,
    groups_not_apart,
    holm_matrix,
    pairwise_tests,
    ranks,
)


@dataclass(frozen=True)
class RankedModel:
    """A model, by its number among the runs, with its *accuracy* and *rank*, from 1 for the best.

    All ranks of a ranking are together within *low* to *high* with a probability of 1 - alpha.  *groups* are
    the numbers of the groups of models, no two of which are apart, that it is in.
    """

    model: int
    accuracy: Estimate
    rank: int
    low: int
    high: int
    groups: tuple[int, ...]


@dataclass(frozen=True)
class ModelPair:
    """The paired *difference* of two models, and its p-values: alone, and by Holm over all pairs."""

    difference: Estimate
    p_value: float
    p_holm: float
    significant: bool


@dataclass(frozen=True)
class Ranking:
    """The models of a test set, the best first, or over several *test_sets*: then *name* is None.

    All is of the *n* items that these models answered, of *labelled* with a gold label.  *pairs* has the
    difference of every two models, by their numbers, the first minus the second.  *left_out* are models that
    left too many items unanswered.
    """

    name: str | None
    test_sets: tuple[str, ...]
    models: tuple[RankedModel, ...]
    pairs: Mapping[tuple[int, int], ModelPair]
    n: int
    labelled: int
    left_out: tuple[int, ...] = ()

    def pair(self, one: int, other: int) -> ModelPair:
        """Return the difference of two models, the first minus the second."""
        if (one, other) in self.pairs:
            return self.pairs[one, other]
        found = self.pairs[other, one]
        value, low, high, n, clusters = found.difference
        turned = Estimate(-value, -high, -low, n, clusters)
        return ModelPair(turned, found.p_value, found.p_holm, found.significant)

    @property
    def groups(self) -> int:
        """The number of groups of models no two of which are apart."""
        return 1 + max(group for model in self.models for group in model.groups)


def rankings(scored: Sequence[ScoredTogether], models: int, alpha: float) -> tuple[Ranking, ...]:
    """Return the ranking over all test sets that count in the mean, if there are several; then that of each.

    *models* is the number of models in the report.  Two models are apart if the p-value of their difference,
    corrected by Holm over all pairs of the ranking, those with models that were left out included, is at most
    *alpha*.
    """
    counted = counted_in_mean(scored, models)
    whole = [_over(counted, alpha)] if len(counted) > 1 else []
    return (*whole, *(_of(each, alpha) for each in scored))


def _of(scored: ScoredTogether, alpha: float) -> Ranking:
    accuracies = [share_correct(column, scored.units) for column in scored.correct.T]
    tests = pairwise_tests(scored.correct, scored.units)
    return _ranked(scored.name, [scored], scored.models, accuracies, tests, alpha)


def _over(scored: Sequence[ScoredTogether], alpha: float) -> Ranking:
    means, tests = differences_of_means([(each.correct, each.units) for each in scored])
    return _ranked(None, scored, scored[0].models, means, tests, alpha)


def _ranked(
    name: str | None,
    scored: Sequence[ScoredTogether],
    models: Sequence[int],
    accuracies: Sequence[Estimate],
    tests: dict[tuple[int, int], PairedTest],
    alpha: float,
) -> Ranking:
    left_out = scored[0].left_out if name is not None else ()
    corrected = holm_matrix(tests, len(models), len(left_out))
    apart = corrected <= alpha  # never on the diagonal, which is nan
    values = [round(accuracy.value, 12) for accuracy in accuracies]  # equal means are equal
    found = ranks(values, apart)
    order = sorted(range(len(models)), key=lambda place: (-values[place], place))
    groups = groups_not_apart(apart[np.ix_(order, order)])
    return Ranking(
        name,
        tuple(each.name for each in scored),
        tuple(
            RankedModel(
                models[place],
                accuracies[place],
                int(found.observed[place]),
                int(found.low[place]),
                int(found.high[place]),
                tuple(number for number, group in enumerate(groups) if position in group),
            )
            for position, place in enumerate(order)
        ),
        {
            (models[one], models[other]): ModelPair(
                test.difference,
                test.p_value,
                float(corrected[one, other]),
                bool(apart[one, other]),
            )
            for (one, other), test in tests.items()
        },
        sum(each.n for each in scored),
        sum(each.labelled for each in scored),
        left_out,
    )
