"""Every drawing of a page shows the golden figures: pixels are turned back into numbers."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple

import pytest
from golden_runs import DIFFERENT, FIGURES, MODELS, SETS, SHORT, report
from lxml import html
from scipy.stats import binom
from shown_tables import text_of

from crossexam.evaluation.candidates import FEW

FULL = {short: name for name, short in SHORT.items()} | {"mean of 4 test sets": "(mean of test sets)"}
#: The error type of a part of a bar by its classes.
PARTS = {
    "part entailment": "N-E", "part entailment pale": "C-E",
    "part neutral": "E-N", "part neutral pale": "C-N",
    "part contradiction": "E-C", "part contradiction pale": "N-C",
}  # fmt: skip


class Shape(NamedTuple):
    """An element of a drawing, with its class, its numbers and its text."""

    tag: str
    look: str
    at: dict[str, Any]
    text: str


class Drawn(NamedTuple):
    """A drawing: the table or section that it is in, what names it there, and the range of its axis."""

    place: str
    names: tuple[str, ...]
    axis: tuple[float, float] | None
    shapes: list[Shape]

    def of(self, look: str) -> list[Shape]:
        return [shape for shape in self.shapes if shape.look == look]

    def value(self, x: float) -> float:
        """Return the number at a pixel of a drawing in a table, in percent."""
        assert self.axis is not None
        low, high = self.axis
        return low + (x - 2) / 150 * (high - low)

    def only(self, look: str, end: str) -> float | None:
        """Return the number at which the only element of a class ends; None if there is no such element."""
        found = self.of(look)
        assert len(found) <= 1, f"{self.place}, {self.names}: {found}"
        return self.value(found[0].at[end]) if found else None


def shape_of(element: Any) -> Shape:
    is_number = re.compile(r"-?[\d.]+").fullmatch
    at = {name: float(value) if is_number(value) else value for name, value in element.attrib.items()}
    return Shape(element.tag, element.get("class", ""), at, element.text or "")


def drawing_of(svg: Any) -> Drawn:
    """Return a drawing of a table, by the first two cells of its row, or of a figure, by its two captions."""
    shapes = [shape_of(element) for element in svg.iterdescendants()]
    (cell,) = svg.xpath("ancestor::td") or [None]
    if cell is None:
        (section,), (figure,) = svg.xpath("ancestor::section"), svg.xpath("ancestor::figure")
        names = tuple(text_of(each) for each in (figure.find("figcaption"), svg.getprevious()))
        return Drawn(section.get("id"), names, None, shapes)
    row, (table,) = cell.getparent(), cell.xpath("ancestor::table")
    (place,) = [text_of(each) for each in table.xpath("caption")] or table.xpath("../@aria-label")
    low, high = re.findall(r"-?\d+", text_of(table.xpath(".//thead//th")[row.index(cell)]))
    return Drawn(place, (text_of(row[0]), text_of(row[1])), (float(low), float(high)), shapes)


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    """All drawings of a page of the three models."""
    return [drawing_of(svg) for svg in html.fromstring(report().text(".html")).iter("svg")]


def figure(model: str, test_set: str, name: str) -> dict[str, Any]:
    return FIGURES.get(f"{model}|{test_set}|{name}", {})


def lost(model: str, test_set: str) -> dict[str, Any]:
    return figure(model, test_set, "drop|") or figure(model, test_set, "difference|")


def keys(part: str) -> list[str]:
    return [key for key in FIGURES if part in f"{key}$"]


def of_accuracy(first: str, model: str) -> dict[str, Any]:
    """With the base and the baseline; few are the items of an accuracy, or the pairs of a drop if fewer."""
    name = FULL[first]
    right = figure(model, name, "accuracy|")
    majority = keys(f"{model}|{name}|majority_class|")
    return {
        **right,
        "n": min(right["n"], (lost(model, name) or right)["n"]),
        "base": figure(model, name, "base_accuracy|").get("value"),
        "mark": FIGURES[majority[0]]["value"] if majority else None,
    }


def of_drop(first: str, model: str) -> dict[str, Any]:
    name = FULL[first]
    n = min(figure(model, name, "accuracy|")["n"], lost(model, name)["n"])
    return {**lost(model, name), "n": n, "base": 0.0}


def of_rank(first: str, second: str) -> dict[str, Any]:
    """Of a model and its rank, or of a test set and a model; never few."""
    model, name = (second, FULL[first]) if first in FULL else (first, "(mean of test sets)")
    return {**figure(model, name, "ranked_accuracy|"), "n": FEW}


@pytest.mark.parametrize(
    ("place", "figures", "count"),
    [
        ("What breaks", of_accuracy, len(keys("|accuracy|$"))),
        ("Drop from the base", of_drop, sum(bool(lost(model, name)) for model in MODELS for name in SETS)),
        ("Ranks", of_rank, len(keys("|ranked_accuracy|$"))),
    ],
)
def test_points_with_their_intervals_and_lines(
    drawn: list[Drawn], place: str, figures: Callable[[str, str], dict[str, Any]], count: int
) -> None:
    found = [each for each in drawn if each.place.startswith(place)]
    assert len(found) == count
    for each in found:
        right = figures(*each.names)
        look = "few" if each.of("few") else "dot"
        ends = {"value": (look, "cx"), "low": ("range", "x1"), "high": ("range", "x2")}
        ends |= {line: (line, "x1") for line in ("base", "mark") if line in right}
        shown = {name: each.only(*end) for name, end in ends.items()}
        assert shown == near({name: right[name] for name in ends}), each.names
        assert right["value"] is None or (look == "few") == (right["n"] < FEW), each.names


def near(right: dict[str, float | None]) -> dict[str, Any]:
    """What is drawn if these shares are held, in percent; pixels have three decimals."""
    return {
        name: None if value is None else pytest.approx(100 * value, abs=0.001, rel=1e-9)
        for name, value in right.items()
    }


def test_bars_of_errors(drawn: list[Drawn]) -> None:
    """A part per type of error, as long as its share of the answered items, from the end of the last."""
    found = [each for each in drawn if each.place == "Errors"]
    assert len(found) == len(keys("|answered|$"))
    for each in found:
        assert each.axis is not None
        model, name = each.names[1], FULL[each.names[0]]
        answered = figure(model, name, "answered|")["value"]
        counts = {kind: figure(model, name, f"errors|{kind}").get("value", 0) for kind in PARTS.values()}
        starts, widths = ([shape.at[side] for shape in each.shapes] for side in ("x", "width"))
        kinds = [PARTS[shape.look] for shape in each.shapes]
        shown = {kind: width * each.axis[1] / 154 for kind, width in zip(kinds, widths, strict=True)}
        assert shown == near({kind: count / answered for kind, count in counts.items()}), each.names
        assert kinds == list(counts)
        assert starts == pytest.approx([0, *accumulate(widths[:-1])], abs=0.01), each.names


def test_confusion_matrices(drawn: list[Drawn]) -> None:
    """Each cell has its count, and in number and shade the share of the row."""
    found = set()
    for each in (each for each in drawn if each.place == "errors"):
        start = f"{each.names[1]}|{FULL[each.names[0]]}|confusion|"
        found.add(start)
        counts = {tuple(key.removeprefix(start).split(">")): FIGURES[key]["value"] for key in keys(start)}
        rows = Counter[str]()
        for (gold, _), count in counts.items():
            rows[gold] += count
        cells = [shape for shape in each.shapes if shape.tag == "rect"]
        texts = [shape for shape in each.shapes if shape.look.startswith(("share", "number"))]
        assert (len(cells), len(texts)) == (len(counts), 2 * len(counts))
        letters = [tick.text for tick in each.of("tick") if tick.at["y"] == 24]
        order = {label: letters.index(label[0].upper()) for label in rows}
        for (gold, answer), count in counts.items():
            box = cells[order[gold] * len(order) + order[answer]]
            left, top = 24 + 50 * order[answer], 30 + 36 * order[gold]
            inside = {
                text.text
                for text in texts
                if left < text.at["x"] < left + 50 and top < text.at["y"] < top + 36
            }
            share = count / rows[gold] if rows[gold] else 0.0
            where = f"{start}{gold}>{answer}"
            assert inside == {f"{count:.0f}", f"{100 * share:.0f} %" if rows[gold] else "–"}, where
            assert (box.at["x"], box.at["y"]) == (left + 1, top + 1), where
            assert (box.look == "cell right") == (gold == answer), where
            assert box.at["fill-opacity"] == pytest.approx(0.04 + 0.96 * share, abs=0.001), where
    assert found == {"|".join([*key.split("|")[:3], ""]) for key in keys("|confusion|")}


def across(x: float) -> float:
    """Return the number at a horizontal place of a plot, in percent."""
    return (x - 40) / 1.65


def up(y: float, most: float = 100.0) -> float:
    """Return the number at a vertical place of a plot, in percent."""
    return (173 - y) / 165 * most


def test_reliability_diagrams(drawn: list[Drawn]) -> None:
    """The bins are as far from the diagonal, weighted by their sizes, as the calibration error.

    Their bars have 95 % of the shares of right answers that a calibrated model would have.
    """
    plots = [each for each in drawn if each.place == "calibration"]
    assert len(plots) == len(keys("|ece|"))
    for each in plots:
        bins = [(across(at["cx"]), up(at["cy"]), at["r"] ** 2) for _, _, at, _ in each.of("dot")]
        bars = [(across(at["x1"]), up(at["y1"]), up(at["y2"])) for _, _, at, _ in each.of("calibrated")]
        weight = sum(size for _, _, size in bins)
        error = sum(size * abs(x - y) for x, y, size in bins) / weight
        mean = sum(size * x for x, _, size in bins) / weight
        ece, confidence = (
            figure(each.names[1], FULL[each.names[0]], name) for name in ("ece|", "confidence|")
        )
        held = [100 * ece["value"], 100 * confidence["value"]]
        assert [error, mean] == pytest.approx(held, abs=0.02), each.names  # of the sizes: radii are rounded
        for (x, _, size), bar in zip(bins, bars, strict=True):
            binomial = binom(round(ece["n"] * size / weight), x / 100)
            ends = [100 * binomial.ppf(tail) / binomial.args[0] for tail in (0.025, 0.975)]
            assert bar == pytest.approx((x, *ends), abs=0.001), each.names


def test_risk_coverage_curves(drawn: list[Drawn]) -> None:
    """A curve has a point per answered item; the area under it is their mean, and it ends at the risk."""
    plots = [each for each in drawn if each.place == "selective"]
    assert len(plots) == len(keys("|selective_risk|$"))
    for each in plots:
        most = max(float(text.text) for text in each.of("tick left"))
        (curve,) = each.of("curve one")
        pixels = [map(float, point.split(",")) for point in curve.at["points"].split(" ")]
        coverages, risks = zip(*((across(x), up(y, most)) for x, y in pixels), strict=True)
        model, test_set = each.names[1], FULL[each.names[0]]
        answered, area = (figure(model, test_set, f"selective_{name}|") for name in ("risk", "aurc"))
        items = figure(model, test_set, "items|")["value"]
        right = [100 * (k + 1) / items for k in range(int(answered["n"]))]
        assert coverages == pytest.approx(right, abs=0.001), each.names
        assert risks[-1] == pytest.approx(100 * answered["value"], abs=0.001), each.names
        if f"{model}|{test_set}|selective_aurc|" not in DIFFERENT:
            assert sum(risks) / len(risks) == pytest.approx(100 * area["value"], abs=0.001), each.names


def test_no_drawing_is_left_unchecked(drawn: list[Drawn]) -> None:
    """Curves of lexically misleading examples need other test sets: test_lexically_misleading.py."""
    tables = {
        "What breaks",
        "Drop from the base",
        "Ranks: mean of 4 test sets",
        "Ranks by test set",
        "Errors",
    }
    assert {each.place for each in drawn} == tables | {"errors", "calibration", "selective"}
    assert all(each.shapes for each in drawn)
