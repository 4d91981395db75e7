"""Items that models did not answer: the table of them, and the warning at the head of a report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from crossexam.core.estimate import Bounds, Estimate
from crossexam.reports.analysis import ALL, Analysis, Section
from crossexam.reports.figures import MODEL_OF_SEVERAL, TEST_SET, Figure, FigureColumn, FigureTable, Row
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import number_text

if TYPE_CHECKING:
    from crossexam.evaluation.comparison import UnansweredByEither
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.evaluation.unanswered import Unanswered

_TITLE: Final = "Unanswered items"
#: What a range in place of a number means.
BOUNDS_NOTE: Final = (
    "A range (40.0 to 60.0) gives the bounds of a result with too many missing answers; it is over all "
    "items, answered or not."
)
#: A warning names up to so many test sets.
_MOST_NAMED: Final = 3


class _Incomplete(NamedTuple):
    """A test set that was not answered in full: what was measured, and what is missing."""

    result: TestSetResult
    missing: Unanswered


def _rows(results: Results) -> Iterator[Row[_Incomplete]]:
    for name, model, result in results.by_test_set():
        if result.unanswered is not None:
            yield Row(model.name, name, _Incomplete(result, result.unanswered))


def _has_drops(results: Results) -> bool:
    """Return whether there are bounds of a drop."""
    return any(_drop_bounds(row.measured) is not None for row in _rows(results))


def _drop_bounds(row: _Incomplete) -> Estimate | None:
    return row.missing.drop if row.missing.missing or row.missing.pairs_missing else None


def _figures(results: Results) -> Iterator[Figure]:
    """Yield the items without an answer by reason, and the bounds of results that are known all the same."""
    for model, name, (result, missing) in _rows(results):
        for status, count in missing.counts.items():
            yield Figure(model, name, "unanswered", count, status, missing.items)
        yield Figure(model, name, "only_bounds", int(missing.only_bounds), n=missing.labelled)
        known = {"accuracy": result.accuracy, "drop": result.drop or result.difference}
        for statistic, bounds in (("accuracy", missing.accuracy), ("drop", missing.drop)):
            if bounds is not None and not isinstance(known[statistic], Bounds):
                yield Figure(model, name, f"{statistic}_least", bounds.least)
                yield Figure(model, name, f"{statistic}_most", bounds.most)


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
        "A test set for which only bounds are known (no accuracy in this table) has no numbers that "
        "would cover the answered items alone: it is left out of errors, confusion, calibration, selective "
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
        but = ", except bounds" if bounded else ""
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


class _IncompletePair(NamedTuple):
    """A test set that one of two models did not answer in full."""

    difference: Estimate
    missing: UnansweredByEither


def _of_pair(results: Results) -> Iterator[Row[_IncompletePair]]:
    for pair in results.comparison:
        if pair.unanswered is not None:
            yield Row(results.pair, pair.name, _IncompletePair(pair.difference, pair.unanswered))


def _notes_of_pair(results: Results, rows: Sequence[Row[_IncompletePair]]) -> Iterator[str]:
    limit = share_text(results.options.max_unanswered)
    yield (
        "Items: those with a gold label. Left out: items that one of the models, or both, did not answer. "
        "Bounds: whatever the missing answers were, the difference is between these. If more than "
        f"{limit} of the items are missing, the bounds are the result, and other comparisons leave the test "
        "set out."
    )


def _figures_of_pair(results: Results) -> Iterator[Figure]:
    """Yield the bounds of differences that are known all the same."""
    for pair, name, (difference, missing) in _of_pair(results):
        yield Figure(pair, name, "only_bounds", int(missing.only_bounds), n=missing.labelled)
        if not isinstance(difference, Bounds):
            yield Figure(pair, name, "difference_least", missing.difference.least)
            yield Figure(pair, name, "difference_most", missing.difference.most)


_TABLE: Final = FigureTable["_Incomplete"](
    _TITLE,
    _rows,
    (
        FigureColumn("Items", "count", lambda row: row.missing.items),
        FigureColumn("Unanswered", "count", lambda row: row.missing.count),
        FigureColumn("Share, %", "percent", lambda row: row.missing.share, "unanswered_share"),
        FigureColumn("Reasons", "text", lambda row: reasons(row.missing.counts) or None),
        FigureColumn(
            "Accuracy", "percent", lambda row: None if row.missing.only_bounds else row.result.accuracy
        ),
        FigureColumn("Bounds", "percent", lambda row: row.missing.accuracy if row.missing.missing else None),
        FigureColumn("Pairs", "count", lambda row: row.missing.pairs or None, when=_has_drops),
        FigureColumn(
            "of these without answer",
            "count",
            lambda row: row.missing.pairs_missing if row.missing.pairs else None,
            when=_has_drops,
        ),
        FigureColumn("Drop", "points", lambda row: row.result.loss, when=_has_drops),
        FigureColumn("Bounds of drop", "points", _drop_bounds, when=_has_drops),
    ),
    lambda results, _: (_note(results.options.max_unanswered), *_left_out(results)),
    first=(TEST_SET, MODEL_OF_SEVERAL),
    n=lambda row: row.missing.labelled,
)
_AGAINST: Final = FigureTable["_IncompletePair"](
    f"{_TITLE} of A and B",
    _of_pair,
    (
        FigureColumn("Items", "count", lambda row: row.missing.labelled, "labelled"),
        FigureColumn("Not by A", "count", lambda row: row.missing.a, "unanswered_a"),
        FigureColumn("Not by B", "count", lambda row: row.missing.b, "unanswered_b"),
        FigureColumn("Left out", "count", lambda row: row.missing.missing, "unanswered"),
        FigureColumn(
            "A minus B", "points", lambda row: None if isinstance(row.difference, Bounds) else row.difference
        ),
        FigureColumn("Bounds", "points", lambda row: row.missing.difference),
    ),
    _notes_of_pair,
    first=(TEST_SET,),
    grouped=0,
)


UNANSWERED: Final = Analysis(
    "unanswered",
    (
        Section("unanswered", "Unanswered", _TABLE, ALL, figures=_figures),
        Section(
            "lacking",
            "Unanswered by A or B",
            _AGAINST,
            within="against",
            models=2,
            figures=_figures_of_pair,
        ),
    ),
    lambda results: any(not run.answered(name).all() for run in results.runs for name in run.datasets),
    warnings=unanswered_warnings,
)
