"""How far several models agree item by item, as matrices, and what only one of them gets right or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import counted_items
from crossexam.reports.analyses.ranks import matrix
from crossexam.reports.results import MOST_COMPARED, Results
from crossexam.reports.table import Cell, Column, Kind, Table

if TYPE_CHECKING:
    from crossexam.evaluation.several.model_agreement import OnlyOne
    from crossexam.evaluation.several.together import ScoredTogether

#: What is measured of two models, the title of its matrix, the kind of its cells, and what it says.
_STATISTICS: Final[tuple[tuple[str, str, Kind, str], ...]] = (
    ("kappa", "Agreement beyond chance", "score", "Cohen's kappa of the predictions, at most 1."),
    ("same", "Same predictions", "percent", "Share of items with the same prediction."),
    (
        "same_errors",
        "Same errors",
        "percent",
        "Share of the items that both models get wrong for which both predict the same label.",
    ),
)
_TWO_LABELS: Final = "With two labels, two models that are both wrong always predict the same label."


def agreement_tables(results: Results) -> list[Table]:
    """Return the matrices of agreement over all test sets and, folded away on the page, on each."""
    first = first_agreement_tables(results)
    folded = "Show the agreement on each test set"
    each = [
        table
        for scored in results.together
        for table in _matrices(
            results, scored.models, [scored.name], results.short_names[scored.name], folded
        )
    ]
    return [*first, *(each if len(results.together) > 1 else [])] if first else []


def first_agreement_tables(results: Results) -> list[Table]:
    """Return the matrices of agreement, as means over test sets; none for too many models to be readable."""
    if len(results.models) > MOST_COMPARED or not results.rankings:
        return []
    ranking = results.rankings[0]
    models = [model.model for model in ranking.models]
    several = len(ranking.test_sets) > 1
    name = f"mean of {counted_items(len(ranking.test_sets), 'test set')}" if several else ""
    return _matrices(results, models, ranking.test_sets, name, "Show the agreement")


def _matrices(
    results: Results, models: Sequence[int], test_sets: Sequence[str], name: str, folded: str
) -> list[Table]:
    from crossexam.evaluation.several.model_agreement import mean_agreement

    tables = []
    for statistic, title, kind, note in _STATISTICS:
        columns, names = matrix(models, kind, results)
        rows: list[tuple[Cell, ...]] = [
            (
                row,
                *(
                    None
                    if one == other
                    else mean_agreement(results.agreements, one, other, statistic, test_sets)
                    for other in models
                ),
            )
            for row, one in zip(names, models, strict=True)
        ]
        notes = [note]
        if len(test_sets) > 1:
            notes.append("Mean over the test sets in which it is defined, each with the same weight.")
        if statistic == "same_errors" and any(run.two_labels for run in results.runs):
            notes.append(_TWO_LABELS)
        titled = f"{title}: {name}" if name else title
        tables.append(Table(titled, columns, tuple(rows), (" ".join(notes),), folded=folded))
    return tables


def alone_tables(results: Results) -> list[Table]:
    """Return what each model alone gets right and wrong: in all test sets, and in each."""
    whole, each = total_alone_table(results), _alone_table(results)
    folded = "Show what only one model gets right"
    return [replace(whole, folded=folded), each] if len(results.together) > 1 else [each]


def total_alone_table(results: Results) -> Table:
    """Return what each model alone gets right and wrong in all test sets together; may have no rows."""
    several = len(results.together) > 1
    complete = [each.name for each in results.together if len(each.models) == len(results.models)]
    rows = []
    for number, model in enumerate(results.models):
        found = [each for each in results.only_one if each.model == number and each.test_set in complete]
        if not found:
            continue
        n = sum(each.n for each in found)
        right, wrong = sum(each.only_right for each in found), sum(each.only_wrong for each in found)
        rows.append((model.name, n, right, right / n, wrong, wrong / n))
    name = f" in {counted_items(len(complete), 'test set')}" if several else ""
    return Table(f"What only one model gets right{name}", _columns(), tuple(rows), _alone_notes(results))


def _alone_table(results: Results) -> Table:
    rows = tuple(
        (results.short_names[each.test_set], results.models[each.model].name, *_cells(each))
        for each in results.only_one
    )
    several = len(results.together) > 1
    folded = "Show this for each test set" if several else "Show what only one model gets right"
    columns = (Column("Test set"), *_columns())
    notes = () if several else _alone_notes(results)
    return Table("What only one model gets right, by test set", columns, rows, notes, 1, folded)


def _columns() -> tuple[Column, ...]:
    return (
        Column("Model"),
        Column("Items", "count"),
        Column("Only right", "count"),
        Column("Share, %", "percent"),
        Column("Only wrong", "count"),
        Column("Share, %", "percent"),
    )


def _cells(each: OnlyOne) -> tuple[Cell, ...]:
    return each.n, each.only_right, each.right, each.only_wrong, each.wrong


def _alone_notes(results: Results) -> tuple[str, ...]:
    partial = [results.short_names[each.name] for each in results.together if not _is_complete(each, results)]
    note = (
        "Items that one model gets right and all others wrong, and the reverse, among the items that all of "
        "the models answered."
    )
    if results.same_labels:
        note += " The browser of items shows them: choose the model, and then the outcome."
    if not partial:
        return (note,)
    return (note, f"Not all of the models count on {', '.join(partial)}, which the totals leave out.")


def _is_complete(scored: ScoredTogether, results: Results) -> bool:
    return len(scored.models) == len(results.models)
