"""The comparison of two models, A and B: paired differences, and items that only one of them gets right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from crossexam.core.estimate import Estimate
from crossexam.core.labels import GOLDS
from crossexam.reports.accuracy import accuracy_note, relabelled_notes
from crossexam.reports.analyses.cross_dataset import mean_note
from crossexam.reports.analyses.lexically_misleading import selection_warnings
from crossexam.reports.analyses.templates import difference_notes
from crossexam.reports.analyses.unanswered import BOUNDS_NOTE
from crossexam.reports.analysis import PAGE, Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.probabilities.paired import quiet_notes
from crossexam.reports.results import Results
from crossexam.reports.significance import MCNEMAR, uneven_clusters_notes
from crossexam.reports.table import Cell, Column, Table, significance_note
from crossexam.reports.ties import tie_comparison_notes

if TYPE_CHECKING:
    from crossexam.evaluation.comparison import Comparison
    from crossexam.evaluation.scores import Scored

#: Examples per test set and model that alone is right.
_EXAMPLES: Final = 2


def against_table(results: Results) -> Table:
    """Return the paired comparison of the models if there are exactly two; else it has no rows.

    It is on the test sets that both have; a note names the others.
    """
    if not results.comparison:
        return Table("A against B", (), ())
    from crossexam.evaluation.comparison import one_sided_sets

    first, second = results.runs
    pairs, names, alpha = results.comparison, results.short_names, results.options.alpha
    columns = (
        Column("Test set"),
        Column("Items", "count"),
        Column("A", "percent"),
        Column("B", "percent"),
        Column("A minus B", "points"),
        Column("p (Holm)", "p", alpha=alpha),
        Column("Only A", "count"),
        Column("Only B", "count"),
    )
    rows = tuple(
        (
            names[pair.name],
            pair.items,
            pair.accuracy_a,
            pair.accuracy_b,
            pair.difference,
            pair.p_holm,
            pair.b,
            pair.c,
        )
        for pair in pairs
    )
    projected = dict.fromkeys(
        f"Both scored with the projection {pair.projection}." for pair in pairs if pair.projection
    )
    of_drops = any(first.datasets[pair.name].entry.base_set for pair in pairs)
    not_drops = "These are differences of accuracies, not of drops from the base. " if of_drops else ""
    note = (
        f"A minus B in points. {not_drops}{MCNEMAR} {significance_note(alpha)} "
        "Only A, only B: items that only that model gets right. If the interval and p disagree, the "
        "difference is not established."
    )
    one, other = (model.name for model in results.models)
    mean = mean_note(results)
    both = _notes_on_answered(pairs)
    tested = [pair.name for pair in pairs if pair.p_value is not None]
    noise = difference_notes(pairs, [model.noise for model in results.models], names)
    shared = {pair.name: first.datasets[pair.name] for pair in pairs}
    notes = (
        accuracy_note(shared, names),
        note,
        *uneven_clusters_notes(tested, first.datasets, names),
        *both,
        *tie_comparison_notes(pairs, names),
        *noise,
        *([mean] if mean else []),
        *projected,
        *quiet_notes(*pairs.answered),
        *selection_warnings(results),
        *relabelled_notes(shared, names),
        *(f"Left out: {line}." for line in one_sided_sets(first, second, names)),
    )
    return Table(f"A: {one}, B: {other}", columns, rows, notes)


def _figures(results: Results) -> Iterator[Figure]:
    """Yield what the paired comparison of exactly two models has, test set by test set."""
    from crossexam.evaluation.repeat import is_within, noise_floor

    noises = [model.noise for model in results.models]
    for pair in results.comparison:
        known = Figure(results.pair, pair.name, "", None)
        found: dict[str, Estimate | float | None] = {
            "n": pair.n,
            "accuracy_a": pair.accuracy_a,
            "accuracy_b": pair.accuracy_b,
            "difference": pair.difference,
            "p_value": pair.p_value,
            "p_mid": pair.p_mid,
            "p_holm": pair.p_holm,
            "only_a_right": pair.b,
            "only_b_right": pair.c,
            "ties_a": None if pair.ties_a is None else pair.ties_a.count,
            "ties_b": None if pair.ties_b is None else pair.ties_b.count,
        }
        found |= {
            f"changed_answers_{side}": noise.rate
            for side, noise in zip("ab", noises, strict=True)
            if noise is not None
        }
        floor = noise_floor(*((noise, pair.n) for noise in noises))
        if floor is not None and not pair.only_bounds:
            within = is_within(pair.difference, floor)
            found |= {"noise_floor": floor, "within_noise_floor": None if within is None else int(within)}
        for statistic, value in found.items():
            if value is not None:
                yield known._replace(statistic=statistic, value=value, n=pair.n)
        if pair.p_holm is not None:
            is_significant, of = int(pair.p_holm <= results.options.alpha), f"alpha={results.options.alpha:g}"
            yield known._replace(statistic="significant", value=is_significant, of=of)


def _notes_on_answered(pairs: Sequence[Comparison]) -> list[str]:
    """Return of which items the rows of *pairs* are, if some were not answered."""
    missing = [pair for pair in pairs if pair.unanswered is not None]
    notes = []
    if any(not pair.only_bounds for pair in missing):
        notes.append("Over the items that both models answered, except bounds.")
    if any(pair.only_bounds for pair in missing):
        notes.append(BOUNDS_NOTE)
    return notes


def only_one_table(results: Results) -> Table:
    """Return items that only one of exactly two models gets right, with the prediction of the other."""
    columns = (
        Column("Test set"),
        Column("Only right"),
        Column("Item"),
        Column("Premise"),
        Column("Hypothesis"),
        Column("Gold"),
        Column("The other predicted"),
    )
    rows: list[tuple[Cell, ...]] = []
    if results.comparison:
        first, second = results.comparison.both
        one, other = (model.name for model in results.models)
        for pair in results.comparison:
            sides = ((one, first, second), (other, second, first))
            for name, right, wrong in sides:
                found = _right_alone(right[pair.name], wrong[pair.name])
                rows += [(results.short_names[pair.name], name, *row) for row in islice(found, _EXAMPLES)]
    note = f"At most the first {_EXAMPLES} of each test set; the browser of items below has more of them."
    folded = "Show examples of items that only one model gets right"
    return Table("Items that only one model gets right", columns, tuple(rows), (note,), 2, folded)


def _right_alone(right: Scored, wrong: Scored) -> Iterator[tuple[Cell, ...]]:
    """Yield id, sentences, gold label and the wrong prediction for items that only *right* gets right."""
    for number in (right.correct & ~wrong.correct).nonzero()[0].tolist():
        item = right.examples[number]
        answer = GOLDS[wrong.predicted[number]]
        yield item.id, item.premise, item.hypothesis, item.label, answer


AGAINST: Final = Analysis(
    "comparison",
    (
        Section("against", "A against B", against_table, models=2, figures=_figures),
        Section("only_one", "Only one right", only_one_table, PAGE, within="against", models=2),
    ),
)
