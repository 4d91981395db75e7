"""Items that models did not answer: the table of them, and the warning at the head of a report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal

from crossexam.core.estimate import Bounds
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Table, number_text

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.evaluation.unanswered import Unanswered

_TITLE: Final = "Unanswered items"
#: What a range in place of a number means.
BOUNDS_NOTE: Final = (
    "A range (40.0 to 60.0) has the bounds of a result of which too many answers are missing; it is over all "
    "items, answered or not."
)
#: A warning names up to so many test sets.
_MOST_NAMED: Final = 3


def unanswered_table(results: Results) -> Table:
    """Return the items without an answer by reason, and the bounds that follow; may have no rows."""
    several = len(results.models) > 1
    rows: list[tuple[Cell, ...]] = []
    for name, model, result in results.by_test_set():
        if (missing := result.unanswered) is not None:
            who = (model.name,) if several else ()
            rows.append((results.short_names[name], *who, *_cells(result, missing)))
    has_drops = any(row[-1] is not None for row in rows)
    columns = (
        Column("Test set"),
        *((Column("Model"),) if several else ()),
        Column("Items", "count"),
        Column("Unanswered", "count"),
        Column("Share, %", "percent"),
        Column("Reasons"),
        Column("Accuracy", "percent"),
        Column("Bounds", "percent"),
        Column("Pairs", "count"),
        Column("of these without answer", "count"),
        Column("Drop", "points"),
        Column("Bounds of drop", "points"),
    )
    shown = len(columns) - (0 if has_drops else 4)
    notes = (_note(results.options.max_unanswered), *_left_out(results))
    return Table(_TITLE, columns[:shown], tuple(row[:shown] for row in rows), notes, grouped=int(several))


def _cells(result: TestSetResult, missing: Unanswered) -> Iterator[Cell]:
    yield from (missing.items, missing.count, missing.share, reasons(missing.counts) or None)
    yield None if missing.only_bounds else result.accuracy
    yield missing.accuracy if missing.missing else None
    yield missing.pairs or None
    yield missing.pairs_missing if missing.pairs else None
    yield result.loss
    yield missing.drop if missing.missing or missing.pairs_missing else None


def reasons(counts: Mapping[str, int]) -> str:
    """Return the number of items by status as words.

    >>> reasons({"refused": 1200, "too_long": 2})
    '1,200 refused, 2 too long'
    """
    return ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.items())


def _note(limit: float) -> str:
    return (
        "Unanswered items are neither right nor wrong: accuracies are of the answered items, drops and tests "
        "of the pairs that were answered on both sides. Share: of the items with a gold label. Pairs: an "
        "item and its base. Bounds: the results over all items if all missing answers were wrong, and if all "
        "were right (for a drop, the smallest and the largest possible value); their interval is from the "
        "lower end of the first to the upper end of the second. "
        f"If more than {share_text(limit)} are missing, the bounds are the result."
    )


def share_text(share: float) -> str:
    """Return *share* in percent, without needless decimals.

    >>> share_text(0.05), share_text(0.025)
    ('5 %', '2.5 %')
    """
    return f"{100 * share:.6g} %"


def _left_out(results: Results) -> list[str]:
    """Return what else leaves out test sets of which there are only bounds, if there are any."""
    if not any(result.only_bounds for model in results.models for result in model.results):
        return []
    return [
        "A test set of which only bounds are known (no accuracy in this table) has none of the numbers that "
        "would be of the answered items alone: it is left out of errors, confusion, calibration, selective "
        "prediction, people's labels, templates, accuracy over keys, predictions by label, judges and "
        "factors, and of the means of the cross-dataset benchmark."
    ]


def only_bounds_notes(
    results: Results,
    models: Iterable[ModelResults] | None = None,
    test_sets: Collection[str] | None = None,
) -> list[str]:
    """Return a note on the test sets that a table of point values leaves out; empty if there are none.

    Those are the test sets of which only bounds of the accuracy are known.  *models* and *test_sets* are
    those that the table is about, all of the report if None.
    """
    left = []
    for model in results.models if models is None else models:
        names = [name for name in model.only_bounds if test_sets is None or name in test_sets]
        listed = ", ".join(results.short_names[name] for name in names)
        if names:
            left.append(listed if len(results.models) == 1 else f"{listed} of {model.name}")
    return [f"Left out, because only bounds of their accuracy are known: {'; '.join(left)}."] if left else []


def unanswered_notes(
    results: Iterable[TestSetResult], shown: Literal["accuracy", "drop", "errors"]
) -> list[str]:
    """Return notes for a table of *results* of which some items were not answered; empty without any.

    *shown* is what the table shows: accuracies and drops may be bounds, numbers of errors are not.
    """
    missing = [each for result in results if (each := result.unanswered) is not None]
    if shown == "errors":
        bounded = []
    else:
        bounded = [
            each for each in missing if each.only_bounds or (shown == "drop" and each.only_drop_bounds)
        ]
    notes = []
    if any(each not in bounded for each in missing):
        but = ", but for bounds" if bounded else ""
        notes.append(f"Of the answered items{but}; the table '{_TITLE}' has the others.")
    if bounded:
        notes.append(BOUNDS_NOTE)
    return notes


def unanswered_warnings(results: Results) -> list[str]:
    """Return a warning per model that left too many items of some test set unanswered."""
    warnings = (_warning(model, results) for model in results.models)
    return [warning for warning in warnings if warning is not None]


def _warning(model: ModelResults, results: Results) -> str | None:
    sets, drops = [], []
    for result in model.results:
        name, missing = results.short_names[result.name], result.unanswered
        if missing is not None and missing.only_bounds:
            why = reasons(missing.counts)
            sets.append(f"{name} ({number_text(missing.share, 'percent')} %: {why})")
        elif missing is not None and missing.only_drop_bounds:
            drops.append(f"{name} ({_without_answer(missing)})")
    if not sets and not drops:
        return None
    limit, sentences = share_text(results.options.max_unanswered), []
    if sets:
        among = f"{len(sets)} of {len(model.results)} test sets (table '{_TITLE}')"
        named = ", ".join(sets) if len(sets) <= _MOST_NAMED else among
        sentences.append(
            f"{model.name} left more than {limit} of the items unanswered on {named}: only bounds on these "
            "results are known."
        )
    if drops:
        sentences.append(
            f"{model.name}: for the drop on {', '.join(drops)}, only bounds are known, because an item and "
            f"its base must both be answered, and more than {limit} of these pairs are not."
        )
    return " ".join(sentences)


def _without_answer(missing: Unanswered) -> str:
    """Return how many of the pairs of items and bases lack an answer, or of the base if nothing is paired."""
    if not missing.pairs:
        return f"{missing.pairs_missing:,} examples of its base without an answer"
    share = number_text(missing.pairs_missing / missing.pairs, "percent")
    return f"{missing.pairs_missing:,} of {missing.pairs:,} pairs without an answer, {share} %"


def unanswered_against_table(results: Results) -> Table:
    """Return what exactly two models did not answer, and the bounds of their difference; may have no rows."""
    columns = (
        Column("Test set"),
        Column("Items", "count"),
        Column("Not by A", "count"),
        Column("Not by B", "count"),
        Column("Left out", "count"),
        Column("A minus B", "points"),
        Column("Bounds", "points"),
    )
    rows = tuple(
        (
            results.short_names[pair.name],
            missing.labelled,
            missing.a,
            missing.b,
            missing.missing,
            None if isinstance(pair.difference, Bounds) else pair.difference,
            missing.difference,
        )
        for pair in results.comparison
        if (missing := pair.unanswered) is not None
    )
    limit = share_text(results.options.max_unanswered)
    note = (
        "Items: those with a gold label. Left out: items that one of the models, or both, did not answer. "
        "Bounds: whatever the missing answers were, the difference is between these. If more than "
        f"{limit} of the items are missing, the bounds are the result, and other comparisons leave the test "
        "set out."
    )
    return Table(f"{_TITLE} of A and B", columns, rows, (note,))
