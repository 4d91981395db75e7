"""Items that a model did not answer: how many, and what the results could be if it had answered them.

What missing answers do to a statistic is in :mod:`crossexam.evaluation.quantities`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.estimate import Bounds, Estimate
from crossexam.evaluation.quantities import Quantity, share_of, too_many
from crossexam.evaluation.scores import Scored, ScoredRun
from crossexam.stats.estimate import OTHER, Coded, by_slice


@dataclass(frozen=True)
class Unanswered:
    """The items of a test set that a model did not answer.

    *counts* are their numbers by status among *items*.  Of the *labelled* items, those with a gold label,
    *missing* were not answered; *accuracy* has the bounds of the accuracy on all of them.  *base_accuracy*
    and *drop* have the bounds of what is compared with the base, if anything is; of *pairs* pairs,
    *pairs_missing* lack an answer on either side.  With *only_bounds*, so many items are missing that the
    bounds of the accuracy are the result; with *only_drop_bounds*, those of the drop.
    """

    counts: Mapping[str, int]
    items: int
    labelled: int
    missing: int
    accuracy: Bounds
    base_accuracy: Bounds | None = None
    drop: Bounds | None = None
    pairs: int = 0
    pairs_missing: int = 0
    only_bounds: bool = False
    only_drop_bounds: bool = False

    @property
    def count(self) -> int:
        """The number of items without an answer."""
        return sum(self.counts.values())

    @property
    def share(self) -> float:
        """The share of the items with a gold label that have no answer; of all items if none has a label."""
        return self.missing / self.labelled if self.labelled else self.count / self.items


def unanswered_items(
    scored: ScoredRun, name: str, accuracy: Quantity, drop: Quantity | None
) -> Unanswered | None:
    """Return what test set *name* of a run lacks, and its base; None if both were answered.

    These are its *accuracy*, and its *drop* if there is a base to compare with.
    """
    outcomes = scored.run.outcomes_of(name)
    if outcomes.answered.all() and (drop is None or not drop.missing):
        return None
    found = Unanswered(
        counts=outcomes.unanswered(),
        items=len(outcomes.codes),
        labelled=accuracy.n,
        missing=accuracy.missing,
        accuracy=accuracy.bounds(),
        only_bounds=accuracy.only_bounds,
        **({} if drop is None or not drop.n else _of_base(scored, name, accuracy, drop)),
    )
    return found if found.count or found.pairs_missing or found.only_drop_bounds else None


def _of_base(scored: ScoredRun, name: str, accuracy: Quantity, drop: Quantity) -> dict[str, Any]:
    """Return what is missing of the base of test set *name*."""
    base, is_paired = scored.base_of(name), scored.compares_items(name)
    assert base is not None
    before = scored.before_and_after(name, base)[0] if is_paired else scored.scores[base].right
    missing = drop.missing if is_paired else int((~before.answered).sum())
    return {
        "base_accuracy": share_of(before, scored.limit).bounds(),
        "drop": drop.bounds(),
        "pairs": drop.n if is_paired else 0,
        "pairs_missing": missing,
        "only_drop_bounds": accuracy.only_bounds or drop.only_bounds,
    }


def answered_part(run_a: Run, run_b: Run, max_unanswered: float) -> tuple[Run, Run]:
    """Return two runs over the same items without the test sets of which one of them, or both, left too many.

    That is more than the share *max_unanswered* of the items with a gold label.
    """
    shared = [name for name in run_a.datasets if name in run_b.datasets]
    kept = [
        name
        for name in shared
        if run_a.datasets[name].entry.has_accuracy and _is_answered(name, run_a, run_b, max_unanswered)
    ]
    return run_a.restricted_to(kept), run_b.restricted_to(kept)


def _is_answered(name: str, run_a: Run, run_b: Run, limit: float) -> bool:
    labelled = run_a.datasets[name].labels() >= 0
    missing = labelled & ~(run_a.answered(name) & run_b.answered(name))
    return not too_many(int(missing.sum()), int(labelled.sum()), limit)


@dataclass(frozen=True)
class PartAccuracies:
    """Accuracies of parts of the *scored* items of a test set, answered or not.

    A part of which more than the share *limit* was not answered has bounds as its accuracy.
    """

    scored: Scored
    limit: float

    def accuracy(self, kept: NDArray[np.bool_]) -> Estimate:
        """Return the accuracy of the items that are *kept* [n]."""
        return share_of(self.scored.right.at(kept), self.limit).value()

    def by(
        self,
        items: NDArray[np.int64] | slice,
        values: Coded,
        *,
        minimum: int = 1,
        most: int | None = None,
        are_pairs: bool = False,
    ) -> dict[str, Estimate]:
        """Return the accuracy of *items* by value, as :func:`~crossexam.stats.estimate.by_slice` does.

        If the *values* are word pairs, these are fixed, and clusters are premises alone.
        """
        found = self.scored.right
        clusters = (self.scored.clusters if are_pairs else self.scored.units)[items]
        lower = by_slice(found.least[items], values, clusters, minimum=minimum, most=most)
        answered = found.answered[items]
        if answered.all():
            return lower
        upper = by_slice(found.most[items], values, clusters, minimum=minimum, most=most)
        named = [None if name is None else str(name) for name in values.names]
        shown = np.array([name if name is None or name in lower else OTHER for name in named], dtype=object)
        known = by_slice(found.least[items][answered], shown[values.codes[answered]], clusters[answered])
        return {
            value: known[value]
            if value in known and not too_many(least.n - known[value].n, least.n, self.limit)
            else Bounds(least, upper[value])
            for value, least in lower.items()
        }
