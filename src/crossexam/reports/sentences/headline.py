"""The finding of a report in one sentence, one sentence per model, and what makes a drop meaningless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final

from crossexam.core.dataset import counted_items
from crossexam.core.estimate import Estimate, p_value_text
from crossexam.evaluation.candidates import FEW, Candidate
from crossexam.evaluation.cross_dataset import BenchmarkScore
from crossexam.evaluation.measures import MajorityClass, TestSetResult
from crossexam.evaluation.verified import is_proposed
from crossexam.models.api.remarks import endpoint_remarks
from crossexam.reports.analyses.base_labels import one_label_warnings, unlabelled_warnings
from crossexam.reports.analyses.consistency import consistency, has_consistency, most_violated
from crossexam.reports.analyses.gold_labels import hidden_change
from crossexam.reports.analyses.templates import below_noise, noise_warnings
from crossexam.reports.analyses.truncation import truncations
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.sentences.leading import (
    able_to_lead,
    bases_at_chance,
    drops_shown,
    leading,
    none_drops,
    worst_of,
)
from crossexam.reports.table import adjusted_for, number_text
from crossexam.reports.ties import tie_warnings


def culprit(results: Results) -> ModelResults | None:
    """Return the model that the headline is about: the first of which anything was measured; None if none."""
    return next((model for model in results.models if worst_of(model) is not None), None)


def headlines(results: Results) -> list[str]:
    """Return what broke most, a sentence (:func:`sentence`) per model, :func:`culprit` first."""
    first = culprit(results)
    if first is None and any(consistency(model) for model in results.models):
        return [sentence(model, results) for model in results.models]
    if first is None:
        bounded = next((model for model in results.models if _has_bounds(model)), None)
        missing = "No item has a gold label, so accuracy cannot be computed."
        return [missing if bounded is None else _no_result(bounded)]
    others = [model for model in results.models if model is not first]
    found = [sentence(model, results) for model in (first, *others)]
    return [found[0] + _left_out(results), *found[1:]]


def _left_out(results: Results) -> str:
    """Return the sentence that test sets with proposed labels do not count, if there are others too."""
    of_models = [result for model in results.models if model.benchmark is None for result in model.results]
    of_models = [result for result in of_models if result.n > 0 and not result.only_bounds]
    proposed = [result for result in of_models if is_proposed(result.name)]
    if not 0 < len(proposed) < len(of_models):
        return ""
    return " Test sets whose labels are only proposed are left out."


def sentence(model: ModelResults, results: Results) -> str:
    """Return on which test set the accuracy of *model* drops most, or that no drop is significant.

    What no drop shows, a large change for single gold labels, is said first then.  If *model* was asked about
    items of consistency rules, the rule that it violates most often follows.  *model* is one of those of
    *results*, of all of which the drops and the rules are chosen from.
    """
    on_accuracy = _on_accuracy(model, results.short_names)
    if none_drops(model) and (hidden := hidden_change(model, results)):
        on_accuracy = f"{hidden} Over all labels, {on_accuracy[0].lower()}{on_accuracy[1:]}"
    if not has_consistency(results):
        return on_accuracy
    rates = sum(len(consistency(each)) for each in results.models)
    return " ".join(filter(None, (on_accuracy, most_violated(model, results.short_names, rates))))


def _on_accuracy(model: ModelResults, names: Mapping[str, str]) -> str:
    if model.benchmark is not None:
        return _on_benchmark(model, model.benchmark)
    if worst_of(model) is None:
        return _no_result(model)
    result = leading(model)
    if result is None:
        return _nothing_leads(model, names)
    candidate = result.candidate
    if candidate is None:
        return _on_one_set(model, result, names)
    told = _fall if candidate.is_significant else _no_fall
    return told(model, result, candidate, names)


def _nothing_leads(model: ModelResults, names: Mapping[str, str]) -> str:
    """Return why no test set leads the headline: the model is at chance, or there are too few items."""
    bases = {each.base_set for each in model.results if each.loss is not None}
    if found := bases_at_chance(model):
        chance = (
            _of_chance(model, found[0], names)
            if len(found) == 1
            else _of_many_at_chance(model, found, len(bases), names)
        )
        return chance + _significant_elsewhere("Even so, the largest significant drop", model, names)
    base = next((each for each in model.results if each.name in bases and not each.is_small), None)
    if base is None or base.only_bounds:
        return (
            f"{model.name} was measured on fewer than {FEW} items of each test set, too few for a conclusion."
        )
    rest = f"the drops from it are of fewer than {FEW} items each, too few for a conclusion"
    return f"{_on_one_set(model, base, names).removesuffix('.')}; {rest}."


def _significant_elsewhere(begin: str, model: ModelResults, names: Mapping[str, str]) -> str:
    """Return a sentence on the largest significant drop on what does not count; empty without any."""
    counted = {each.name for each in able_to_lead(model)}
    meaningless = {
        each.name
        for each in bases_at_chance(model)
        if each.majority is None or each.majority.advantage.value <= 0
    }
    found = [
        (each.loss.value, each.p_holm, each.name)
        for each in _with_drops(model)
        if each.loss is not None
        and each.loss.value > 0
        and each.p_holm is not None
        and each.p_holm <= model.options.alpha
        and each.name not in counted
        and each.base_set not in meaningless
        and not is_proposed(each.name)
    ]
    if not found:
        return ""
    value, p_holm, name = max(found)
    p = f"p {p_value_text(p_holm)}, corrected for the tests of this model alone"
    points = f"{100 * value:.1f} points ({p})"
    return f" {begin} is {points}, on {names.get(name, name)}."


def _on_one_set(model: ModelResults, result: TestSetResult, names: Mapping[str, str]) -> str:
    """Return the accuracy of *model* on the test set of *result*, for want of a drop."""
    bounded = sum(each.only_bounds for each in model.results)
    items = f", {counted_items(result.n, 'item')}" if bounded else ""
    rest = f"; for {counted_items(bounded, 'other test set')}, only bounds are known" if bounded else ""
    rest += ". The labels of its items are only proposed" if is_proposed(result.name) else ""
    accuracy, name = number_text(result.accuracy, "percent"), names.get(result.name, result.name)
    interval = _range(result.accuracy)
    return f"The accuracy of {model.name} is {accuracy} % on {name} (95 % interval {interval}{items}){rest}."


def _fall(model: ModelResults, result: TestSetResult, candidate: Candidate, names: Mapping[str, str]) -> str:
    """Return by how much the accuracy of *model* falls on the test set of *result*.

    On other pairs than those of the base, it differs, and nobody knows why.
    """
    base, name, loss = result.base_accuracy, names.get(result.name, result.name), candidate.loss
    assert base is not None
    before = f"{number_text(base, 'percent')} % on {_base_of(model, result, names)}"
    after = f"{number_text(result.accuracy, 'percent')} % on {name}"
    if result.p_holm is not None and result.n != loss.n:  # items whose base has no answer are in no drop
        paired = number_text(base.value - loss.value, "percent")
        after = f"{paired} % on the {counted_items(loss.n, 'item')} of {name} whose base was answered"
    alike = _alike(model, result)
    floor = f", which is {below_noise(model, result)}" if model.is_within_noise(result) else ""
    falls = (
        f"The accuracy of {model.name} falls from {before} to {after}. "
        f"The {'largest significant drop' if alike > 1 else 'drop'} is {_dropped(candidate)}){floor}."
    )
    if result.p_holm is None:
        one_label = f", all with the gold label {result.only_gold}" if result.only_gold else ""
        others = f", the largest of {alike} (of {FEW} items or more) whose intervals exclude 0"
        of_several = others if alike > 1 else ""
        falls = (
            f"The accuracy of {model.name} is {before} and {after}, whose items are other pairs{one_label}. "
            f"The difference is {_dropped(candidate)}; not tested){of_several}{floor}."
        )
    bounded = sum(map(_is_bounded, model.results))
    unknown = f" For {counted_items(bounded, 'test set')}, only bounds are known." if bounded else ""
    return falls + _larger(model, loss, names) + unknown


_UNTESTED: Final = "not tested: its items are not paired with the base"


def _alike(model: ModelResults, result: TestSetResult) -> int:
    """Return how many drops are significant as that of *result* is: tested, or by their intervals alone."""
    return sum(
        each.candidate is not None
        and each.candidate.is_significant
        and (each.p_holm is None) == (result.p_holm is None)
        and model.is_within_noise(each) == model.is_within_noise(result)
        for each in able_to_lead(model)
    )


def _larger(model: ModelResults, loss: Estimate, names: Mapping[str, str]) -> str:
    """Return a sentence on a larger drop than *loss* that was not tested, if there is one."""
    larger = [
        each.loss
        for each in able_to_lead(model)
        if each.loss is not None and each.loss.value > loss.value and each.p_holm is None
    ]
    if not larger:
        return ""
    largest = max(larger)
    name = next(each.name for each in model.results if each.loss is largest)
    points = f"{100 * largest.value:.1f} points on {names.get(name, name)}"
    return f" A larger difference, {points}, was not tested: its items are not paired."


def _dropped(candidate: Candidate) -> str:
    """Return the drop of *candidate* with its interval, up to the closing parenthesis."""
    loss, adjusted = candidate.loss, adjusted_for(candidate.count, "drops")
    return f"{number_text(loss, 'points')} points (95 % interval {_range(loss)}".replace("-", "−") + adjusted


def _no_fall(
    model: ModelResults, result: TestSetResult, candidate: Candidate, names: Mapping[str, str]
) -> str:
    """Return that no drop of *model* is significant; the largest is *candidate*, that of *result*."""
    before, any_set = _whole_base(model, result, names), _any_set(model, names)
    limits = f"{_unnoticed(model, names)}{_not_counted(model, names)}"
    if (disputed := _disputed(model)) is not None:
        return f"The accuracy of {model.name}, {before}, {_in_table_alone(disputed, names)}.{limits}"
    if candidate.loss.value <= 0:
        return f"The accuracy of {model.name}, {before}, does not drop on {any_set}.{limits}"
    tested = f"; {_UNTESTED}" if candidate.p_value is None else ""
    if candidate.loss.low > 0:  # another reason than the interval, which the reader sees
        tested += (
            f"; not significant at the level {model.options.alpha:g}"
            if candidate.p_value is None or candidate.p_value <= model.options.alpha
            else f"; corrected p {p_value_text(candidate.p_value)}"
        )
    largest = f"{_dropped(candidate)}{tested}), on {names.get(result.name, result.name)}"
    return (
        f"The accuracy of {model.name}, {before}, does not drop significantly on {any_set}. "
        f"The largest of these drops is {largest}.{limits}"
    )


def _unnoticed(model: ModelResults, names: Mapping[str, str]) -> str:
    """Return how large a drop may be that is found in fewer than 80 % of cases; empty if none was tested."""
    drops = {
        each.name: each.minimum_detectable_drop or inf
        for each in able_to_lead(model)
        if each.p_holm is not None and each.base_accuracy is not None
    }
    if not drops:
        return ""
    name = max(drops, key=lambda each: drops[each])
    result = model.result(name)
    if result is not None and result.base_accuracy is not None and drops[name] > result.base_accuracy.value:
        return f" On {names.get(name, name)}, even a drop to 0 % could go unnoticed."
    return f" Drops of up to {100 * drops[name]:.1f} points may go unnoticed."


def _any_set(model: ModelResults, names: Mapping[str, str]) -> str:
    """Return of which test sets a sentence speaks that says that none has a significant drop."""
    counted, any_set = able_to_lead(model), "any test set"
    needed = _needed_to_count(model)
    if len(counted) < len(_with_drops(model)) or needed:
        which = f"with {needed}" if needed else "that counts" if len(counted) == 1 else "that count"
        any_set = f"any of the {len(counted)} test sets {which}"
        if len(counted) == 1:
            any_set = f"{names.get(counted[0].name, counted[0].name)}, the only test set {which}"
    unseen = sum(each.edit_unseen for each in truncations(model))
    read = f" (it did not read the changed text of {counted_items(unseen, 'item')})" if unseen else ""
    return f"{any_set}{read}"


def _needed_to_count(model: ModelResults) -> str:
    """Return what test sets need to count for the headline of *model*, if some lack it.

    That those whose labels are only proposed do not count is said once, for all models.
    """
    lost = _with_drops(model)
    chance = {each.name for each in bases_at_chance(model)}
    limits = [
        (f"at least {FEW} pairs", any(each.is_small for each in lost)),
        ("enough answers", _has_bounds(model)),
        ("a base where the model beats the majority baseline", any(each.base_set in chance for each in lost)),
    ]
    return " and ".join(words for words, holds in limits if holds)


def _with_drops(model: ModelResults) -> list[TestSetResult]:
    return [each for each in model.results if each.loss is not None]


def _not_counted(model: ModelResults, names: Mapping[str, str]) -> str:
    """Return a sentence on the largest significant drop of *model* on what does not count, if any."""
    if not _needed_to_count(model):
        return ""
    return _significant_elsewhere("The largest significant drop elsewhere", model, names)


def _disputed(model: ModelResults) -> TestSetResult | None:
    """Return the result with the lowest p of those that the table marks and the headline cannot claim."""
    found = [
        result
        for result in able_to_lead(model)
        if result.candidate is not None
        and result.candidate.loss.value > 0
        and not result.candidate.is_significant
        and result.p_holm is not None
        and result.p_holm <= model.options.alpha
    ]
    return min(found, key=lambda each: each.p_holm or 0.0, default=None)


def _in_table_alone(result: TestSetResult, names: Mapping[str, str]) -> str:
    """Return that the drop of *result* is significant among those of its model, and what contradicts it."""
    candidate = result.candidate
    assert candidate is not None
    assert result.p_holm is not None
    interval = f"the 95 % interval{adjusted_for(candidate.count, 'drops')}"
    comma = "," if candidate.count > 1 else ""
    reason = f"{interval}{comma} contains 0 ({_range(candidate.loss)})"
    if candidate.loss.low > 0 and candidate.p_value is not None:
        reason = f"not among all {candidate.count:,} drops (corrected p {p_value_text(candidate.p_value)})"
    points, name = number_text(candidate.loss, "points"), names.get(result.name, result.name)
    significant = f"significant among the drops of this model (corrected p {p_value_text(result.p_holm)})"
    return f"drops on {name} by {points} points. This is {significant}, but {reason}"


def _has_bounds(model: ModelResults) -> bool:
    """Return whether there are only bounds of some result of *model*."""
    return any(map(_is_bounded, model.results))


def _is_bounded(result: TestSetResult) -> bool:
    return result.unanswered is not None and (result.only_bounds or result.unanswered.only_drop_bounds)


def _no_result(model: ModelResults) -> str:
    """Return why nothing was measured for *model*."""
    if not any(each.n for each in model.results) and any(each.labelled for each in model.results):
        return f"{model.name} answered no item with a gold label: nothing is known of its accuracy."
    if _has_bounds(model):
        return f"{model.name} left too many items unanswered: only bounds on its results are known."
    return f"{model.name}: no item has a gold label."


def _base_of(model: ModelResults, result: TestSetResult, names: Mapping[str, str]) -> str:
    """Return what the accuracy on the base is of: the base, or those examples that have items."""
    base = model.result(result.base_set or "")
    n = result.base_accuracy.n if result.base_accuracy is not None else 0
    if base is not None and base.n != n:
        return f"the {n:,} base examples of {names.get(result.name, result.name)}"
    return "the base" if base is None else _base_name(model, base.name, names)


def _base_name(model: ModelResults, name: str, names: Mapping[str, str]) -> str:
    """Return the *name* of a base for a sentence: "the base" if there is no other."""
    bases = {each.base_set for each in model.results if each.lost is not None}
    bases |= {each for each, dataset in model.run.datasets.items() if dataset.entry.is_base}
    return "the base" if bases == {name} else names.get(name, name)


def _whole_base(model: ModelResults, result: TestSetResult, names: Mapping[str, str]) -> str:
    """Return the accuracy of *model* on the base of *result*, for a sentence about all test sets.

    If there is none of the whole base, it is that on the examples of the base that have items.
    """
    base = model.result(result.base_set or "")
    if base is None or base.only_bounds:
        assert result.base_accuracy is not None
        accuracy, n = number_text(result.base_accuracy, "percent"), result.base_accuracy.n
        return f"{accuracy} % on the {n:,} base examples of {names.get(result.name, result.name)}"
    name = _base_name(model, base.name, names)
    return f"{number_text(base.accuracy, 'percent')} % on {name}"


def _range(estimate: Estimate) -> str:
    low, high = (number_text(bound, "points").replace("-", "−") for bound in (estimate.low, estimate.high))
    return f"{low} to {high}"


def _on_benchmark(model: ModelResults, score: BenchmarkScore) -> str:
    mean = f"{number_text(score.mean, 'percent')} % (95 % interval {_range(score.mean)})"
    corpora = score.corpora.replace("the benchmark", "the cross-dataset benchmark")
    first = f"{model.name} has a mean accuracy of {mean} on {corpora}"
    if score.reference is None or score.difference is None:
        return f"{first}."
    difference, where = score.difference, "above"
    if difference.value < 0:
        low, high = -difference.high, -difference.low
        difference, where = difference._replace(value=-difference.value, low=low, high=high), "below"
    points, interval = number_text(difference, "points"), _range(difference)
    reference = f"{'a part of ' if score.reference_cut else ''}{score.reference_name}"
    return f"{first}, {points} points {where} that on {reference} (95 % interval {interval})."


def doubts(results: Results) -> list[str]:
    """Return a sentence per model whose order of classes is in doubt."""
    return [
        f"{model.name}: {doubt}."
        for model in results.models
        for doubt in dict.fromkeys(_doubts(model.run.details))
    ]


def other_warnings(results: Results) -> list[str]:
    """Return what makes accuracies and drops doubtful, whatever the test sets.

    A sentence per model with many ties, per model with a significant drop within the noise of asking again,
    per base without gold labels or of a single one, and per model and base, or test set without one, whose
    accuracy is not significantly above the majority class; a sentence per model if that are more than two
    bases.
    """
    remarks = [
        f"{model.name}: {remark}."
        for model in results.models
        for remark in endpoint_remarks(model.run.details)
    ]
    return [
        *tie_warnings(results),
        *noise_warnings(results, _other_drops),
        *remarks,
        *([] if culprit(results) is None else unlabelled_warnings(results)),
        *one_label_warnings(results),
        *_chance_warnings(results),
    ]


#: If a model is not above the majority class on more bases than these, one sentence names them all.
_MOST_BASES: Final = 2


def _chance_warnings(results: Results) -> Iterator[str]:
    """Yield where which models are not significantly above the majority class: bases, and what has none.

    Of few items without a base, nothing is said.
    """
    for name in results.without_base:
        at = [(model, each) for model in results.models if (each := model.result(name)) is not None]
        at = [(model, each) for model, each in at if each.at_chance and not each.is_small]
        if at:
            yield _at_chance_on(results.short_names[name], at)
    for model in results.models:
        if leading(model) is None and bases_at_chance(model):
            continue  # the headline says so
        bases = [each for each in model.results if each.name in results.drop_bases]
        found = [each for each in bases if each.at_chance]
        if len(found) > _MOST_BASES:
            yield _of_many_at_chance(model, found, len(bases), results.short_names)
        else:
            yield from (_of_chance(model, each, results.short_names) for each in found)


def _standing(majorities: Iterable[MajorityClass | None]) -> str:
    """Return how accuracies stand to the majority baselines that none is significantly above."""
    gains = [each.advantage for each in majorities if each is not None]
    if all(gain.high < 0 for gain in gains):
        return "below"
    return "not above" if all(gain.value <= 0 for gain in gains) else "not significantly above"


def _at_chance_on(name: str, at: Sequence[tuple[ModelResults, TestSetResult]]) -> str:
    """Return that models are not above the majority class of the test set *name*, which has no base."""
    accuracies = [f"{model.name} ({number_text(each.accuracy, 'percent')} %)" for model, each in at]
    shares = {number_text(each.majority.share, "percent") for _, each in at if each.majority is not None}
    always = [
        f"; {model.name} always predicts {each.labels[each.predicted_shares.index(1.0)]} there"
        for model, each in at
        if 1.0 in each.predicted_shares
    ]
    listed = " and ".join(filter(None, (", ".join(accuracies[:-1]), accuracies[-1])))
    verb = "are" if len(at) > 1 else "is"
    gains = [each.majority for _, each in at if each.majority is not None]
    # The interval of the accuracy alone can exclude the share all the same: the test is paired.
    paired = _advantage(gains[0]) if len(gains) == 1 and gains[0].advantage.value > 0 else ""
    baseline = f"the majority baseline there ({' or '.join(sorted(shares))} %{paired})"
    words = _standing(gains)
    return f"On {name}, {listed} {verb} {words} {baseline}{''.join(always)}."


def _of_many_at_chance(
    model: ModelResults, found: Sequence[TestSetResult], bases: int, names: Mapping[str, str]
) -> str:
    listed = ", ".join(
        f"{names[each.name]} {_share_of_items(each)} ({number_text(each.majority.share, 'percent')} %)"
        for each in found
        if each.majority is not None
    )
    at_chance = {each.name for each in found}
    has_drops = any(each.base_set in at_chance and each.loss is not None for each in model.results)
    gains = [each.majority.advantage for each in found if each.majority is not None]
    words = _standing(each.majority for each in found)
    consequence = "are hard to interpret" if "significantly" in words else "cannot be interpreted"
    then = f", so drops from these {consequence}" if has_drops else ""
    below = "; check the order of its labels" if any(gain.high < 0 for gain in gains) else ""
    return (
        f"{model.name} is {words} the majority baseline on {len(found)} of {bases} bases{then}{below} (in "
        f"parentheses, the baseline): {listed}."
    )


def _other_drops(model: ModelResults) -> frozenset[str]:
    """Return the test sets with a significant drop of which the headline does not speak."""
    led = leading(model)
    return drops_shown(model.results) - {"" if led is None else led.name}


def _doubts(details: Any) -> Iterator[str]:
    """Yield the warnings in the *details* of a model and of those that it combines."""
    if isinstance(details, Mapping):
        for key, value in details.items():
            if key == "warning":
                yield str(value)
            else:
                yield from _doubts(value)


def _of_chance(model: ModelResults, result: TestSetResult, names: Mapping[str, str]) -> str:
    """Return that *model* is not above the majority class of the base of *result*, and what follows."""
    majority = result.majority
    assert majority is not None
    name = _base_name(model, result.name, names)
    share = number_text(majority.share, "percent")
    has_drops = any(each.base_set == result.name and each.loss is not None for each in model.results)
    words, paired, consequence = _standing([majority]), "", "cannot be interpreted"
    if majority.advantage.high < 0:
        consequence = "cannot be interpreted; check the model's label order"
    elif majority.advantage.value > 0:
        # The interval of the accuracy alone can exclude the share all the same: the test is paired.
        paired, consequence = _advantage(majority), "are hard to interpret"
    baseline = f"the majority baseline ({share} %{paired})"
    then, shares = "", result.predicted_shares
    if has_drops:
        then = f", so drops from this base {consequence}"
    elif 1.0 in shares:
        then = f"; it always predicts {result.labels[shares.index(1.0)]} there"
    few = "; these are too few items for a conclusion" if result.is_small else ""
    accuracy = _share_of_items(result)
    return f"The accuracy of {model.name} on {name}, {accuracy}, is {words} {baseline}{then}{few}."


def _share_of_items(result: TestSetResult) -> str:
    """Return the accuracy of *result*, and of how many items it is."""
    return f"{number_text(result.accuracy, 'percent')} % of {counted_items(result.n, 'item')}"


def _advantage(majority: MajorityClass) -> str:
    return f"; paired difference, 95 % interval: {_range(majority.advantage)} points"
