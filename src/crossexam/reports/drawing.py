"""Drawings of numbers as SVG, which the page has inside: it needs neither a script nor the network for them.

Colours are classes of the page's stylesheet, so that one drawing serves the light page, the dark page and
print.  The drawings in tables are beside their numbers, and hidden from screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from markupsafe import Markup, escape

from crossexam.core.estimate import Estimate
from crossexam.core.output.escapes import visible

FONT: Final = "Liberation Sans, Helvetica, Arial, sans-serif"
_WIDTH: Final = 154  # pixels of a drawing in a table
_HEIGHT: Final = 16
_EDGE: Final = 2  # pixels between the end of an axis and that of the drawing


class Drawing(Protocol):
    """What a cell of a table, or a figure, draws."""

    def svg(self) -> Markup:
        """Return the drawing as an SVG element."""


def element(tag: str, *inside: str, **attributes: str | float) -> Markup:
    """Return an SVG element; numbers have up to three decimals, and ``class_`` is ``class``.

    >>> print(element("text", "a < b", x=1.5, y=2.0, text_anchor="end", class_="tick"))
    <text x="1.5" y="2" text-anchor="end" class="tick">a &lt; b</text>
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"' for name, value in attributes.items()
    )
    content = "".join(part if isinstance(part, Markup) else escape(visible(part)) for part in inside)
    return Markup(f"<{tag}{written}>{content}</{tag}>")  # noqa: S704  (ours, or escaped)


def _attribute(value: str | float) -> str:
    return escape(visible(value)) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def svg_of(width: float, height: float, *shapes: str, label: str = "", **more: str | float) -> Markup:
    """Return an SVG element of *shapes*; without a *label*, screen readers leave it out."""
    spoken = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    box = f"0 0 {_number(width)} {_number(height)}"
    return element("svg", *shapes, viewBox=box, width=width, height=height, **spoken, **more)


@dataclass(frozen=True)
class Axis:
    """The values from *low* to *high*, drawn from the pixel *start* to *end*; logarithmic if *is_log*."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Return the pixel of *value*; one beyond an end is drawn there."""
        known = min(max(value, self.low), self.high)
        low, known, high = (math.log(each) if self.is_log else each for each in (self.low, known, self.high))
        return self.start + (known - low) / (high - low) * (self.end - self.start)


def round_range(values: Sequence[float], *, least: float = 0.05) -> tuple[float, float]:
    """Return the range of *values*, shares, with its ends at multiples of 5 %, and 5 % wide at *least*.

    >>> round_range([0.412, 0.68]), round_range([0.5])
    ((0.4, 0.7), (0.5, 0.55))
    """
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return 0.0, 1.0
    low = math.floor(20 * min(known) + 1e-9) / 20
    high = math.ceil(20 * max(known) - 1e-9) / 20
    return low, max(high, round(low + least, 2))


def range_text(ends: tuple[float, float], unit: str) -> str:
    """Return the header of drawings on an axis with these *ends*, which are shares.

    >>> range_text((-0.05, 0.4), "points")
    '−5 to 40 points'
    """
    low, high = (f"{100 * end:.0f}".replace("-", "−") for end in ends)
    return f"{low} to {high} {unit}"


@dataclass(frozen=True)
class Interval:
    """A number with its interval on an axis over the *range*; hollow if it is of *few* items.

    *line* is what it is compared with, and *mark* the majority baseline.
    """

    estimate: Estimate
    range: tuple[float, float] = (0.0, 1.0)
    line: float | None = None
    mark: float | None = None
    few: bool = False

    def svg(self) -> Markup:
        """Return the drawing; bounds have a line and no point."""
        axis, middle = Axis(*self.range, _EDGE, _WIDTH - _EDGE), _HEIGHT / 2
        shapes = [element("line", x1=axis.start, x2=axis.end, y1=middle, y2=middle, class_="axis")]
        for value, look, half in ((self.mark, "mark", 4), (self.line, "base", 7)):
            if value is not None and math.isfinite(value):
                x = axis.at(value)
                shapes.append(element("line", x1=x, x2=x, y1=middle - half, y2=middle + half, class_=look))
        low, value, high = self.estimate.low, self.estimate.value, self.estimate.high
        if self.estimate.n and math.isfinite(low) and math.isfinite(high):
            ends = {"x1": axis.at(low), "x2": axis.at(high)}
            shapes.append(element("line", **ends, y1=middle, y2=middle, class_="range"))
        if math.isfinite(value):
            look = "few" if self.few else "dot"
            shapes.append(element("circle", cx=axis.at(value), cy=middle, r=4, class_=look))
        return svg_of(_WIDTH, _HEIGHT, *shapes)


@dataclass(frozen=True)
class Bar:
    """A bar of *parts*: the class of its colour, whether it is pale, and its length as a share of *whole*."""

    parts: Sequence[tuple[str, bool, float]]
    whole: float

    def svg(self) -> Markup:
        """Return the drawing: every part begins where the last one ends."""
        axis, start = Axis(0.0, self.whole, 0.0, _WIDTH), 0.0
        shapes = []
        for colour, is_pale, share in self.parts:
            look = f"part {colour}{' pale' if is_pale else ''}"
            left, right = axis.at(start), axis.at(start + share)
            shapes.append(element("rect", x=left, width=right - left, y=2, height=12, class_=look))
            start += share
        return svg_of(_WIDTH, _HEIGHT, *shapes)


_CELL: Final = (50.0, 36.0)  # pixels of a cell of a matrix
_CORNER: Final = (24.0, 30.0)  # pixels left of the cells, and above them


@dataclass(frozen=True)
class Matrix:
    """The *counts* of items by gold label (rows) and predicted label (columns), with *labels*."""

    labels: Sequence[str]
    counts: Sequence[Sequence[int]]

    def svg(self) -> Markup:
        """Return the drawing: each cell has its share of the row, as number and shade, and its count."""
        (width, height), (left, top) = _CELL, _CORNER
        size = len(self.labels)
        middle = left + size * width / 2
        shapes = [element("text", "predicted", x=middle, y=10, class_="title")]
        for place, label in enumerate(self.labels):
            letter = label[0].upper()
            shapes.append(element("text", letter, x=left + (place + 0.5) * width, y=24, class_="tick"))
            shapes.append(element("text", letter, x=12, y=top + (place + 0.5) * height + 4, class_="tick"))
        for row, counts in enumerate(self.counts):
            total = sum(counts)
            for column, count in enumerate(counts):
                share = count / total if total else 0.0
                x, y = left + column * width, top + row * height
                look = "cell right" if row == column else "cell"
                box = {"x": x + 1, "y": y + 1, "width": width - 2, "height": height - 2}
                shapes.append(element("rect", **box, fill_opacity=0.04 + 0.96 * share, rx=2, class_=look))
                ink = " dark" if share > 0.62 else ""
                percent = f"{100 * share:.0f} %" if total else "–"
                at = x + width / 2
                shapes.append(element("text", percent, x=at, y=y + 17, class_=f"share{ink}"))
                shapes.append(element("text", f"{count:,}", x=at, y=y + 30, class_=f"number{ink}"))
        said = "; ".join(
            f"gold {gold}: "
            + ", ".join(f"{n:,} {answer}" for n, answer in zip(row, self.labels, strict=True))
            for gold, row in zip(self.labels, self.counts, strict=True)
        )
        return svg_of(left + size * width, top + size * height, *shapes, label=f"Predictions: {said}")


@dataclass(frozen=True)
class Plot:
    """A plot with an axis of each kind: what they are *named*, their ranges, and the width and height.

    With *is_log*, the vertical axis is logarithmic.
    """

    named: tuple[str, str]
    ranges: tuple[tuple[float, float], tuple[float, float]]
    size: tuple[float, float] = (165.0, 165.0)
    is_log: bool = False

    @property
    def across(self) -> Axis:
        """The horizontal axis."""
        return Axis(*self.ranges[0], 40, 40 + self.size[0])

    @property
    def up(self) -> Axis:
        """The vertical axis."""
        return Axis(*self.ranges[1], 8 + self.size[1], 8, self.is_log)

    def points(self, points: Sequence[tuple[float, float]]) -> str:
        """Return *points* as the attribute of a line."""
        return " ".join(f"{_number(self.across.at(x))},{_number(self.up.at(y))}" for x, y in points)

    def svg(self, *shapes: str, label: str, legend: Sequence[tuple[str, str]] = ()) -> Markup:
        """Return the plot with *shapes*, on axes with two or three numbers each.

        The *legend* has the class of a line and its name per row.
        """
        across, up = self.across, self.up
        drawn = []
        for value in _ticks(*self.ranges[0]):
            x = across.at(value)
            drawn.append(element("line", x1=x, x2=x, y1=up.start, y2=up.end, class_="axis"))
            drawn.append(element("text", f"{value:g}", x=x, y=up.start + 15, class_="tick"))
        for value in self.ranges[1] if self.is_log else _ticks(*self.ranges[1]):
            y = up.at(value)
            drawn.append(element("line", x1=across.start, x2=across.end, y1=y, y2=y, class_="axis"))
            drawn.append(element("text", f"{value:,.6g}", x=across.start - 6, y=y + 4, class_="tick left"))
        middle = (up.start + up.end) / 2
        turned = f"rotate(-90 12 {_number(middle)})"
        titles = (
            element(
                "text", self.named[0], x=(across.start + across.end) / 2, y=up.start + 31, class_="title"
            ),
            element("text", self.named[1], x=12, y=middle, transform=turned, class_="title"),
        )
        height = up.start + 38
        for look, name in legend:
            height += 18
            line = {"x1": across.start, "x2": across.start + 22, "y1": height - 10, "y2": height - 10}
            drawn.append(element("line", **line, class_=f"curve {look}"))
            drawn.append(element("text", name, x=across.start + 28, y=height - 6, class_="tick name"))
        return svg_of(across.end + 12, height, *drawn, *shapes, *titles, label=label)


def _ticks(low: float, high: float) -> list[float]:
    return [low, round((low + high) / 2, 6), high]
