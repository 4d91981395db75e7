"""What the features of a random forest count for, as a chart that stands alone: SVG with its own colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

_WIDTH: Final = 420  # pixels of the plotting area
_ROW: Final = 22  # pixels a feature
_INK: Final = "#1b2126"
_LINE: Final = "#d6dbe0"
_BAR: Final = "#7fb0d6"
_FONT: Final = "Liberation Sans, Helvetica, Arial, sans-serif"

#: A feature, its share of the impurity that is taken away, and the standard deviation over the trees.
Row = tuple[str, float, float]


def importance_chart(rows: Sequence[Row], title: str) -> str:
    """Return the chart of *rows*, in their order, as SVG: bars in percent, with a standard deviation."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(importance_spec(rows, title)))


def importance_spec(rows: Sequence[Row], title: str) -> dict[str, Any]:
    """Return the Vega-Lite of the chart.

    >>> importance_spec([("bleu_1", 0.25, 0.1)], "rf")["layer"][0]["mark"]["type"]
    'bar'
    """
    import altair as alt

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
    names = alt.Y("feature:N", sort=[value["feature"] for value in values],
                  axis=alt.Axis(title=None, ticks=False, domain=False, labelPadding=6))  # fmt: skip
    shares = alt.Axis(title="mean decrease in impurity, % of all features (line: one standard deviation)")
    drawn = alt.Chart(alt.Data(values=values)).encode(y=names)
    layers = alt.layer(
        drawn.mark_bar(color=_BAR, height=14).encode(x=alt.X("share:Q", axis=shares)),
        drawn.mark_rule(color=_INK, strokeWidth=1.5).encode(x="low:Q", x2="high:Q"),
        drawn.mark_text(align="left", dx=5, color=_INK, fontSize=11).encode(x="high:Q", text="text:N"),
    ).properties(width=_WIDTH, height={"step": _ROW}, title=title)
    styled = (
        layers.configure(background="#ffffff", font=_FONT, padding=10)
        .configure_axis(
            labelColor=_INK, titleColor=_INK, gridColor=_LINE, domainColor=_LINE, tickColor=_LINE,
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=220,
        )
        .configure_title(color=_INK, fontSize=13, anchor="start")
        .configure_view(stroke=None)
    )  # fmt: skip
    return dict(styled.to_dict(validate=False))
