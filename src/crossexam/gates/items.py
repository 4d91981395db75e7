"""What is true of each item of a test set, such as that the model got it right: what measures count.

It is also how the items behind the value of a check are found (:class:`Sought`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import Places
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import GOLD_INDEX, THREE_LABELS
from crossexam.evaluation.calibration import low_mass_items
from crossexam.evaluation.consistency import ConsistencyRule, Violations, consistency_of
from crossexam.evaluation.shares import Shares, shares_of
from crossexam.evaluation.unanswered import Filled, filled_scores

_Flags = NDArray[np.bool_]


class Items(NamedTuple):
    """What is true of each item of a test set [n], such as that the model got it right.

    *least* and *most* take the missing answers so that it is true of as few and of as many as possible;
    *answered* says which are not missing.  *by* are the arrays [n] that an estimate also needs, the last of
    which are the clusters.
    """

    least: _Flags
    most: _Flags
    answered: _Flags
    by: tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class ScoredRun:
    """A run as rules see it, scored on *two_labels* or on all; *probabilities* is a run that has these.

    If more than the share *limit* of the items of a test set is missing, only bounds are known.
    """

    run: Run
    two_labels: bool
    limit: float
    probabilities: Run | None = None

    @cached_property
    def scores(self) -> Filled:
        """The scores of all items with a gold label by test set, missing answers being wrong, and right."""
        return filled_scores(self.run, two_labels=self.two_labels)

    @cached_property
    def violations(self) -> dict[tuple[str, str], Violations]:
        """The violations of consistency rules, by the names of the rule and the test set."""
        found = consistency_of(self.run, max_unanswered=self.limit, two_labels=self.two_labels)
        return {(each.rule.name, each.test_set): each for each in found.values()}

    @cached_property
    def _places(self) -> dict[str, Places]:
        return {}

    def base_of(self, name: str) -> str | None:
        """Return the base of test set *name*, if it has one; raises CrossexamError if the run lacks it."""
        base = self.run.datasets[name].entry.base_set
        if base is not None and base not in self.run.datasets:
            raise CrossexamError(
                f"the run lacks '{base}', with which the items are compared",
                where=f"test set {name}",
                wanted="a run over the test set and its base",
            )
        return base

    def pairs(self, name: str, base: str) -> tuple[NDArray[np.int64], _Flags]:
        """Return the places of the base items, and which items of test set *name* have one [n]."""
        scored = self.scores.wrong
        if base not in self._places:
            self._places[base] = Places(scored[base].examples)
        at = self._places[base].of_bases(scored[name].examples)
        return at[at >= 0], at >= 0


class Sought(NamedTuple):
    """Of which items something *is_true*, which is called *words*, to find those behind a value.

    *rows* are their places in the test set, ascending; *known* says of which it is known; all arrays are [n].
    *words* are for an item of which it is true, and for another.  Of items with *weights*, those with more
    are first, and they are not compared with those of a baseline.  *reads_base*: it depends on the base item.
    """

    rows: NDArray[np.int64]
    is_true: _Flags
    known: _Flags
    words: tuple[str, str]
    weights: NDArray[np.float64] | None = None
    reads_base: bool = False


def right(answers: ScoredRun, name: str) -> Items:
    """Return which items of test set *name* are right."""
    wrong, right = answers.scores.wrong[name], answers.scores.right[name]
    return Items(wrong.correct, right.correct, wrong.predicted >= 0, (wrong.units,))


def right_by_gold(answers: ScoredRun, name: str) -> Items:
    """Return which items are right, with their gold labels; all but entailment are one on two labels."""
    scored = answers.scores.wrong[name]
    gold = scored.gold
    if answers.two_labels and scored.projection is THREE_LABELS:
        gold = np.where(gold == GOLD_INDEX["entailment"], gold, np.int8(GOLD_INDEX["not_entailment"]))
    found = right(answers, name)
    return found._replace(by=(gold, *found.by))


def flipped(answers: ScoredRun, name: str) -> Items | None:
    """Return of which items the prediction differs from that of their base."""
    base = answers.base_of(name)
    if base is None or not answers.run.datasets[name].entry.compares_items:
        return None
    at, kept = answers.pairs(name, base)
    here, there = answers.scores.wrong[name], answers.scores.wrong[base]
    after, before = here.predicted[kept], there.predicted[at]
    answered = (after >= 0) & (before >= 0)
    flipped = after != before
    return Items(flipped & answered, flipped | ~answered, answered, (here.units[kept],))


def before_and_after(answers: ScoredRun, name: str, base: str) -> tuple[Items, Items]:
    """Return which base items are right, and which of the items made from them."""
    at, kept = answers.pairs(name, base)
    (worse, better, answered, _), here = right(answers, base), right(answers, name)
    clusters = (here.by[-1][kept],)
    before = Items(worse[at], better[at], answered[at], clusters)
    return before, Items(here.least[kept], here.most[kept], here.answered[kept], clusters)


def violations_of(rule: ConsistencyRule) -> Callable[[ScoredRun, str], Violations | None]:
    """Return a function that finds the violations of *rule* on a test set."""

    def found(answers: ScoredRun, name: str) -> Violations | None:
        """Return what is there; None if the items of test set *name* are of another rule."""
        if answers.run.datasets[name].entry.construction != rule.made_by:
            return None
        if answers.two_labels and not rule.two_labels:
            raise CrossexamError(
                f"the consistency rule '{rule.name}' needs three labels",
                where=f"test set {name}",
                wanted="models that tell neutral from contradiction",
                hint="leave the rule out, or give another measure",
            )
        if rule.reads_base:
            answers.base_of(name)
        return answers.violations[rule.name, name]

    return found


def violated(rule: ConsistencyRule) -> Callable[[ScoredRun, str], Items | None]:
    """Return which of all items violate *rule*."""
    find = violations_of(rule)

    def items(answers: ScoredRun, name: str) -> Items | None:
        if (found := find(answers, name)) is None:
            return None
        return Items(found.violated, found.violated | ~found.answered, found.answered, (found.clusters,))

    return items


#: Finds the items behind the value of a measure.
Finder = Callable[[ScoredRun, str], Sought]

_RIGHT: Final = ("right", "wrong")
_LOST: Final = ("right on the base and wrong here", "wrong on the base or right here")
_FLIPPED: Final = ("predicted otherwise than their base", "predicted as their base")
_UNANSWERED: Final = ("without an answer", "answered")
_VIOLATED: Final = ("in violation of the rule", "in keeping with the rule")
_SURELY_WRONG: Final = ("wrong, the most confident first", "right, the most confident first")


def labelled_rows(answers: ScoredRun, name: str) -> NDArray[np.int64]:
    """Return the places of the items of test set *name* that have a gold label."""
    return np.flatnonzero(answers.run.datasets[name].labels() >= 0)


def _paired_rows(answers: ScoredRun, name: str, base: str) -> NDArray[np.int64]:
    return labelled_rows(answers, name)[answers.pairs(name, base)[1]]


def right_items(answers: ScoredRun, name: str) -> Sought:
    """Return which items of test set *name* are right, and where they are."""
    found = right(answers, name)
    return Sought(labelled_rows(answers, name), found.least, found.answered, _RIGHT)


def lost_items(answers: ScoredRun, name: str) -> Sought:
    """Return which items are wrong although their base is right; the wrong ones if they are not paired."""
    base = answers.base_of(name)
    if base is None or not answers.run.datasets[name].entry.compares_items:
        found = right_items(answers, name)
        return found._replace(is_true=~found.is_true, words=_RIGHT[::-1])
    before, after = before_and_after(answers, name, base)
    lost, known = before.least & ~after.least, before.answered & after.answered
    return Sought(_paired_rows(answers, name, base), lost, known, _LOST, reads_base=True)


def flipped_items(answers: ScoredRun, name: str) -> Sought:
    """Return which items are predicted otherwise than their base, and where they are."""
    found, base = flipped(answers, name), answers.base_of(name)
    assert found is not None
    assert base is not None
    rows = _paired_rows(answers, name, base)
    return Sought(rows, found.least, found.answered, _FLIPPED, reads_base=True)


def items_without_answer(answers: ScoredRun, name: str) -> Sought:
    """Return which items with a gold label have no answer; which of all if none has a label."""
    answered, rows = answers.run.answered(name), labelled_rows(answers, name)
    if not len(rows):
        rows = np.arange(len(answered))
    return Sought(rows, ~answered[rows], np.ones(len(rows), dtype=np.bool_), _UNANSWERED)


def usable_shares(answers: ScoredRun, name: str) -> Shares | None:
    """Return the shares of the items whose calibration is measured; None if the model gave labels only."""
    found = next(shares_of(answers.run.restricted_to([name])), None)
    return None if found is None else found.at(found.answered & ~low_mass_items(answers.run, found))


def surely_wrong_items(answers: ScoredRun, name: str) -> Sought:
    """Return which items are wrong, weighted by the probability of what was predicted."""
    found = usable_shares(answers, name)
    assert found is not None
    known = np.ones(len(found.rows), dtype=np.bool_)
    return Sought(found.rows.astype(np.int64), ~found.correct, known, _SURELY_WRONG, found.confidence)


def violating_items(rule: ConsistencyRule) -> Finder:
    """Return a function that finds the items that violate *rule*."""

    def find(answers: ScoredRun, name: str) -> Sought:
        found = answers.violations[rule.name, name]
        return Sought(found.rows, found.violated, found.answered, _VIOLATED, reads_base=rule.reads_base)

    return find
