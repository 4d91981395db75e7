"""Vega-Lite, drawn as SVG by vl-convert: the channels and layers that the charts are made of.

A chart is a mapping, as Vega-Lite has it, without the style of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from crossexam.core.output.escapes import visible_texts

Chart = dict[str, Any]
FONT: Final = "Liberation Sans, Helvetica, Arial, sans-serif"
_INK: Final = "currentColor"
_LINE: Final = "var(--line)"


def style(ink: str, line: str, **axis: Any) -> dict[str, Any]:
    """Return the configuration of charts with text in *ink* and axes of the colour *line*."""
    colours = {"labelColor": ink, "titleColor": ink}
    colours |= dict.fromkeys(("gridColor", "domainColor", "tickColor"), line)
    text = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {"font": FONT, "axis": {**colours, **text, **axis}, "view": {"stroke": None}}


_PAGE: Final = {
    **style(_INK, _LINE, labelLimit=190, labelPadding=6),
    "background": "transparent",
    "padding": 4,
    "text": {"color": _INK, "fontSize": 12},
}


def quantity(field: str, **channel: Any) -> dict[str, Any]:
    """Return the channel of a quantitative *field*.

    >>> quantity("value", scale={"zero": False})
    {'field': 'value', 'type': 'quantitative', 'scale': {'zero': False}}
    """
    return {"field": field, "type": "quantitative", **channel}


def named(field: str, **channel: Any) -> dict[str, Any]:
    """Return the channel of a nominal *field*.

    >>> named("label")
    {'field': 'label', 'type': 'nominal'}
    """
    return {"field": field, "type": "nominal", **channel}


def either(test: str, then: str, otherwise: str) -> dict[str, Any]:
    """Return the channel of the value *then* where *test* is true of a row, and *otherwise* elsewhere."""
    return {"condition": {"test": test, "value": then}, "value": otherwise}


def mark(
    kind: str,
    encoding: Mapping[str, Any],
    values: Sequence[Mapping[str, Any]] | None = None,
    only: str = "",
    **look: Any,
) -> Chart:
    """Return a layer of marks of a *kind*, with the *encoding* by channel and the properties *look*.

    *values* are the rows that it draws, those of the whole chart if there are none; *only* is what must be
    true of a row.

    >>> mark("rule", {"x": quantity("low"), "x2": {"field": "high"}}, opacity=0.5)["mark"]
    {'type': 'rule', 'opacity': 0.5}
    """
    data = {} if values is None else {"data": {"values": list(values)}}
    transform = {"transform": [{"filter": only}]} if only else {}
    return {**data, **transform, "mark": {"type": kind, **look}, "encoding": dict(encoding)}


def vega_lite_of(chart: Chart) -> dict[str, Any]:
    """Return *chart* in the colours and font of the page; it is not validated: tests do that."""
    return {"config": _PAGE, **chart}


def svg_of(chart: Chart) -> str:
    """Return *chart* as an SVG element; what XML does not have would end the process that draws it."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(visible_texts(vega_lite_of(chart))))
