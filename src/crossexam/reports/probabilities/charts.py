"""Charts of probabilities: reliability diagrams, and risk-coverage curves."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from crossexam.reports.charts import Charts, vega_lite_of
from crossexam.reports.results import ModelResults, Results

if TYPE_CHECKING:
    from crossexam.evaluation.calibration import Calibration
    from crossexam.evaluation.selective import Selective

_SIZE: Final = 165  # pixels of the plotting area, which is square
_LEAST_COVERAGE: Final = 0.02  # below it, a curve is a few items and jumps


def reliability_charts(results: Results) -> Charts:
    """Return a figure per test set: the reliability diagram of each model that gave probabilities."""
    return Charts(_figures(results, _reliability(), _bins_of, lambda model: model.calibrations), shown=0)


def risk_charts(results: Results) -> Charts:
    """Return a figure per test set: the risk-coverage curve of each model that gave probabilities."""
    curves = (_curve_of(each) for model in results.models for each in model.selective)
    most = max((point["risk"] for curve in curves for point in curve), default=0.0)
    chart = _risk_coverage(max(most, 1.0))
    return Charts(_figures(results, chart, _curve_of, lambda model: model.selective), shown=0)


def _figures(
    results: Results,
    chart: Any,
    values_of: Callable[[Any], list[dict[str, float]]],
    measured: Callable[[ModelResults], Sequence[Any]],
) -> list[tuple[str, Mapping[str, str]]]:
    """Return the *chart* of each test set and model with the values of what is *measured*.

    The chart is compiled once; what differs are its values.
    """
    import vl_convert

    found = [
        (name, model, each)
        for name in results.test_sets
        for model in results.models
        for each in measured(model)
        if each.test_set == name
    ]
    if not found:
        return []
    compiled = vl_convert.vegalite_to_vega(vega_lite_of(chart))

    def drawn(values: list[dict[str, float]]) -> str:
        vega = copy.deepcopy(compiled)
        for source in vega["data"]:
            if source["name"] == "measured":
                source["values"] = values
        return str(vl_convert.vega_to_svg(vega))

    return [
        (results.short_names[name], {model.name: drawn(values_of(each)) for _, model, each in of_set})
        for name, of_set in groupby(found, key=lambda entry: entry[0])
    ]


def _bins_of(each: Calibration) -> list[dict[str, float]]:
    most = max((part.n for part in each.bins), default=1)
    return [
        {
            "confidence": 100 * part.confidence,
            "accuracy": 100 * part.accuracy.value,
            "low": 100 * part.low,
            "high": 100 * part.high,
            "share": part.n / most,
        }
        for part in each.bins
    ]


def _curve_of(each: Selective) -> list[dict[str, float]]:
    points = [*zip(each.curve.coverage.tolist(), each.curve.risk.tolist(), strict=True)]
    shown = [point for point in points if point[0] >= _LEAST_COVERAGE] or points[-1:]
    return [{"coverage": 100 * coverage, "risk": 100 * risk} for coverage, risk in shown]


def _reliability() -> Any:
    import altair as alt

    measured = alt.Chart(alt.Data(name="measured", values=_bins_of_nothing()))
    scale = alt.Scale(domain=[0, 100])
    across = alt.X("confidence:Q", scale=scale, axis=alt.Axis(title="confidence, %", tickCount=3))
    up = alt.Axis(title="right, %", tickCount=3)
    ends = alt.Data(values=[{"confidence": 0, "accuracy": 0}, {"confidence": 100, "accuracy": 100}])
    return alt.layer(
        alt.Chart(ends)
        .mark_line(color="var(--muted)", strokeWidth=1)
        .encode(x=across, y=alt.Y("accuracy:Q", scale=scale, axis=up)),
        measured.mark_rule(color="var(--muted)", strokeWidth=5, opacity=0.35).encode(
            x=across, y=alt.Y("low:Q", scale=scale), y2="high:Q"
        ),
        measured.mark_point(color="var(--accent)", filled=True, opacity=1).encode(
            x=across,
            y=alt.Y("accuracy:Q", scale=scale),
            size=alt.Size("share:Q", scale=alt.Scale(domain=[0, 1], range=[12, 140]), legend=None),
        ),
    ).properties(width=_SIZE, height=_SIZE)


def _bins_of_nothing() -> list[dict[str, float]]:
    return [{"confidence": 0, "accuracy": 0, "low": 0, "high": 0, "share": 0}]


def _risk_coverage(most: float) -> Any:
    """Return the chart of a curve, with an axis of risks up to *most*, so that curves can be compared."""
    import altair as alt

    nothing: list[dict[str, float]] = [{"coverage": 0, "risk": 0}]
    return (
        alt.Chart(alt.Data(name="measured", values=nothing))
        .mark_line(color="var(--accent)", strokeWidth=2)
        .encode(
            x=alt.X(
                "coverage:Q",
                scale=alt.Scale(domain=[0, 100]),
                axis=alt.Axis(title="coverage, %", tickCount=3),
            ),
            y=alt.Y(
                "risk:Q",
                scale=alt.Scale(domain=[0, most], nice=True),
                axis=alt.Axis(title="risk, %", tickCount=3),
            ),
        )
        .properties(width=_SIZE, height=_SIZE)
    )
