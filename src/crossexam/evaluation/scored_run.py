"""A run that is scored once: which items are right, which were right on their base, which were flipped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import Places
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.evaluation.consistency import Violations, consistency_of
from crossexam.evaluation.quantities import Quantity, difference_of, share_of, unpaired_drop
from crossexam.evaluation.scores import Flags, Scored, gold_classes, score_run


@dataclass(frozen=True)
class ScoredRun:
    """A *run* that is scored on *two_labels* or on all; *probabilities* is a run that has these.

    If more than the share *limit* of the items of a test set is missing, only bounds are known.
    """

    run: Run
    two_labels: bool
    limit: float
    probabilities: Run | None = None

    @cached_property
    def scores(self) -> dict[str, Scored]:
        """The items with a gold label by test set, answered or not."""
        return score_run(self.run, two_labels=self.two_labels)

    @cached_property
    def violations(self) -> dict[tuple[str, str], Violations]:
        """The violations of consistency rules, by the names of the rule and the test set."""
        found = consistency_of(self.run, max_unanswered=self.limit, two_labels=self.two_labels)
        return {(each.rule.name, each.test_set): each for each in found.values()}

    @cached_property
    def _places(self) -> dict[str, Places]:
        return {}

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], tuple[NDArray[np.int64], NDArray[np.bool_]]]:
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

    def compares_items(self, name: str) -> bool:
        """Return whether the items of test set *name* are compared with their base one by one."""
        return self.run.datasets[name].entry.compares_items

    def pairs(self, name: str, base: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the places of the base items, and which items of test set *name* have one [n]."""
        if base not in self._places:
            self._places[base] = Places(self.scores[base].examples)
        if (name, base) not in self._pairs:
            at = self._places[base].of_bases(self.scores[name].examples)
            self._pairs[name, base] = at[at >= 0], at >= 0
        return self._pairs[name, base]

    def right(self, name: str) -> Flags:
        """Return which items of test set *name* are right."""
        return self.scores[name].right

    def right_by_gold(self, name: str) -> Flags:
        """Return which items are right, with their gold labels; all but entailment are one on two labels."""
        scored, found = self.scores[name], self.right(name)
        return found._replace(columns=(gold_classes(scored, two_labels=self.two_labels), *found.columns))

    def before_and_after(self, name: str, base: str) -> tuple[Flags, Flags]:
        """Return which base items are right, and which of the items made from them."""
        at, kept = self.pairs(name, base)
        after = self.right(name).at(kept)
        return self.right(base).at(at)._replace(columns=after.columns), after

    def flipped(self, name: str) -> Flags | None:
        """Return of which items the prediction differs from that of their base; None if none is compared."""
        base = self.base_of(name)
        if base is None or not self.compares_items(name):
            return None
        at, kept = self.pairs(name, base)
        after, before = self.scores[name].predicted[kept], self.scores[base].predicted[at]
        answered = (after >= 0) & (before >= 0)
        flipped = after != before
        units = self.scores[name].units[kept]
        return Flags(flipped & answered, flipped | ~answered, answered, (units,))

    def accuracy(self, name: str) -> Quantity:
        """Return the share of the items of test set *name* that are right."""
        return share_of(self.right(name), self.limit)

    def drop(self, name: str, base: str) -> Quantity:
        """Return the accuracy lost from the *base*; if items are not paired, the difference of accuracies."""
        if self.compares_items(name):
            return difference_of(*self.before_and_after(name, base), self.limit)
        return unpaired_drop([(self.right(base), self.right(name))], self.limit)
