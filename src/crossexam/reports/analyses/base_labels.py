"""Bases of drops without gold labels, or with a single one."""

from __future__ import annotations

from collections.abc import Iterator

from crossexam.core.dataset import counted_items
from crossexam.core.labels import Gold
from crossexam.evaluation.measures import TestSetResult
from crossexam.reports.results import Results


def unlabelled_warnings(results: Results) -> Iterator[str]:
    """Yield a warning per base without gold labels."""
    for name, dataset in results.test_sets.items():
        if dataset.entry.is_base and len(dataset) and not (dataset.labels() >= 0).any():
            base = "the base" if len(results.drop_bases) == 1 else results.short_names[name]
            items = counted_items(len(dataset), "item")
            yield f"None of the {items} of {base} has a gold label: there is no accuracy on it, and no drop."


def one_label_warnings(results: Results) -> list[str]:
    """Return a warning per base whose items all have the same gold label."""
    warnings = [
        _one_label_warning(result, result.only_label, results)
        for model in results.models
        for result in model.results
        if result.name in results.drop_bases and result.only_label is not None
    ]
    return list(dict.fromkeys(warnings))


def _one_label_warning(result: TestSetResult, label: Gold, results: Results) -> str:
    name = "the base" if len(results.drop_bases) == 1 else results.short_names[result.name]
    items = "labelled item" if result.unlabelled else "item"
    subject = f"All {counted_items(result.labelled, items)} of {name} have"
    if result.labelled == 1:
        subject = f"The only {items} of {name} has"
    return f"{subject} the gold label {label}: accuracy there says only how often the model gives it."
