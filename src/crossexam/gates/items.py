"""The items behind the value of a check (:class:`Sought`), and those that violate rules of consistency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.evaluation.calibration import are_measured
from crossexam.evaluation.consistency import ConsistencyRule, Violations, consistency_of
from crossexam.evaluation.quantities import Flags
from crossexam.evaluation.scores import ScoredRun
from crossexam.evaluation.shares import Shares, shares_of

_Flags = NDArray[np.bool_]


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


@dataclass(frozen=True)
class JudgedRun(ScoredRun):
    """A scored run as a gate needs it; of a baseline, *probabilities* is the run that has these."""

    probabilities: Run | None = None

    def right(self, name: str) -> Flags:
        """Return which items of test set *name* are right."""
        return self.scores[name].right

    def right_by_gold(self, name: str) -> Flags:
        """Return which items are right, with their gold labels; all but entailment are one on two labels."""
        scored = self.scores[name]
        golds = scored.classes(scored.gold, two_labels=self.two_labels)
        columns = (golds, *scored.right.columns)
        return scored.right._replace(columns=columns)

    @cached_property
    def _violations(self) -> dict[tuple[str, str], Violations]:
        found = consistency_of(self.run, max_unanswered=self.limit, two_labels=self.two_labels)
        return {(each.rule.name, each.test_set): each for each in found.values()}

    def violations_of(self, rule: ConsistencyRule, name: str) -> Violations | None:
        """Return the violations of *rule* on test set *name*; None if its items are of another rule."""
        if self.run.datasets[name].entry.construction != rule.made_by:
            return None
        if self.two_labels and not rule.two_labels:
            raise CrossexamError(
                f"the consistency rule '{rule.name}' needs three labels",
                where=f"test set {name}",
                wanted="models that tell neutral from contradiction",
                hint="leave the rule out, or give another measure",
            )
        if rule.reads_base:
            self.base_of(name)
        return self._violations[rule.name, name]


#: Finds the items behind the value of a measure.
Finder = Callable[[JudgedRun, str], Sought]

_RIGHT: Final = ("right", "wrong")
_LOST: Final = ("right on the base and wrong here", "wrong on the base or right here")
_FLIPPED: Final = ("predicted otherwise than their base", "predicted as their base")
_UNANSWERED: Final = ("without an answer", "answered")
_VIOLATED: Final = ("in violation of the rule", "in keeping with the rule")
_SURELY_WRONG: Final = ("wrong, the most confident first", "right, the most confident first")


def labelled_rows(answers: JudgedRun, name: str) -> NDArray[np.int64]:
    """Return the places of the items of test set *name* that have a gold label."""
    return np.flatnonzero(answers.run.datasets[name].labels() >= 0)


def _paired_rows(answers: JudgedRun, name: str, base: str) -> NDArray[np.int64]:
    return labelled_rows(answers, name)[answers.pairs(name, base)[1]]


def right_items(answers: JudgedRun, name: str) -> Sought:
    """Return which items of test set *name* are right, and where they are."""
    found = answers.right(name)
    return Sought(labelled_rows(answers, name), found.least, found.answered, _RIGHT)


def lost_items(answers: JudgedRun, name: str) -> Sought:
    """Return which items are wrong although their base is right; the wrong ones if they are not paired."""
    base = answers.base_of(name)
    if base is None or not answers.compares_items(name):
        found = right_items(answers, name)
        return found._replace(is_true=~found.is_true, words=_RIGHT[::-1])
    before, after = answers.before_and_after(name, base)
    lost, known = before.least & ~after.least, before.answered & after.answered
    return Sought(_paired_rows(answers, name, base), lost, known, _LOST, reads_base=True)


def flipped_items(answers: JudgedRun, name: str) -> Sought:
    """Return which items are predicted otherwise than their base, and where they are."""
    found, base = answers.flipped(name), answers.base_of(name)
    assert found is not None
    assert base is not None
    rows = _paired_rows(answers, name, base)
    return Sought(rows, found.least, found.answered, _FLIPPED, reads_base=True)


def items_without_answer(answers: JudgedRun, name: str) -> Sought:
    """Return which items with a gold label have no answer; which of all if none has a label."""
    answered, rows = answers.run.answered(name), labelled_rows(answers, name)
    if not len(rows):
        rows = np.arange(len(answered))
    return Sought(rows, ~answered[rows], np.ones(len(rows), dtype=np.bool_), _UNANSWERED)


def usable_shares(answers: JudgedRun, name: str) -> Shares | None:
    """Return the shares of the items whose calibration is measured; None if the model gave labels only."""
    found = next(shares_of(answers.run.restricted_to([name])), None)
    return None if found is None else found.at(are_measured(answers.run, found))


def surely_wrong_items(answers: JudgedRun, name: str) -> Sought:
    """Return which items are wrong, weighted by the probability of what was predicted."""
    found = usable_shares(answers, name)
    assert found is not None
    known = np.ones(len(found.rows), dtype=np.bool_)
    return Sought(found.rows.astype(np.int64), ~found.correct, known, _SURELY_WRONG, found.confidence)


def violating_items(rule: ConsistencyRule) -> Finder:
    """Return a function that finds the items that violate *rule*."""

    def find(answers: JudgedRun, name: str) -> Sought:
        found = answers.violations_of(rule, name)
        assert found is not None
        return Sought(found.rows, found.violated, found.answered, _VIOLATED, reads_base=rule.reads_base)

    return find
