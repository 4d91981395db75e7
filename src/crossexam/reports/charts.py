"""The chart of the feature importances of a random forest: a file of its own, which has fixed colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from crossexam.reports.drawing import FONT, Axis, element, svg_of

_FEATURE_WIDTH: Final = 420  # pixels of the plotting area
_FEATURE_ROW: Final = 22  # pixels per feature
_CHARACTER: Final = 7  # pixels of a character
_INK: Final = "#1b2126"
_LINE: Final = "#d6dbe0"
_BAR: Final = "#7fb0d6"

#: A feature, its mean decrease in impurity as a share, and the standard deviation over the trees.
Row = tuple[str, float, float]


def importance_chart(rows: Sequence[Row], title: str) -> Markup:
    """Return the chart of *rows*, in their order, as SVG: bars in percent, with a standard deviation.

    >>> importance_chart([("bleu_1", 0.25, 0.1)], "rf")[:28]
    Markup('<svg viewBox="0 0 494 104" w')
    """
    left = 12 + _CHARACTER * max((len(name) for name, _, _ in rows), default=0)
    highest = max((mean + deviation for _, mean, deviation in rows), default=0.0) or 1.0
    axis = Axis(0.0, highest, left, left + _FEATURE_WIDTH)
    height = 40 + _FEATURE_ROW * len(rows)
    shapes = [
        element("rect", width=axis.end + 20, height=height + 42, fill="#ffffff"),
        element("text", title, x=10, y=22, font_size=13, font_weight="bold", fill=_INK),
    ]
    for place in range(5):
        x = axis.start + place * _FEATURE_WIDTH / 4
        number = f"{100 * highest * place / 4:.1f}"
        shapes.append(element("line", x1=x, x2=x, y1=36, y2=height, stroke=_LINE))
        shapes.append(element("text", number, x=x, y=height + 15, text_anchor="middle", fill=_INK))
    for place, (name, mean, deviation) in enumerate(rows):
        y = 36 + (place + 0.5) * _FEATURE_ROW
        low, high = axis.at(max(0.0, mean - deviation)), axis.at(mean + deviation)
        width = axis.at(mean) - axis.start
        words = name.replace("_", " ")
        shapes.append(element("text", words, x=left - 6, y=y + 4, text_anchor="end", fill=_INK))
        shapes.append(element("rect", x=left, y=y - 7, width=width, height=14, fill=_BAR))
        shapes.append(element("line", x1=low, x2=high, y1=y, y2=y, stroke=_INK, stroke_width=1.5))
        shapes.append(element("text", f"{100 * mean:.1f}", x=high + 5, y=y + 4, font_size=11, fill=_INK))
    title_of_x = "mean decrease in impurity, % of all features (line: one standard deviation)"
    middle = (axis.start + axis.end) / 2
    shapes.append(element("text", title_of_x, x=middle, y=height + 32, text_anchor="middle", fill=_INK))
    xmlns = "http://www.w3.org/2000/svg"
    size = (axis.end + 20, height + 42)
    return svg_of(*size, *shapes, label=title, xmlns=xmlns, font_family=FONT, font_size=12)
