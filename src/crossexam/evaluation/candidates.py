"""The drops that a headline chooses from, each corrected for the choice among all of them.

The largest of many drops is likely to be overestimated: its own 95 % interval covers the truth too rarely,
and its own p-value is too small.  Each drop therefore also gets an interval at the confidence ``1 - 0.05 /
k``, where *k* is the number of the drops and differences of all models of a report.  By Bonferroni's
inequality the *k* intervals all hold at once with a probability of at least 95 %, so that whichever is chosen
holds with this probability too (Miller 1981, *Simultaneous Statistical Inference*, chapter 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.stats.p_values import ALPHA, AtConfidence

#: A test set of fewer items, or pairs with its base, leads no headline, and charts mark it.
FEW: Final = 30


@dataclass(frozen=True)
class Candidate:
    """A drop, or difference, as one of *count* from which a headline chooses.

    *loss* has the simultaneous 95 % interval of the *count* drops.  *p_value* is corrected for as many, None
    if the items are not paired.  The drop *is_significant* if the interval lies above 0, and if the p-value
    is at most the level of the report; at a level below 0.05, the interval at that level has to lie above 0.
    """

    count: int
    loss: Estimate
    p_value: float | None
    is_significant: bool


@dataclass(frozen=True)
class HeadlineChoice:
    """The choice of a headline among *count* drops, at the level of significance *alpha*.

    >>> from crossexam.stats.paired import paired_difference
    >>> def drop(confidence: float) -> Estimate:
    ...     return paired_difference([1] * 40, [0] * 6 + [1] * 34, None, confidence)
    >>> for count in (1, 20):
    ...     chosen = HeadlineChoice(count).candidate(drop, 2 / 2**6)
    ...     print(f"{chosen.loss}, p {chosen.p_value}: {chosen.is_significant}")
    15.0 [4.9, 29.1], p 0.03125: True
    15.0 [-6.4, 38.2], p 0.625: False
    """

    count: int
    alpha: float = ALPHA

    @property
    def level(self) -> float:
        """The level at which each of the drops is tested."""
        return min(self.alpha, ALPHA) / self.count

    def candidate(self, at: AtConfidence, p_value: float | None = None) -> Candidate:
        """Return the drop *at* any confidence, with its uncorrected *p_value*, as one of the candidates."""
        loss = at(1 - ALPHA / self.count)
        tested = loss if self.alpha >= ALPHA else at(1 - self.level)
        corrected = None if p_value is None else min(1.0, self.count * p_value)
        is_significant = tested.low > 0 and (corrected is None or corrected <= self.alpha)
        return Candidate(self.count, loss, corrected, is_significant)


def count_candidates(runs: Iterable[Run]) -> int:
    """Return how many drops and differences the report on *runs* has, at least 1.

    Every test set with items that is compared with a base of its run counts, whatever the model answers, and
    those of few items too: what is significant among so many is significant in the table of its model.
    """
    count = sum(
        len(dataset) > 0 and dataset.entry.has_accuracy and dataset.entry.base_set in run.datasets
        for run in runs
        for dataset in run.datasets.values()
    )
    return max(1, count)
