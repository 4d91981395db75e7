"""What models, annotators and the majority label reach as single words mislead more and more.

Nie et al. (2019, Table 5 and Figure 3's idea): accuracy on CS_lambda for rising lambda.  The scores are
those that the examples of the base carry (``crossexam build compositionality``, ``crossexam subset cs``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example
from crossexam.evaluation.scores import Scored, has_two_labels, score
from crossexam.stats.clusters import cluster_codes
from crossexam.stats.estimate import share_correct
from crossexam.stats.human import HumanAccuracy, human_accuracy, vote_counts
from crossexam.suites.lexically_misleading import LAMBDAS, SCORE

#: 0 is the whole base.
STEPS: Final = (0.0, *LAMBDAS)


@dataclass(frozen=True)
class MisledPart:
    """CS_lambda of a base: its *size*, the share of its commonest label, what annotators and a model have.

    *human* is None where not every example has annotators' labels; it is over those with any, *voted*.
    """

    part: str
    lam: float
    size: int
    majority: Estimate
    human: HumanAccuracy | None
    voted: int
    model: Estimate


def misled_parts(run: Run, lambdas: Sequence[float] = STEPS) -> list[MisledPart]:
    """Return the parts CS_lambda of each base of *run* whose examples carry scores; may be empty."""
    found: list[MisledPart] = []
    whole = score(run, two_labels=has_two_labels(run))
    for name, each in whole.items():
        if each.examples and all(SCORE in example.info for example in each.examples) and _is_base(run, name):
            found += [_part(name, each, lam) for lam in lambdas]
    return found


def _is_base(run: Run, name: str) -> bool:
    return str(run.datasets[name].manifest.get("construction", name)).partition(".")[0] == "base"


def _part(name: str, whole: Scored, lam: float) -> MisledPart:
    scores = np.array([float(example.info[SCORE]) for example in whole.examples])
    kept = scores >= lam
    gold, clusters = whole.gold[kept], whole.clusters[kept]
    codes = cluster_codes(clusters, len(gold))
    commonest = int(np.bincount(gold, minlength=3).argmax())
    human, voted = _human([e for e, keep in zip(whole.examples, kept, strict=True) if keep], gold, clusters)
    return MisledPart(
        part=name.partition(".")[2],
        lam=lam,
        size=len(gold),
        majority=share_correct(gold == commonest, codes),
        human=human,
        voted=voted,
        model=share_correct(whole.correct[kept], codes),
    )


def _human(
    examples: Sequence[Example], gold: NDArray[np.int64], clusters: NDArray[np.int64]
) -> tuple[HumanAccuracy | None, int]:
    votes = vote_counts([example.info.get("annotator_labels") or () for example in examples])
    has = votes.sum(axis=1) > 0
    if not has.any():
        return None, 0
    return human_accuracy(votes[has], gold[has], cluster_codes(clusters[has], int(has.sum()))), int(has.sum())
