"""The three factors of Sanchez Carmona et al. (2018, section 5.5): insensitivity, unseen pairs, polarity.

For each factor and test set of the suite ``behaviour``: the association of correctness, or of the predicted
label, with the factor, and the accuracy on the subset on which the factor works against the model (Table 1).

The paper's statistics are G with Yates' correction at one degree of freedom, which assumes independent items.
But a few frequent word pairs make most of the items, and whether a pair is seen, and its polarity, are
properties of the pair.  The p-value is therefore of a permutation of these over the pairs
(:func:`crossexam.stats.clustered_association.permutation_test`); that of G is kept beside it, though it
is significant far too often where a factor has no effect.

- A *pair* is two words in either order: what a model makes of *man* and *woman* it may also make of *woman*
  and *man*.  All intervals count pairs as clusters.
- A pair whose orders differ in the factor (one is seen, the other is not) is two units of the permutation,
  one for each value.
- Insensitivity is about changes of prediction, which differ between the items of a pair.  They are permuted
  among the items of the same pair in the same order
  (:func:`crossexam.stats.clustered_association.conditional_test`).

That items can share a premise is not taken into account: few do, and mostly with different pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.keys import in_one_order, keys_of
from crossexam.constructions.table import SWAPS
from crossexam.core.columns import Places, info_values
from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import CONTROL_LABEL, GENERATED_LABEL, POLARITY, SEEN
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS
from crossexam.evaluation.scores import Scored, score_answered
from crossexam.language.word_pair_index import POLARITIES
from crossexam.stats.association import Association, association, cramers_v, odds_ratio
from crossexam.stats.bootstrap import draws_for
from crossexam.stats.clustered_association import ClusteredTest, conditional_test, permutation_test
from crossexam.stats.clusters import cluster_codes
from crossexam.stats.confusion import cross_counts
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import ALPHA, bonferroni, holm
from crossexam.stats.power import minimum_detectable_association

Factor = Literal["insensitivity", "unseen pairs", "polarity"]

#: The sets on which the paper tests each factor: changed labels; exchanged pairs; all but I_TA2 and I_TA3.
TESTED: Final[Mapping[Factor, tuple[str, ...]]] = {
    "insensitivity": ("i_ta2", "i_ta3", "i_th", "e_th"),
    "unseen pairs": ("i_ta1", "e_ta", "i_th", "e_th"),
    "polarity": ("i_a", "i_ta1", "e_a", "e_ta", "i_h", "i_th", "e_h", "e_th"),
}


class Crossed(NamedTuple):
    """A contingency table with the names of its *rows* and *columns*, and the *codes* [n, 2] of its items."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    codes: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts: [r, c]."""
        rows, columns = self.codes.T
        return cross_counts(rows, columns, (len(self.rows), len(self.columns)))

    def counts_by(self, clusters: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the table of each of *clusters* [n], which are numbered without gaps: [m, r, c]."""
        m, r, c = int(clusters.max(initial=-1)) + 1, len(self.rows), len(self.columns)
        rows, columns = self.codes.T
        return cross_counts(r * clusters + rows, columns, (m * r, c)).reshape(m, r, c)


@dataclass(frozen=True)
class FactorResult:
    """The effect of a *factor* on a test set: accuracy on its *subset*, its table, test and effect size.

    *share* is the share of the items that are in the subset: those whose gold label changed (of the items
    whose control was predicted), whose pair is unseen, or whose gold label is not the polarity of the pair.
    *by_pairs* is the test over the *pairs* word pairs, *p_value* its p-value; *p_holm* and *p_bonferroni* are
    corrected over all planned tests of the run; all three are nan if one row or column holds all items.
    *test* is that of the paper, of independent items.  *odds_ratio* is None for tables that are not two by
    two. *detectable*: the smallest effect size (Cohen's w) detectable with the effective number of items of
    *by_pairs*, at the level of the report over the number of planned tests, and a power of 80 %.
    """

    test_set: str
    kind: str
    factor: Factor
    share: float
    subset: Estimate
    crossed: Crossed
    test: Association
    pairs: int
    by_pairs: ClusteredTest
    p_value: float
    p_bonferroni: float
    p_holm: float
    cramers_v: Estimate
    odds_ratio: Estimate | None
    detectable: float


class _PlannedTest(NamedTuple):
    """A *factor* whose effect is tested on a test set: the items *kept* in its subset, and its table.

    *keys* are the ordered word pairs of the items of the table.
    """

    test_set: str
    kind: str
    factor: Factor
    here: Scored
    kept: NDArray[np.bool_]
    share: float
    crossed: Crossed
    keys: Sequence[str]

    @property
    def tested(self) -> bool:
        """Whether the table has two rows and two columns with items."""
        counts = self.crossed.counts
        return all(np.count_nonzero(counts.any(axis=axis)) > 1 for axis in (0, 1))


def factor_results(run: Run, *, alpha: float = ALPHA, left_out: Collection[str] = ()) -> list[FactorResult]:
    """Return the effect of each factor on the test sets of *run*, as far as the paper tests it there.

    Test sets that are *left_out*, because only bounds of their accuracy are known, have no result, nor has
    insensitivity to a control that is; their tests were planned, and count in the corrections.  If p-values
    have to be estimated from samples, these are so many that the corrected values can reach the level
    *alpha*.
    """
    untested = _untested(run, left_out)
    run = run.restricted_to([name for name in run.datasets if name not in left_out])
    names = [name for name, dataset in run.datasets.items() if dataset.entry.construction in SWAPS]
    if not names:
        return []
    scored = score_answered(run, two_labels=run.two_labels)
    tests = [each for name in names for each in _planned_tests(run, name, scored)]
    tested = [place for place, each in enumerate(tests) if each.tested]
    planned = max(1, len(tested) + len(untested))
    draws = draws_for(alpha, planned)
    found = [_result(each, alpha / planned, draws) for each in tests]
    p_values = [found[place].p_value for place in tested]
    p_values += [1.0] * len(untested)
    corrected = zip(tested, bonferroni(p_values).tolist(), holm(p_values).tolist(), strict=False)
    for place, b, h in corrected:
        found[place] = replace(found[place], p_bonferroni=b, p_holm=h)
    return found


def _untested(run: Run, left_out: Collection[str]) -> list[tuple[str, Factor]]:
    """Return the test sets and factors of *run* that cannot be tested because of what is *left_out*."""
    found: list[tuple[str, Factor]] = []
    for name, dataset in run.datasets.items():
        for factor, kinds in TESTED.items():
            needed = {name, dataset.entry.base_set} if factor == "insensitivity" else {name}
            is_planned = dataset.entry.construction in kinds and needed <= run.datasets.keys()
            if is_planned and not needed.isdisjoint(left_out):
                found.append((name, factor))
    return found


def subset_items(run: Run) -> dict[tuple[str, Factor], NDArray[np.bool_]]:
    """Return which items with a gold label are in the subset of a factor (Table 1), by test set and factor.

    These are the items over which :attr:`FactorResult.subset` is: those on which the factor works against the
    model.
    """
    names = [name for name, dataset in run.datasets.items() if dataset.entry.construction in SWAPS]
    scored = score_answered(run, two_labels=run.two_labels)
    return {(name, each.factor): each.kept for name in names for each in _planned_tests(run, name, scored)}


def _planned_tests(run: Run, name: str, scored: Mapping[str, Scored]) -> Iterator[_PlannedTest]:
    kind, here = run.datasets[name].entry.construction, scored[name]
    if not len(here.gold):
        return
    before = _before(run, name, scored)
    pairs = np.array(_ordered_pairs(here, kind), dtype=object)
    for factor, kinds in TESTED.items():
        if kind not in kinds:
            continue
        counted = np.ones(len(pairs), dtype=bool)
        if factor == "insensitivity":
            if before is None:
                continue
            known = before >= 0
            kept = _changed_gold(here, _control(run, name, scored)) & known
            share = float(kept.sum() / known.sum()) if known.any() else nan
            counted = kept
            crossed = insensitivity_table(before[kept], here.predicted[kept], here.correct[kept])
        elif factor == "unseen pairs":
            kept = ~_seen(here)
            share = float(kept.mean())
            crossed = unseen_table(here.correct, _seen(here))
        else:
            kept = _against_polarity(here)
            share = float(kept.mean())
            crossed = polarity_table(_polarity(here), here.predicted)
        yield _PlannedTest(name, kind, factor, here, kept, share, crossed, pairs[counted].tolist())


def _ordered_pairs(here: Scored, kind: str) -> list[str]:
    """Return the word pair of each item, in its order; items that do not state theirs are one pair."""
    return keys_of(here.examples, kind) or [""] * len(here.gold)


def insensitivity_table(
    before: NDArray[np.integer[Any]], after: NDArray[np.integer[Any]], correct: NDArray[np.bool_]
) -> Crossed:
    """Return counts of changed and unchanged predictions by correctness (Table 2).

    The items are those whose gold label changed.
    """
    codes = np.column_stack([before == after, ~correct]).astype(np.int64)
    return Crossed(("change", "no change"), ("correct", "incorrect"), codes)


def unseen_table(correct: NDArray[np.bool_], seen: NDArray[np.bool_]) -> Crossed:
    """Return counts of correct and incorrect predictions by seen and unseen word pairs (Table 3)."""
    codes = np.column_stack([~correct, ~seen]).astype(np.int64)
    return Crossed(("correct", "incorrect"), ("seen", "unseen"), codes)


def polarity_table(
    polarity: Sequence[str] | NDArray[np.object_], predicted: NDArray[np.integer[Any]]
) -> Crossed:
    """Return counts of the polarities of word pairs that occur, by predicted label (Table 4)."""
    there, rows = np.unique([POLARITIES.index(each) for each in polarity], return_inverse=True)
    codes = np.column_stack([rows, np.minimum(predicted, len(LABELS) - 1)]).astype(np.int64)
    return Crossed(tuple(POLARITIES[place] for place in there.tolist()), LABELS, codes)


def _result(planned: _PlannedTest, alpha: float, draws: int) -> FactorResult:
    here, kept, counts = planned.here, planned.kept, planned.crossed.counts
    pairs = _unordered(planned.keys)
    tables = planned.crossed.counts_by(pairs)
    test = association(counts, draws=draws)
    by_pairs = _by_pairs(planned, pairs, draws)
    p_value = by_pairs.p if test.freedom else nan
    return FactorResult(
        test_set=planned.test_set,
        kind=planned.kind,
        factor=planned.factor,
        share=planned.share,
        subset=share_correct(here.correct[kept], here.clusters[kept]),
        crossed=planned.crossed,
        test=test,
        pairs=len(tables),
        by_pairs=by_pairs,
        p_value=p_value,
        p_bonferroni=p_value,
        p_holm=p_value,
        cramers_v=cramers_v(counts, clusters=tables),
        odds_ratio=odds_ratio(counts, clusters=tables) if counts.shape == (2, 2) else None,
        detectable=minimum_detectable_association(by_pairs.n_eff, max(1, test.freedom), alpha),
    )


def _unordered(keys: Sequence[str]) -> NDArray[np.int64]:
    """Return the codes of the pairs of words, without regard to their order: [n].

    >>> _unordered(["man/woman", "woman/man", "dog/cat"]).tolist()
    [0, 0, 1]
    """
    return cluster_codes([in_one_order(key) for key in keys], len(keys))


def _by_pairs(planned: _PlannedTest, pairs: NDArray[np.int64], draws: int) -> ClusteredTest:
    """Return the test of the table of *planned* in which the items of a pair are not independent."""
    crossed = planned.crossed
    if planned.factor == "insensitivity":
        return conditional_test(crossed.counts_by(cluster_codes(planned.keys, len(pairs))))
    factor = 1 if planned.factor == "unseen pairs" else 0  # the columns or the rows
    values = crossed.codes[:, factor]
    units = cluster_codes(len(POLARITIES) * pairs + values, len(pairs))
    tables = crossed.counts_by(units)
    of_units = np.zeros(len(tables), dtype=np.int64)
    of_units[units] = values
    return permutation_test(of_units, tables.sum(axis=1 + factor), draws=draws)


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
        relabelled = info_values(control.examples, [GENERATED_LABEL])[GENERATED_LABEL].stated
        judged = np.append(relabelled, False)[at]
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
