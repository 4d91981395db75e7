"""The accuracies and drops of a report as Vega-Lite, for papers: a specification, or drawn by vl-convert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from crossexam.core.errors import MissingExtraError
from crossexam.core.estimate import Estimate
from crossexam.core.output.escapes import json_text, visible_texts
from crossexam.reports.results import Results

SUFFIX: Final = ".vl.json"
_SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
_WIDTH: Final = 320  # pixels of the plotting area
_INTERVAL: Final = "95 % confidence interval"


def specification(results: Results) -> dict[str, Any]:
    """Return the accuracies above the drops: a point with its interval per test set and model.

    Bounds, of test sets with too many missing answers, are lines without a point.
    """
    parts = {
        f"accuracy, % ({_INTERVAL})": [
            _row(results.short_names[name], model.name, result.accuracy)
            for name, model, result in results.by_test_set()
        ],
        f"drop from the base, points ({_INTERVAL})": [
            _row(results.short_names[name], model.name, result.lost)
            for name, model, result in results.by_test_set()
            if result.lost is not None
        ],
    }
    models = [model.name for model in results.models]
    charts = [_chart(title, rows, models) for title, rows in parts.items() if rows]
    made = {"$schema": _SCHEMA, "vconcat": charts, "config": {"view": {"stroke": None}}, "padding": 20}
    return dict(visible_texts(made))  # what XML does not have would end the process that draws it


def vega_lite(results: Results) -> str:
    """Return the specification as JSON."""
    return json_text(specification(results))


def svg(results: Results) -> str:
    """Return the drawing as SVG; raises MissingExtraError without vl-convert."""
    return str(converter().vegalite_to_svg(specification(results)))


def pdf(results: Results) -> bytes:
    """Return the drawing as PDF; raises MissingExtraError without vl-convert."""
    return bytes(converter().vegalite_to_pdf(specification(results)))


def converter() -> Any:
    """Return what draws specifications; raises MissingExtraError if it is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("vl-convert-python", "figures", "drawing .svg and .pdf") from None
    return vl_convert


def _row(test_set: str, model: str, estimate: Estimate) -> dict[str, Any]:
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    known = {key: round(100 * value, 4) if value == value else None for key, value in numbers.items()}
    return {"test set": test_set, "model": model, **known}


def _chart(title: str, rows: Sequence[dict[str, Any]], models: Sequence[str]) -> dict[str, Any]:
    names = list(dict.fromkeys(row["test set"] for row in rows))
    place: dict[str, Any] = {"y": {"field": "test set", "type": "nominal", "title": None, "sort": names}}
    if len(models) > 1:
        of_model = {"field": "model", "type": "nominal", "sort": list(models)}
        place |= {"yOffset": of_model, "color": of_model}
    low = {"field": "low", "type": "quantitative", "title": title}
    value = {"field": "value", "type": "quantitative", "title": title}
    known = [{"filter": "isValid(datum.value)"}]
    return {
        "data": {"values": list(rows)},
        "width": _WIDTH,
        "height": {"step": 12 if len(models) > 1 else 22},
        "layer": [
            {"mark": "rule", "encoding": {**place, "x": low, "x2": {"field": "high"}}},
            {
                "transform": known,
                "mark": {"type": "point", "filled": True},
                "encoding": {**place, "x": value},
            },
        ],
    }
