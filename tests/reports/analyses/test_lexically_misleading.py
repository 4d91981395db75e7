"""The curve of accuracy where single words mislead, as the page draws it."""

import re

import pytest

import crossexam as cx
from crossexam.evaluation.lexically_misleading import CURVE, misled_parts
from crossexam.reports.analyses.lexically_misleading import misleading_charts
from crossexam.reports.results import results_of


def test_the_page_draws_the_curve() -> None:
    run = cx.run("builtin/overlap", cx.build("compositionality", "builtin:demo"))
    ((_, drawings),) = misleading_charts(results_of([run])).figures
    curve, _ = (str(drawing.svg()) for drawing in drawings.values())
    parts = [each for each in misled_parts(run, CURVE) if each.size >= 10]
    (points,) = re.findall(r'<polyline points="([^"]*)" class="curve one"', curve)
    places = [tuple(map(float, point.split(","))) for point in points.split(" ")]
    shown = [((x - 40) / 300, (198 - y) / 190) for x, y in places]
    assert shown == [pytest.approx((each.lam, each.model.value), abs=1e-4) for each in parts]
