"""Accuracy on lexically-misleading examples (Nie et al., 2019, section 5.4, Table 5).

Accuracy of a model, of annotators and of the majority label on CS_lambda for increasing lambda.  The scores
are those that ``crossexam build compositionality`` and ``crossexam subset cs`` store with the examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import info_values
from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import ANNOTATOR_LABELS, SCORE
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.unanswered import PartAccuracies
from crossexam.stats.agreement import HumanAccuracy, human_accuracy, vote_counts
from crossexam.stats.clusters import cluster_codes
from crossexam.stats.estimate import share_correct
from crossexam.suites.lexically_misleading import LAMBDAS

#: The thresholds of the study; 0 is the whole base.
STEPS: Final = (0.0, *LAMBDAS)
#: The thresholds of a curve over lambda; those of the study are among them.
CURVE: Final = tuple(step / 20 for step in range(20))


@dataclass(frozen=True)
class MisledPart:
    """CS_lambda of a base: its *size*, the share of its most frequent label, annotators' and model accuracy.

    *human* is over the examples that have annotators' labels; None if there are none.  *votes* counts these
    by the number of their labels.  *model* is over the answered examples, and Bounds if too many were not
    answered.
    """

    part: str
    lam: float
    size: int
    majority: Estimate
    human: HumanAccuracy | None
    votes: Mapping[int, int]
    model: Estimate

    @property
    def voted(self) -> int:
        """The number of examples that have annotators' labels."""
        return sum(self.votes.values())


def misled_parts(
    run: Run, lambdas: Sequence[float] = STEPS, *, max_unanswered: float = MAX_UNANSWERED
) -> list[MisledPart]:
    """Return the parts CS_lambda of each base of *run* whose examples have scores; may be empty."""
    bases = [name for name, dataset in run.datasets.items() if dataset.entry.is_base and has_scores(dataset)]
    if not bases:
        return []
    scored = score_run(run.restricted_to(bases), two_labels=run.two_labels)
    whole = {name: PartAccuracies(scored[name], max_unanswered) for name in bases}
    return [part for name in bases for part in _parts(name, whole[name], lambdas)]


def has_scores(dataset: Dataset) -> bool:
    """Return whether every labelled example of *dataset* has a lexically-misleading score."""
    labelled = dataset.labels() >= 0
    scores = info_values(dataset.examples, [SCORE])[SCORE]
    return bool(labelled.any()) and bool(scores.stated[labelled].all())


def _parts(name: str, whole: PartAccuracies, lambdas: Sequence[float]) -> Iterator[MisledPart]:
    info = info_values(whole.scored.examples, [SCORE, ANNOTATOR_LABELS])
    scores = info[SCORE].mapped(lambda score: nan if score is None else float(score)).astype(np.float64)
    given = info[ANNOTATOR_LABELS]
    votes = vote_counts([labels or () for labels in (*given.values, None)])[given.codes]
    for lam in lambdas:
        yield _part(name, whole, lam, scores >= lam, votes)


def _part(
    name: str, whole: PartAccuracies, lam: float, kept: NDArray[np.bool_], votes: NDArray[np.int64]
) -> MisledPart:
    gold, clusters = whole.scored.gold[kept], whole.scored.clusters[kept]
    codes = cluster_codes(clusters, len(gold))
    most_frequent = int(np.bincount(gold, minlength=3).argmax())
    each, examples = np.unique(votes[kept].sum(axis=1), return_counts=True)
    return MisledPart(
        part=name.partition(".")[2],
        lam=lam,
        size=len(gold),
        majority=share_correct(gold == most_frequent, codes),
        human=_human(votes[kept], gold, clusters),
        votes={n: count for n, count in zip(each.tolist(), examples.tolist(), strict=True) if n},
        model=whole.accuracy(kept),
    )


def _human(
    votes: NDArray[np.int64], gold: NDArray[np.int8], clusters: NDArray[np.int32]
) -> HumanAccuracy | None:
    has = votes.sum(axis=1) > 0
    if not has.any():
        return None
    return human_accuracy(votes[has], gold[has], cluster_codes(clusters[has], int(has.sum())))
