"""The finding of a report in one sentence, and in one sentence a model."""

from __future__ import annotations

from collections.abc import Sequence

from crossexam.evaluation.cross_dataset import BenchmarkScore, benchmark_score
from crossexam.reports.results import Measured, badness, loss_of, worst
from crossexam.reports.table import interval_text, number_text
from crossexam.suites.cross_dataset_corpora import MEMBERS


def culprit(models: Sequence[Measured]) -> Measured | None:
    """Return the model whose worst test set is the worst of all; None where nothing was measured.

    On the cross-dataset benchmark it is the one whose mean is furthest below SNLI test.
    """
    scores = [(model, benchmark_score(model.run, model.results)) for model in models]
    lost = [(model, each.difference.value) for model, each in scores if each and each.difference]
    if lost:
        return min(lost, key=lambda pair: pair[1])[0]
    found = [(model, result) for model in models if (result := worst(model.results)) is not None]
    return max(found, key=lambda pair: badness(pair[1]), default=(None, None))[0]


def headline(models: Sequence[Measured]) -> str:
    """Return what broke the most: model, test set, and the drop with its interval."""
    model = culprit(models)
    return sentence(model) if model is not None else "No item has a gold label."


def sentence(model: Measured) -> str:
    """Return what broke *model* the most; says so where no drop can be told from none."""
    found = benchmark_score(model.run, model.results)
    if found is not None:
        return _on_benchmark(model, found)
    result = worst(model.results)
    if result is None or not result.n:
        return f"{model.name}: no item has a gold label."
    loss = loss_of(result)
    accuracy = number_text(result.accuracy, "percent")
    if loss is None or result.base_accuracy is None:
        return f"{model.name} has {accuracy} % {interval_text(result.accuracy)} right on {result.name}."
    if loss.value <= 0:
        return f"{model.name} broke on no test set: it lost nothing on any."
    if loss.low <= 0:
        return (
            f"{model.name} broke on no test set: the largest drop, {_points(model)} on {result.name}, "
            "cannot be told from none."
        )
    before = number_text(result.base_accuracy, "percent")
    lost = f"it lost {_points(model)}, from {before} % to {accuracy} %"
    if result.drop is None:  # other labels than the base: nothing was lost item by item
        lost = f"{accuracy} % right, {_points(model)} fewer than of its base ({before} %)"
    return f"{model.name} broke most on {result.name}: {lost}."


def _on_benchmark(model: Measured, score: BenchmarkScore) -> str:
    mean = f"{number_text(score.mean, 'percent')} % {interval_text(score.mean)}"
    corpora = f"{len(score.accuracies)} of the {len(MEMBERS)} corpora of the cross-dataset benchmark"
    first = f"{model.name} has {mean} in the mean over {corpora}"
    if score.reference is None or score.difference is None:
        return f"{first}."
    points = number_text(abs(score.difference.value), "points")
    where = "below" if score.difference.value < 0 else "above"
    interval = interval_text(score.difference).replace("-", "−")
    return f"{first}, {points} points {where} {score.reference_name} (difference {interval})."


def _points(model: Measured) -> str:
    result = worst(model.results)
    loss = loss_of(result) if result is not None else None
    return f"{number_text(loss, 'points')} points {interval_text(loss)}".replace("-", "−")
