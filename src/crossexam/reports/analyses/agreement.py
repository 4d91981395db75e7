"""How far several models agree item by item, as matrices, and what only one of them gets right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from crossexam.core.dataset import counted_items
from crossexam.reports.analyses.ranks import MEAN, matrix, rankings, together
from crossexam.reports.analysis import PAGE, WRITTEN_ONLY, Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.results import MOST_COMPARED, SEVERAL, Results, once
from crossexam.reports.table import Cell, Column, Kind, Table

if TYPE_CHECKING:
    from crossexam.evaluation.several.model_agreement import OnlyOne, PairAgreement
    from crossexam.evaluation.several.together import ScoredTogether

#: What is measured of two models, the title of its matrix, the kind of its cells, and what it says.
_STATISTICS: Final[tuple[tuple[str, str, Kind, str], ...]] = (
    ("kappa", "Agreement beyond chance", "score", "Cohen's kappa of the predictions, at most 1."),
    ("same", "Same predictions", "percent", "Share of items with the same prediction."),
    (
        "same_errors",
        "Same errors",
        "percent",
        "Of the items that both models get wrong, the share with the same prediction.",
    ),
)
#: What stands for the name of a test set in figures of all of them together.
_ALL: Final = "(all test sets)"
_INTERVALS: Final = "The 95 % intervals are clustered by premise alone."
_TWO_LABELS: Final = "With two labels, two models that are both wrong always predict the same label."


@once
def _agreements(results: Results) -> tuple[PairAgreement, ...]:
    """Return how far every two of three models or more agree on each test set."""
    from crossexam.evaluation.several.model_agreement import pair_agreements

    return pair_agreements(together(results))


@once
def only_one(results: Results) -> tuple[OnlyOne, ...]:
    """Return what each of three models or more alone gets right, and alone gets wrong, on each test set."""
    from crossexam.evaluation.several.model_agreement import only_one_right

    return only_one_right(together(results))


def _agreement_figures(results: Results) -> Iterator[Figure]:
    """Yield the agreement of every two models on each test set, and its mean over those of the mean ranks.

    The figure is of the other model.
    """
    from crossexam.evaluation.several.model_agreement import mean_agreement

    names = [model.name for model in results.models]
    for pair in _agreements(results):
        one, other = names[pair.first], names[pair.second]
        for statistic, *_ in _STATISTICS:
            yield Figure(one, pair.test_set, f"agreement_{statistic}", getattr(pair, statistic), other)
    for whole in (ranking for ranking in rankings(results) if ranking.name is None):
        for first, second in combinations(range(len(names)), 2):
            for statistic, *_ in _STATISTICS:
                mean = mean_agreement(_agreements(results), first, second, statistic, whole.test_sets)
                yield Figure(names[first], MEAN, f"agreement_{statistic}", mean, names[second])


def _alone_figures(results: Results) -> Iterator[Figure]:
    """Yield what each model alone gets right and wrong, on each test set and in all."""
    for each in only_one(results):
        known = Figure(results.models[each.model].name, each.test_set, "", None, n=each.n)
        yield known._replace(statistic="only_right", value=each.only_right)
        yield known._replace(statistic="only_right_share", value=each.right)
        yield known._replace(statistic="only_wrong", value=each.only_wrong)
        yield known._replace(statistic="only_wrong_share", value=each.wrong)
    for total in _totals(results) if len(together(results)) > 1 else ():
        known = Figure(total.model, _ALL, "", None, n=total.n)
        yield known._replace(statistic="items", value=total.n)
        yield known._replace(statistic="only_right", value=total.right)
        yield known._replace(statistic="only_right_share", value=total.right / total.n)
        yield known._replace(statistic="only_wrong", value=total.wrong)
        yield known._replace(statistic="only_wrong_share", value=total.wrong / total.n)


class _Total(NamedTuple):
    """Of *n* items of several test sets, those that a *model* alone gets *right*, and *wrong*."""

    model: str
    n: int
    right: int
    wrong: int


def _totals(results: Results) -> list[_Total]:
    """Return what each model alone gets right and wrong in all test sets that all models answered."""
    complete = [each.name for each in together(results) if _is_complete(each, results)]
    found = []
    for number, model in enumerate(results.models):
        alone = [each for each in only_one(results) if each.model == number and each.test_set in complete]
        if alone:
            counts = ((each.n, each.only_right, each.only_wrong) for each in alone)
            found.append(_Total(model.name, *map(sum, zip(*counts, strict=True))))
    return found


def agreement_tables(results: Results) -> list[Table]:
    """Return the matrices of agreement over all test sets and, folded away on the page, on each."""
    first = first_agreement_tables(results)
    folded = "Show the agreement on each test set"
    each = [
        table
        for scored in together(results)
        for table in _matrices(
            results, scored.models, [scored.name], results.short_names[scored.name], folded
        )
    ]
    return [*first, *(each if len(together(results)) > 1 else [])] if first else []


def first_agreement_tables(results: Results) -> list[Table]:
    """Return the matrices of agreement, as means over test sets; none for too many models to be readable."""
    if len(results.models) > MOST_COMPARED or not rankings(results):
        return []
    ranking = rankings(results)[0]
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
                    else mean_agreement(_agreements(results), one, other, statistic, test_sets)
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
    return [replace(whole, folded=folded), each] if len(together(results)) > 1 else [each]


def total_alone_table(results: Results) -> Table:
    """Return what each model alone gets right and wrong in all test sets together; may have no rows."""
    complete = sum(_is_complete(each, results) for each in together(results))
    name = f" in {counted_items(complete, 'test set')}" if len(together(results)) > 1 else ""
    rows = tuple(
        (each.model, each.n, each.right, each.right / each.n, each.wrong, each.wrong / each.n)
        for each in _totals(results)
    )
    return Table(f"What only one model gets right{name}", _columns(), rows, _alone_notes(results))


def _alone_table(results: Results) -> Table:
    rows = tuple(
        (results.short_names[each.test_set], results.models[each.model].name, *_cells(each))
        for each in only_one(results)
    )
    several = len(together(results)) > 1
    folded = "Show this for each test set" if several else "Show what only one model gets right"
    columns = (Column("Test set"), *_columns())
    notes = (*(() if several else _alone_notes(results)), _INTERVALS)
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
    partial = [
        results.short_names[each.name] for each in together(results) if not _is_complete(each, results)
    ]
    note = (
        "Items that one model gets right and all others wrong, and the reverse, among the items that all of "
        "the models answered."
    )
    if results.same_labels:
        note += " The browser of items shows them: choose the model, and then the outcome."
    if not partial:
        return (note,)
    return (note, f"The totals leave out {', '.join(partial)}, for which some models have no accuracy.")


def _is_complete(scored: ScoredTogether, results: Results) -> bool:
    return len(scored.models) == len(results.models)


AGREEMENT: Final = Analysis(
    "agreement",
    (
        Section(
            "agreement",
            "Agreement",
            agreement_tables,
            PAGE,
            title="Agreement of models",
            captions=True,
            models=SEVERAL,
            figures=_agreement_figures,
        ),
        Section("agreements", "Agreement", first_agreement_tables, WRITTEN_ONLY, models=SEVERAL),
        Section(
            "alone",
            "Only one right",
            alone_tables,
            title="Only one model right",
            models=SEVERAL,
            figures=_alone_figures,
        ),
    ),
)
