"""The three factors of Sanchez Carmona et al. (2018, section 5.5): insensitivity, unseen pairs, polarity.

For each factor and test set of the suite ``behaviour``: the association of correctness, or of the predicted
label, with the factor (a table of counts and a log-likelihood ratio; their statistics are G with Yates'
correction at one degree of freedom), and the accuracy on the subset on which the factor works against the
model (Table 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.word_pair_swaps import SWAPS
from crossexam.core.columns import Places, info_values, relabelled_items
from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import CONTROL_LABEL, POLARITY, SEEN
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS
from crossexam.evaluation.scores import Scored, score_run
from crossexam.language.word_pair_index import POLARITIES
from crossexam.stats.association import Association, association, cramers_v, cross_counts, odds_ratio
from crossexam.stats.bootstrap import draws_for
from crossexam.stats.estimate import share_correct
from crossexam.stats.multiple_testing import ALPHA, bonferroni, holm
from crossexam.stats.power import minimum_detectable_association

Factor = Literal["insensitivity", "unseen pairs", "polarity"]

#: The sets on which the paper tests each factor: changed labels; exchanged pairs; all but I_TA2 and I_TA3.
TESTED: Final[Mapping[Factor, tuple[str, ...]]] = {
    "insensitivity": ("i_ta2", "i_ta3", "i_th", "e_th"),
    "unseen pairs": ("i_ta1", "e_ta", "i_th", "e_th"),
    "polarity": ("i_a", "i_ta1", "e_a", "e_ta", "i_h", "i_th", "e_h", "e_th"),
}


class Crossed(NamedTuple):
    """A contingency table of counts with the names of its *rows* and *columns*."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class FactorResult:
    """The effect of a *factor* on a test set: accuracy on its *subset*, its table, test and effect size.

    *share* is the share of the items that are in the subset: those whose gold label changed (of the items
    whose control was predicted), whose pair is unseen, or whose gold label is not the polarity of the pair.
    *p_value* is Fisher's if expected counts are too small, else that of G (*test* says which); *p_holm* and
    *p_bonferroni* are corrected over all tests of the run; all three are nan if one row or column holds all
    items.  *odds_ratio* is None for tables that are not two by two.
    *detectable*: the smallest effect size (Cohen's w) detectable with this many items at the level of the
    report, without correction, and a power of 80 %.
    """

    test_set: str
    kind: str
    factor: Factor
    share: float
    subset: Estimate
    crossed: Crossed
    test: Association
    p_value: float
    p_bonferroni: float
    p_holm: float
    cramers_v: Estimate
    odds_ratio: Estimate | None
    detectable: float


class _Asked(NamedTuple):
    """A *factor* whose effect is tested on a test set: the items *kept* in its subset, and its table."""

    test_set: str
    kind: str
    factor: Factor
    here: Scored
    kept: NDArray[np.bool_]
    share: float
    crossed: Crossed

    @property
    def tested(self) -> bool:
        """Whether the table has two rows and two columns with items."""
        counts = self.crossed.counts
        return all(np.count_nonzero(counts.any(axis=axis)) > 1 for axis in (0, 1))


def factor_results(run: Run, *, alpha: float = ALPHA) -> list[FactorResult]:
    """Return the effect of each factor on the test sets of *run*, as far as the paper tests it there.

    If p-values have to be estimated from sampled tables, these are so many that the corrected values can
    reach the level *alpha*.
    """
    names = [name for name, dataset in run.datasets.items() if dataset.entry.construction in SWAPS]
    if not names:
        return []
    scored = score_run(run, two_labels=run.two_labels)
    asked = [each for name in names for each in _asked(run, name, scored)]
    tested = [place for place, each in enumerate(asked) if each.tested]
    draws = draws_for(alpha, len(tested))
    found = [_result(each, alpha, draws) for each in asked]
    p_values = [found[place].p_value for place in tested]
    corrected = zip(tested, bonferroni(p_values).tolist(), holm(p_values).tolist(), strict=True)
    for place, b, h in corrected:
        found[place] = replace(found[place], p_bonferroni=b, p_holm=h)
    return found


def subset_items(run: Run) -> dict[tuple[str, Factor], NDArray[np.bool_]]:
    """Return which items with a gold label are in the subset of a factor (Table 1), by test set and factor.

    These are the items over which :attr:`FactorResult.subset` is: those on which the factor works against the
    model.
    """
    names = [name for name, dataset in run.datasets.items() if dataset.entry.construction in SWAPS]
    scored = score_run(run, two_labels=run.two_labels)
    return {(name, each.factor): each.kept for name in names for each in _asked(run, name, scored)}


def _asked(run: Run, name: str, scored: Mapping[str, Scored]) -> Iterator[_Asked]:
    kind, here = run.datasets[name].entry.construction, scored[name]
    if not len(here.gold):
        return
    before = _before(run, name, scored)
    for factor, kinds in TESTED.items():
        if kind not in kinds:
            continue
        if factor == "insensitivity":
            if before is None:
                continue
            known = before >= 0
            kept = _changed_gold(here, _control(run, name, scored)) & known
            share = float(kept.sum() / known.sum()) if known.any() else nan
            crossed = insensitivity_table(before[kept], here.predicted[kept], here.correct[kept])
        elif factor == "unseen pairs":
            kept = ~_seen(here)
            share = float(kept.mean())
            crossed = unseen_table(here.correct, _seen(here))
        else:
            kept = _against_polarity(here)
            share = float(kept.mean())
            crossed = polarity_table(_polarity(here), here.predicted)
        yield _Asked(name, kind, factor, here, kept, share, crossed)


def insensitivity_table(
    before: NDArray[np.integer[Any]], after: NDArray[np.integer[Any]], correct: NDArray[np.bool_]
) -> Crossed:
    """Return counts of changed and unchanged predictions by correctness (Table 2).

    The items are those whose gold label changed.
    """
    counts = cross_counts((before == after).astype(int), (~correct).astype(int), (2, 2))
    return Crossed(("change", "no change"), ("correct", "incorrect"), counts)


def unseen_table(correct: NDArray[np.bool_], seen: NDArray[np.bool_]) -> Crossed:
    """Return counts of correct and incorrect predictions by seen and unseen word pairs (Table 3)."""
    counts = cross_counts((~correct).astype(int), (~seen).astype(int), (2, 2))
    return Crossed(("correct", "incorrect"), ("seen", "unseen"), counts)


def polarity_table(
    polarity: Sequence[str] | NDArray[np.object_], predicted: NDArray[np.integer[Any]]
) -> Crossed:
    """Return counts of the polarities of word pairs that occur, by predicted label (Table 4)."""
    codes = np.array([POLARITIES.index(each) for each in polarity], dtype=np.int64)
    counts = cross_counts(codes, np.minimum(predicted, len(LABELS) - 1), (len(POLARITIES), len(LABELS)))
    there = np.flatnonzero(counts.sum(axis=1))
    return Crossed(tuple(POLARITIES[place] for place in there.tolist()), LABELS, counts[there])


def _result(asked: _Asked, alpha: float, draws: int) -> FactorResult:
    here, kept, counts = asked.here, asked.kept, asked.crossed.counts
    test = association(counts, draws=draws)
    p_value = test.p if test.freedom else nan
    return FactorResult(
        test_set=asked.test_set,
        kind=asked.kind,
        factor=asked.factor,
        share=asked.share,
        subset=share_correct(here.correct[kept], here.clusters[kept]),
        crossed=asked.crossed,
        test=test,
        p_value=p_value,
        p_bonferroni=p_value,
        p_holm=p_value,
        cramers_v=cramers_v(counts),
        odds_ratio=odds_ratio(counts) if counts.shape == (2, 2) else None,
        detectable=minimum_detectable_association(test.n, max(1, test.freedom), alpha),
    )


def _control(run: Run, name: str, scored: Mapping[str, Scored]) -> Scored | None:
    """Return the control of test set *name*; None if it has none that was predicted."""
    return scored.get(run.datasets[name].entry.base_set or "")


def _before(run: Run, name: str, scored: Mapping[str, Scored]) -> NDArray[np.int64] | None:
    """Return the prediction for the control of each item, -1 if there is none: [n]."""
    control = _control(run, name, scored)
    if control is None:
        return None
    at = Places(control.examples).of_bases(scored[name].examples)
    return np.append(control.predicted, -1)[at]


def _changed_gold(here: Scored, control: Scored | None) -> NDArray[np.bool_]:
    """Return which items have another gold label than their control: [n]; judges may have changed either."""
    stated = info_values(here.examples, [CONTROL_LABEL])[CONTROL_LABEL]
    golds = stated.mapped(lambda label: GOLD_INDEX.get(str(label), -1)).astype(np.int64)
    if control is not None:
        at = Places(control.examples).of_bases(here.examples)
        judged = np.append(relabelled_items(control.examples), False)[at]
        golds = np.where(judged, np.append(control.gold, -1)[at], golds)
    changed: NDArray[np.bool_] = here.gold != golds
    return changed


def _seen(here: Scored) -> NDArray[np.bool_]:
    return info_values(here.examples, [SEEN])[SEEN].mapped(bool).astype(np.bool_)


def _polarity(here: Scored) -> NDArray[np.object_]:
    return info_values(here.examples, [POLARITY])[POLARITY].mapped(str, absent="none")


def _against_polarity(here: Scored) -> NDArray[np.bool_]:
    """Return which items have a gold label other than the polarity of their pair (which may be none)."""
    against: NDArray[np.bool_] = np.array(GOLDS, dtype=object)[here.gold] != _polarity(here)
    return against
