"""Charts of probabilities: reliability diagrams, and risk-coverage curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from crossexam.reports.analysis import Charts, drawn_of
from crossexam.reports.drawing import Drawing, Plot, element
from crossexam.reports.figures import rows_of
from crossexam.reports.probabilities.measured import calibrations, selective
from crossexam.reports.results import ModelResults, Results

if TYPE_CHECKING:
    from crossexam.evaluation.selective import Selective
    from crossexam.stats.calibration import ReliabilityBin

_LEAST_COVERAGE: Final = 0.02  # below it, a curve is a few items and jumps


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram of *bins*: the share of right predictions by confidence."""

    bins: Sequence[ReliabilityBin]

    def svg(self) -> Markup:
        """Return the drawing: points, larger where there are more items, on bars of a calibrated model."""
        plot = Plot(("confidence, %", "right, %"), ((0.0, 100.0), (0.0, 100.0)))
        across, up = plot.across, plot.up
        most = max((each.n for each in self.bins), default=1)
        shapes = [element("polyline", points=plot.points([(0, 0), (100, 100)]), class_="diagonal")]
        for each in self.bins:
            x, low, high = across.at(100 * each.confidence), up.at(100 * each.low), up.at(100 * each.high)
            shapes.append(element("line", x1=x, x2=x, y1=low, y2=high, class_="calibrated"))
        for each in self.bins:
            place = {"cx": across.at(100 * each.confidence), "cy": up.at(100 * each.accuracy.value)}
            shapes.append(element("circle", **place, r=6.5 * math.sqrt(each.n / most), class_="dot"))
        return plot.svg(*shapes, label="Share of right predictions by confidence")


@dataclass(frozen=True)
class RiskCurve:
    """A risk-coverage curve through *points*, in percent, with an axis of risks up to *most*."""

    points: Sequence[tuple[float, float]]
    most: float

    def svg(self) -> Markup:
        """Return the drawing."""
        plot = Plot(("coverage, %", "risk, %"), ((0.0, 100.0), (0.0, self.most)))
        curve = element("polyline", points=plot.points(self.points), class_="curve one")
        return plot.svg(curve, label="Share of wrong answers by coverage")


def reliability_charts(results: Results) -> Charts:
    """Return a figure per test set: the reliability diagram of each model that gave probabilities."""
    figures = _figures(results, lambda each: Reliability(each.bins), calibrations)
    note = (
        "Points: the share of right predictions by confidence, larger where there are more; on the line, the "
        "two are equal. Grey bars: where each point of a calibrated model lies in 95 % of cases."
    )
    return Charts(figures, note)


def risk_charts(results: Results) -> Charts:
    """Return a figure per test set: the risk-coverage curve of each model that gave probabilities."""
    risks = (risk for model in results.models for each in selective(model) for _, risk in _curve_of(each))
    most = 10.0 * math.ceil(max(risks, default=0.0) / 10.0) or 10.0
    note = "The share of wrong answers if only the most confident predictions are given."
    drawn = _figures(results, lambda each: RiskCurve(_curve_of(each), most), selective)
    return Charts(drawn, note)


def _figures(
    results: Results,
    drawing: Callable[[Any], Drawing],
    measured: Callable[[ModelResults], Sequence[Any]],
) -> list[tuple[str, Mapping[str, Drawing]]]:
    """Return the *drawing* of what is *measured* of each test set and model."""
    return [
        (results.short_names[name], {drawn_of(row.model, results): drawing(row.measured) for row in of_set})
        for name, of_set in groupby(rows_of(results, measured), key=lambda row: row.test_set)
    ]


def _curve_of(each: Selective) -> list[tuple[float, float]]:
    points = [*zip(each.curve.coverage.tolist(), each.curve.risk.tolist(), strict=True)]
    shown = [point for point in points if point[0] >= _LEAST_COVERAGE] or points[-1:]
    return [(100 * coverage, 100 * risk) for coverage, risk in shown]
