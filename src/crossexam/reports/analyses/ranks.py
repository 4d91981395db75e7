"""Several models in their order: ranks with intervals, groups of models, and matrices of differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import counted_items
from crossexam.core.estimate import Estimate
from crossexam.reports.charts import WIDTHS, Charts, in_lines, name_axis, percent_of, row_height
from crossexam.reports.drawing import Chart, mark, named, quantity, svg_of
from crossexam.reports.results import MOST_COMPARED, Results
from crossexam.reports.table import Cell, Column, Kind, Significant, Table, significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.several.ranking import RankedModel, Ranking

_COLUMNS: Final = (
    Column("Model"),
    Column("Rank", "count"),
    Column("Accuracy", "percent"),
    Column("Groups"),
    Column("Items", "count"),
)
#: Pixels between the column of one group and that of the next, and the least width of the accuracies.
_STEP: Final = {"wide": 16, "narrow": 11}
_LEAST_WIDTH: Final = 70
_LINE: Final = 16  # characters per line of the name of a model


def letters(group: int) -> str:
    """Return the letter of a *group*, as in a compact letter display.

    >>> letters(0), letters(25), letters(26)
    ('a', 'z', 'aa')
    """
    several, last = divmod(group, len(ascii_lowercase))
    return (letters(several - 1) if several else "") + ascii_lowercase[last]


def ranking_name(ranking: Ranking, results: Results) -> str:
    """Return what *ranking* is of: the name of a test set, or the mean over several."""
    if ranking.name is not None:
        return results.short_names[ranking.name]
    return f"mean of {counted_items(len(ranking.test_sets), 'test set')}"


def rank_tables(results: Results) -> list[Table]:
    """Return the ranks over all test sets, or on the only one, and on each; may have no rows.

    The page folds the ranks on each away.
    """
    folded = "Show the ranks on each test set"
    rows = tuple(
        (ranking_name(ranking, results), *row)
        for ranking in results.rankings[1:]
        for row in _rows(ranking, results)
    )
    each = Table("Ranks by test set", (Column("Test set"), *_COLUMNS), rows, grouped=1, folded=folded)
    return [replace(first_rank_table(results), folded="Show the ranks"), each]


def first_rank_table(results: Results) -> Table:
    """Return the ranks over all test sets, or on the only one; may have no rows."""
    if not results.rankings:
        return Table("Ranks", _COLUMNS, ())
    first = results.rankings[0]
    title = f"Ranks: {ranking_name(first, results)}"
    return Table(title, _COLUMNS, tuple(_rows(first, results)), _notes(results))


def _rows(ranking: Ranking, results: Results) -> Iterator[tuple[Cell, ...]]:
    for model in ranking.models:
        rank = Estimate(model.rank, model.low, model.high, model.accuracy.n, model.accuracy.clusters)
        groups = " ".join(map(letters, model.groups))
        yield results.models[model.model].name, rank, model.accuracy, groups, ranking.n


def _notes(results: Results) -> tuple[str, ...]:
    """Return what ranks and groups mean, what the mean leaves out, and which models are left out where."""
    confidence = f"{100 * (1 - results.alpha):.6g} %"
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
    whole = [ranking for ranking in results.rankings if ranking.name is None]
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
        for each in results.together
        for model in each.left_out
    ]
    if not found:
        return ""
    return f"Left out, because too many items were not answered: {', '.join(found)}."


def _many_note(results: Results) -> str:
    if len(results.models) <= MOST_COMPARED:
        return ""
    return (
        f"Matrices and drawings of pairs are readable for up to {MOST_COMPARED} models, and left out here; "
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
        for number, ranking in enumerate(results.rankings)
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
        f"{significance_note(results.alpha)}"
    )
    name = ranking_name(ranking, results)
    return Table(f"Paired differences: {name}", columns, cells, (note,), folded=folded)


def matrix(models: Iterable[int], kind: Kind, results: Results) -> tuple[tuple[Column, ...], list[str]]:
    """Return the columns of a matrix of *models*, which are numbered, and the names of its rows."""
    names = [f"{number}. {results.short_models[model]}" for number, model in enumerate(models, 1)]
    numbers = (Column(str(number), kind, narrow=True) for number in range(1, len(names) + 1))
    return (Column("Model"), *numbers), names


def rank_charts(results: Results) -> Charts:
    """Return a drawing per ranking: accuracies, and lines that join models that are not apart."""
    if len(results.models) > MOST_COMPARED:
        return Charts(())
    figures = [
        (ranking_name(ranking, results), {size: svg_of(_chart(ranking, results, size)) for size in WIDTHS})
        for ranking in results.rankings
    ]
    note = (
        "Points are accuracies in percent with 95 % confidence intervals. A line with a letter joins the "
        "models of a group, marked by its points: no two of them are significantly different. A model "
        "without a line differs from all others."
    )
    left_out = (_mean_note(results), _left_out_note(results))
    return Charts(figures, " ".join(filter(None, (note, *left_out))), shown=1)


def _chart(ranking: Ranking, results: Results, size: str) -> Chart:
    """Return the accuracies of *ranking* beside the columns of its groups, a row per model."""
    _, names = matrix([model.model for model in ranking.models], "points", results)
    labels = {model.model: in_lines(name, _LINE) for model, name in zip(ranking.models, names, strict=True)}
    members = _members(ranking)
    step = _STEP[size]
    width = max(_LEAST_WIDTH, WIDTHS[size] - step * len(members))
    height = {"step": row_height(list(labels.values()))}
    parts = [{**_accuracies(ranking, labels), "width": width, "height": height}]
    if members:
        parts.append({**_groups(members, labels), "width": step * len(members), "height": height})
    return {"hconcat": parts, "spacing": 8}


def _members(ranking: Ranking) -> dict[str, list[int]]:
    """Return the models of each group of more than one, by its letter."""
    found: dict[str, list[int]] = {}
    for model in ranking.models:
        for group in model.groups:
            found.setdefault(letters(group), []).append(model.model)
    return {letter: models for letter, models in sorted(found.items()) if len(models) > 1}


def _accuracies(ranking: Ranking, labels: dict[int, str]) -> Chart:
    values = [
        {
            "name": labels[model.model],
            "value": percent_of(model.accuracy.value),
            "low": percent_of(model.accuracy.low),
            "high": percent_of(model.accuracy.high),
            "text": f"{100 * model.accuracy.value:.1f}",
        }
        for model in ranking.models
    ]
    scale, y = {"zero": False, "nice": True}, name_axis(list(labels.values()))
    low = quantity("low", scale=scale, axis={"title": "accuracy, %", "tickCount": 4})
    point = {"x": quantity("value", scale=scale), "y": y}
    ends = {"x": low, "x2": {"field": "high"}, "y": y}
    layers = [
        mark("rule", ends, color="var(--accent)", strokeWidth=2.5, opacity=0.75),
        mark("point", point, color="var(--accent)", filled=True, size=70, opacity=1),
        mark("text", {**point, "text": named("text")}, dy=-10, fontWeight="bold"),
    ]
    return {"data": {"values": values}, "layer": layers}


def _groups(members: dict[str, list[int]], labels: dict[int, str]) -> Chart:
    order = list(labels.values())
    points = [
        {"name": labels[model], "group": letter} for letter, models in members.items() for model in models
    ]
    lines = [
        {"name": labels[models[0]], "last": labels[models[-1]], "group": letter}
        for letter, models in members.items()
    ]
    axis = {"title": None, "orient": "top", "labelAngle": 0, "ticks": False, "domain": False, "grid": False}
    place = {
        "x": named("group", axis=axis, scale={"domain": list(members)}),
        "y": named("name", sort=order, axis=None, scale={"domain": order}),
    }
    ink = {"color": "currentColor"}
    layers = [
        mark("rule", {**place, "y2": {"field": "last"}}, lines, strokeWidth=3, **ink),
        mark("point", place, points, filled=True, size=55, opacity=1, **ink),
    ]
    return {"layer": layers}
