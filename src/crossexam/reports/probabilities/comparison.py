"""What the probabilities of two models, A and B, are worth on the same items: tables, rows of the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run, counted_items
from crossexam.reports.results import Results, model_names
from crossexam.reports.table import Cell, Column, Kind, Table, significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.probability_comparison import ProbabilityComparison

_SCORES: Final = {"brier": "Brier", "log_loss": "log loss"}
_SCORES_NOTE: Final = (
    "Over the items that both models answered. The Brier score is the sum over the labels, from 0 to 2; both "
    "are better if lower, so that a negative difference favours A. p: paired t test, or larger where "
    "errors of only one of the models are few; clustered by premise like the 95 % confidence intervals, "
    "with word pairs fixed; Holm-corrected over the test sets for each measure."
)
_ERROR_NOTE: Final = (
    "ECE: expected calibration error in 15 bins of equal width, in percent; better if lower. Chance adds to "
    "it, as a rule more to that of the better calibrated model, for which the 95 % confidence interval of "
    "the difference allows: an interval that contains 0 does not say which model is better calibrated. Each "
    "interval is for one test set alone, clustered by premise, with word pairs fixed. There is no p-value."
)
_LEFT_OUT: Final = (
    "Unanswered: not measured, because one of the models, or both, did not answer. Low label mass: not "
    "measured, because all labels together had less than half of the probability of one of the models, or of "
    "both."
)
_FOLDED: Final = "Show the probabilities of A and B"


def paired_against_tables(results: Results) -> list[Table]:
    """Return the differences of exactly two models in Brier score, log loss and ECE; may have no rows."""
    found, names = results.paired_probabilities, results.short_names
    return [_scores_table(found, names, results.options.alpha), _errors_table(found, names)]


def _scores_table(found: Sequence[ProbabilityComparison], names: Mapping[str, str], alpha: float) -> Table:
    columns, cells, left_out = _items(found, names)
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        for measure, header in _SCORES.items():
            paired, p = each.differences[measure]
            rows.append((*cells[each.name], header, paired.a, paired.b, paired.difference, p))
    notes = (f"{_SCORES_NOTE} {significance_note(alpha)}", *left_out, *_impossible_notes(found, names))
    values = (Column("Measure"), *_values("score", "score"), Column("p (Holm)", "p", alpha=alpha))
    title = "Brier score and log loss: A against B"
    return Table(title, (*columns, *values), tuple(rows), notes, grouped=len(columns), folded=_FOLDED)


def _errors_table(found: Sequence[ProbabilityComparison], names: Mapping[str, str]) -> Table:
    columns, cells, left_out = _items(found, names)
    errors = {each.name: each.measured.ece for each in found}
    rows = tuple((*cells[name], ece.a, ece.b, ece.difference) for name, ece in errors.items())
    title, values = "Calibration error: A against B", _values("percent", "points")
    return Table(title, (*columns, *values), rows, (_ERROR_NOTE, *left_out), folded=_FOLDED)


def _items(
    found: Sequence[ProbabilityComparison], names: Mapping[str, str]
) -> tuple[tuple[Column, ...], dict[str, tuple[Cell, ...]], list[str]]:
    """Return the columns of test set and items, their cells by test set, and what to note of them."""
    left = {
        header: field
        for header, field in (("Unanswered", "unanswered"), ("Low label mass", "low_mass"))
        if any(getattr(each, field) for each in found)
    }
    columns = (Column("Test set"), Column("Items", "count"), *(Column(header, "count") for header in left))
    cells = {
        each.name: (names[each.name], each.measured.n, *(getattr(each, field) for field in left.values()))
        for each in found
    }
    return columns, cells, [_LEFT_OUT] if left else []


def _values(of_model: Kind, of_difference: Kind) -> tuple[Column, ...]:
    return Column("A", of_model), Column("B", of_model), Column("A minus B", of_difference)


def _impossible_notes(found: Sequence[ProbabilityComparison], names: Mapping[str, str]) -> Iterator[str]:
    """Yield which models gave gold labels the probability 0, and where."""
    where = [
        f"{side} for {counted_items(count, 'item')} of {names[each.name]}"
        for each in found
        for side, count in (("A", each.measured.impossible_a), ("B", each.measured.impossible_b))
        if count
    ]
    if where:
        yield (
            "Log loss is infinite (∞) if a model gives a gold label the probability 0, and is then not "
            f"tested: {', '.join(where)}. No floor is put in its place; the Brier score is always finite."
        )


def quiet_notes(first: Run, second: Run) -> list[str]:
    """Return which of two models gives labels only, if the other gives probabilities: they have no row."""
    from crossexam.evaluation.shares import gives_labels_only

    quiet = [
        {name for name in run.datasets if gives_labels_only(run.answers(name))} for run in (first, second)
    ]
    alone = [
        model
        for model, here, there in zip(model_names([first, second]), quiet, reversed(quiet), strict=True)
        if here - there
    ]
    return [
        f"{model} gives labels without probabilities, so that Brier score, log loss and calibration are not "
        "compared."
        for model in alone
    ]


def paired_columns(each: ProbabilityComparison) -> dict[str, object]:
    """Return the numbers of a test set as columns of the data, in which what is infinite is left empty."""
    found = each.measured
    columns: dict[str, object] = {
        "probabilities_n": found.n,
        "probabilities_unanswered": each.unanswered,
        "probabilities_low_mass": each.low_mass,
        "log_loss_impossible_a": found.impossible_a,
        "log_loss_impossible_b": found.impossible_b,
    }
    for measure, (paired, p_holm) in each.differences.items():
        value, low, high = paired.difference[:3]
        columns |= {f"{measure}_a": paired.a, f"{measure}_b": paired.b, f"{measure}_difference": value}
        columns |= {f"{measure}_difference_low": low, f"{measure}_difference_high": high}
        if measure in _SCORES:
            columns |= {f"{measure}_p_value": paired.p_value, f"{measure}_p_holm": p_holm}
    return columns
