"""The finding of a report in one sentence, and in one sentence a model."""

from __future__ import annotations

from collections.abc import Sequence

from crossexam.reports.cells import interval_text, number_text
from crossexam.reports.measured import Measured, badness, loss_of, worst


def culprit(models: Sequence[Measured]) -> Measured | None:
    """Return the model whose worst test set is the worst of all; None where nothing was measured."""
    found = [(model, result) for model in models if (result := worst(model.results)) is not None]
    return max(found, key=lambda pair: badness(pair[1]), default=(None, None))[0]


def headline(models: Sequence[Measured]) -> str:
    """Return what broke the most: model, test set, and the drop with its interval."""
    model = culprit(models)
    return sentence(model) if model is not None else "No item has a gold label."


def sentence(model: Measured) -> str:
    """Return what broke *model* the most; says so where no drop can be told from none."""
    result = worst(model.results)
    if result is None or not result.n:
        return f"{model.name}: no item has a gold label."
    loss = loss_of(result)
    accuracy = number_text(result.accuracy, "percent")
    if loss is None or result.base_accuracy is None:
        return f"{model.name} has {accuracy} % {interval_text(result.accuracy)} right on {result.name}."
    if loss.low <= 0:
        return (
            f"{model.name} broke on no test set: the largest drop, {_points(model)} on {result.name}, "
            "cannot be told from none."
        )
    before = number_text(result.base_accuracy, "percent")
    lost = f"it lost {_points(model)}, from {before} % to {accuracy} %"
    return f"{model.name} broke most on {result.name}: {lost}."


def _points(model: Measured) -> str:
    result = worst(model.results)
    loss = loss_of(result) if result is not None else None
    return f"{number_text(loss, 'points')} points {interval_text(loss)}".replace("-", "−")
