"""Every drawing of a page shows the golden figures: pixels are turned back into numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from golden_runs import FIGURES, MODELS, SETS, SHORT, report
from lxml import html
from shown_tables import text_of

FULL = {short: name for name, short in SHORT.items()} | {"mean of 4 test sets": "(mean of test sets)"}
#: The error type of a part of a bar by its classes.
PARTS = {
    "part entailment": "N-E", "part entailment pale": "C-E",
    "part neutral": "E-N", "part neutral pale": "C-N",
    "part contradiction": "E-C", "part contradiction pale": "N-C",
}  # fmt: skip


def at(shape: Any, *names: str) -> list[float]:
    return [float(shape.get(name)) for name in names]


class Drawn(NamedTuple):
    """A drawing: the table or section that it is in, what names it there, and the range of its axis."""

    place: str
    names: tuple[str, ...]
    axis: tuple[float, float]
    svg: Any

    def of(self, look: str) -> list[Any]:
        return [shape for shape in self.svg.iterdescendants() if shape.get("class", "").startswith(look)]

    def only(self, look: str, end: str) -> float | None:
        """Return the number, in percent, at which the only element of a class ends; None if there is none."""
        found = self.of(look)
        assert len(found) <= 1, f"{self.place}, {self.names}: {found}"
        low, high = self.axis
        return low + (at(found[0], end)[0] - 2) / 150 * (high - low) if found else None


def drawing_of(svg: Any) -> Drawn:
    """Return a drawing of a table, by the first two cells of its row, or of a figure, by its two captions."""
    (cell,) = svg.xpath("ancestor::td") or [None]
    if cell is None:
        (section,), (figure,) = svg.xpath("ancestor::section"), svg.xpath("ancestor::figure")
        names = tuple(text_of(each) for each in (figure.find("figcaption"), svg.getprevious()))
        return Drawn(section.get("id"), names, (0, 100), svg)
    row, (table,) = cell.getparent(), cell.xpath("ancestor::table")
    (place,) = [text_of(each) for each in table.xpath("caption")] or table.xpath("../@aria-label")
    low, high = re.findall(r"-?\d+", text_of(table.xpath(".//thead//th")[row.index(cell)]))
    return Drawn(place, (text_of(row[0]), text_of(row[1])), (float(low), float(high)), svg)


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
    """With the base and the baseline."""
    name = FULL[first]
    majority = keys(f"{model}|{name}|majority_class|")
    return {
        **figure(model, name, "accuracy|"),
        "base": figure(model, name, "base_accuracy|").get("value"),
        "mark": FIGURES[majority[0]]["value"] if majority else None,
    }


def of_drop(first: str, model: str) -> dict[str, Any]:
    return {**lost(model, FULL[first]), "base": 0.0}


def of_rank(first: str, second: str) -> dict[str, Any]:
    """Of a model and its rank, or of a test set and a model."""
    model, name = (second, FULL[first]) if first in FULL else (first, "(mean of test sets)")
    return figure(model, name, "ranked_accuracy|")


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


def near(right: dict[str, float | None]) -> dict[str, Any]:
    """What is drawn if these shares are held, in percent; pixels have three decimals."""
    return {
        name: None if value is None else pytest.approx(100 * value, abs=0.001, rel=1e-9)
        for name, value in right.items()
    }


def test_bars_of_errors(drawn: list[Drawn]) -> None:
    """A part per type of error, as long as its share of the answered items."""
    found = [each for each in drawn if each.place == "Errors"]
    assert len(found) == len(keys("|answered|$"))
    for each in found:
        model, name = each.names[1], FULL[each.names[0]]
        answered = figure(model, name, "answered|")["value"]
        counts = {kind: figure(model, name, f"errors|{kind}").get("value", 0) for kind in PARTS.values()}
        parts = each.of("part")
        shown = {PARTS[part.get("class")]: at(part, "width")[0] * each.axis[1] / 154 for part in parts}
        assert shown == near({kind: count / answered for kind, count in counts.items()}), each.names


def test_confusion_matrices(drawn: list[Drawn]) -> None:
    """Each cell has its count and the share of the row."""
    found = set()
    for each in (each for each in drawn if each.place == "errors"):
        start = f"{each.names[1]}|{FULL[each.names[0]]}|confusion|"
        found.add(start)
        counts = {tuple(key.removeprefix(start).split(">")): FIGURES[key]["value"] for key in keys(start)}
        rows = Counter[str]()
        for (gold, _), count in counts.items():
            rows[gold] += count
        letters = [tick.text for tick in each.of("tick") if at(tick, "y") == [24]]
        inside = defaultdict(set)
        for text in each.of("share") + each.of("number"):
            x, y = at(text, "x", "y")
            inside[letters[int(y - 30) // 36], letters[int(x - 24) // 50]].add(text.text)
        for (gold, answer), count in counts.items():
            share = f"{100 * count / rows[gold]:.0f} %" if rows[gold] else "–"
            shown = inside.pop((gold[0].upper(), answer[0].upper()))
            assert shown == {f"{count:.0f}", share}, f"{start}{gold}>{answer}"
        assert not inside
    assert found == {"|".join([*key.split("|")[:3], ""]) for key in keys("|confusion|")}


def test_reliability_diagrams(drawn: list[Drawn]) -> None:
    """The bins are as far from the diagonal, weighted by their sizes, as the calibration error."""
    plots = [each for each in drawn if each.place == "calibration"]
    assert len(plots) == len(keys("|ece|"))
    for each in plots:
        pixels = [at(dot, "cx", "cy", "r") for dot in each.of("dot")]
        bins = [((x - 40) / 1.65, (173 - y) / 1.65, radius**2) for x, y, radius in pixels]
        weight = sum(size for _, _, size in bins)
        error = sum(size * abs(x - y) for x, y, size in bins) / weight
        mean = sum(size * x for x, _, size in bins) / weight
        named = each.names[1], FULL[each.names[0]]
        held = [100 * figure(*named, name)["value"] for name in ("ece|", "confidence|")]
        assert [error, mean] == pytest.approx(held, abs=0.02), each.names  # of the sizes: radii are rounded
