"""The tables of what ``evaluation.measures`` measures: accuracy, drop, errors, slices, comparison.

Predictions by label on test sets of one gold label are shown as in Table 2 of Nie et al. (2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run
from crossexam.core.labels import LABELS
from crossexam.reports.cross_dataset import mean_note
from crossexam.reports.published_systems import columns_for
from crossexam.reports.results import ModelResults, Results, model_names
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult

#: The line under which the page folds away the numbers of a chart.
FOLDED_NUMBERS: Final = "Show the numbers"

#: Gold and predicted label of each type of error; Naik et al. (2018) count the first two.
ERROR_TYPES: Final = ("E-C", "N-C", "E-N", "C-N", "N-E", "C-E")

_INTERVALS: Final = (
    "Accuracy in percent of the items with a gold label, with 95 % confidence intervals clustered by premise."
)


SUMMARY_NOTE: Final = (
    "Percent and points, with 95 % confidence intervals clustered by premise. Drop: accuracy lost from the "
    "base. p: exact McNemar test by cluster, Holm-corrected."
)


def accuracy_table(results: Results) -> Table:
    """Return accuracy by test set and model, with the published systems for the same constructions."""
    datasets = list(results.test_sets.values())
    studies = columns_for(datasets) if results.published_rows else ()
    rows = []
    for name, dataset in results.test_sets.items():
        per_model = [model.result(name) for model in results.models]
        figures = [study.figures(dataset) for study in studies]
        rows.append(
            (
                name,
                next((result.n for result in per_model if result is not None), None),
                *(result.accuracy if result else None for result in per_model),
                *(
                    of.get(system)
                    for study, of in zip(studies, figures, strict=True)
                    for system in study.systems
                ),
            )
        )
    columns = (
        Column("Test set"),
        Column("Items", "count"),
        *(Column(model.name, "percent") for model in results.models),
        *(Column(system, "percent", study.group) for study in studies for system in study.systems),
    )
    notes = [_INTERVALS, *projection_notes(results)]
    for study in studies:
        notes += study.notes(datasets)
    return Table("Accuracy", columns, tuple(rows), tuple(notes))


def projection_notes(results: Results) -> list[str]:
    """Return a sentence per projection of test sets, and per model with fewer labels than three."""
    of_models: dict[tuple[str, str], list[str]] = {}
    of_sets: dict[str, list[str]] = {}
    for model in results.models:
        for result in model.results:
            if result.projection and result.labels == LABELS:
                of_models.setdefault((model.name, result.projection), []).append(result.name)
            elif result.projection:
                of_sets.setdefault(result.projection, []).append(result.name)
    return [
        f"{name} was scored with the projection {projection} on {', '.join(sets)}."
        for (name, projection), sets in of_models.items()
    ] + [f"{', '.join(dict.fromkeys(sets))}: {projection}." for projection, sets in of_sets.items()]


def summary_tables(results: Results) -> list[Table]:
    """Return what a terminal has room for: accuracy of all models, and accuracy and drop of each."""
    tables = [_summary_table(model) for model in results.models]
    if len(tables) == 1:
        return tables
    any_drop = any(result.loss for model in results.models for result in model.results)
    return [accuracy_table(results), *(tables if any_drop else [])]


def _summary_table(model: ModelResults) -> Table:
    columns = (Column("Test set"), Column("Items", "count"), Column("Accuracy", "percent"))
    lost = (Column("Drop", "points"), Column("p (Holm)", "p"))
    rows = tuple(
        (result.name, result.n, result.accuracy, result.loss, result.p_holm) for result in model.results
    )
    if not any(row[3] is not None for row in rows):  # bases only
        return Table(model.name, columns, tuple(row[:3] for row in rows))
    return Table(model.name, (*columns, *lost), rows)


def drop_table(results: Results) -> Table:
    """Return the accuracy each model lost from the base to each test set built from it."""
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Base", "percent"),
        Column("Accuracy", "percent"),
        Column("Drop", "points"),
        Column("p (Holm)", "p"),
        Column("Detectable", "points"),
        Column("Flipped", "percent"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, model, result in results.by_test_set():
        if result.base_accuracy is not None:
            rows.append(
                (
                    name,
                    model.name,
                    result.base_accuracy,
                    result.accuracy,
                    result.loss,
                    result.p_holm,
                    result.minimum_detectable_drop,
                    result.flip_rate,
                )
            )
    notes = (
        "Drop: accuracy lost from the base, in points; paired item by item if the test set keeps the gold "
        "label or swaps words of its control, else the difference of the two accuracies. "
        "p: exact McNemar test by cluster, Holm-corrected. "
        "Detectable: the smallest drop detectable at a power of 80 %. "
        "Flipped: predictions that differ from the prediction for the base example.",
    )
    return Table("Drop from the base", columns, tuple(rows), notes, grouped=1, folded=FOLDED_NUMBERS)


def error_table(results: Results) -> Table:
    """Return the number of wrong predictions of each model, by gold and predicted label."""
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Wrong", "count"),
        Column("False entailment", "percent"),
        Column("False neutral", "percent"),
        *(Column(kind, "count") for kind in ERROR_TYPES),
    )
    rows = tuple(
        (
            name,
            model.name,
            result.wrong,
            result.false_entailment_share,
            result.false_neutral_share,
            *(result.errors.get(kind, 0) for kind in ERROR_TYPES),
        )
        for name, model, result in results.by_test_set()
    )
    note = (
        "False entailment, false neutral: as a share of the wrong predictions. E-C: gold entailment, "
        "predicted contradiction; the others likewise."
    )
    return Table("Errors", columns, rows, (note,), grouped=1, folded=FOLDED_NUMBERS)


def slice_tables(results: Results, *, most: int | None = 30) -> list[Table]:
    """Return a table per test set and slicing (genre, label, word pair ...) of the *most* largest slices."""
    tables: list[Table] = []
    for name in results.test_sets:
        per_model = [model.result(name) for model in results.models]
        slicings = dict.fromkeys(key for result in per_model if result for key in result.slices)
        tables += [
            replace(_slice_table(slicing, results.models, per_model, most), folded=name)
            for slicing in slicings
        ]
    return tables


def _slice_table(
    slicing: str,
    models: Sequence[ModelResults],
    results: Sequence[TestSetResult | None],
    most: int | None,
) -> Table:
    columns = (
        Column(slicing.replace("_", " ").capitalize()),
        Column("Items", "count"),
        *(Column(model.name, "percent") for model in models),
    )
    sliced = [result.slices.get(slicing, {}) if result else {} for result in results]
    size: dict[str, int] = {}
    for estimates in sliced:
        size.update({value: estimate.n for value, estimate in estimates.items()})
    ordered = sorted(size, key=lambda value: (-size[value], value))
    rows = tuple(
        (value, size[value], *(estimates.get(value) for estimates in sliced)) for value in ordered[:most]
    )
    notes = (
        (f"The {most} largest of {len(ordered)} slices; the CSV and JSON reports have all of them.",)
        if most is not None and len(ordered) > most
        else ()
    )
    return Table(f"Accuracy by {slicing.replace('_', ' ')}", columns, rows, notes)


def comparison_table(first: Run, second: Run) -> Table:
    """Return the paired comparison of two models on every test set they share."""
    from crossexam.evaluation.comparison import compare_runs

    columns = (
        Column("Test set"),
        Column("Items", "count"),
        Column("A", "percent"),
        Column("B", "percent"),
        Column("A minus B", "points"),
        Column("p (Holm)", "p"),
        Column("Only A", "count"),
        Column("Only B", "count"),
    )
    pairs = compare_runs(first, second)
    rows = tuple(
        (pair.name, pair.n, pair.accuracy_a, pair.accuracy_b, pair.difference, pair.p_holm, pair.b, pair.c)
        for pair in pairs
    )
    projected = dict.fromkeys(
        f"Both scored with the projection {pair.projection}." for pair in pairs if pair.projection
    )
    note = (
        "A minus B in points. p: exact McNemar test by cluster, Holm-corrected. "
        "Only A, only B: items that only that model gets right. The interval never counts dependence within "
        "clusters in a model's favour, the test does, so that they can disagree."
    )
    one, other = model_names([first, second])
    mean = mean_note(first, second)
    notes = (_INTERVALS, note, *([mean] if mean else []), *projected)
    return Table(f"A: {one}, B: {other}", columns, rows, notes)


_STUDY: Final = "nie2019"
#: Tables 2 and 4, and the names of their rows.
_TABLES: Final = {
    "predictions": "{} (published)",
    "adversarial_training": "ESIM trained with {} (published)",
}
_COLUMNS: Final = (
    Column("Test set"),
    Column("Expected"),
    Column("Model"),
    Column("Items", "count"),
    *(Column(label.capitalize(), "percent") for label in LABELS),
)


def prediction_table(results: Results) -> Table:
    """Return the share of each predicted label on test sets of one gold label, published shares below."""
    rows: list[tuple[Cell, ...]] = []
    one_label = [
        (name, model, result, result.only_gold)
        for name, model, result in results.by_test_set()
        if result.only_gold is not None and result.construction != "base"
    ]
    for position, (name, model, result, gold) in enumerate(one_label):
        rows.append((name, gold, model.name, result.n, *result.predicted_shares))
        is_last = position + 1 == len(one_label) or one_label[position + 1][0] != name
        if results.published_rows and is_last:
            rows += [(name, gold, *row) for row in _published(result.construction)]
    note = "Share of each predicted label, in percent. Expected: the gold label of every item."
    notes = [note, _source()] if any(row[3] is None for row in rows) else [note]
    folded = "Predictions by label, on test sets with a single gold label"
    return Table("Predictions by label", _COLUMNS, tuple(rows), tuple(notes), grouped=2, folded=folded)


def _published(construction: str) -> Iterator[tuple[Cell, ...]]:
    """Yield name, no number of items, and the published shares of predicted labels on *construction*."""
    from crossexam.published.figures import published

    for key, words in _TABLES.items():
        table = published(_STUDY).table(key)
        for row in table.rows:
            shares = [table.value(row, f"{construction}.{label[0].upper()}") for label in LABELS]
            if None not in shares and row != "None":  # trained without any, it is ESIM's row of Table 2
                name = words.format(row)
                yield (name, None, *(round(share / 100, 6) for share in shares if share is not None))


def _source() -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    places = " and ".join(study.table(key).place for key in _TABLES)
    return f"Published: {places} of {study.citation} {study.source}; on the authors' items from SNLI dev."
