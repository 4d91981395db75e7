"""The three factors of Sanchez Carmona et al. (2018, section 5.5): insensitivity, unseen pairs, polarity.

Each asks of a test set of the suite ``behaviour`` whether correctness, or the predicted label, goes with the
factor, by a table of counts and a log-likelihood ratio (their statistics are G with Yates' correction at one
degree of freedom), and what accuracy is left on the subset where the factor is against the model (Table 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.word_pair_swaps import SETS
from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS
from crossexam.evaluation.scores import Scored, has_two_labels, score
from crossexam.language.word_pair_index import POLARITIES
from crossexam.stats.association import Association, association, cramers_v, cross_counts, odds_ratio
from crossexam.stats.estimate import share_correct
from crossexam.stats.multiple_testing import bonferroni, holm
from crossexam.stats.power import minimum_detectable_association

Factor = Literal["insensitivity", "unseen pairs", "polarity"]

#: Sets that the paper asks each factor of: with changed labels, exchanged, all but I_TA2 and I_TA3.
ASKED: Final[Mapping[Factor, tuple[str, ...]]] = {
    "insensitivity": ("i_ta2", "i_ta3", "i_th", "e_th"),
    "unseen pairs": ("i_ta1", "e_ta", "i_th", "e_th"),
    "polarity": ("i_a", "i_ta1", "e_a", "e_ta", "i_h", "i_th", "e_h", "e_th"),
}


class Crossed(NamedTuple):
    """A table of counts with the names of its *rows* and *columns*."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class FactorResult:
    """What a *factor* does on a test set: accuracy on its *subset*, its table, test and effect.

    *p_value* is Fisher's where an expected count is below 5, else that of G; *p_holm* and *p_bonferroni* are
    corrected over all tests of the run; all three are nan where one row or column has all items.
    *odds_ratio* is None of tables that are not two by two.
    *detectable*: the smallest effect (Cohen's w) that so many items would show in four of five cases.
    """

    test_set: str
    kind: str
    factor: Factor
    subset: Estimate
    crossed: Crossed
    test: Association
    p_value: float
    p_bonferroni: float
    p_holm: float
    cramers_v: Estimate
    odds_ratio: Estimate | None
    detectable: float


def factor_results(run: Run) -> list[FactorResult]:
    """Return what each factor does on each test set of *run* that the paper asks it of; may be empty."""
    names = [name for name in run.datasets if kind_of(run, name) in SETS]
    if not names:
        return []
    two_labels = has_two_labels(run)
    scored = score(run, two_labels=two_labels)
    found = [result for name in names for result in _of_set(run, name, scored)]
    tested = [place for place, each in enumerate(found) if each.test.freedom]
    p_values = [found[place].p_value for place in tested]
    corrected = zip(tested, bonferroni(p_values).tolist(), holm(p_values).tolist(), strict=True)
    for place, b, h in corrected:
        found[place] = replace(found[place], p_bonferroni=b, p_holm=h)
    return found


def kind_of(run: Run, name: str) -> str:
    """Return which of the study's sets the test set *name* is: ``i_ta1``; another construction's name."""
    return str(run.datasets[name].manifest.get("construction") or name).partition(".")[0]


def _of_set(run: Run, name: str, scored: Mapping[str, Scored]) -> Iterator[FactorResult]:
    kind, here = kind_of(run, name), scored[name]
    if not here.examples:
        return
    before = _before(run, name, scored)
    for factor, kinds in ASKED.items():
        if kind not in kinds:
            continue
        if factor == "insensitivity":
            if before is None:
                continue
            kept = _changed_gold(here) & (before >= 0)
            crossed = insensitivity_table(before[kept], here.predicted[kept], here.correct[kept])
        elif factor == "unseen pairs":
            kept = ~_seen(here)
            crossed = unseen_table(here.correct, _seen(here))
        else:
            kept = _against_polarity(here)
            crossed = polarity_table(_polarity(here), here.predicted)
        yield _result(name, kind, factor, here, kept, crossed)


def insensitivity_table(
    before: NDArray[np.int64], after: NDArray[np.int64], correct: NDArray[np.bool_]
) -> Crossed:
    """Return changed or unchanged predictions by right or wrong; of items whose gold changed (Table 2)."""
    counts = cross_counts((before == after).astype(int), (~correct).astype(int), (2, 2))
    return Crossed(("change", "no change"), ("correct", "incorrect"), counts)


def unseen_table(correct: NDArray[np.bool_], seen: NDArray[np.bool_]) -> Crossed:
    """Return right or wrong predictions by seen or unseen word pairs (Table 3)."""
    counts = cross_counts((~correct).astype(int), (~seen).astype(int), (2, 2))
    return Crossed(("correct", "incorrect"), ("seen", "unseen"), counts)


def polarity_table(polarity: Sequence[str], predicted: NDArray[np.int64]) -> Crossed:
    """Return the polarity of word pairs by predicted label (Table 4), of polarities that occur."""
    codes = np.array([POLARITIES.index(each) for each in polarity], dtype=np.int64)
    counts = cross_counts(codes, np.minimum(predicted, len(LABELS) - 1), (len(POLARITIES), len(LABELS)))
    there = np.flatnonzero(counts.sum(axis=1))
    return Crossed(tuple(POLARITIES[place] for place in there.tolist()), LABELS, counts[there])


def _result(
    name: str, kind: str, factor: Factor, here: Scored, kept: NDArray[np.bool_], crossed: Crossed
) -> FactorResult:
    test = association(crossed.counts)
    p_value = test.p if test.freedom else nan
    square = crossed.counts.shape == (2, 2)
    return FactorResult(
        test_set=name,
        kind=kind,
        factor=factor,
        subset=share_correct(here.correct[kept], here.clusters[kept]),
        crossed=crossed,
        test=test,
        p_value=p_value,
        p_bonferroni=p_value,
        p_holm=p_value,
        cramers_v=cramers_v(crossed.counts),
        odds_ratio=odds_ratio(crossed.counts) if square else None,
        detectable=minimum_detectable_association(test.n, max(1, test.freedom)),
    )


def _before(run: Run, name: str, scored: Mapping[str, Scored]) -> NDArray[np.int64] | None:
    """Return what was predicted for the control of each item, -1 where it was not asked: [n]."""
    control = run.datasets[name].manifest.get("base_set")
    if control not in scored:
        return None
    base = scored[str(control)]
    answers = {each.id: label for each, label in zip(base.examples, base.predicted.tolist(), strict=True)}
    here = scored[name].examples
    return np.fromiter((answers.get(each.base or "", -1) for each in here), np.int64, len(here))


def _changed_gold(here: Scored) -> NDArray[np.bool_]:
    controls = [GOLD_INDEX.get(str(each.info.get("control_label")), -1) for each in here.examples]
    changed: NDArray[np.bool_] = here.gold != np.array(controls, dtype=np.int64)
    return changed


def _seen(here: Scored) -> NDArray[np.bool_]:
    return np.array([bool(each.info.get("seen")) for each in here.examples], dtype=bool)


def _polarity(here: Scored) -> list[str]:
    return [str(each.info.get("polarity", "none")) for each in here.examples]


def _against_polarity(here: Scored) -> NDArray[np.bool_]:
    """Return the items whose gold label is not the polarity of their pair: none and ties among them."""
    golds = (GOLDS[gold] for gold in here.gold.tolist())
    return np.array([gold != each for gold, each in zip(golds, _polarity(here), strict=True)], dtype=bool)
