"""Several models in their order: ranks with intervals, groups of models, and matrices of differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import counted_items
from crossexam.core.estimate import Estimate
from crossexam.reports.analysis import PAGE, WRITTEN_ONLY, Analysis, Section
from crossexam.reports.drawing import Interval, range_text, round_range
from crossexam.reports.figures import Figure
from crossexam.reports.results import MOST_COMPARED, SEVERAL, Results, once
from crossexam.reports.table import Cell, Column, Kind, Significant, Table, significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.several.ranking import RankedModel, Ranking
    from crossexam.evaluation.several.together import ScoredTogether


def _columns(ends: tuple[float, float]) -> tuple[Column, ...]:
    """Return the columns of a ranking, whose accuracies are drawn between *ends*."""
    return (
        Column("Model"),
        Column("Rank", "count"),
        Column(range_text(ends, "%"), "drawing"),
        Column("Accuracy", "percent"),
        Column("Groups"),
        Column("Items", "count"),
    )


def letters(group: int) -> str:
    """Return the letter of a *group*, as in a compact letter display.

    >>> letters(0), letters(25), letters(26)
    ('a', 'z', 'aa')
    """
    several, last = divmod(group, len(ascii_lowercase))
    return (letters(several - 1) if several else "") + ascii_lowercase[last]


#: What stands for the name of a test set in figures of the mean over test sets.
MEAN: Final = "(mean of test sets)"


@once
def together(results: Results) -> tuple[ScoredTogether, ...]:
    """Return what three models or more predicted for the same items, by test set."""
    from crossexam.evaluation.several.together import score_together

    return score_together(results.runs, results.test_sets, results.options.max_unanswered)


@once
def rankings(results: Results) -> tuple[Ranking, ...]:
    """Return the order of three models or more: over all test sets, if there are several, and on each."""
    from crossexam.evaluation.several.ranking import rankings

    return rankings(together(results), len(results.models), results.options.alpha)


def _rank_figures(results: Results) -> Iterator[Figure]:
    for ranking in rankings(results):
        name = ranking.name or MEAN
        for model in ranking.models:
            model_name = results.models[model.model].name
            yield Figure(model_name, name, "ranked_accuracy", model.accuracy)
            yield Figure(model_name, name, "rank", _rank(model, ranking.n))
            yield from (
                Figure(model_name, name, "rank_group", 1, letters(group), ranking.n) for group in model.groups
            )
        for left_out in ranking.left_out:
            yield Figure(results.models[left_out].name, name, "left_out_of_ranking", 1)


def _rank(model: RankedModel, n: int) -> Estimate:
    return Estimate(model.rank, model.low, model.high, n, model.accuracy.clusters)


def _difference_figures(results: Results) -> Iterator[Figure]:
    """Yield the differences of every two models; the figure is of the other model."""
    names = [model.name for model in results.models]
    for ranking in rankings(results):
        for (one, other), pair in ranking.pairs.items():
            known = Figure(
                names[one], ranking.name or MEAN, "model_difference", None, names[other], ranking.n
            )
            yield known._replace(value=pair.difference)
            yield known._replace(statistic="model_difference_p_value", value=pair.p_value)
            yield known._replace(statistic="model_difference_p_holm", value=pair.p_holm)
            yield known._replace(statistic="model_difference_significant", value=int(pair.significant))


def ranking_name(ranking: Ranking, results: Results) -> str:
    """Return what *ranking* is of: the name of a test set, or the mean over several."""
    if ranking.name is not None:
        return results.short_names[ranking.name]
    return f"mean of {counted_items(len(ranking.test_sets), 'test set')}"


def rank_tables(results: Results) -> list[Table]:
    """Return the ranks over all test sets, or on the only one, and on each; may have no rows.

    The page folds the ranks on each away.
    """
    ends = _ends(rankings(results)[1:])
    rows = tuple(
        (ranking_name(ranking, results), *row)
        for ranking in rankings(results)[1:]
        for row in _rows(ranking, results, ends)
    )
    folded = "Show the ranks on each test set"
    columns = (Column("Test set"), *_columns(ends))
    return [first_rank_table(results), Table("Ranks by test set", columns, rows, grouped=1, folded=folded)]


def first_rank_table(results: Results) -> Table:
    """Return the ranks over all test sets, or on the only one; may have no rows."""
    ends = _ends(rankings(results)[:1])
    if not rankings(results):
        return Table("Ranks", _columns(ends), ())
    first = rankings(results)[0]
    title = f"Ranks: {ranking_name(first, results)}"
    return Table(title, _columns(ends), tuple(_rows(first, results, ends)), _notes(results))


def _ends(rankings: Sequence[Ranking]) -> tuple[float, float]:
    """Return the ends of the axis of the accuracies of *rankings*."""
    found = (model.accuracy for ranking in rankings for model in ranking.models)
    return round_range([end for accuracy in found for end in (accuracy.low, accuracy.high)])


def _rows(ranking: Ranking, results: Results, ends: tuple[float, float]) -> Iterator[tuple[Cell, ...]]:
    for model in ranking.models:
        rank = _rank(model, ranking.n)
        groups = " ".join(map(letters, model.groups))
        drawn, name = Interval(model.accuracy, ends), results.models[model.model].name
        yield name, rank, drawn, model.accuracy, groups, ranking.n


def _notes(results: Results) -> tuple[str, ...]:
    """Return what ranks and groups mean, what the mean leaves out, and which models are left out where."""
    confidence = f"{100 * (1 - results.options.alpha):.6g} %"
    note = (
        "Over the items that all of the models answered. Rank: 1 for the best, and its interval; the "
        "intervals of a test set together contain all true ranks with a confidence of "
        f"{confidence} (Mogstad et al. 2024). Groups: models that share a letter are not significantly "
        "different, by McNemar tests by cluster (for the mean, t tests of clusters), Holm-corrected over all "
        "pairs of models."
    )
    return tuple(filter(None, (note, _mean_note(results), _left_out_note(results), _many_note(results))))


def _mean_note(results: Results) -> str:
    """Return what the mean is of, and which test sets it leaves out; empty if there is no mean."""
    whole = [ranking for ranking in rankings(results) if ranking.name is None]
    if not whole:
        return ""
    names = [short for name, short in results.short_names.items() if name not in whole[0].test_sets]
    without = (
        f" It leaves out {', '.join(names)}: not all of the models answered enough of them, or their labels "
        "are only proposed."
        if names
        else ""
    )
    return f"Mean: of the accuracies on test sets, each with the same weight.{without}"


def _left_out_note(results: Results) -> str:
    """Return which models are not ranked on some test set; empty if all are."""
    found = [
        f"{results.models[model].name} on {results.short_names[each.name]}"
        for each in together(results)
        for model in each.left_out
    ]
    if not found:
        return ""
    return f"Left out, because too many items were not answered: {', '.join(found)}."


def _many_note(results: Results) -> str:
    if len(results.models) <= MOST_COMPARED:
        return ""
    return (
        f"Matrices of pairs are readable for up to {MOST_COMPARED} models, and left out here; "
        "CSV and JSON have every pair."
    )


def difference_tables(results: Results) -> list[Table]:
    """Return a matrix of paired differences over all test sets and, folded away, on each; may be empty."""
    if len(results.models) > MOST_COMPARED:
        return []
    return [
        _difference_table(
            ranking, results, "Show the differences on each test set" if number else "Show the differences"
        )
        for number, ranking in enumerate(rankings(results))
    ]


def first_difference_table(results: Results) -> list[Table]:
    """Return the matrix of paired differences over all test sets, or on the only one; may be empty."""
    return difference_tables(results)[:1]


def _difference_table(ranking: Ranking, results: Results, folded: str) -> Table:
    def cell(one: RankedModel, other: RankedModel) -> Cell:
        if one is other:
            return None
        pair = ranking.pair(one.model, other.model)
        return Significant(pair.difference.value) if pair.significant else pair.difference.value

    columns, rows = matrix([model.model for model in ranking.models], "points", results)
    cells = tuple(
        (row, *(cell(one, other) for other in ranking.models))
        for row, one in zip(rows, ranking.models, strict=True)
    )
    note = (
        "Row minus column, in points, in the order of the ranks. Tests: those of the ranks. "
        f"{significance_note(results.options.alpha)}"
    )
    name = ranking_name(ranking, results)
    return Table(f"Paired differences: {name}", columns, cells, (note,), folded=folded)


def matrix(models: Iterable[int], kind: Kind, results: Results) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns of a matrix of *models*, which are numbered, and the names of its rows."""
    names = [f"{number}. {results.short_models[model]}" for number, model in enumerate(models, 1)]
    numbers = (Column(str(number), kind, narrow=True) for number in range(1, len(names) + 1))
    return (Column("Model"), *numbers), names


RANKS: Final = Analysis(
    "ranks",
    (
        Section(
            "ranks",
            "Ranks",
            rank_tables,
            title="Ranks of models",
            captions=True,
            models=SEVERAL,
            figures=_rank_figures,
        ),
        Section(
            "pairs",
            "Differences",
            difference_tables,
            PAGE,
            within="ranks",
            captions=True,
            models=SEVERAL,
            figures=_difference_figures,
        ),
        Section(
            "first_pairs", "Differences", first_difference_table, WRITTEN_ONLY, within="ranks", models=SEVERAL
        ),
    ),
)
