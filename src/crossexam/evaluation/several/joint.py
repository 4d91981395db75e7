"""What two models get right and wrong together (Naik et al. 2018, section 4.3).

Word pairs of items that both get right are easy, those of items that both get wrong are hard; a pair can be
both, and its two orders are one (:func:`~crossexam.constructions.keys.counted_keys`).  Errors are common if
both models predict the same wrong label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.keys import counted_keys
from crossexam.core.columns import info_values
from crossexam.core.dataset import Dataset
from crossexam.core.estimate import Estimate
from crossexam.core.example import KIND
from crossexam.evaluation.scores import Scored, confusion
from crossexam.language.lexicons.antonym_kinds import ANTONYM_KINDS
from crossexam.stats.confusion import error_types
from crossexam.stats.estimate import share_correct


@dataclass(frozen=True)
class JointOutcome:
    """The items of a test set by the outcomes of two models, and the keys (word pairs) of these items.

    *easy* and *hard* are the numbers of different keys of the items that both models get right and wrong,
    None if the items have no keys.  *kinds_right* and *kinds_wrong* are the shares of the kinds of
    antonyms among the items that both get right and wrong; they are empty if these state none.  *same_errors*
    counts the items for which both predict the same wrong label, by type: ``"N-E"`` is gold neutral predicted
    as entailment.
    """

    name: str
    n: int
    both_right: int
    both_wrong: int
    easy: int | None
    hard: int | None
    kinds_right: Mapping[str, Estimate]
    kinds_wrong: Mapping[str, Estimate]
    same_errors: Mapping[str, int]


def joint_outcomes(
    test_sets: Mapping[str, Dataset], a: Mapping[str, Scored], b: Mapping[str, Scored]
) -> tuple[JointOutcome, ...]:
    """Return the joint outcomes of two models on *test_sets*.

    *a* and *b* are their scores on the items that both answered, as of
    :func:`~crossexam.evaluation.scores.score_both`.
    """
    return tuple(
        _outcome(name, a[name], b[name], counted_keys(a[name].examples, dataset.entry.construction))
        for name, dataset in test_sets.items()
    )


def _outcome(name: str, a: Scored, b: Scored, keys: Sequence[str] | None) -> JointOutcome:
    right, wrong = a.correct & b.correct, ~a.correct & ~b.correct
    same = wrong & (a.predicted == b.predicted)
    easy, hard = (
        None if keys is None else len(set(compress(keys, chosen.tolist()))) for chosen in (right, wrong)
    )
    kinds = info_values(a.examples, [KIND])[KIND].each()
    return JointOutcome(
        name,
        len(a.gold),
        int(right.sum()),
        int(wrong.sum()),
        easy,
        hard,
        _kinds(kinds, right, a.units),
        _kinds(kinds, wrong, a.units),
        error_types(confusion(a.projection, a.gold[same], a.predicted[same]), a.projection.labels),
    )


def _kinds(
    kinds: NDArray[np.object_], chosen: NDArray[np.bool_], units: NDArray[np.int32]
) -> dict[str, Estimate]:
    """Return the share of each kind of antonyms among the *chosen* items; empty if none states one."""
    stated = chosen & np.isin(kinds, ANTONYM_KINDS)
    if not stated.any():
        return {}
    return {kind: share_correct(kinds[stated] == kind, units[stated]) for kind in ANTONYM_KINDS}
