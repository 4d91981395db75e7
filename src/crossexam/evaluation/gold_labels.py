"""The items of one gold label, before and after a construction changed them.

If a change makes a model wrong about one label and right about another, the drop can be close to 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossexam.core.labels import GOLDS, Gold
from crossexam.evaluation.candidates import FEW
from crossexam.evaluation.scores import ScoredRun
from crossexam.stats.paired import clustered_mcnemar


@dataclass(frozen=True)
class OfGold:
    """Of *n* pairs of items with the label *gold*, how many are right on the base, and how many *after* it.

    *p_value* is that of McNemar's test by cluster on these pairs, not corrected.
    """

    gold: Gold
    n: int
    before: int
    after: int
    p_value: float

    @property
    def drop(self) -> float:
        """The accuracy lost from the base, positive if the model does worse."""
        return (self.before - self.after) / self.n


def by_gold(scored: ScoredRun, name: str, base: str) -> tuple[OfGold, ...]:
    """Return the pairs of test set *name* and its *base* by gold label, if there are at least 30 of it.

    Both items of a pair have this label, and an answer.
    """
    at, kept = scored.pairs(name, base)
    flags = scored.before_and_after(name, base)
    here, there = scored.scores[name], scored.scores[base]
    gold, of_base = (
        each.classes(labels, two_labels=scored.two_labels)
        for each, labels in ((here, here.gold[kept]), (there, there.gold[at]))
    )
    both = flags[0].answered & flags[1].answered & (gold == of_base)
    found = []
    for label in np.unique(gold[both]).tolist():
        pairs = both & (gold == label)
        n = int(np.count_nonzero(pairs))
        if n < FEW:
            continue
        before, after = (each.least[pairs] for each in flags)
        test = clustered_mcnemar(before, after, flags[1].columns[-1][pairs])
        right = int(np.count_nonzero(before)), int(np.count_nonzero(after))
        found.append(OfGold(GOLDS[label], n, *right, test.p_exact))
    return tuple(found)
