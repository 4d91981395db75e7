"""What a terminal and a notebook show of a report: one table per suite, the test sets that broke most first.

All other tables are those of a document (``report --details``), and on the page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from crossexam.core.columns import text_hashes
from crossexam.core.estimate import Bounds, Estimate
from crossexam.evaluation.candidates import FEW
from crossexam.evaluation.verified import is_proposed
from crossexam.reports.accuracy import (
    MAJORITY,
    PAIRS,
    accuracy_table,
    notes_on_items,
    notes_on_scoring,
    pairs_of,
    written_accuracy_table,
)
from crossexam.reports.analyses.consistency import consistency, violations_table
from crossexam.reports.analyses.fact_checking import fact_checking
from crossexam.reports.analyses.keys import heavy_keys
from crossexam.reports.names import named_together
from crossexam.reports.results import ModelResults, Results, without_published
from crossexam.reports.sentences.leading import chosen_among, worst_of
from crossexam.reports.significance import intervals_of, uneven_drops_notes
from crossexam.reports.table import Cell, Column, SignificantEstimate, Table, number_text, significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult

#: Of more models than these, a terminal has no room for a column each.
MOST_MODELS: Final = 3


def failures_first(results: Results) -> list[str]:
    """Return the names of the test sets: bases, then by the largest drop of any model.

    Drops whose intervals contain 0, and those of few items, come after those of which this much is known to
    be lost, and test sets whose labels are only proposed are last.
    """

    def order(name: str) -> tuple[int, bool, float]:
        if results.test_sets[name].entry.is_base:
            return 0, False, 0.0
        found = [each for model in results.models if (each := model.result(name)) is not None]
        losses = [each.lost for each in found if each.lost is not None]
        known = [
            each.lost for each in found if each.lost is not None and each.lost.low > 0 and not each.is_small
        ]
        lost = (each.most.value if isinstance(each, Bounds) else each.value for each in known or losses)
        largest = max(lost, default=-inf)
        return 2 if is_proposed(name) else 1, not known, -largest

    return sorted(results.test_sets, key=order)


def brief_tables(results: Results) -> list[Table]:
    """Return a table of accuracies and drops, and one of consistency.

    Sets with tables of their own are left out: the corpora of the cross-dataset benchmark, and the data sets
    of fact checking.  A base alone is left out too if there is another table, as the sentences have its
    accuracy.
    """
    consistency = violations_table(results)
    elsewhere = _with_own_tables(results)
    names = [name for name in failures_first(results) if name not in elsewhere]
    only_bases = all(results.test_sets[name].entry.is_base for name in names)
    accuracies = [] if only_bases and (elsewhere or consistency.rows) else [_accuracies(results, names)]
    return [*accuracies, consistency]


def _with_own_tables(results: Results) -> set[str]:
    from crossexam.evaluation.cross_dataset import about

    found = {name for name, dataset in results.test_sets.items() if about(dataset)}
    for model in results.models:
        found |= {each.test_set for each in fact_checking(model).sets}
        found |= {each.test_set for each in consistency(model).values()}
    return found


def _accuracies(results: Results, names: Sequence[str]) -> Table:
    if len(results.models) == 1:
        table = _of_one(results.models[0], results)
    elif len(results.models) <= MOST_MODELS:
        table = _across(results)
    elif any(result.lost is not None for model in results.models for result in model.results):
        return _model_by_model(results)
    else:
        return written_accuracy_table(results, MOST_MODELS)
    return replace(table, rows=_ordered(table.rows, [results.short_names[name] for name in names]))


def _ordered(rows: Sequence[tuple[Cell, ...]], names: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    """Return the rows of the test sets *names* in this order, each with its majority baseline."""
    blocks: dict[Cell, list[tuple[Cell, ...]]] = {}
    name: Cell = None
    for row in rows:
        name = name if row[0] == MAJORITY else row[0]
        blocks.setdefault(name, []).append(row)
    return tuple(row for name in names for row in blocks.get(name, ()))


def _of_one(model: ModelResults, results: Results) -> Table:
    """Return accuracy, drop and its p-value by test set, with the majority baseline below bases."""
    accuracies = replace(accuracy_table(without_published(results)), title=f"Accuracy of {model.name}")
    if not any(result.lost is not None for result in model.results):
        return replace(accuracies, notes=brief_notes(results))
    in_part = any(pairs_of(each) not in {None, each.n} for each in model.results)
    drops: dict[Cell, tuple[Cell, ...]] = {
        results.short_names[each.name]: (each.lost, *([pairs_of(each)] if in_part else []), each.p_holm)
        for each in model.results
    }
    columns = (
        *(*accuracies.columns[:2], Column("Accuracy", "percent"), Column("Drop", "points")),
        *([PAIRS] if in_part else []),
        Column("p (Holm)", "p", alpha=results.options.alpha),
    )
    none = (None,) * (len(columns) - len(accuracies.columns))
    rows = tuple((*row, *drops.get(row[0], none)) for row in accuracies.rows)
    starred = any(_is_marked(each, results) for each in model.results)
    star = [significance_note(results.options.alpha)] if starred else []
    notes = brief_notes(results, drop_note(results), *star)
    return replace(accuracies, columns=columns, rows=rows, notes=notes)


def _across(results: Results) -> Table:
    """Return accuracy by test set and model; those that differ significantly from the base are marked."""
    accuracies = accuracy_table(without_published(results))
    marked = {
        (results.short_names[each.name], place)
        for place, model in enumerate(results.models)
        for each in model.results
        if _is_marked(each, results)
    }
    rows = tuple(
        (
            *row[:2],
            *(_marked(cell) if (row[0], place) in marked else cell for place, cell in enumerate(row[2:])),
        )
        for row in accuracies.rows
    )
    models = (
        replace(column, header=name)
        for column, name in zip(accuracies.columns[2:], results.short_models, strict=True)
    )
    notes = brief_notes(results)
    if any(result.lost is not None for model in results.models for result in model.results):
        level = f"level {results.options.alpha:g}, Holm-corrected per model"
        untested = f"; not tested: {others}" if (others := _untested(results)) else ""
        notes = brief_notes(results, f"*: differs significantly from the base ({level}){untested}.")
    return Table("Accuracy by model", (*accuracies.columns[:2], *models), tuple(rows), notes)


def _marked(cell: Cell) -> Cell:
    return SignificantEstimate(*cell) if isinstance(cell, Estimate) and not isinstance(cell, Bounds) else cell


def _model_by_model(results: Results) -> Table:
    """Return a row per model: the accuracy on the base of its worst test set, and the drop to that."""
    rows: list[tuple[Cell, ...]] = []
    for model in results.models:
        worst = worst_of(model)
        tested = [each for each in model.results if each.p_holm is not None]
        fallen = sum(_is_significant(each, results) for each in tested)
        share = f"{fallen} of {len(tested)}" if tested else None
        if worst is None:
            rows.append((model.name, None, None, None, share))
            continue
        drop = _marked(worst.lost) if _is_significant(worst, results) else worst.lost
        rows.append((model.name, worst.base_accuracy, results.short_names[worst.name], drop, share))
    columns = (
        Column("Model"),
        Column("Base", "percent"),
        Column("Worst test set"),
        Column("Drop", "points"),
        Column("Significant drops"),
    )
    level = f"level {results.options.alpha:g}, Holm-corrected per model"
    star = f"*: significant ({level}), of the drops that are tested."
    return Table("What breaks each model", columns, tuple(rows), brief_notes(results, star))


def _is_marked(result: TestSetResult, results: Results) -> bool:
    return result.p_holm is not None and result.p_holm <= results.options.alpha


def _is_significant(result: TestSetResult, results: Results) -> bool:
    return result.lost is not None and result.lost.value > 0 and _is_marked(result, results)


def drop_note(results: Results) -> str:
    """Return what a drop is, and on which test sets it is of unpaired items."""
    in_part = any(
        (base := model.result(result.base_set or "")) is not None and pairs_of(result) not in {None, base.n}
        for _, model, result in results.by_test_set()
    )
    examples = " (its examples with an item)" if in_part else ""
    others = _together(
        [each.name for _, _, each in results.by_test_set() if each.lost is not None and each.drop is None],
        results,
    )
    untested = f"; not paired, so not tested: {others}" if others else ""
    return f"Drop: accuracy on the base{examples} minus accuracy here, in points{untested}."


def without_drop_note(results: Results) -> list[str]:
    """Return which test sets are not compared with the base, and why, if there are any."""
    listed = "; ".join(_without_base(results))
    return [f"Not compared with the base: {listed}."] if listed else []


def _without_base(results: Results) -> Iterator[str]:
    """Yield which test sets are not compared with the base, and why, as one list per reason."""
    from crossexam.constructions.table import known_construction

    reasons: dict[str, list[str]] = {}
    for name in results.without_base:
        construction = known_construction(results.test_sets[name].entry.made_by)
        reason = "whose items have no counterpart there"
        if _is_part_of_base(name, results):
            reason = "a selection of its items"
        elif construction is not None and construction.takes_single_texts:
            reason = "whose items are made from single sentences"
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"{_together(names, results)}, {reason}"


def _is_part_of_base(name: str, results: Results) -> bool:
    """Return whether all items of test set *name* are items of the base of the same part."""
    dataset = results.test_sets[name]
    if not len(dataset):
        return False
    bases = (
        each
        for each in results.test_sets.values()
        if each.entry.is_base and each.entry.part == dataset.entry.part
    )
    own = text_hashes(dataset.examples, "id")
    return any(bool(np.isin(own, text_hashes(each.examples, "id")).all()) for each in bases)


def _together(names: Collection[str], results: Results) -> str:
    return named_together(names, results.test_sets, results.short_names)


def _untested(results: Results) -> str:
    """Return the names of the test sets, other than bases, whose accuracies are not tested against a base."""
    tested = {each.name for _, _, each in results.by_test_set() if each.is_paired}
    elsewhere = tested | results.drop_bases | _with_own_tables(results)
    return _together([name for name, _, _ in results.by_test_set() if name not in elsewhere], results)


def chosen_note(results: Results) -> list[str]:
    """Return that intervals and p-values are of single drops, if the sentence above chooses among several."""
    count = chosen_among(results.models)
    if count == 1:
        return []
    choice = f"adjusted for the choice among {count:,}"
    single = "Intervals here are of single drops; p is corrected for the tests of a model"
    return [f"{single}, and the headline's intervals are {choice}."]


def brief_notes(results: Results, *about: str) -> tuple[str, ...]:
    """Return what the numbers are in a few words, and what a reader must know of these in particular."""
    intervals = intervals_of(results.test_sets, results.short_names)
    first = " ".join([f"Percent, with {intervals}, not corrected.", *about, *notes_on_scoring(results)])
    return (first, *_notes_on_keys(results), *notes_on_items(results, "drop"), *uneven_drops_notes(results))


def _notes_on_keys(results: Results) -> list[str]:
    """Return of which test sets the intervals are wide because many items have the same word pair."""
    return [
        f"The intervals of {results.short_names[name]} are wide because "
        f"{number_text(each.largest_share, 'percent')} % of its items share a word pair ({each.largest})."
        for name, each in heavy_keys(results).items()
        if each.n >= FEW
    ]
