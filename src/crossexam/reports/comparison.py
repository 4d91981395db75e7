"""The comparison of two models, A and B: paired differences, and items that only one of them gets right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run
from crossexam.core.labels import GOLDS
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.reports.accuracy import accuracy_note, relabelled_notes
from crossexam.reports.analyses.consistency import consistency_comparison_table
from crossexam.reports.analyses.cross_dataset import mean_note
from crossexam.reports.analyses.fact_checking import checked_comparison_table
from crossexam.reports.analyses.joint import joint_tables, seen_table
from crossexam.reports.analyses.keys import keyed_comparison_table
from crossexam.reports.analyses.templates import difference_notes
from crossexam.reports.names import short_names
from crossexam.reports.probabilities.comparison import paired_tables, quiet_notes
from crossexam.reports.results import Results, model_names
from crossexam.reports.significance import MCNEMAR, uneven_clusters_notes
from crossexam.reports.table import Cell, Column, Table, significance_note
from crossexam.reports.ties import tie_comparison_notes
from crossexam.reports.unanswered import BOUNDS_NOTE, unanswered_comparison_table
from crossexam.stats.p_values import ALPHA

if TYPE_CHECKING:
    from crossexam.evaluation.comparison import Comparison
    from crossexam.evaluation.scores import Scored
    from crossexam.evaluation.seen_pairs import TrainingPairs

#: Examples per test set and model that alone is right.
_EXAMPLES: Final = 2


def comparison_tables(
    first: Run,
    second: Run,
    *,
    alpha: float = ALPHA,
    training: TrainingPairs | None = None,
    max_unanswered: float = MAX_UNANSWERED,
) -> list[Table]:
    """Return the paired comparison of two models on every test set they share, at the level *alpha*.

    Test sets whose items have keys are also compared over keys; then what both get right and wrong together,
    of which kinds the antonyms are, which word pairs of it are in *training*, and what their probabilities
    are worth.  Test sets of which more than the share *max_unanswered* has no answer from one of the models
    only have bounds.
    """
    from crossexam.evaluation.comparison import compare_runs
    from crossexam.evaluation.probability_comparison import probability_comparisons
    from crossexam.evaluation.unanswered import answered_part

    pairs = compare_runs(first, second, max_unanswered=max_unanswered)
    shared = {pair.name: first.datasets[pair.name] for pair in pairs}
    names = short_names(first.datasets)
    answered = answered_part(first, second, max_unanswered)
    table = _comparison_table(first, second, pairs, names, alpha, answered)
    compared = replace(table, notes=(*table.notes, *relabelled_notes(shared, names)))
    missing = unanswered_comparison_table(pairs, names, max_unanswered)
    over_keys = keyed_comparison_table(*answered, names)
    joint, kinds = joint_tables(*answered, names)
    together = [*([joint] if answered[0].datasets else []), *([kinds] if kinds.rows else [])]
    seen = [] if training is None else [seen_table(*answered, training, names)]
    checked = checked_comparison_table(*answered, names)
    violations = consistency_comparison_table(first, second, names, max_unanswered)
    optional = [each for each in (missing, over_keys, checked, violations) if each.rows]
    probabilities = probability_comparisons(first, second, max_unanswered=max_unanswered)
    paired = paired_tables(probabilities, names, alpha)
    worth = [each for each in paired if each.rows]
    return [compared, *optional, *together, *seen, *worth]


def against_table(results: Results) -> Table:
    """Return the paired comparison of the models if there are exactly two; else it has no rows.

    It is on the test sets that both have; a note names the others.
    """
    from crossexam.evaluation.comparison import one_sided_sets

    if not results.comparison:
        return Table("A against B", (), ())
    first, second = results.runs
    table = _comparison_table(
        first, second, results.comparison, results.short_names, results.alpha, results.answered
    )
    left_out = (f"Left out: {line}." for line in one_sided_sets(first, second, results.short_names))
    return replace(table, notes=(*table.notes, *left_out))


def unanswered_against_table(results: Results) -> Table:
    """Return what either of exactly two models did not answer; may have no rows."""
    return unanswered_comparison_table(results.comparison, results.short_names, results.max_unanswered)


def _comparison_table(
    first: Run,
    second: Run,
    pairs: Sequence[Comparison],
    names: Mapping[str, str],
    alpha: float,
    answered: tuple[Run, Run],
) -> Table:
    from crossexam.evaluation.repeat import noise_of

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
    note = (
        f"A minus B in points. {MCNEMAR} {significance_note(alpha)} "
        "Only A, only B: items that only that model gets right. If interval and p disagree, take the "
        "difference as not shown."
    )
    one, other = model_names([first, second])
    mean = mean_note(*answered)
    both = _notes_on_answered(pairs)
    tested = [pair.name for pair in pairs if pair.p_value is not None]
    noise = difference_notes(pairs, (noise_of(first), noise_of(second)), names)
    notes = (
        accuracy_note({pair.name: first.datasets[pair.name] for pair in pairs}, names),
        note,
        *uneven_clusters_notes(tested, first.datasets, names),
        *both,
        *tie_comparison_notes(pairs, names),
        *noise,
        *([mean] if mean else []),
        *projected,
        *quiet_notes(*answered),
    )
    return Table(f"A: {one}, B: {other}", columns, rows, notes)


def _notes_on_answered(pairs: Sequence[Comparison]) -> list[str]:
    """Return of which items the rows of *pairs* are, if some were not answered."""
    missing = [pair for pair in pairs if pair.unanswered is not None]
    notes = []
    if any(not pair.only_bounds for pair in missing):
        notes.append("Over the items that both models answered, but for bounds.")
    if any(pair.only_bounds for pair in missing):
        notes.append(BOUNDS_NOTE)
    return notes


def only_one_table(results: Results) -> Table:
    """Return items that only one of exactly two models gets right, with the prediction of the other."""
    from crossexam.evaluation.scores import score_both

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
        first, second = score_both(*results.runs)
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
