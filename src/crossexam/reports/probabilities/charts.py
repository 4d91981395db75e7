"""Charts of probabilities: reliability diagrams, and risk-coverage curves."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from crossexam.reports.charts import Charts
from crossexam.reports.drawing import Chart, mark, quantity, vega_lite_of
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
    chart: Chart,
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


def _reliability() -> Chart:
    scale = {"domain": [0, 100]}
    across = quantity("confidence", scale=scale, axis={"title": "confidence, %", "tickCount": 3})
    ends = [{"confidence": 0, "accuracy": 0}, {"confidence": 100, "accuracy": 100}]
    up = quantity("accuracy", scale=scale, axis={"title": "right, %", "tickCount": 3})
    size = quantity("share", scale={"domain": [0, 1], "range": [12, 140]}, legend=None)
    bins = {"x": across, "y": quantity("low", scale=scale), "y2": {"field": "high"}}
    points = {"x": across, "y": quantity("accuracy", scale=scale), "size": size}
    layers = [
        mark("line", {"x": across, "y": up}, ends, color="var(--muted)", strokeWidth=1),
        mark("rule", bins, color="var(--muted)", strokeWidth=5, opacity=0.35),
        mark("point", points, color="var(--accent)", filled=True, opacity=1),
    ]
    nothing = {"confidence": 0, "accuracy": 0, "low": 0, "high": 0, "share": 0}
    return {**_measured(nothing), "layer": layers}


def _measured(nothing: Mapping[str, float]) -> Chart:
    """Return a chart without marks, whose data have a name and a row of *nothing*."""
    return {"data": {"name": "measured", "values": [nothing]}, "width": _SIZE, "height": _SIZE}


def _risk_coverage(most: float) -> Chart:
    """Return the chart of a curve, with an axis of risks up to *most*, so that curves can be compared."""
    across = quantity("coverage", scale={"domain": [0, 100]}, axis={"title": "coverage, %", "tickCount": 3})
    up = quantity(
        "risk", scale={"domain": [0, most], "nice": True}, axis={"title": "risk, %", "tickCount": 3}
    )
    curve = mark("line", {"x": across, "y": up}, color="var(--accent)", strokeWidth=2)
    return {**_measured({"coverage": 0, "risk": 0}), **curve}
