"""The measures of a run on each test set: accuracy, drop, significance, errors, accuracy by slice.

Every interval is a 95 % interval clustered by premise, and by word pair where a test set has these
(``stats.clusters``).  The measures of Naik et al.
(2018) are among them: accuracy (Table 3), the shares of false neutrals (Table 4) and false entailments
(Table 7) in all errors, and the counts of E-C and N-C errors (section 4.4).  By which properties the items
of a test set are divided is in :mod:`crossexam.evaluation.slices`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from crossexam.core.dataset import Run, counted_items
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.labels import GOLDS, LABELS, Gold, Ties
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.rules import OURS
from crossexam.evaluation.candidates import FEW, Candidate, HeadlineChoice, count_candidates
from crossexam.evaluation.gold_labels import OfGold, by_gold
from crossexam.evaluation.quantities import CONFIDENCE, Quantity, share_of
from crossexam.evaluation.scores import (
    Scored,
    ScoredRun,
    confusion,
    describe_projection,
    ties_of,
    with_accuracy,
)
from crossexam.evaluation.slices import slices_of
from crossexam.evaluation.unanswered import PartAccuracies, Unanswered, unanswered_items
from crossexam.stats.clusters import cluster_codes, effective_size
from crossexam.stats.confusion import error_types, false_share
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import ALPHA, holm_of_planned
from crossexam.stats.paired import McNemar, clustered_mcnemar, mcnemar, paired_difference
from crossexam.stats.power import minimum_detectable_drop


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
    that of their base.  *by_gold*: the pairs of each gold label that has enough.  *confusion*: counts [gold,
    predicted]; *errors*: ``"E-C"`` is gold entailment predicted as contradiction.  The two shares are of all
    errors, None without errors.

    *majority* is the accuracy of always giving the most frequent gold label, scored as the model is; None if
    the items have fewer than two gold labels.  *only_label* is the gold label that all items have,
    answered or not, None if they have several.  *ties* are the items for which the model finds several labels
    most probable, None without any.

    *candidate* is the drop or difference as one of those that the headline of the report chooses from, and
    *parts* are the scores of the items, which :attr:`slices` divides.

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
    base_accuracy: Estimate | None = None
    drop: Estimate | None = None
    difference: Estimate | None = None
    p_value: float | None = None
    p_mid: float | None = None
    p_holm: float | None = None
    mcnemar: McNemar | None = None
    effective_pairs: float | None = None
    minimum_detectable_drop: float | None = None
    flip_rate: Estimate | None = None
    by_gold: tuple[OfGold, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    errors: Mapping[str, int] = field(default_factory=dict)
    false_neutral_share: float | None = None
    false_entailment_share: float | None = None
    projection: str | None = None
    labels: tuple[Gold, ...] = LABELS
    majority: MajorityClass | None = None
    only_label: Gold | None = None
    rules: str = OURS
    unanswered: Unanswered | None = None
    candidate: Candidate | None = None
    ties: Ties | None = None
    parts: PartAccuracies | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return the accuracy, and the drop if there is one, in one line."""
        drop = "" if self.lost is None else f", drop {self.lost}"
        count = self.unanswered.count if self.unanswered is not None else 0
        missing = f", {count:,} unanswered" if count else ""
        items = f"{counted_items(self.n, 'item')}{missing}"
        return f"TestSetResult({self.name!r}, {items}, accuracy {self.accuracy}{drop})"

    @cached_property
    def slices(self) -> Mapping[str, Mapping[str, Estimate]]:
        """The accuracy of the *parts* of the test set, by property and value; computed when asked for."""
        return {} if self.parts is None else slices_of(self.parts)

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


def accuracy_by_set(run: Run, *, max_unanswered: float = MAX_UNANSWERED) -> dict[str, Estimate]:
    """Return the accuracy of *run* on the answered items of each of its test sets, in their order.

    If more than the share *max_unanswered* was not answered, it is given as Bounds.
    """
    scored = ScoredRun(run, run.two_labels, max_unanswered)
    return {name: scored.accuracy(name).value() for name in run.datasets}


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
    run = with_accuracy(run)
    scored = ScoredRun(run, run.two_labels, max_unanswered)
    results = [_measure_one(scored, name, choice) for name in run.datasets]
    planned = [index for index, result in enumerate(results) if result.is_paired]
    corrected = holm_of_planned([results[index].p_value for index in planned])
    for index, adjusted in zip(planned, corrected, strict=True):
        detectable = _detectable(results[index], alpha / len(planned))
        results[index] = replace(results[index], p_holm=adjusted, minimum_detectable_drop=detectable)
    return tuple(results)


def _measure_one(scored: ScoredRun, name: str, choice: HeadlineChoice) -> TestSetResult:
    every, entry, two_labels = scored.scores[name], scored.run.datasets[name].entry, scored.two_labels
    here, accuracy, base = every.known, scored.accuracy(name), entry.base_set
    drop = None if base is None or base not in scored.run.datasets else scored.drop(name, base)
    golds = np.unique(every.classes(every.gold, two_labels=two_labels)).tolist()
    found = TestSetResult(
        name=name,
        construction=entry.construction,
        rules=entry.rules,
        part=entry.part,
        n=len(here.gold),
        unlabelled=every.unlabelled,
        accuracy=accuracy.value(),
        base_set=entry.base_set,
        projection=describe_projection(here.projection, two_labels),
        labels=here.projection.labels,
        only_label=GOLDS[golds[0]] if len(golds) == 1 else None,
        unanswered=unanswered_items(scored, name, accuracy, drop),
        parts=PartAccuracies(every, scored.limit),
    )
    if not accuracy.only_bounds:
        ties = ties_of(scored.run, name, two_labels=two_labels)
        found = replace(found, ties=ties, majority=_majority(here, two_labels), **_errors(here, two_labels))
    return replace(found, **_against_base(scored, found, drop, choice))


def _errors(here: Scored, two_labels: bool) -> dict[str, Any]:
    """Return the counts of gold and predicted labels, and what follows from them."""
    labels, table = here.projection.labels, confusion(here.projection, here.gold, here.predicted)
    neutral = labels.index("neutral") if "neutral" in labels and not two_labels else None
    return {
        "confusion": tuple(tuple(row) for row in table.tolist()),
        "errors": error_types(table, labels),
        "false_neutral_share": None if neutral is None else false_share(table, neutral),
        "false_entailment_share": false_share(table, labels.index("entailment")),
    }


def _against_base(
    scored: ScoredRun, found: TestSetResult, drop: Quantity | None, choice: HeadlineChoice
) -> dict[str, Any]:
    """Return the measures of a test set and its base together; the bounds alone if too much is missing."""
    base, is_paired = found.base_set, scored.compares_items(found.name)
    if base is None or drop is None:
        return {}
    lost = "drop" if is_paired else "difference"
    if (missing := found.unanswered) is not None and missing.only_drop_bounds:
        return {"base_accuracy": missing.base_accuracy, lost: missing.drop}
    known = drop.known(CONFIDENCE)
    if not drop.n or math.isnan(known.value):
        return {}
    if is_paired:
        return {lost: known, **_paired(scored, found.name, base, drop, choice)}
    here = scored.scores[base].known
    return {
        lost: known,
        "base_accuracy": share_correct(here.correct, here.clusters),
        "candidate": choice.candidate(drop.known),
    }


def _paired(
    scored: ScoredRun, name: str, base: str, drop: Quantity, choice: HeadlineChoice
) -> dict[str, Any]:
    """Return the tests of a paired *drop*, over the items whose base was predicted and has a gold label."""
    flags = scored.before_and_after(name, base)
    both = flags[0].answered & flags[1].answered
    before, after = (each.least[both] for each in flags)
    units = flags[1].columns[-1][both]
    test = clustered_mcnemar(before, after, units)
    residuals = np.subtract(before, after, dtype=np.float64)
    residuals -= residuals.mean()
    effective_pairs = effective_size(residuals, cluster_codes(units, len(units))).n_eff
    flipped = scored.flipped(name)
    return {
        "base_accuracy": share_correct(before, units),
        "p_value": test.p_exact,
        "p_mid": test.p_mid,
        "mcnemar": mcnemar(test.b, test.c),
        "effective_pairs": effective_pairs,
        "flip_rate": None if flipped is None else share_of(flipped, scored.limit).known(CONFIDENCE),
        "by_gold": by_gold(scored, name, base),
        "candidate": choice.candidate(drop.known, test.p_exact),
    }


def _majority(here: Scored, two_labels: bool) -> MajorityClass | None:
    """Return the most frequent gold label (the first in the order of GOLDS if several are)."""
    gold = here.classes(here.gold, two_labels=two_labels)
    if len(np.unique(gold)) < 2:
        return None
    label = int(np.bincount(gold).argmax())
    always = gold == label
    advantage = paired_difference(here.correct, always, here.units)
    return MajorityClass(GOLDS[label], float(always.mean()), advantage)


def _detectable(result: TestSetResult, alpha: float) -> float | None:
    """Return the drop that the pairs of *result* would show at the level *alpha*; None if there is none."""
    if result.effective_pairs is None or result.mcnemar is None or result.drop is None:
        return None
    discordant = (result.mcnemar.b + result.mcnemar.c) / result.drop.n
    drop = minimum_detectable_drop(result.effective_pairs, discordant, alpha)
    return None if math.isnan(drop) else drop
