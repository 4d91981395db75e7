"""What rules can be about: the table of measures, each of a run alone and of its difference from a baseline.

Missing answers: a measure is of the items that were answered, and of those that both models answered if it is
a difference.  With it come the two measures over all items that have a gold label, with the missing answers
taken so that it is least, and most.  If too many are missing, only these bounds are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.evaluation.consistency import RULES, ConsistencyRule
from crossexam.evaluation.probability_comparison import compared_probabilities
from crossexam.evaluation.scores import numbered_clusters
from crossexam.evaluation.shares import gives_labels_only, probabilities_needed
from crossexam.evaluation.unanswered import too_many
from crossexam.gates.items import (
    Finder,
    Items,
    ScoredRun,
    before_and_after,
    flipped,
    flipped_items,
    items_without_answer,
    labelled_rows,
    lost_items,
    right,
    right_by_gold,
    right_items,
    surely_wrong_items,
    usable_shares,
    violated,
    violating_items,
    violations_of,
)
from crossexam.stats.balanced_accuracy import (
    balanced_accuracy,
    balanced_difference,
    exact_balanced_accuracy,
)
from crossexam.stats.calibration import binned_errors, equal_width_bins
from crossexam.stats.estimate import exact_share, share_correct, wilson_share
from crossexam.stats.p_values import AtConfidence
from crossexam.stats.paired import difference_of_drops, paired_difference
from crossexam.stats.unpaired import difference, difference_of_unpaired_drops

_BASES: Final = "items with a gold label, whose base items have one too"

_Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class MeasuredQuantity:
    """A measure at any confidence: as it is *known*, and the *least* and *most* that it could be.

    It is of *n* items, of which *missing* are not measured; with *only_bounds*, they are too many.  *spread*
    returns the variance of an independent item if a value is true, up to a constant factor, None if it is not
    a mean of items; *distances* are then those of the bounds at a confidence, before they are cut off, unless
    that is never done; values are from *lowest* to *highest*.
    An *observed* quantity is known without error.  *exact* is the same with the interval from which p-values
    are computed, if that is another than the one that is shown.  *alike* are the measures with the missing
    answers taken as wrong, and as right, in whatever is compared; without any, *least* and *most* stand for
    them.
    """

    known: AtConfidence
    least: AtConfidence
    most: AtConfidence
    n: int
    missing: int
    only_bounds: bool
    spread: Callable[[float], float] | None = None
    distances: Callable[[float], tuple[float, float]] | None = None
    lowest: float = 0.0
    highest: float = 1.0
    observed: bool = False
    exact: MeasuredQuantity | None = None
    alike: tuple[AtConfidence, ...] = ()

    def with_missing(self) -> tuple[float, ...]:
        """Return what the value may be if missing answers are counted; nothing if there are none."""
        return tuple(at(0.95).value for at in self.alike or (self.least, self.most)) if self.missing else ()

    @property
    def tested(self) -> MeasuredQuantity:
        """The measure with the interval from which p-values are computed."""
        return self.exact or self

    def value(self, confidence: float = 0.95) -> Estimate:
        """Return the measure with its interval; bounds if these are all that is known."""
        if self.only_bounds:
            return Bounds(self.least(confidence), self.most(confidence))
        return self.known(confidence)


#: Measures a test set of a run; None if it has nothing of the kind.
Alone = Callable[[ScoredRun, str], MeasuredQuantity | None]
#: Measures the difference of a run, the first, from a baseline.
Against = Callable[[ScoredRun, ScoredRun, str], MeasuredQuantity | None]


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


def _quantity(
    estimate: Callable[..., Estimate],
    least: Sequence[_Flags],
    most: Sequence[_Flags],
    answered: _Flags,
    by: Sequence[NDArray[Any]],
    limit: float,
    *,
    spread: Callable[[float], float],
    lowest: float = 0.0,
    highest: float = 1.0,
) -> MeasuredQuantity:
    """Return what *estimate* makes of flags of items, of the arrays *by*, and of a confidence."""
    missing = int((~answered).sum())

    def at(flags: Sequence[_Flags], rows: _Flags | slice) -> AtConfidence:
        given = [each[rows] for each in (*flags, *by)]
        return lambda confidence: estimate(*given, confidence)

    whole = slice(None)
    known = at(least, answered if missing else whole)
    return MeasuredQuantity(
        known=known,
        least=at(least, whole) if missing else known,
        most=at(most, whole) if missing else known,
        n=len(answered),
        missing=missing,
        only_bounds=too_many(missing, len(answered), limit),
        spread=spread,
        lowest=lowest,
        highest=highest,
        alike=tuple(
            at([combined(pair) for pair in zip(least, most, strict=True)], whole)
            for combined in (np.logical_and.reduce, np.logical_or.reduce)
        )
        if missing
        else (),
    )


def _of_share(share: float) -> float:
    return max(0.0, share * (1 - share))


def _of_differences(differences: NDArray[Any]) -> Callable[[float], float]:
    """Return the variance of *differences* of items if their mean is another, which may need more of them."""
    squares = float(np.square(differences, dtype=np.float64).mean()) if len(differences) else 0.0
    return lambda mean: max(squares, abs(mean), mean**2) - mean**2


def _differences(first: _Flags, second: _Flags) -> NDArray[np.int8]:
    return np.subtract(first, second, dtype=np.int8)


#: A share with the interval that is shown, and with the one that is exact, from which p-values are.
_SHARE: Final = (share_correct, exact_share)
_BALANCED: Final = (balanced_accuracy, exact_balanced_accuracy)


def _share(
    least: _Flags,
    most: _Flags,
    answered: _Flags,
    by: Sequence[NDArray[Any]],
    limit: float,
    estimates: Sequence[Callable[..., Estimate]] = _SHARE,
) -> MeasuredQuantity:
    """Return the share of items for which a flag is true, whose p-values are exact."""
    shown, exact = (
        _quantity(estimate, [least], [most], answered, by, limit, spread=_of_share) for estimate in estimates
    )
    return replace(shown, exact=exact)


def _share_of(
    items: Callable[[ScoredRun, str], Items | None], estimates: Sequence[Callable[..., Estimate]] = _SHARE
) -> Alone:
    def measured(answers: ScoredRun, name: str) -> MeasuredQuantity | None:
        found = items(answers, name)
        return None if found is None else _share(*found, answers.limit, estimates)

    return measured


def _against(items: Callable[[ScoredRun, str], Items | None], estimate: Callable[..., Estimate]) -> Against:
    def measured(answers: ScoredRun, baseline: ScoredRun, name: str) -> MeasuredQuantity | None:
        new, old = items(answers, name), items(baseline, name)
        if new is None or old is None:
            return None
        both = new.answered & old.answered
        return _quantity(
            estimate,
            [new.least, old.most],
            [new.most, old.least],
            both,
            new.by,
            answers.limit,
            spread=_of_differences(_differences(new.least[both], old.least[both])),
            lowest=-1.0,
        )

    return measured


def _drop(answers: ScoredRun, name: str) -> MeasuredQuantity | None:
    """Return the accuracy lost from the base; of items that are not paired, the difference of accuracies."""
    base = answers.base_of(name)
    if base is None:
        return None
    if not answers.run.datasets[name].entry.compares_items:
        shown, exact = (_unpaired_drop([answers], base, name, share) for share in (wilson_share, exact_share))
        return replace(shown, exact=exact)
    before, after = before_and_after(answers, name, base)
    both = before.answered & after.answered
    return _quantity(
        paired_difference,
        [before.least, after.most],
        [before.most, after.least],
        both,
        after.by,
        answers.limit,
        spread=_of_differences(_differences(before.least[both], after.least[both])),
        lowest=-1.0,
    )


def _unpaired_drop(
    models: Sequence[ScoredRun], base: str, name: str, share: Callable[..., Estimate] = wilson_share
) -> MeasuredQuantity:
    """Return the drop of a model, or that of the first minus that of the second, if items are not paired.

    The interval of the drop of one model is from those of *share*.
    """
    sets = [[right(each, test_set) for each in models] for test_set in (base, name)]
    answered = [np.logical_and.reduce([each.answered for each in items]) for items in sets]
    missing = [int((~each).sum()) for each in answered]
    sizes = [len(each) for each in answered]

    def at(turn: int, rows: Sequence[_Flags | slice]) -> AtConfidence:
        """Return the least (0) or the most (1); the other set, or model, swaps them."""
        right = [
            [(each.least, each.most)[(turn + place + which) % 2][part] for which, each in enumerate(items)]
            for place, (items, part) in enumerate(zip(sets, rows, strict=True))
        ]
        one, other = (items[0].by[-1][part] for items, part in zip(sets, rows, strict=True))
        if len(models) == 1:
            ((before,), (after,)) = right
            return lambda confidence: difference(before, after, one, other, confidence, share)
        a, b = ((first, second) for first, second in right)
        return lambda confidence: difference_of_unpaired_drops(a, b, one, other, confidence)

    def distances(confidence: float) -> tuple[float, float]:
        """Return the distance of the bound further away, twice: at another value it may be on either side."""
        known = at(0, answered)(confidence)
        furthest = max(known.value - known.low, known.high - known.value)
        return furthest, furthest

    whole = (slice(None), slice(None))
    before = float(sets[0][0].least[answered[0]].mean()) if answered[0].any() else 0.0
    return MeasuredQuantity(
        known=at(0, answered),
        least=at(0, whole),
        most=at(1, whole),
        n=min(sizes) and sum(sizes),
        missing=sum(missing),
        only_bounds=any(too_many(*counts, models[0].limit) for counts in zip(missing, sizes, strict=True)),
        distances=distances,
        lowest=before - 1 if len(models) == 1 else -2.0,
        highest=before if len(models) == 1 else 2.0,
    )


def _drop_against(answers: ScoredRun, baseline: ScoredRun, name: str) -> MeasuredQuantity | None:
    """Return how much more accuracy is lost than the baseline lost, from the differences of the pairs."""
    base = answers.base_of(name)
    if base is None:
        return None
    if not answers.run.datasets[name].entry.compares_items:
        return _unpaired_drop([answers, baseline], base, name)
    new, old = (before_and_after(each, name, base) for each in (answers, baseline))
    every = [each.answered for each in (*new, *old)]
    answered = np.logical_and.reduce(every)
    changes = [_differences(*(part.least[answered] for part in each)) for each in (new, old)]
    return _quantity(
        lambda b, s, b2, s2, clusters, confidence: difference_of_drops(
            (b, s), (b2, s2), clusters, confidence
        ),
        [new[0].least, new[1].most, old[0].most, old[1].least],
        [new[0].most, new[1].least, old[0].least, old[1].most],
        answered,
        new[1].by,
        answers.limit,
        spread=_of_differences(changes[0] - changes[1]),
        lowest=-2.0,
        highest=2.0,
    )


def _unanswered(answers: ScoredRun, name: str) -> MeasuredQuantity:
    """Return the share of the items with a gold label that have no answer; of all if none has a label."""
    labelled = answers.scores.wrong[name].predicted >= 0
    answered = labelled if len(labelled) else answers.run.answered(name)
    n = len(answered)
    return _observed(int((~answered).sum()) / n if n else nan, n)


def _unanswered_against(answers: ScoredRun, baseline: ScoredRun, name: str) -> MeasuredQuantity:
    new, old = (_unanswered(each, name) for each in (answers, baseline))
    return _observed(new.value().value - old.value().value, new.n)


def _observed(value: float, n: int) -> MeasuredQuantity:
    """Return a quantity that is known without error."""

    def at(_: float) -> Estimate:
        return Estimate(value, value, value, n, n)

    return MeasuredQuantity(at, at, at, n, 0, False, observed=True)


def _ece(answers: ScoredRun, name: str) -> MeasuredQuantity:
    """Return the expected calibration error: 15 bins of equal width, as in reports."""
    kept = usable_shares(answers, name)
    if kept is None:
        raise probabilities_needed(answers.run, f"the calibration error on {name}")
    stated, right, clusters = kept.confidence, kept.correct, kept.clusters
    errors = binned_errors(stated, right, equal_width_bins(stated), clusters)

    assert errors is not None
    found = _calibration(errors.error, len(labelled_rows(answers, name)), len(right), answers.limit, 0.0)
    return replace(found, distances=errors.distances if errors.clusters > 1 else None)


def _ece_against(answers: ScoredRun, baseline: ScoredRun, name: str) -> MeasuredQuantity:
    new, old = answers.probabilities, baseline.probabilities
    if new is None or old is None or name not in old.datasets:
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

    def at(confidence: float) -> Estimate:
        found = compared_probabilities(name, new, old, clusters, confidence)
        return found.measured.ece.difference

    return _calibration(at, n, at(0.95).n, answers.limit, -1.0)


def _calibration(at: AtConfidence, n: int, measured: int, limit: float, lowest: float) -> MeasuredQuantity:
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

    return MeasuredQuantity(
        known=at,
        least=moved(-1) if share else at,
        most=moved(1) if share else at,
        n=n,
        missing=n - measured,
        only_bounds=too_many(n - measured, n, limit),
        lowest=lowest,
    )


def _violated_where_it_applies(rule: ConsistencyRule) -> Alone:
    """Return a function that measures how many items violate *rule*, of those whose condition holds."""
    find = violations_of(rule)

    def measured(answers: ScoredRun, name: str) -> MeasuredQuantity | None:
        if (found := find(answers, name)) is None:
            return None
        kept = found.condition | ~found.answered  # it may hold of what was not answered
        least, answered, by = found.violated[kept], found.answered[kept], [found.clusters[kept]]
        most = least | ~answered
        share = _share(least, most, answered, by, answers.limit)
        return replace(share, only_bounds=found.only_bounds)  # as in reports, by what is missing of all items

    return measured


def _not_against(rule: ConsistencyRule, name: str, instead: str) -> Against:
    find = violations_of(rule)

    def measured(answers: ScoredRun, baseline: ScoredRun, test_set: str) -> MeasuredQuantity | None:
        if find(answers, test_set) is None:
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
    items = violated(rule)
    yield Measure(
        of_all,
        f"the share of items that violate {rule.says}",
        False,
        _share_of(items),
        _against(items, paired_difference),
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
            _share_of(right),
            _against(right, paired_difference),
            right_items,
        ),
        Measure(
            "balanced_accuracy",
            "the mean of the recalls of the gold labels",
            True,
            _share_of(right_by_gold, _BALANCED),
            _against(right_by_gold, balanced_difference),
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
            "the share of items predicted otherwise than their base",
            False,
            _share_of(flipped),
            _against(flipped, paired_difference),
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
