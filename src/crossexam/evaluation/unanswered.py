"""Items that a model did not answer: how many, and what the results could be if it had answered them.

Missing answers are neither right nor wrong.  Accuracies, drops and tests are therefore of the items that were
answered (in a paired measure: on both sides), and beside them are bounds, which assume nothing of the missing
answers: the result if they were all wrong, and if they were all right.  Of a drop and of a difference, these
are the combinations that make it least and most.  No other answers give results beyond the bounds (Manski
2003, *Partial Identification of Probability Distributions*, chapter 1).

If more than a share of the items of a test set were not answered, by default
:data:`~crossexam.core.outcome.MAX_UNANSWERED`, only the bounds
are its result: whoever leaves out that many chooses what to be measured on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import Places
from crossexam.core.dataset import Run
from crossexam.core.estimate import Bounds, Estimate
from crossexam.evaluation.scores import Scored, score_run
from crossexam.stats.estimate import OTHER, Coded, by_slice, share_correct
from crossexam.stats.paired import paired_difference
from crossexam.stats.unpaired import difference


def too_many(missing: int, count: int, limit: float) -> bool:
    """Return whether *missing* of *count* are a larger share than *limit*.

    >>> too_many(5, 100, 0.05), too_many(6, 100, 0.05), too_many(0, 0, 0.05)
    (False, True, False)
    """
    return missing > limit * count


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


class Filled(NamedTuple):
    """The scores of a run by test set, with its missing answers taken as *wrong*, and as *right*."""

    wrong: dict[str, Scored]
    right: dict[str, Scored]


def is_answered(run: Run) -> bool:
    """Return whether *run* has an answer for every item."""
    return all(run.answered(name).all() for name in run.datasets)


def filled_scores(run: Run, *, two_labels: bool) -> Filled:
    """Return the scores of *run* with its missing answers taken as wrong, and as right."""
    wrong = score_run(run, two_labels=two_labels, unanswered="wrong")
    if is_answered(run):
        return Filled(wrong, wrong)
    return Filled(wrong, score_run(run, two_labels=two_labels, unanswered="right"))


def unanswered_items(
    run: Run, name: str, filled: Filled, places: Mapping[str, Places], limit: float
) -> Unanswered | None:
    """Return what test set *name* of *run* lacks, and its base; None if both were answered.

    *places* are those of the examples of the bases in *filled*.
    """
    wrong, right = filled.wrong[name], filled.right[name]
    outcomes, entry = run.outcomes_of(name), run.datasets[name].entry
    missing = int((wrong.predicted < 0).sum())
    found = Unanswered(
        counts=outcomes.unanswered(),
        items=len(outcomes.codes),
        labelled=len(wrong.gold),
        missing=missing,
        accuracy=Bounds(_accuracy(wrong), _accuracy(right)),
        only_bounds=too_many(missing, len(wrong.gold), limit),
    )
    if entry.base_set is not None and entry.base_set in places:
        base = filled.wrong[entry.base_set], filled.right[entry.base_set]
        compared = _paired if entry.compares_items else _unpaired
        found = compared(found, base, (wrong, right), places[entry.base_set], limit)
    return found if found.count or found.pairs_missing or found.only_drop_bounds else None


def _accuracy(scored: Scored) -> Estimate:
    return share_correct(scored.correct, scored.units)


_Fillings = tuple[Scored, Scored]  # with missing answers taken as wrong, and as right


def _paired(found: Unanswered, base: _Fillings, here: _Fillings, places: Places, limit: float) -> Unanswered:
    """Return *found* with the bounds of the drop over all pairs, answered or not."""
    at = places.of_bases(here[0].examples)
    kept = at >= 0
    if not kept.any():
        return found
    at, clusters = at[kept], here[0].units[kept]
    worse, better = (each.correct[at] for each in base)
    lower, upper = (each.correct[kept] for each in here)
    missing = int(((base[0].predicted[at] < 0) | (here[0].predicted[kept] < 0)).sum())
    return replace(
        found,
        base_accuracy=Bounds(share_correct(worse, clusters), share_correct(better, clusters)),
        drop=Bounds(paired_difference(worse, upper, clusters), paired_difference(better, lower, clusters)),
        pairs=len(at),
        pairs_missing=missing,
        only_drop_bounds=found.only_bounds or too_many(missing, len(at), limit),
    )


def _unpaired(
    found: Unanswered, base: _Fillings, here: _Fillings, places: Places, limit: float
) -> Unanswered:
    """Return *found* with the bounds of the difference from a base that is not paired with the items."""
    (worse, better), (lower, upper) = base, here
    if not len(worse.gold) or not len(lower.gold):
        return found
    missing = int((worse.predicted < 0).sum())
    least, most = (
        difference(one.correct, other.correct, one.clusters, other.units)
        for one, other in ((worse, upper), (better, lower))
    )
    return replace(
        found,
        base_accuracy=Bounds(_accuracy(worse), _accuracy(better)),
        drop=Bounds(least, most),
        pairs_missing=missing,
        only_drop_bounds=found.only_bounds or too_many(missing, len(worse.gold), limit),
    )


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
class Labelled:
    """The items of a test set with a gold label, answered or not, and the accuracy of parts of them.

    *wrong* and *right* are these items with missing answers taken as wrong and as right.  A part of which
    more than the share *limit* was not answered has bounds as its accuracy.
    """

    wrong: Scored
    right: Scored
    limit: float

    def accuracy(self, kept: NDArray[np.bool_]) -> Estimate:
        """Return the accuracy of the items that are *kept* [n]."""
        clusters, lower = self.wrong.units, self.wrong.correct
        answered = kept & (self.wrong.predicted >= 0)
        known = share_correct(lower[answered], clusters[answered])
        count = int(kept.sum())
        if not too_many(count - known.n, count, self.limit):
            return known
        return Bounds(
            share_correct(lower[kept], clusters[kept]),
            share_correct(self.right.correct[kept], clusters[kept]),
        )

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
        clusters = (self.wrong.clusters if are_pairs else self.wrong.units)[items]
        lower = by_slice(self.wrong.correct[items], values, clusters, minimum=minimum, most=most)
        if self.right is self.wrong:
            return lower
        upper = by_slice(self.right.correct[items], values, clusters, minimum=minimum, most=most)
        named = [None if name is None else str(name) for name in values.names]
        shown = np.array([name if name is None or name in lower else OTHER for name in named], dtype=object)
        answered = self.wrong.predicted[items] >= 0
        kept = shown[values.codes[answered]]
        known = by_slice(self.wrong.correct[items][answered], kept, clusters[answered])
        return {
            value: known[value]
            if value in known and not too_many(least.n - known[value].n, least.n, self.limit)
            else Bounds(least, upper[value])
            for value, least in lower.items()
        }


def labelled_items(run: Run, limit: float, *, two_labels: bool) -> dict[str, Labelled]:
    """Return the items of every test set of *run* that have a gold label; *limit* is that of Labelled."""
    filled = filled_scores(run, two_labels=two_labels)
    return {name: Labelled(each, filled.right[name], limit) for name, each in filled.wrong.items()}
