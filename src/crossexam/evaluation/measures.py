"""The measures of a run on each test set: accuracy, drop, significance, errors, accuracy by slice.

Every interval is a 95 % interval clustered by premise, and by word pair where a test set has these
(``stats.clusters``).  The measures of Naik et al.
(2018) are among them: accuracy (Table 3), the shares of false neutrals (Table 4) and false entailments
(Table 7) in all errors, and the counts of E-C and N-C errors (section 4.4).  By which properties the items
of a test set are divided is in :mod:`crossexam.evaluation.slices`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import Places
from crossexam.core.dataset import Dataset, Run, counted_items
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS, THREE_LABELS, Gold, Ties
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.rules import OURS
from crossexam.evaluation.candidates import FEW, Candidate, HeadlineChoice, count_candidates, detectable_drop
from crossexam.evaluation.scores import Scored, describe_projection, score_run, ties_of, with_accuracy
from crossexam.evaluation.slices import slices_of
from crossexam.evaluation.unanswered import (
    Labelled,
    Unanswered,
    filled_scores,
    is_answered,
    labelled_items,
    unanswered_items,
)
from crossexam.stats.clusters import cluster_codes, effective_size
from crossexam.stats.confusion import confusion, error_types, false_share
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import ALPHA, holm_of_planned
from crossexam.stats.paired import McNemar, clustered_mcnemar, flip_rate, mcnemar, paired_difference
from crossexam.stats.unpaired import difference


@dataclass(frozen=True)
class MajorityClass:
    """The most frequent gold *label* of a test set, and its *share* of the items.

    *advantage* is the accuracy of the model minus that share, paired item by item with the answers of
    somebody who always gives that label.
    """

    label: Gold
    share: float
    advantage: Estimate

    @property
    def beaten(self) -> bool:
        """Whether the model is significantly above the majority class."""
        return self.advantage.low > 0


@dataclass(frozen=True, repr=False)
class TestSetResult:
    """The measures of a model on one test set: on *n* items, which it answered and which have a gold label.

    *unlabelled* items have no gold label; *unanswered* says what became of those without an answer, and is
    None if there are none here or in the base.  If these are too many, *accuracy*, *base_accuracy* and *drop*
    (or *difference*) are :class:`~crossexam.core.estimate.Bounds`, and what has no bounds is None or empty.

    *drop*: accuracy lost from base to test set, item by item, positive if the model does worse; only if the
    construction is paired with its base and the base was predicted.  *difference*: the difference of the two
    accuracies, if the items are not paired.  *base_accuracy* is the accuracy on the paired base examples (so
    that the drop is *base_accuracy* minus *accuracy*), else on the whole base.

    *p_value* and *p_mid* come from the sign-flip form of McNemar's test whose unit is the cluster;
    *p_holm* is *p_value* corrected over the paired test sets of the run, tested or not; *mcnemar* holds the
    discordant counts and the classical test, which assumes independent items.  *minimum_detectable_drop* is
    the drop that so many *effective_pairs*, as discordant as these, would show with a power of 80 % as the
    smallest of the p-values of the run.  *flip_rate*: share of paired items whose prediction differs from
    that of their base.  *confusion*: counts [gold, predicted]; *errors*: ``"E-C"`` is gold entailment
    predicted as contradiction.  The two shares are of all errors, None without errors.

    *majority* is the accuracy of always giving the most frequent gold label, scored as the model is; None if
    the items have fewer than two gold labels.  *only_label* is the gold label that all items have,
    answered or not, None if they have several.  *ties* are the items for which the model finds several labels
    most probable, None without any.

    *candidate* is the drop or difference as one of those that the headline of the report chooses from.

    *projection* describes how a test set of other *labels*, or a model of two labels, was scored;
    *false_neutral_share* is None for not_entailment, which is not neutral (its letter in *errors* is N too).
    """

    __test__ = False  # not a test, whatever pytest thinks of its name

    name: str
    construction: str
    part: str
    n: int
    unlabelled: int
    accuracy: Estimate
    base_set: str | None
    base_accuracy: Estimate | None
    drop: Estimate | None
    difference: Estimate | None
    p_value: float | None
    p_mid: float | None
    p_holm: float | None
    mcnemar: McNemar | None
    effective_pairs: float | None
    minimum_detectable_drop: float | None
    flip_rate: Estimate | None
    confusion: tuple[tuple[int, ...], ...]
    errors: Mapping[str, int]
    false_neutral_share: float | None
    false_entailment_share: float | None
    slices: Mapping[str, Mapping[str, Estimate]]
    projection: str | None
    labels: tuple[Gold, ...] = LABELS
    majority: MajorityClass | None = None
    only_label: Gold | None = None
    rules: str = OURS
    unanswered: Unanswered | None = None
    candidate: Candidate | None = None
    ties: Ties | None = None

    def __repr__(self) -> str:
        """Return the accuracy, and the drop if there is one, in one line."""
        drop = "" if self.lost is None else f", drop {self.lost}"
        count = self.unanswered.count if self.unanswered is not None else 0
        missing = f", {count:,} unanswered" if count else ""
        items = f"{counted_items(self.n, 'item')}{missing}"
        return f"TestSetResult({self.name!r}, {items}, accuracy {self.accuracy}{drop})"

    @property
    def labelled(self) -> int:
        """The number of items with a gold label, answered or not."""
        return self.n if self.unanswered is None else self.unanswered.labelled

    @property
    def only_bounds(self) -> bool:
        """Whether so many items were not answered that there are only bounds of the accuracy."""
        return self.unanswered is not None and self.unanswered.only_bounds

    @property
    def is_paired(self) -> bool:
        """Whether items are paired with their base, so that a test was planned, whatever was answered."""
        return self.p_value is not None or (self.unanswered is not None and self.unanswered.pairs > 0)

    @property
    def counted(self) -> int:
        """The number of pairs that the drop compares, if there is one; else of items."""
        return self.n if self.loss is None else min(self.n, self.loss.n)

    @property
    def is_small(self) -> bool:
        """Whether there are so few items, or pairs with the base, that no headline is about them."""
        return self.counted < FEW

    @property
    def at_chance(self) -> bool:
        """Whether the model is not significantly above the majority class of the items."""
        return self.majority is not None and not self.majority.beaten

    @property
    def loss(self) -> Estimate | None:
        """The accuracy lost from base to test set: the drop if items are paired, else the difference.

        None for a base, if there was nothing to compare, and if there are only bounds.
        """
        for loss in (self.drop, self.difference):
            if loss is not None and loss.n > 0 and loss.value == loss.value:
                return loss
        return None

    @property
    def lost(self) -> Estimate | None:
        """What a table shows as the accuracy lost: :attr:`loss`, or its bounds if there are only these."""
        bounds = self.drop or self.difference
        return bounds if isinstance(bounds, Bounds) else self.loss

    @property
    def wrong(self) -> int:
        """The number of wrong predictions."""
        return sum(self.errors.values())

    @property
    def only_gold(self) -> Gold | None:
        """The gold label of all items; None if there are several, other than three labels, or only bounds."""
        golds = [label for label, counts in self.confused.items() if sum(counts.values())]
        return golds[0] if len(golds) == 1 and self.labels == LABELS else None

    @property
    def confused(self) -> dict[Gold, dict[Gold, int]]:
        """The number of items by gold and predicted label; empty if there are only bounds."""
        return {
            gold: {answer: int(count) for answer, count in zip(self.labels, counts, strict=True)}
            for gold, counts in zip(self.labels, self.confusion, strict=False)
        }

    @property
    def predicted_shares(self) -> tuple[float, ...]:
        """The share of each label in the predictions, in the order of *labels*."""
        counts = [sum(column) for column in zip(*self.confusion, strict=True)]
        return tuple(count / sum(counts) for count in counts)


@dataclass(frozen=True)
class _AgainstBase:
    """The measures of a test set and its base together."""

    base_accuracy: Estimate | None = None
    drop: Estimate | None = None
    difference: Estimate | None = None
    p_value: float | None = None
    p_mid: float | None = None
    mcnemar: McNemar | None = None
    effective_pairs: float | None = None
    flip_rate: Estimate | None = None
    candidate: Candidate | None = None


_NOTHING: Final = _AgainstBase()


def accuracy_by_set(run: Run, *, max_unanswered: float = MAX_UNANSWERED) -> dict[str, Estimate]:
    """Return the accuracy of *run* on the answered items of each of its test sets, in their order.

    If more than the share *max_unanswered* was not answered, it is given as Bounds.
    """
    labelled = labelled_items(run, max_unanswered, two_labels=run.two_labels)
    return {
        name: each.accuracy(np.ones(len(each.wrong.gold), dtype=np.bool_)) for name, each in labelled.items()
    }


def measure(
    run: Run,
    *,
    alpha: float = ALPHA,
    max_unanswered: float = MAX_UNANSWERED,
    candidates: int | None = None,
) -> tuple[TestSetResult, ...]:
    """Return the measures of *run* per test set, in their order; raises CrossexamError.

    Test sets of which accuracy says nothing, those of the consistency suite, have none.
    *alpha* is the level at which the minimum detectable drops would be significant after correction for the
    number of planned tests.  If more than the share *max_unanswered* of the items or pairs was not answered,
    only bounds are given, and the test that was planned counts in the correction.  *candidates* is the number
    of drops that a headline chooses from; by default it is about this run alone
    (:func:`~crossexam.evaluation.candidates.count_candidates`).
    """
    choice = HeadlineChoice(count_candidates([run]) if candidates is None else candidates, alpha)
    two_labels = run.two_labels
    run = with_accuracy(run)
    filled = filled_scores(run, two_labels=two_labels)
    is_whole = is_answered(run)
    scored = filled.wrong if is_whole else score_run(run, two_labels=two_labels)
    bases = dict.fromkeys(dataset.entry.base_set for dataset in run.datasets.values())
    places = {name: Places(scored[name].examples) for name in bases if name in scored}
    results = [
        _measure_one(
            name,
            dataset,
            scored,
            places,
            two_labels,
            choice,
            Labelled(filled.wrong[name], filled.right[name], max_unanswered),
            ties_of(run, name, two_labels=two_labels),
        )
        for name, dataset in run.datasets.items()
    ]
    if not is_whole:
        all_places = {name: Places(filled.wrong[name].examples) for name in bases if name in scored}
        results = [
            _bounded(result, unanswered_items(run, result.name, filled, all_places, max_unanswered))
            for result in results
        ]
    planned = [index for index, result in enumerate(results) if result.is_paired]
    corrected = holm_of_planned([results[index].p_value for index in planned])
    for index, adjusted in zip(planned, corrected, strict=True):
        detectable = _detectable(results[index], alpha / len(planned))
        results[index] = replace(results[index], p_holm=adjusted, minimum_detectable_drop=detectable)
    return tuple(results)


def _measure_one(
    name: str,
    dataset: Dataset,
    scored: Mapping[str, Scored],
    places: Mapping[str, Places],
    two_labels: bool,
    choice: HeadlineChoice,
    labelled: Labelled,
    ties: Ties | None,
) -> TestSetResult:
    here, entry = scored[name], dataset.entry
    base_set = entry.base_set
    against = _NOTHING
    if base_set is not None and base_set in places:
        if entry.compares_items:
            against = _paired(here, scored[base_set], places[base_set], choice)
        else:
            against = _unpaired(here, scored[base_set], choice)
    labels = here.projection.labels
    table = _table(here)
    neutral = labels.index("neutral") if "neutral" in labels and not two_labels else None
    return TestSetResult(
        name=name,
        construction=entry.construction,
        rules=entry.rules,
        part=entry.part,
        n=len(here.gold),
        unlabelled=here.unlabelled,
        accuracy=share_correct(here.correct, here.units),
        base_set=base_set,
        p_holm=None,
        minimum_detectable_drop=None,
        confusion=tuple(tuple(row) for row in table.tolist()),
        errors=error_types(table, [label[0].upper() for label in labels]),
        false_neutral_share=None if neutral is None else false_share(table, neutral),
        false_entailment_share=false_share(table, labels.index("entailment")),
        slices=slices_of(labelled),
        projection=describe_projection(here.projection, two_labels),
        labels=labels,
        majority=_majority(here, two_labels),
        only_label=_only_label(labelled.wrong, two_labels),
        ties=ties,
        **vars(against),
    )


def _bounded(result: TestSetResult, missing: Unanswered | None) -> TestSetResult:
    """Return *result* with what is *missing*; if that is too much, with bounds as the only result."""
    if missing is None:
        return result
    found = replace(result, unanswered=missing)
    if missing.only_bounds:
        found = replace(
            found,
            accuracy=missing.accuracy,
            confusion=(),
            errors={},
            false_neutral_share=None,
            false_entailment_share=None,
            majority=None,
            ties=None,
        )
    if missing.only_drop_bounds or missing.only_bounds:
        is_unpaired = result.difference is not None or not missing.pairs
        found = replace(
            found,
            base_accuracy=missing.base_accuracy,
            drop=None if is_unpaired else missing.drop,
            difference=missing.drop if is_unpaired else None,
            p_value=None,
            p_mid=None,
            mcnemar=None,
            effective_pairs=None,
            flip_rate=None,
            candidate=None,
        )
    return found


def _majority(here: Scored, two_labels: bool) -> MajorityClass | None:
    """Return the most frequent gold label (the first in the order of GOLDS if several are)."""
    gold = _golds(here, two_labels)
    if len(np.unique(gold)) < 2:
        return None
    label = int(np.bincount(gold).argmax())
    always = gold == label
    advantage = paired_difference(here.correct, always, here.units)
    return MajorityClass(GOLDS[label], float(always.mean()), advantage)


def _only_label(here: Scored, two_labels: bool) -> Gold | None:
    """Return the gold label of all items, None if they have several."""
    found = np.unique(_golds(here, two_labels))
    return GOLDS[int(found[0])] if len(found) == 1 else None


def _golds(here: Scored, two_labels: bool) -> NDArray[np.int8]:
    """Return the gold labels [n]; for a model of two labels, neutral and contradiction are not_entailment."""
    if two_labels and here.projection is THREE_LABELS:
        return np.where(here.gold == GOLD_INDEX["entailment"], here.gold, GOLD_INDEX["not_entailment"])
    return here.gold


def _table(here: Scored) -> NDArray[np.int64]:
    """Return the counts by gold and predicted label, in the order of the labels of the projection."""
    place = np.full(len(GOLD_INDEX), -1, dtype=np.int64)
    for position, label in enumerate(here.projection.labels):
        place[GOLD_INDEX[label]] = position
    return confusion(place[here.gold], place[here.predicted], len(here.projection.labels))


def _paired(here: Scored, base: Scored, places: Places, choice: HeadlineChoice) -> _AgainstBase:
    """Return the paired measures, over the items whose base example was predicted and has a gold label."""
    at = places.of_bases(here.examples)
    kept = at >= 0
    if not kept.any():
        return _NOTHING
    before, after, clusters = base.correct[at[kept]], here.correct[kept], here.units[kept]
    test = clustered_mcnemar(before, after, clusters)
    effective_pairs = _effective_pairs(before, after, clusters)
    detectable = detectable_drop(effective_pairs, (test.b + test.c) / len(before), choice.level)
    drop = partial(paired_difference, before, after, clusters)
    return _AgainstBase(
        base_accuracy=share_correct(before, clusters),
        drop=drop(),
        p_value=test.p_exact,
        p_mid=test.p_mid,
        mcnemar=mcnemar(test.b, test.c),
        effective_pairs=effective_pairs,
        flip_rate=flip_rate(base.predicted[at[kept]], here.predicted[kept], clusters),
        candidate=choice.candidate(drop, test.p_exact, detectable),
    )


def _unpaired(here: Scored, base: Scored, choice: HeadlineChoice) -> _AgainstBase:
    """Return the difference of the accuracies of items that are not paired with their base."""
    if not len(here.gold) or not len(base.gold):
        return _NOTHING
    loss = partial(difference, base.correct, here.correct, base.clusters, here.units)
    return _AgainstBase(
        base_accuracy=share_correct(base.correct, base.clusters),
        difference=loss(),
        candidate=choice.candidate(loss),
    )


def _effective_pairs(
    before: NDArray[np.bool_], after: NDArray[np.bool_], clusters: NDArray[np.int32]
) -> float:
    """Return how many independent pairs would tell as much of the drop as these."""
    residuals = np.subtract(before, after, dtype=np.float64)
    residuals -= residuals.mean()
    return effective_size(residuals, cluster_codes(clusters, len(residuals))).n_eff


def _detectable(result: TestSetResult, alpha: float) -> float | None:
    """Return the drop that the pairs of *result* would show at the level *alpha*; None if there is none."""
    if result.effective_pairs is None or result.mcnemar is None or result.drop is None:
        return None
    discordant = (result.mcnemar.b + result.mcnemar.c) / result.drop.n
    return detectable_drop(result.effective_pairs, discordant, alpha)
