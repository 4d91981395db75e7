"""What the probabilities of two models, A and B, are worth on the same items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from crossexam.core.dataset import Run, counted_items
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import TEST_SET, FigureColumn, FigureTable, Row
from crossexam.reports.results import Results, model_names, once
from crossexam.reports.table import significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.probability_comparison import ProbabilityComparison
    from crossexam.stats.paired_probabilities import PairedDifference

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


@once
def paired_probabilities(results: Results) -> tuple[ProbabilityComparison, ...]:
    """Return the comparison of the probabilities of exactly two models; empty if they share no test set."""
    from crossexam.evaluation.probability_comparison import probability_comparisons

    if not results.comparison:
        return ()
    return probability_comparisons(*results.runs, max_unanswered=results.options.max_unanswered)


class _Score(NamedTuple):
    """The difference of two models on a test set in a *measure*, with its corrected p-value."""

    measure: str
    found: ProbabilityComparison

    @property
    def paired(self) -> PairedDifference:
        """The difference."""
        return self.found.differences[self.measure][0]

    @property
    def p_holm(self) -> float | None:
        """The p-value corrected over the test sets; None without one."""
        return self.found.differences[self.measure][1]


def _scores(results: Results) -> Iterator[Row[_Score]]:
    for each in paired_probabilities(results):
        yield from (Row(results.pair, each.name, _Score(measure, each)) for measure in _SCORES)


def _errors(results: Results) -> Iterator[Row[ProbabilityComparison]]:
    return (Row(results.pair, each.name, each) for each in paired_probabilities(results))


def _scores_notes(results: Results, rows: Sequence[Row[_Score]]) -> Iterator[str]:
    found, names = paired_probabilities(results), results.short_names
    yield f"{_SCORES_NOTE} {significance_note(results.options.alpha)}"
    yield from _left_out(found)
    yield from _impossible_notes(found, names)


def _errors_notes(results: Results, rows: Sequence[Row[ProbabilityComparison]]) -> Iterator[str]:
    yield _ERROR_NOTE
    yield from _left_out(paired_probabilities(results))


def _left_out(found: Sequence[ProbabilityComparison]) -> list[str]:
    return [_LEFT_OUT] if any(each.unanswered or each.low_mass for each in found) else []


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


def _named(suffix: str) -> Callable[[_Score], str]:
    return lambda row: f"{row.measure}_{suffix}"


_SCORES_TABLE: Final = FigureTable["_Score"](
    "Brier score and log loss: A against B",
    _scores,
    (
        FigureColumn("Measure", "text", lambda row: _SCORES[row.measure]),
        FigureColumn("A", "score", lambda row: row.paired.a, _named("a")),
        FigureColumn("B", "score", lambda row: row.paired.b, _named("b")),
        FigureColumn("A minus B", "score", lambda row: row.paired.difference, _named("difference")),
        FigureColumn("", "p", lambda row: row.paired.p_value, _named("p_value")),
        FigureColumn("p (Holm)", "p", lambda row: row.p_holm, _named("p_holm"), tested=True),
    ),
    _scores_notes,
    first=(
        TEST_SET,
        FigureColumn("Items", "count", lambda row: row.found.measured.n),
        FigureColumn("Unanswered", "count", lambda row: row.found.unanswered, optional=True),
        FigureColumn("Low label mass", "count", lambda row: row.found.low_mass, optional=True),
    ),
    grouped=4,
    folded=_FOLDED,
)
_ERRORS_TABLE: Final = FigureTable["ProbabilityComparison"](
    "Calibration error: A against B",
    _errors,
    (
        FigureColumn("Items", "count", lambda each: each.measured.n, "probabilities_n"),
        FigureColumn(
            "Unanswered", "count", lambda each: each.unanswered, "probabilities_unanswered", optional=True
        ),
        FigureColumn(
            "Low label mass", "count", lambda each: each.low_mass, "probabilities_low_mass", optional=True
        ),
        FigureColumn("", "count", lambda each: each.measured.impossible_a, "log_loss_impossible_a"),
        FigureColumn("", "count", lambda each: each.measured.impossible_b, "log_loss_impossible_b"),
        FigureColumn("A", "percent", lambda each: each.measured.ece.a, "ece_a"),
        FigureColumn("B", "percent", lambda each: each.measured.ece.b, "ece_b"),
        FigureColumn("A minus B", "points", lambda each: each.measured.ece.difference, "ece_difference"),
    ),
    _errors_notes,
    first=(TEST_SET,),
    grouped=0,
    folded=_FOLDED,
)

PROBABILITIES: Final = Analysis(
    "probabilities of two models",
    (
        Section(
            "paired",
            "Probabilities",
            (_SCORES_TABLE, _ERRORS_TABLE),
            within="against",
            models=2,
            captions=True,
            on_request=True,
        ),
    ),
)
