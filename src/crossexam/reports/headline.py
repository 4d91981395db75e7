"""The finding of a report in one sentence, and one sentence per model."""

from __future__ import annotations

from collections.abc import Sequence

from crossexam.core.example import PROPOSED
from crossexam.evaluation.cross_dataset import BenchmarkScore
from crossexam.evaluation.measures import TestSetResult
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import interval_text, number_text
from crossexam.suites.cross_dataset_corpora import MEMBERS


def culprit(results: Results) -> ModelResults | None:
    """Return the model whose worst test set is the worst of all; None if nothing was measured.

    On the cross-dataset benchmark it is the model whose mean is furthest below SNLI test.
    """
    lost = [
        (model, model.benchmark.difference.value)
        for model in results.models
        if model.benchmark and model.benchmark.difference
    ]
    if lost:
        return min(lost, key=lambda pair: pair[1])[0]
    found = [(model, result) for model in results.models if (result := worst(model.results)) is not None]
    return max(found, key=lambda pair: _badness(pair[1]), default=(None, None))[0]


def headline(results: Results) -> str:
    """Return what broke most: model, test set, and the drop with its interval."""
    model = culprit(results)
    return sentence(model) if model is not None else "No item has a gold label."


def sentence(model: ModelResults) -> str:
    """Return on which test set *model* broke most, or that no drop is significant."""
    if model.benchmark is not None:
        return _on_benchmark(model, model.benchmark)
    result = worst(model.results)
    if result is None or not result.n:
        return f"{model.name}: no item has a gold label."
    loss = result.loss
    accuracy = number_text(result.accuracy, "percent")
    if loss is None or result.base_accuracy is None:
        interval = interval_text(result.accuracy)
        return f"{model.name} has an accuracy of {accuracy} % {interval} on {result.name}."
    if loss.value <= 0:
        return f"{model.name}: no significant drop on any test set."
    if loss.low <= 0:
        return (
            f"{model.name}: no significant drop on any test set; "
            f"the largest is {_points(model)} on {result.name}."
        )
    before = number_text(result.base_accuracy, "percent")
    lost = f"accuracy drops by {_points(model)}, from {before} % to {accuracy} %"
    if result.drop is None:  # items are not paired with their base
        lost = f"its accuracy is {accuracy} %, {_points(model)} below that on the base ({before} %)"
    return f"{model.name} broke most on {result.name}: {lost}."


def _on_benchmark(model: ModelResults, score: BenchmarkScore) -> str:
    mean = f"{number_text(score.mean, 'percent')} % {interval_text(score.mean)}"
    corpora = f"{len(score.accuracies)} of the {len(MEMBERS)} corpora of the cross-dataset benchmark"
    first = f"{model.name} has a mean accuracy of {mean} on {corpora}"
    if score.reference is None or score.difference is None:
        return f"{first}."
    points = number_text(abs(score.difference.value), "points")
    where = "below" if score.difference.value < 0 else "above"
    interval = interval_text(score.difference).replace("-", "−")
    return f"{first}, {points} points {where} {score.reference_name} (difference {interval})."


def _points(model: ModelResults) -> str:
    result = worst(model.results)
    loss = result.loss if result is not None else None
    return f"{number_text(loss, 'points')} points {interval_text(loss)}".replace("-", "−")


def worst(results: Sequence[TestSetResult]) -> TestSetResult | None:
    """Return the test set on which a model broke most; None if nothing was measured.

    That is the test set with the largest drop among those whose interval lies above 0, else the one with the
    largest drop, else, if no test set has a base, the one with the lowest accuracy.  Test sets whose labels
    are only proposed count if there are no others.
    """
    measured = [result for result in results if result.n > 0]
    sure = [result for result in measured if not result.name.endswith(f"({PROPOSED})")]
    return max(sure or measured, key=_badness, default=None)


def _badness(result: TestSetResult) -> tuple[bool, bool, float]:
    loss = result.loss
    return (False, False, -result.accuracy.value) if loss is None else (True, loss.low > 0, loss.value)
