"""Charts as SVG, drawn in advance: the page needs neither a script nor the network to show them.

Colours are the page's custom properties (``var(--entailment)``), so that one drawing serves the light page,
the dark page and print.  The chart of the feature importances of a random forest is written to a file of its
own and has fixed colours.
"""

from __future__ import annotations

import copy
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import counted_items
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.labels import Gold
from crossexam.core.output.escapes import one_line
from crossexam.evaluation.candidates import FEW
from crossexam.reports.drawing import Chart, either, mark, named, quantity, style, svg_of, vega_lite_of
from crossexam.reports.results import Results, two_labels_note
from crossexam.reports.unanswered import only_bounds_notes

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult

#: Widths of the plotting area in pixels, for wide columns (from 560 pixels) and for a phone.
WIDTHS: Final = {"wide": 360, "narrow": 165}
_ROW: Final = 36  # pixels per test set whose name takes two lines
_LINE_HEIGHT: Final = 14  # pixels per line of a name
_PADDING: Final = 14  # pixels between name and axis, room for half of a number
#: Characters per line of a name; the second if the first takes more than two lines.
_LENGTHS: Final = (18, 28)
_CHARACTER: Final = 7  # pixels of a character in the widest of the fonts
_NO_LINES: Final = {"ticks": False, "domain": False, "grid": False}

# Segments of the bar of errors: type, predicted label (the colour), and opacity (by gold label).
# fmt: off
_SEGMENTS: Final = (
    ("N-E", "entailment", 1.0), ("C-E", "entailment", 0.4),
    ("E-N", "neutral", 1.0), ("C-N", "neutral", 0.4),
    ("E-C", "contradiction", 1.0), ("N-C", "contradiction", 0.4),
)
_ERROR_LEGEND: Final = (
    ("entailment",    "false entailment: N-E, lighter C-E"),
    ("neutral",       "false neutral: E-N, lighter C-N"),
    ("contradiction", "false contradiction: E-C, lighter N-C"),
)
# fmt: on


@dataclass(frozen=True)
class Charts:
    """The charts of a section: *figures* are captions with drawings, SVG by width of the page or by model.

    *legend*: a class of the page for the colour, and words.  The page shows the first *shown* figures and
    folds away the others.
    """

    figures: Sequence[tuple[str, Mapping[str, str]]]
    note: str = ""
    legend: Sequence[tuple[str, str]] = ()
    shown: int = 2


def _labels(results: Results) -> dict[str, str]:
    """Return the name of each test set for the axis, in as few lines as there is room for."""
    for length in _LENGTHS:
        labels = {name: in_lines(one_line(short), length) for name, short in results.short_names.items()}
        if all(label.count("\n") < 2 for label in labels.values()):
            break
    return labels


def in_lines(short: str, length: int) -> str:
    """Return a short name in lines of up to *length* characters; its part begins a line of its own."""
    construction, bracket, part = short.partition(" (")
    return "\n".join(textwrap.wrap(construction, length) + textwrap.wrap(f"{bracket}{part}".strip(), length))


def row_height(labels: Sequence[str]) -> int:
    """Return the pixels per test set, so that the names do not overlap."""
    most = max((label.count("\n") for label in labels), default=0) + 1
    return max(_ROW, (most + 1) * _LINE_HEIGHT - 6)


def name_axis(labels: Sequence[str]) -> dict[str, Any]:
    """Return the vertical channel of test sets, in the order of their *labels*, with its axis."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    lines = "length(split(datum.label, '\\n'))"
    offsets = [
        {"test": f"{lines} == {most}", "value": -_LINE_HEIGHT // 2 * (most - 1)} for most in range(2, 9)
    ]
    axis = {
        "title": None,
        "labelExpr": "split(datum.label, '\\n')",
        "labelOffset": {"condition": offsets, "value": 0},
        "labelLimit": 0,
        "labelPadding": _PADDING,
        "minExtent": _PADDING + _CHARACTER * longest,  # the reader's font may be wider than ours
        **_NO_LINES,
    }
    return named("name", sort=list(labels), axis=axis)


def tick_count(width: int) -> int:
    """Return how many numbers an axis of *width* pixels has room for."""
    return 5 if width == WIDTHS["wide"] else 3


def percent_of(share: float) -> float | None:
    """Return *share* in percent for a chart; None if it is not finite."""
    return round(100 * share, 3) if math.isfinite(share) else None


@dataclass(frozen=True)
class _Row:
    """A row of a chart: the *label* of a test set, a number with its interval, and a reference *line*.

    *mark* is what is said beside a number of few items; empty if there are enough.
    """

    label: str
    estimate: Estimate
    line: float | None = None
    mark: str = ""


def accuracy_charts(results: Results) -> Charts:
    """Return a figure per model with its accuracy on each test set, and the majority class."""
    labels = _labels(results)
    figures = []
    for name, of in _by_model(results).items():
        rows = [
            _Row(
                labels[each.name], each.accuracy, each.majority.share if each.majority else None, _mark(each)
            )
            for each in of
            if each.n or each.only_bounds
        ]
        if rows:
            figures.append((name, _interval_drawings(rows, (0, 100), "accuracy, %")))
    every = [each for of in _by_model(results).values() for each in of]
    grey = (
        " Grey line: most frequent label, the accuracy of always giving the most frequent gold label of that "
        "test set; none if the test set has a single gold label."
    )
    note = (
        "Accuracy with 95 % confidence intervals."
        + (grey if any(each.majority for each in every) else "")
        + _small_note(every)
        + _bounds_note(each.accuracy for each in every)
    )
    return Charts(figures, note)


def drop_charts(results: Results) -> Charts:
    """Return a figure per model with its drop on each test set; no figures without drops."""
    extent = _drop_range(results)
    if extent is None:
        return Charts(())
    labels = _labels(results)
    figures = []
    for name, of in _by_model(results).items():
        rows = [
            _Row(labels[each.name], lost, mark=_mark(each)) for each in of if (lost := each.lost) is not None
        ]
        if rows:
            figures.append((name, _interval_drawings(rows, extent, "accuracy lost, in points")))
    every = [each for of in _by_model(results).values() for each in of if each.lost is not None]
    notes = (
        f"Accuracy lost from the base{_on_others(results)}; lines are 95 % confidence intervals of "
        "single drops."
    )
    return Charts(figures, f"{notes}{_small_note(every)}{_bounds_note(each.lost for each in every)}")


def _on_others(results: Results) -> str:
    """Return on which test sets the drop is a difference between other sentences, in parentheses."""
    others = [
        results.short_names[name]
        for name, _, result in results.by_test_set()
        if result.lost is not None and result.drop is None
    ]
    names = ", ".join(dict.fromkeys(others))
    return f" ({names}: the base minus other sentences)" if names else ""


def _majority_of(result: TestSetResult) -> float | None:
    return result.majority.share if result.majority is not None else None


def _mark(result: TestSetResult) -> str:
    """Return what is said beside the numbers of *result* if it has few items; else an empty text.

    A range of bounds has no number beside which it could be said.
    """
    paired = result.loss is not None and result.loss is result.drop
    return counted_items(result.counted, "pair" if paired else "item") if result.is_small else ""


def _small_note(results: Iterable[TestSetResult]) -> str:
    """Return what a hollow point means, if there is one."""
    return f" Hollow points: fewer than {FEW} items." if any(each.is_small for each in results) else ""


def _bounds_note(estimates: Iterable[Estimate | None]) -> str:
    """Return what a line without a point means, if there is one."""
    if not any(isinstance(each, Bounds) for each in estimates):
        return ""
    return " A line without a point: too many items were not answered; it covers the intervals of the bounds."


def _by_model(results: Results) -> dict[str, list[TestSetResult]]:
    """Return the measures of each model in the order of the test sets of the report."""
    ordered = list(results.by_test_set())
    return {model.name: [result for _, each, result in ordered if each is model] for model in results.models}


def _interval_drawings(rows: Sequence[_Row], extent: tuple[float, float], title: str) -> dict[str, str]:
    """Return the chart of *rows* for each width of the page."""
    return {size: _interval_chart(rows, width, extent, title) for size, width in WIDTHS.items()}


def _interval_chart(rows: Sequence[_Row], width: int, extent: tuple[float, float], title: str) -> str:
    """Return the numbers of *rows* with their intervals, in percent or points, on an axis over *extent*."""
    values = [
        {
            "name": row.label,
            "value": percent_of(row.estimate.value),
            "low": percent_of(row.estimate.low),
            "high": percent_of(row.estimate.high),
            "text": _number(row),
            "few": bool(row.mark),
            "line": None if row.line is None else percent_of(row.line),
            "align": _aligned(100 * row.estimate.value, extent),
        }
        for row in rows
    ]
    scale = {"domain": list(extent), "nice": True}
    across = quantity("value", scale=scale)
    height = row_height([row.label for row in rows])
    below = height / 2 + 4  # from just above the point to the end of the row, so not through the number
    zero = quantity("zero", scale=scale, axis={"title": title, "tickCount": tick_count(width)})
    names = name_axis([row.label for row in rows])
    grey = mark(
        "tick",
        {"x": quantity("line", scale=scale), "y": names},
        only="isValid(datum.line)",
        color="var(--muted)",
        thickness=2,
        opacity=0.6,
        size=below,
        yOffset=(height - below) / 2,
    )
    ends = {"x": quantity("low"), "x2": {"field": "high"}, "y": names}
    layers = [
        mark("rule", {"x": zero}, [{"zero": 0}], color="currentColor", opacity=0.6),
        grey,
        mark("rule", ends, color="var(--accent)", strokeWidth=2.5, opacity=0.75),
        *(
            mark(
                "point",
                {"x": across, "y": names},
                only=f"(datum.few === {str(is_few).lower()})",
                color="var(--accent)",
                fill=fill,
                size=80,
                opacity=1,
            )
            for is_few, fill in ((False, "var(--accent)"), (True, "var(--page)"))
            if is_few in {bool(row.mark) for row in rows}
        ),
        *(
            mark(
                "text",
                {"x": across, "y": names, "text": named("text")},
                only=f"(datum.align === '{align}')",
                dy=-11,
                fontWeight="bold",
                align=align,
            )
            for align in dict.fromkeys(each["align"] for each in values)
        ),
    ]
    return svg_of({"data": {"values": values}, "layer": layers, "width": width, "height": {"step": height}})


def _number(row: _Row) -> str:
    """Return the number at the point of *row*, with its mark; empty for bounds, which have no point."""
    if not math.isfinite(row.estimate.value):
        return ""
    number = f"{100 * row.estimate.value:.1f}".replace("-", "−")
    return f"{number} ({row.mark})" if row.mark else number


def _aligned(value: float, extent: tuple[float, float]) -> str:
    """Return how a number is put at its *value*, so that it does not run into the names beside the axis."""
    low, high = extent
    edge = 0.04 * (high - low)
    return "left" if value < low + edge else "right" if value > high - edge else "center"


def _drop_range(results: Results) -> tuple[float, float] | None:
    """Return the least and the largest bound of all drops, in points; None if there are none."""
    losses = [lost for model in results.models for result in model.results if (lost := result.lost)]
    bounds = [100 * bound for loss in losses for bound in _bounds(loss) if math.isfinite(bound)]
    return (min(0.0, *bounds), max(5.0, *bounds)) if bounds else None


def _bounds(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.low, estimate.value, estimate.high


def error_charts(results: Results) -> Charts:
    """Return a figure per model: its wrong predictions on each test set by gold and predicted label."""
    largest, labels = _error_range(results), _labels(results)
    answered = {
        name: [each for each in of if not each.only_bounds] for name, of in _by_model(results).items()
    }
    figures = [
        (name, {size: _error_chart(of, labels, width, largest) for size, width in WIDTHS.items()})
        for name, of in answered.items()
        if of
    ]
    legend = "Segments follow the order of the legend. N-E: gold neutral, predicted entailment."
    note = " ".join(filter(None, (legend, two_labels_note(results))))
    return Charts(figures, note, _ERROR_LEGEND)


def _error_chart(
    results: Sequence[TestSetResult], labels: Mapping[str, str], width: int, largest: float
) -> str:
    """Return the wrong predictions of one model, in percent of the items, by gold and predicted label.

    The axis ends at *largest*.
    """
    values = [
        {**piece, "text": piece["text"] if (piece["end"] - piece["start"]) * width / largest > 27 else ""}
        for result in results
        for piece in _pieces(result, labels[result.name])
    ]
    shown = [labels[result.name] for result in results]
    names, scale = name_axis(shown), {"domain": [0, largest]}
    titled = {"title": "wrong predictions, % of items", "tickCount": tick_count(width)}
    ends = {"x": quantity("start", scale=scale, axis=titled), "x2": {"field": "end"}, "y": names}
    shades = {"color": named("colour", scale=None), "fillOpacity": quantity("shade", scale=None)}
    ink = either("datum.shade < 1", "currentColor", "var(--on-label)")
    text = {"x": quantity("middle", scale=scale), "y": names, "text": named("text"), "color": ink}
    layers = [
        mark("bar", ends, height=20, fill="var(--page)"),  # hides the grid behind the pale shades
        mark("bar", {**ends, **shades}, height=20, stroke="var(--page)", strokeWidth=1),
        mark("text", text, fontSize=11, fontWeight="bold"),
    ]
    height = {"step": row_height(shown)}
    return svg_of({"data": {"values": values}, "layer": layers, "width": width, "height": height})


def _pieces(result: TestSetResult, label: str) -> list[dict[str, Any]]:
    """Return the segments of the bar of *result*, each from the end of the last."""
    pieces = []
    end = 0.0
    for kind, answered, shade in _SEGMENTS:
        start, end = end, end + (100 * result.errors.get(kind, 0) / result.n if result.n else 0.0)
        pieces.append(
            {
                "name": label,
                "start": start,
                "end": end,
                "middle": (start + end) / 2,
                "colour": f"var(--{answered})",
                "shade": shade,
                "text": kind,
            }
        )
    return pieces


def _error_range(results: Results) -> float:
    """Return the end of the axis of wrong predictions, in percent: the largest share, rounded up to tens."""
    measured = (each for model in results.models for each in model.results if not each.only_bounds)
    shares = [each.wrong / each.n for each in measured if each.n]
    return max(10.0, 10 * math.ceil(10 * max(shares, default=0.0)))


def confusion_charts(results: Results) -> Charts:
    """Return a figure per test set: the confusion matrix of each model."""
    maps = HeatMaps()
    measured = (entry for entry in results.by_test_set() if not entry[2].only_bounds)
    figures = [
        (results.short_names[name], {model.name: maps.draw(result) for _, model, result in of_set})
        for name, of_set in groupby(measured, key=lambda entry: entry[0])
    ]
    return Charts(figures, " ".join(only_bounds_notes(results)), shown=1)


class HeatMaps:
    """Confusion matrices as SVG; the chart is compiled once per set of labels."""

    def __init__(self) -> None:
        self._vega: dict[tuple[Gold, ...], dict[str, Any]] = {}

    def draw(self, result: TestSetResult) -> str:
        """Return the confusion matrix of *result*: rows are gold labels, shades are shares of a row."""
        import vl_convert

        if result.labels not in self._vega:
            self._vega[result.labels] = vl_convert.vegalite_to_vega(vega_lite_of(_heat_map(result.labels)))
        vega = copy.deepcopy(self._vega[result.labels])
        for source in vega["data"]:
            if "values" in source:
                source["values"] = _cells_of(result)
        return str(vl_convert.vega_to_svg(vega))


def _cells_of(result: TestSetResult) -> list[dict[str, Any]]:
    cells = []
    for gold, counts in result.confused.items():
        total = sum(counts.values())
        for answer, number in counts.items():
            share = number / total if total else 0.0
            cells.append(
                {
                    "gold": gold,
                    "answer": answer,
                    "share": share,
                    "count": f"{number:,}",
                    "percent": f"{100 * share:.0f} %" if total else "–",
                    "right": gold == answer,
                }
            )
    return cells


def _heat_map(labels: tuple[Gold, ...]) -> Chart:
    nothing: dict[str, Any] = {"gold": labels[0], "answer": labels[0], "share": 0.0}
    nothing |= {"count": "", "percent": "", "right": True}
    letters = {**_NO_LINES, "labelExpr": "upper(slice(datum.label, 0, 1))", "labelFontSize": 12}
    across = {"title": "predicted", "orient": "top", "labelAngle": 0, **letters}
    scale = {"domain": list(labels), "padding": 0.04}
    place = {
        "x": named("answer", axis=across, scale=scale),
        "y": named("gold", axis={"title": "gold", **letters}, scale=scale),
    }
    ink = either("datum.share > 0.62", "var(--on-accent)", "currentColor")
    shade = quantity("share", scale={"domain": [0, 1], "range": [0.04, 1]}, legend=None)
    edge = either("datum.right", "currentColor", "var(--line)")
    written = {**place, "color": ink}
    layers = [
        mark("rect", {**place, "fillOpacity": shade, "stroke": edge}, color="var(--heat)", cornerRadius=2),
        mark("text", {**written, "text": named("percent")}, dy=-6, fontSize=13, fontWeight="bold"),
        mark("text", {**written, "text": named("count")}, dy=9, fontSize=10),
    ]
    return {"data": {"values": [nothing]}, "layer": layers, "width": 150, "height": 117}


_FEATURE_WIDTH: Final = 420  # pixels of the plotting area
_FEATURE_ROW: Final = 22  # pixels per feature
_INK: Final = "#1b2126"
_LINE: Final = "#d6dbe0"
_BAR: Final = "#7fb0d6"

#: A feature, its mean decrease in impurity as a share, and the standard deviation over the trees.
Row = tuple[str, float, float]


def importance_chart(rows: Sequence[Row], title: str) -> str:
    """Return the chart of *rows*, in their order, as SVG: bars in percent, with a standard deviation."""
    return svg_of(importance_spec(rows, title))


def importance_spec(rows: Sequence[Row], title: str) -> dict[str, Any]:
    """Return the Vega-Lite of the chart.

    >>> importance_spec([("bleu_1", 0.25, 0.1)], "rf")["layer"][0]["mark"]["type"]
    'bar'
    """
    values = [
        {
            "feature": name.replace("_", " "),
            "share": round(100 * mean, 3),
            "low": round(100 * max(0.0, mean - deviation), 3),
            "high": round(100 * (mean + deviation), 3),
            "text": f"{100 * mean:.1f}",
        }
        for name, mean, deviation in rows
    ]
    axis = {"title": None, "ticks": False, "domain": False, "labelPadding": 6}
    names = named("feature", sort=[value["feature"] for value in values], axis=axis)
    title_of_x = "mean decrease in impurity, % of all features (line: one standard deviation)"
    shares = quantity("share", axis={"title": title_of_x})
    deviation_of = {"x": quantity("low"), "x2": {"field": "high"}, "y": names}
    high = {"x": quantity("high"), "y": names, "text": named("text")}
    layers = [
        mark("bar", {"x": shares, "y": names}, color=_BAR, height=14),
        mark("rule", deviation_of, color=_INK, strokeWidth=1.5),
        mark("text", high, align="left", dx=5, color=_INK, fontSize=11),
    ]
    config = {
        **style(_INK, _LINE, labelLimit=220),
        "background": "#ffffff",
        "padding": 10,
        "title": {"color": _INK, "fontSize": 13, "anchor": "start"},
    }
    size = {"width": _FEATURE_WIDTH, "height": {"step": _FEATURE_ROW}}
    return {"data": {"values": values}, "layer": layers, **size, "title": title, "config": config}
