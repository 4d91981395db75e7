"""What rules can be about: the table of measures, each of a run alone and of its difference from a baseline.

They are the statistics of a report, at other confidences (:mod:`crossexam.evaluation.quantities`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Final

from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.evaluation.consistency import RULES, ConsistencyRule
from crossexam.evaluation.probability_comparison import compared_calibration
from crossexam.evaluation.quantities import (
    SHARE,
    Flags,
    Quantity,
    difference_of,
    difference_of_changes,
    observed,
    share_of,
    too_many,
    unpaired_drop,
)
from crossexam.evaluation.scores import numbered_clusters
from crossexam.evaluation.shares import gives_labels_only, probabilities_needed
from crossexam.gates.items import (
    Finder,
    JudgedRun,
    flipped_items,
    items_without_answer,
    labelled_rows,
    lost_items,
    right_items,
    surely_wrong_items,
    usable_shares,
    violating_items,
)
from crossexam.stats.balanced_accuracy import (
    balanced_accuracy,
    balanced_difference,
    exact_balanced_accuracy,
)
from crossexam.stats.calibration import binned_errors, equal_width_bins
from crossexam.stats.p_values import AtConfidence
from crossexam.stats.paired import paired_difference

_BASES: Final = "items with a gold label, whose base items have one too"

#: Measures a test set of a run; None if it has nothing of the kind.
Alone = Callable[[JudgedRun, str], Quantity | None]
#: Measures the difference of a run, the first, from a baseline.
Against = Callable[[JudgedRun, JudgedRun, str], Quantity | None]


@dataclass(frozen=True)
class Measure:
    """A measure by its *name*: *alone* of a run, and *against* a baseline.

    *higher_is_better* says in which direction a run can be worse than its baseline, *says* what it is, and
    *needs* what a test set must have for it, among them gold labels unless it is *of_answers* alone.
    *sought* finds the items behind its value.  Even alone, a measure that *is_loss* is of something lost, so
    that nothing is if it is 0.  All measures are shares, and shown in percent.
    """

    name: str
    says: str
    higher_is_better: bool
    alone: Alone
    against: Against
    sought: Finder
    needs: str = "items with a gold label"
    of_answers: bool = False
    is_loss: bool = False


#: A mean of recalls with the interval that is shown, and with the one from which p-values are.
_BALANCED: Final = (balanced_accuracy, exact_balanced_accuracy)
#: Finds flags of the items of a test set, None if it has nothing of the kind.
_Find = Callable[[JudgedRun, str], Flags | None]


def _share_of(find: _Find, estimates: Sequence[Callable[..., Estimate]] = SHARE) -> Alone:
    def measured(answers: JudgedRun, name: str) -> Quantity | None:
        found = find(answers, name)
        return None if found is None else share_of(found, answers.limit, estimates)

    return measured


def _against(find: _Find, estimate: Callable[..., Estimate] = paired_difference) -> Against:
    def measured(answers: JudgedRun, baseline: JudgedRun, name: str) -> Quantity | None:
        new, old = find(answers, name), find(baseline, name)
        if new is None or old is None:
            return None
        return difference_of(new, old, answers.limit, estimate)

    return measured


def _drop(answers: JudgedRun, name: str) -> Quantity | None:
    base = answers.base_of(name)
    return None if base is None else answers.drop(name, base)


def _drop_against(answers: JudgedRun, baseline: JudgedRun, name: str) -> Quantity | None:
    """Return how much more accuracy is lost than the baseline lost, from the differences of the pairs."""
    base = answers.base_of(name)
    if base is None:
        return None
    both = (answers, baseline)
    if not answers.compares_items(name):
        return unpaired_drop([(each.right(base), each.right(name)) for each in both], answers.limit)
    new, old = (each.before_and_after(name, base) for each in both)
    return difference_of_changes(new, old, answers.limit)


def _unanswered(answers: JudgedRun, name: str) -> Quantity:
    """Return the share of the items with a gold label that have no answer; of all if none has a label."""
    missing = items_without_answer(answers, name).is_true
    n = len(missing)
    return observed(int(missing.sum()) / n if n else nan, n)


def _unanswered_against(answers: JudgedRun, baseline: JudgedRun, name: str) -> Quantity:
    new, old = (_unanswered(each, name) for each in (answers, baseline))
    return observed(new.value().value - old.value().value, new.n)


def _ece(answers: JudgedRun, name: str) -> Quantity:
    """Return the expected calibration error: 15 bins of equal width, as in reports."""
    kept = usable_shares(answers, name)
    if kept is None:
        raise probabilities_needed(answers.run, f"the calibration error on {name}")
    stated, right, clusters = kept.confidence, kept.correct, kept.clusters
    errors = binned_errors(stated, right, equal_width_bins(stated), clusters)

    assert errors is not None
    found = _calibration(errors.error, len(labelled_rows(answers, name)), len(right), answers.limit, 0.0)
    return replace(found, distances=errors.distances if errors.clusters > 1 else None)


def _ece_against(answers: JudgedRun, baseline: JudgedRun, name: str) -> Quantity:
    new, old = answers.run, baseline.probabilities
    if old is None or name not in old.datasets:
        raise CrossexamError(
            f"the baseline has no probabilities, from which the calibration error of '{baseline.run.model}' "
            "could be computed",
            where=f"test set {name}",
            wanted="a baseline with probabilities",
            hint="crossexam baseline RUN --probabilities -o FILE",
        )
    if gives_labels_only(new.answers(name)):
        raise probabilities_needed(new, f"the calibration error on {name}")
    clusters = numbered_clusters(new.restricted_to([name]))[name]
    n = len(labelled_rows(answers, name))
    at = compared_calibration(name, new, old, clusters)
    return _calibration(at, n, at(0.95).n, answers.limit, -1.0)


def _calibration(at: AtConfidence, n: int, measured: int, limit: float, lowest: float) -> Quantity:
    """Return a calibration error, or a difference of two, that is of *measured* of *n* items.

    A missing item can change the sum of the deviations of the bins by 1, and so an error by 1/n.
    """
    share = (n - measured) / n if n else 0.0
    most_change = share * (1 - lowest)

    def moved(sign: int) -> AtConfidence:
        def found(confidence: float) -> Estimate:
            known = at(confidence)
            value, low, high = (
                min(1.0, max(lowest, (1 - share) * each + sign * most_change)) for each in known[:3]
            )
            return Estimate(value, low, high, n, known.clusters)

        return found

    return Quantity(
        known=at,
        least=moved(-1) if share else at,
        most=moved(1) if share else at,
        n=n,
        missing=n - measured,
        only_bounds=too_many(n - measured, n, limit),
        lowest=lowest,
    )


def _violated(rule: ConsistencyRule) -> _Find:
    """Return a function that finds which of all items violate *rule*."""

    def find(answers: JudgedRun, name: str) -> Flags | None:
        found = answers.violations_of(rule, name)
        return None if found is None else found.flags

    return find


def _violated_where_it_applies(rule: ConsistencyRule) -> Alone:
    """Return a function that measures how many items violate *rule*, of those whose condition holds."""

    def measured(answers: JudgedRun, name: str) -> Quantity | None:
        found = answers.violations_of(rule, name)
        return None if found is None else found.where_it_applies

    return measured


def _not_against(rule: ConsistencyRule, name: str, instead: str) -> Against:
    def measured(answers: JudgedRun, baseline: JudgedRun, test_set: str) -> Quantity | None:
        if answers.violations_of(rule, test_set) is None:
            return None
        raise CrossexamError(
            f"'{name}' cannot be compared with a baseline: each model has its own items to which the rule "
            "applies",
            where=f"test set {test_set}",
            wanted=f'measure = "{instead}", which is of all items',
        )

    return measured


def _measures_of(rule: ConsistencyRule) -> Iterator[Measure]:
    """Yield the measures of a consistency *rule*: both rates, which are one if it always applies."""
    of_all, conditional = f"violation.{rule.name}", f"conditional_violation.{rule.name}"
    items = _violated(rule)
    yield Measure(
        of_all,
        f"the share of items that violate {rule.says}",
        False,
        _share_of(items),
        _against(items),
        violating_items(rule),
        needs="items with the other items of their rule",
        of_answers=True,
    )
    if not rule.always_applies:
        yield Measure(
            conditional,
            f"the share of items that violate {rule.says}, of those to which it applies",
            False,
            _violated_where_it_applies(rule),
            _not_against(rule, conditional, of_all),
            violating_items(rule),
            needs="items to which the rule applies",
            of_answers=True,
        )


#: The measures of rules, by name.  Another measure is a line here.
MEASURES: Final[Mapping[str, Measure]] = {
    each.name: each
    for each in (
        Measure(
            "accuracy",
            "the share of items that are right",
            True,
            _share_of(JudgedRun.right),
            _against(JudgedRun.right),
            right_items,
        ),
        Measure(
            "balanced_accuracy",
            "the mean of the recalls of the gold labels",
            True,
            _share_of(JudgedRun.right_by_gold, _BALANCED),
            _against(JudgedRun.right_by_gold, balanced_difference),
            right_items,
        ),
        Measure(
            "drop",
            "the accuracy lost from the base",
            False,
            _drop,
            _drop_against,
            lost_items,
            needs=_BASES,
            is_loss=True,
        ),
        Measure(
            "flip_rate",
            "the share of items predicted differently from their base",
            False,
            _share_of(JudgedRun.flipped),
            _against(JudgedRun.flipped),
            flipped_items,
            needs=_BASES,
        ),
        Measure(
            "unanswered",
            "the share of items without an answer",
            False,
            _unanswered,
            _unanswered_against,
            items_without_answer,
            of_answers=True,
        ),
        Measure("ece", "the expected calibration error", False, _ece, _ece_against, surely_wrong_items),
        *(each for rule in RULES.values() for each in _measures_of(rule)),
    )
}
