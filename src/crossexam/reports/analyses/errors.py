"""The errors of models by kind, and what they predict on test sets of one gold label.

The latter is shown as in Table 2 of Nie et al. (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

from crossexam.core.labels import LABELS
from crossexam.reports.analyses.unanswered import only_bounds_notes, unanswered_notes
from crossexam.reports.analysis import Analysis, Charts, Section, drawn_of
from crossexam.reports.drawing import Bar, Matrix, range_text, round_range
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import (
    difference_from,
    errors_source,
    is_of_snli_dev,
    other_rules_note,
    published_errors,
)
from crossexam.reports.results import Results, two_labels_note
from crossexam.reports.table import Cell, Column, Marked, Table

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult

#: Gold and predicted label of each type of error; Naik et al. (2018) count the first two.
ERROR_TYPES: Final = ("E-C", "N-C", "E-N", "C-N", "N-E", "C-E")
#: The bar of errors: type, predicted label (the colour), and whether it is pale (by gold label).
_BAR: Final = (
    ("N-E", "entailment", False),
    ("C-E", "entailment", True),
    ("E-N", "neutral", False),
    ("C-N", "neutral", True),
    ("E-C", "contradiction", False),
    ("N-C", "contradiction", True),
)


#: What the columns and the drawing of errors mean: on three labels, and on two alone.
_IN_THREE: Final = (
    "E-C: entailment (gold) predicted as contradiction; the others likewise.",
    "Drawn, in percent of the items, from left to right: false entailment (N-E, and paler C-E), false "
    "neutral (E-N, C-N) and false contradiction (E-C, N-C).",
)
_IN_TWO: Final = (
    "E-N: entailment (gold) predicted as not_entailment; N-E: the reverse.",
    "Drawn, in percent of the items, from left to right: N-E, E-N.",
)


def error_kinds(results: Results) -> list[str]:
    """Return the types of errors that there can be with the labels of the test sets."""
    letters = [{label[0].upper() for label in each.labels} for _, _, each in results.by_test_set()]
    return [kind for kind in ERROR_TYPES if any({*kind.split("-")} <= each for each in letters)]


def _has_neutral(results: Results) -> bool:
    """Return whether some model may predict neutral, which not_entailment is not."""
    scored = results.by_test_set()
    return any("neutral" in each.labels and not model.run.two_labels for _, model, each in scored)


def error_table(results: Results) -> Table:
    """Return the number of wrong predictions of each model, by gold and predicted label."""
    measured = [result for _, _, result in results.by_test_set() if not result.only_bounds]
    kinds, has_neutral = error_kinds(results), _has_neutral(results)
    whole = round_range([0.0, *(each.wrong / each.n for each in measured if each.n)])[1]
    columns = (
        Column("Test set"),
        Column("Model"),
        Column(range_text((0.0, whole), "%"), "drawing"),
        Column("Wrong", "count"),
        Column("False entailment", "percent"),
        *([Column("False neutral", "percent")] if has_neutral else []),
        *(Column(kind, "count") for kind in kinds),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, dataset in results.test_sets.items():
        short = results.short_names[name]
        rows += [
            (
                short,
                model.name,
                Bar(tuple(_error_parts(result)), whole),
                result.wrong,
                result.false_entailment_share,
                *([result.false_neutral_share] if has_neutral else []),
                *(result.errors.get(kind) for kind in kinds),
            )
            for model in results.models
            if (result := model.result(name)) is not None and not result.only_bounds
        ]
        if results.published_of_three and has_neutral:
            nothing = (None,) * len(kinds)
            rows += [(short, name, None, *shares, *nothing) for name, *shares in published_errors(dataset)]
    shares = "False entailment, false neutral" if has_neutral else "False entailment"
    meant, drawn = _IN_THREE if "E-C" in kinds else _IN_TWO
    note = f"{shares}: as a share of the wrong predictions. {meant}"
    source = errors_source() if any(row[2] is None for row in rows) else None
    of_answered = [*unanswered_notes(measured, "errors"), *only_bounds_notes(results)]
    notes = tuple(filter(None, (note, *of_answered, two_labels_note(results), source)))
    return Table("Errors", columns, tuple(rows), notes, grouped=1, drawn=drawn)


def _error_parts(result: TestSetResult) -> Iterator[tuple[str, bool, float]]:
    """Yield the parts of the bar of errors: the predicted label, whether it is pale, the share of items."""
    for kind, answered, is_pale in _BAR:
        yield answered, is_pale, result.errors.get(kind, 0) / result.n if result.n else 0.0


def _figures(results: Results) -> Iterator[Figure]:
    """Yield the counts of errors and of gold and predicted labels, and the shares of two kinds of error."""
    for name, model, result in results.by_test_set():
        if result.only_bounds:
            continue
        known = Figure(model.name, name, "wrong", result.wrong, n=result.n)
        yield known
        for statistic in ("false_neutral_share", "false_entailment_share"):
            if (share := getattr(result, statistic)) is not None:
                yield known._replace(statistic=statistic, value=share)
        for kind, count in result.errors.items():
            yield known._replace(statistic="errors", value=count, of=kind)
        for gold, counts in result.confused.items():
            for answer, count in counts.items():
                yield known._replace(statistic="confusion", value=count, of=f"{gold}>{answer}")
        if result.only_gold is not None:
            for label, share in zip(result.labels, result.predicted_shares, strict=True):
                yield known._replace(statistic="predicted_share", value=share, of=label)


_STUDY: Final = "nie2019"
#: Tables 2 and 4, and the names of their rows.
_TABLES: Final = {
    "predictions": "{} (published)",
    "adversarial_training": "ESIM trained with {} (published)",
}
_COLUMNS: Final = (
    Column("Test set"),
    Column("Expected"),
    Column("Model"),
    Column("Items", "count"),
    *(Column(label.capitalize(), "percent") for label in LABELS),
)


def prediction_table(results: Results) -> Table:
    """Return the share of each predicted label on test sets of one gold label, published shares below."""
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    one_label = [
        (name, model, result, result.only_gold)
        for name, model, result in results.by_test_set()
        if result.only_gold is not None and result.construction != "base"
    ]
    for position, (name, model, result, gold) in enumerate(one_label):
        short = results.short_names[name]
        rows.append((short, gold, model.name, result.n, *result.predicted_shares))
        is_last = position + 1 == len(one_label) or one_label[position + 1][0] != name
        if results.published_of_three and is_last and is_of_snli_dev(results.test_sets[name]):
            difference = difference_from(_STUDY, results.test_sets[name])
            published_rows = list(_published(result.construction, Marked if difference else float))
            rows += [(short, gold, *row) for row in published_rows]
            differences |= {short: difference} if published_rows else {}
    note = "Share of each predicted label, in percent. Expected: the gold label of every item."
    of_others = any(row[3] is None for row in rows)
    notes = [note, *other_rules_note(differences), *([_source()] if of_others else [])]
    folded = "Predictions by label, on test sets with a single gold label"
    return Table("Predictions by label", _COLUMNS, tuple(rows), tuple(notes), grouped=2, folded=folded)


def _published(construction: str, share: type[float]) -> Iterator[tuple[Cell, ...]]:
    """Yield name, no number of items, and the published shares of predicted labels on *construction*."""
    from crossexam.published.figures import published

    for key, words in _TABLES.items():
        table = published(_STUDY).table(key)
        for row in table.rows:
            shares = [table.value(row, f"{construction}.{label[0].upper()}") for label in LABELS]
            if None not in shares and row != "None":  # trained without any, it is ESIM's row of Table 2
                name = words.format(row)
                yield (name, None, *(share(round(each / 100, 6)) for each in shares if each is not None))


def _source() -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    places = " and ".join(study.table(key).place for key in _TABLES)
    return f"{study.cited(places)}; on the authors' items from SNLI dev."


def confusion_charts(results: Results) -> Charts:
    """Return a figure per test set: the confusion matrix of each model."""
    measured = (entry for entry in results.by_test_set() if not entry[2].only_bounds)
    figures = [
        (
            results.short_names[name],
            {drawn_of(model.name, results): Matrix(each.labels, each.confusion) for _, model, each in of_set},
        )
        for name, of_set in groupby(measured, key=lambda entry: entry[0])
    ]
    note = (
        "Rows: gold label; columns: predicted label; entailment (E), neutral (N), contradiction (C); in test "
        "sets of two labels, N is not_entailment. Percent of the row above the count; correct predictions "
        "are outlined."
    )
    return Charts(figures, " ".join([note, *only_bounds_notes(results)]), shown=1)


ERRORS: Final = Analysis(
    "errors",
    (
        Section("errors", "Errors", error_table, charts=confusion_charts, figures=_figures),
        Section("predicted", "Predictions", prediction_table, within="accuracy"),
    ),
)
