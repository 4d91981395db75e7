"""The tables of accuracy by slices of the test sets, beside the published figures of the same slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from crossexam.core.example import PAIR
from crossexam.evaluation.measures import TestSetResult
from crossexam.reports.analysis import PAGE, WRITTEN_ONLY, Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import STUDIES, published_slices, slices_note
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Column, Table

#: A table has up to so many slices; CSV and JSON have all.
_MOST: Final = 30


def slice_tables(results: Results) -> list[Table]:
    """Return a table per test set and slicing (genre, label, word pair ...) of the largest slices."""
    tables: list[Table] = []
    for name, dataset in results.test_sets.items():
        per_model = [model.result(name) for model in results.models]
        slicings = dict.fromkeys(key for result in per_model if result for key in result.slices)
        published = published_slices(dataset) if results.published_of_three else {}
        tables += [
            replace(
                _slice_table(slicing, results.models, per_model, published.get(slicing, {})),
                folded=results.short_names[name],
            )
            for slicing in slicings
        ]
    return tables


def published_slice_tables(results: Results) -> list[Table]:
    """Return those of the slice tables that have published figures, under the name of their test set."""
    return [
        replace(table, title=f"{table.title}: {table.folded}")
        for table in slice_tables(results)
        if any(column.group for column in table.columns)
    ]


def _slice_table(
    slicing: str,
    models: Sequence[ModelResults],
    results: Sequence[TestSetResult | None],
    published: Mapping[str, Mapping[str, float]],
) -> Table:
    """Return the table of *slicing*, beside the *published* accuracy by value and system."""
    sliced = [result.slices.get(slicing, {}) if result else {} for result in results]
    size: dict[str, int] = {}
    for estimates in sliced:
        size.update({value: max(estimate.n, size.get(value, 0)) for value, estimate in estimates.items()})
    ordered = sorted(size, key=lambda value: (-size[value], value))
    systems = list(dict.fromkeys(system for value in ordered for system in published.get(value, ())))
    columns = (
        Column(slicing.replace("_", " ").capitalize()),
        Column("Items", "count"),
        *(Column(model.name, "percent") for model in models),
        *(Column(system, "percent", STUDIES[0].group) for system in systems),
    )
    rows = tuple(
        (
            value,
            size[value],
            *(estimates.get(value) for estimates in sliced),
            *(published.get(value, {}).get(system) for system in systems),
        )
        for value in ordered[:_MOST]
    )
    notes = [slices_note()] if systems else []
    if slicing == PAIR:
        notes.append("The intervals are clustered by premise: they are about these pairs, not about others.")
    if len(ordered) > _MOST:
        notes.append(
            f"The {_MOST} largest of {len(ordered)} slices; the CSV and JSON reports have all of them."
        )
    return Table(f"Accuracy by {slicing.replace('_', ' ')}", columns, rows, tuple(notes))


def _slice_figures(results: Results) -> Iterator[Figure]:
    """Yield the accuracy of every slice, which the figure is of: ``genre=fiction``."""
    for name, model, result in results.by_test_set():
        for slicing, slices in result.slices.items():
            for value, accuracy in slices.items():
                yield Figure(model.name, name, "accuracy", accuracy, f"{slicing}={value}")


def _published_figures(results: Results) -> Iterator[Figure]:
    """Yield the published accuracies of systems on slices that the test sets of the models have."""
    there = {
        (name, slicing, value)
        for name, _, result in results.by_test_set()
        for slicing, slices in result.slices.items()
        for value in slices
    }
    for name, dataset in results.test_sets.items() if results.options.published_rows else ():
        for slicing, values in published_slices(dataset).items():
            for value, figures in values.items():
                for system, accuracy in figures.items() if (name, slicing, value) in there else ():
                    of = f"{STUDIES[0].study}: {slicing}={value}"
                    yield Figure(f"{system} (published)", name, "published_accuracy", accuracy, of)


SLICES: Final = Analysis(
    "slices",
    (
        Section(
            "slices", "Slices", slice_tables, PAGE, title="Slices", captions=True, figures=_slice_figures
        ),
        Section(
            "published_slices",
            "Slices",
            published_slice_tables,
            WRITTEN_ONLY,
            figures=_published_figures,
        ),
    ),
)
