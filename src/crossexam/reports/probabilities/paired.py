"""What the probabilities of two models, A and B, are worth on the same items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from crossexam.core.dataset import Run, counted_items
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import TEST_SET, FigureColumn, FigureTable, Row
from crossexam.reports.results import Results, model_names
from crossexam.reports.table import significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.probability_comparison import ProbabilityComparison
    from crossexam.stats.paired_probabilities import PairedDifference

_SCORES: Final = {"brier": "Brier", "log_loss": "log loss"}
_ERRORS: Final = {"ece": "ECE", "classwise_ece": "class-wise ECE", "aurc": "AURC"}
_SCORES_NOTE: Final = (
    "Over the items that both models answered. The Brier score is the sum over the labels, from 0 to 2; both "
    "are better if lower, so that a negative difference favours A. p: paired t test, or larger where "
    "errors of only one of the models are few; clustered by premise like the 95 % confidence intervals, "
    "with word pairs fixed; Holm-corrected over the test sets for each measure."
)
_ERROR_NOTE: Final = (
    "ECE: expected calibration error of the predicted label in 15 bins of equal width; class-wise: the mean "
    "over the labels. Chance adds to both, usually more to that of the better calibrated model; "
    "the 95 % interval of the difference allows for this: an interval that contains 0 does not say which "
    "model is better calibrated. AURC: the area under the risk-coverage curve, which is the mean share of "
    "wrong answers if a model answers only the items of which it is most confident. All are in percent and "
    "better if lower. Each interval is for one test set alone, clustered by premise, with word pairs fixed. "
    "There is no p-value."
)
_LEFT_OUT: Final = (
    "Unanswered: not measured, because one of the models, or both, did not answer. Low label mass: not "
    "measured, because all labels together had less than half of the probability of one of the models, or of "
    "both."
)
_FOLDED: Final = "Show the probabilities of A and B"


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
    for each in results.comparison.probabilities:
        yield from (Row(results.pair, each.name, _Score(measure, each)) for measure in _SCORES)


def _errors(results: Results) -> Iterator[Row[_Score]]:
    for each in results.comparison.probabilities:
        yield from (Row(results.pair, each.name, _Score(measure, each)) for measure in _ERRORS)


def _scores_notes(results: Results, rows: Sequence[Row[_Score]]) -> Iterator[str]:
    found, names = results.comparison.probabilities, results.short_names
    yield f"{_SCORES_NOTE} {significance_note(results.options.alpha)}"
    yield from _left_out(found)
    yield from _impossible_notes(found, names)


def _errors_notes(results: Results, rows: Sequence[Row[_Score]]) -> Iterator[str]:
    yield _ERROR_NOTE
    yield from _left_out(results.comparison.probabilities)


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


def _of_test_set(statistic: str, count: Callable[[ProbabilityComparison], int]) -> FigureColumn[_Score]:
    """Return a figure of a test set, whatever the measure: that of the first row of the test set alone."""
    return FigureColumn(
        "", "count", lambda row: count(row.found) if row.measure == "ece" else None, statistic
    )


_FIRST: Final[tuple[str | FigureColumn[_Score], ...]] = (
    TEST_SET,
    FigureColumn("Items", "count", lambda row: row.found.measured.n),
    FigureColumn("Unanswered", "count", lambda row: row.found.unanswered, optional=True),
    FigureColumn("Low label mass", "count", lambda row: row.found.low_mass, optional=True),
)
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
    first=_FIRST,
    grouped=len(_FIRST),
    folded=_FOLDED,
)
_ERRORS_TABLE: Final = FigureTable["_Score"](
    "Calibration and selective prediction: A against B",
    _errors,
    (
        _of_test_set("probabilities_n", lambda found: found.measured.n),
        _of_test_set("probabilities_unanswered", lambda found: found.unanswered),
        _of_test_set("probabilities_low_mass", lambda found: found.low_mass),
        _of_test_set("log_loss_impossible_a", lambda found: found.measured.impossible_a),
        _of_test_set("log_loss_impossible_b", lambda found: found.measured.impossible_b),
        FigureColumn("Measure", "text", lambda row: _ERRORS[row.measure]),
        FigureColumn("A", "percent", lambda row: row.paired.a, _named("a")),
        FigureColumn("B", "percent", lambda row: row.paired.b, _named("b")),
        FigureColumn("A minus B", "points", lambda row: row.paired.difference, _named("difference")),
    ),
    _errors_notes,
    first=_FIRST,
    grouped=len(_FIRST),
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
