"""Several models on the same items: what each predicted for the items that all of them answered.

A model that leaves many items unanswered would take these items from all.  As long as more than the limit of
the items of a test set (:mod:`crossexam.evaluation.unanswered`) lack an answer from some model, the one that
left the most is therefore left out of the test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run
from crossexam.evaluation.quantities import too_many
from crossexam.evaluation.scores import Scored, numbered_clusters, score_run
from crossexam.evaluation.verified import is_proposed


@dataclass(frozen=True)
class ScoredTogether:
    """The items of a test set with a gold label that m *models* answered, as columns.

    *models* are their numbers among the runs, in order; *left_out* those that left too many items unanswered.
    *correct* and *predicted* [n, m] are by item and model, and *units* those that are independent
    (:attr:`~crossexam.evaluation.scores.Scored.units`), numbered together for all test sets; of two labels,
    what is not entailment has one number in *predicted*.  Of *labelled* items with a gold label,
    those that some of the models did not answer are not here.
    """

    name: str
    models: tuple[int, ...]
    correct: NDArray[np.bool_]
    predicted: NDArray[np.int8]
    units: NDArray[np.int32]
    labelled: int
    left_out: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.correct)

    @property
    def clusters(self) -> NDArray[np.int32]:
        """The numbers of the clusters [n]."""
        return self.units if self.units.ndim == 1 else self.units[:, 0]

    def of(self, models: Sequence[int]) -> NDArray[np.bool_]:
        """Return which items are correct for *models*, numbers among the runs: [n, number of models]."""
        correct: NDArray[np.bool_] = self.correct[:, [self.models.index(model) for model in models]]
        return correct


def score_together(
    runs: Sequence[Run], test_sets: Mapping[str, Dataset], max_unanswered: float
) -> tuple[ScoredTogether, ...]:
    """Return what *runs* predicted on each of *test_sets*; without those of fewer than two models or no item.

    *test_sets* are all that the runs have, each the same items in every run that has it.  If one of the
    models has two labels, all are scored on two.  At most the share *max_unanswered* of the items lacks an
    answer.
    """
    clusters = numbered_clusters(Run("", test_sets, {}))
    two_labels = any(run.two_labels for run in runs)
    keys: dict[str, int] = {}
    scored = [score_run(run, two_labels=two_labels, clusters=clusters, keys=keys) for run in runs]
    found = []
    for name in test_sets:
        here = {number: each[name] for number, each in enumerate(scored) if name in each}
        models, left_out = _answering(here, max_unanswered)
        if len(models) > 1:
            found.append(_together(name, {model: here[model] for model in models}, left_out, two_labels))
    return tuple(each for each in found if each.n)


def _answering(scored: Mapping[int, Scored], limit: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the models that together leave at most the share *limit* unanswered, and those left out."""
    missing = {model: ~each.answered for model, each in scored.items()}
    left_out = []
    while missing:
        without = np.any(list(missing.values()), axis=0)
        if not too_many(int(without.sum()), len(without), limit):
            break
        most = max(missing, key=lambda model: int(missing[model].sum()))
        del missing[most]
        left_out.append(most)
    return tuple(missing), tuple(sorted(left_out))


def _together(
    name: str, scored: Mapping[int, Scored], left_out: tuple[int, ...], two_labels: bool
) -> ScoredTogether:
    each = list(scored.values())
    kept = np.all([one.answered for one in each], axis=0)
    return ScoredTogether(
        name,
        tuple(scored),
        np.stack([one.correct[kept] for one in each], axis=1),
        np.stack([one.classes(one.predicted, two_labels=two_labels)[kept] for one in each], axis=1),
        each[0].units[kept],
        len(kept),
        left_out,
    )


def counted_in_mean(scored: Sequence[ScoredTogether], models: int) -> tuple[ScoredTogether, ...]:
    """Return the test sets that count in the mean over test sets: those in which none of *models* is missing.

    Test sets whose labels are only proposed count if there are no others.
    """
    whole = [each for each in scored if len(each.models) == models]
    sure = [each for each in whole if not is_proposed(each.name)]
    return tuple(sure or whole)
