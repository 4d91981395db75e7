"""The calibration of models: their probabilities as they are, and at a temperature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.estimate import Estimate
from crossexam.reports.analyses.unanswered import only_bounds_notes
from crossexam.reports.analysis import ALL, Analysis, Section
from crossexam.reports.figures import Figure, FigureColumn, FigureTable, Row, rows_of
from crossexam.reports.probabilities.charts import reliability_charts
from crossexam.reports.probabilities.measured import calibrations, tempered, with_probabilities
from crossexam.reports.results import ModelResults, Results

if TYPE_CHECKING:
    from crossexam.evaluation.calibration import Calibration

_CALIBRATION: Final = (
    "ECE: expected calibration error, the mean distance between the confidence in predictions and the "
    "share of right ones, in 15 bins of equal width, or of equal size. A calibrated model does "
    "not reach 0 in a sample: 'if calibrated' is its mean ECE if items are independent (it is higher "
    "with several items per premise). Class-wise: the mean over the labels of the ECE of their "
    "probabilities. Brier: the sum over the labels, from 0 to 2. The errors and losses are better if lower; "
    "95 % confidence intervals are clustered by premise, and word pairs fixed."
)
_IMPOSSIBLE: Final = "Log loss is infinite (∞) if a model gives a gold label the probability 0."
_LEFT_OUT: Final = (
    "Unanswered items, and those of low label mass (all labels together had less than half of the model's"
    " probability), are counted and not measured."
)
_STRETCHED: Final = (
    "The probabilities of {} were stretched so that its threshold lies at one half; their calibration is "
    "that of the stretched probabilities."
)


def _rows(results: Results) -> Iterator[Row[Calibration]]:
    return rows_of(results, calibrations)


def _rows_at_temperature(results: Results) -> Iterator[Row[Calibration]]:
    return rows_of(results, tempered)


def _columns(prefix: str) -> tuple[FigureColumn[Calibration], ...]:
    """Return the columns; the names of their statistics begin with *prefix*."""
    counts = "" if prefix else "calibration_"  # that of a temperature is over the same items
    return (
        FigureColumn("Items", "count", lambda each: each.n),
        FigureColumn(
            "Unanswered",
            "count",
            lambda each: each.unanswered,
            counts and f"{counts}unanswered",
            n=lambda _: None,
            optional=True,
        ),
        FigureColumn(
            "Low label mass",
            "count",
            lambda each: each.low_mass,
            counts and f"{counts}low_mass",
            n=lambda _: None,
            optional=True,
        ),
        FigureColumn(
            "", "count", lambda each: each.impossible, counts and f"{counts}impossible", n=lambda _: None
        ),
        FigureColumn(
            "Accuracy", "percent", lambda each: each.accuracy, "" if prefix else "calibrated_accuracy"
        ),
        FigureColumn("Confidence", "percent", lambda each: each.confidence, f"{prefix}confidence"),
        FigureColumn("ECE", "percent", lambda each: each.ece.error, f"{prefix}ece"),
        FigureColumn(
            "if calibrated", "percent", lambda each: each.ece.if_calibrated, f"{prefix}ece_if_calibrated"
        ),
        FigureColumn(
            "ECE, equal mass", "percent", lambda each: each.ece_equal_mass.error, f"{prefix}ece_equal_mass"
        ),
        FigureColumn(
            "",
            "percent",
            lambda each: each.ece_equal_mass.if_calibrated,
            f"{prefix}ece_equal_mass_if_calibrated",
        ),
        FigureColumn("Class-wise", "percent", lambda each: each.classwise.error, f"{prefix}classwise_ece"),
        FigureColumn(
            "",
            "percent",
            lambda each: each.classwise.if_calibrated,
            f"{prefix}classwise_ece_if_calibrated",
        ),
        FigureColumn("Brier", "score", lambda each: each.brier, f"{prefix}brier"),
        FigureColumn("Log loss", "score", lambda each: each.log_loss, f"{prefix}log_loss"),
    )


def _bins(results: Results) -> Iterator[Figure]:
    """Yield the points of the reliability diagrams, by the mean confidence of a bin.

    That of a calibrated model is the confidence, and 95 % of its points are between the ends.
    """
    for model, test_set, each in _rows(results):
        for part in each.bins:
            of = f"confidence={part.confidence:.4f}"
            expected = Estimate(part.confidence, part.low, part.high, part.n, part.accuracy.clusters)
            yield Figure(model, test_set, "reliability", part.accuracy, of)
            yield Figure(model, test_set, "reliability_if_calibrated", expected, of)


def _temperatures(results: Results) -> Iterator[Figure]:
    for model in results.models:
        if (fitted := model.temperature) is not None:
            of = "+".join(fitted.test_sets)
            yield Figure(model.name, "", "temperature", fitted.temperature, of, fitted.n)
            yield Figure(model.name, "", "temperature_left_out", fitted.left_out, of)


def _notes(results: Results, rows: Sequence[Row[Calibration]]) -> Iterator[str]:
    """Yield what must be known of the numbers of *rows*."""
    yield _CALIBRATION
    found = [row.measured for row in rows]
    if any(each.impossible for each in found):
        yield _IMPOSSIBLE
    if any(each.unanswered or each.low_mass for each in found):
        yield _LEFT_OUT
    loud = with_probabilities(results)
    yield from only_bounds_notes(results, loud)
    stretched = [model.name for model in loud if model.run.details.get("threshold") is not None]
    if stretched:
        yield _STRETCHED.format(", ".join(stretched))
    silent = [model.name for model in results.models if not model.gives_probabilities]
    if silent:
        yield f"Labels without probabilities, which have no calibration: {', '.join(silent)}."


def _notes_at_temperature(results: Results, rows: Sequence[Row[Calibration]]) -> Iterator[str]:
    fitted = [model for model in results.models if model.temperature]
    yield from map(temperature_note, fitted)
    yield from only_bounds_notes(results, fitted)


def temperature_note(model: ModelResults) -> str:
    """Return the temperature of *model*, and what it was fitted on."""
    fitted = model.temperature
    assert fitted is not None
    left = f", without {fitted.left_out:,} that share a premise with measured ones" if fitted.left_out else ""
    return (
        f"Temperature of {model.name}: {fitted.temperature:.3f}, with the least log loss on {fitted.n:,} "
        f"items of another run ({', '.join(fitted.test_sets)}){left}."
    )


_TABLE: Final = FigureTable["Calibration"](
    "Calibration", _rows, _columns(""), _notes, folded="Show the numbers", n=lambda each: each.n
)
_AT_TEMPERATURE: Final = FigureTable["Calibration"](
    "Calibration after temperature scaling",
    _rows_at_temperature,
    _columns("tempered_"),
    _notes_at_temperature,
    folded="Show the calibration after temperature scaling",
    n=lambda each: each.n,
)

CALIBRATION: Final = Analysis(
    "calibration",
    (
        Section(
            "calibration",
            "Calibration",
            _TABLE,
            ALL,
            charts=reliability_charts,
            on_request=True,
            figures=_bins,
        ),
    ),
)
TEMPERATURE: Final = Analysis(
    "temperature",
    (
        Section(
            "temperature",
            "At a temperature",
            _AT_TEMPERATURE,
            ALL,
            within="calibration",
            on_request=True,
            figures=_temperatures,
        ),
    ),
    lambda results: any(model.temperature is not None for model in results.models),
)
