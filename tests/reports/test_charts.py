"""The marks of every chart of a page are at the golden figures.

Charts are taken at the door of the library that draws them, as Vega-Lite; what a mark is drawn from and to is
found by following its encodings to the values.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from golden_runs import DIFFERENT, FIGURES, MODELS, SHORT, report
from jsonschema_rs import Validator, validator_for
from scipy.stats import binom

FULL = {short: name for name, short in SHORT.items()} | {"mean of 4 test sets": "(mean of test sets)"}
#: The error type of a segment by its colour, which is the predicted label, and its shade.
SEGMENTS = {
    ("entailment", 1.0): "N-E", ("entailment", 0.4): "C-E",
    ("neutral", 1.0): "E-N", ("neutral", 0.4): "C-N",
    ("contradiction", 1.0): "E-C", ("contradiction", 0.4): "N-C",
}  # fmt: skip
#: Sections of the page with charts, and the width or the model that each drawing of a figure is for.
SECTIONS = ("accuracy", "drop", "ranks", "calibration", "selective", "errors", "confusion")


class Mark(NamedTuple):
    """A mark of a chart: its type, and what each of its channels shows of a row of the data."""

    kind: str
    shows: dict[str, Any]


class Drawn(NamedTuple):
    """A chart of the page: its section, the caption of its figure, what the drawing is for, and its marks."""

    section: str
    caption: str
    of: str
    marks: list[Mark]


def marks_of(chart: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Mark]:
    """Yield the marks of a chart in Vega-Lite, with the data and encodings of the layers around them."""
    data = chart.get("data", outer["data"])
    encoding = outer["encoding"] | chart.get("encoding", {})
    here = {"data": data, "encoding": encoding}
    for part in (*chart.get("layer", ()), *chart.get("hconcat", ()), *chart.get("vconcat", ())):
        yield from marks_of(part, here)
    if "mark" in chart:
        kind = chart["mark"] if isinstance(chart["mark"], str) else chart["mark"]["type"]
        for row in data["values"]:
            if all(holds(each["filter"], row) for each in chart.get("transform", ())):
                yield Mark(kind, {name: shown(channel, row) for name, channel in encoding.items()})


def shown(channel: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    """Return what a channel shows of a row: a field, or a value."""
    return row.get(channel["field"]) if "field" in channel else channel.get("value", channel)


def holds(condition: str, row: Mapping[str, Any]) -> bool:
    """Return whether a row passes a filter, of the two forms that there are."""
    if matched := re.fullmatch(r"isValid\(datum\.(\w+)\)", condition):
        return row[matched[1]] is not None
    matched = re.fullmatch(r"\(datum\.(\w+) === (.*)\)", condition)
    assert matched is not None, condition
    return bool(row[matched[1]] == json.loads(matched[2].replace("'", '"')))


def vega_lite() -> Validator:
    """Return the schema of Vega-Lite, a file of Altair, whose import takes longer than all charts."""
    spec = find_spec("altair")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"

    def quoted(part: dict[str, Any]) -> dict[str, Any]:
        """Quote what no URI has in it, as the names of types that have parameters."""
        return part | {"$ref": quote(part["$ref"], safe="#/")} if isinstance(part.get("$ref"), str) else part

    return validator_for(json.loads(path.read_text(encoding="utf-8"), object_hook=quoted))


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    """All charts of a page of the three models, which are valid Vega-Lite."""
    import vl_convert

    charts: list[Any] = []
    schema = vega_lite()

    def keep(chart: Any) -> str:
        schema.validate(chart)
        charts.append(chart)
        return f'<svg data-chart="{len(charts) - 1}"/>'

    def compiled(chart: Any) -> dict[str, Any]:
        named = next(
            (each["data"].get("name") for each in layers(chart) if "name" in each.get("data", {})), ""
        )
        return {"chart": chart, "data": [{"name": named, "values": [{}]}]}

    def redrawn(vega: dict[str, Any]) -> str:
        """Put the values that the compiled chart was given back into its Vega-Lite."""
        (source,) = vega["data"]
        return keep(with_values(vega["chart"], source["name"], source["values"]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", keep)
        patch.setattr(vl_convert, "vegalite_to_vega", compiled)
        patch.setattr(vl_convert, "vega_to_svg", redrawn)
        page = report().text(".html")
    return list(placed(page, charts))


def layers(chart: Mapping[str, Any]) -> list[Any]:
    return [chart, *chart.get("layer", ())]


def with_values(chart: Mapping[str, Any], name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return a chart with other values: of the data called *name*, or of all without names."""

    def changed(part: Mapping[str, Any]) -> dict[str, Any]:
        data = part.get("data")
        replaced = data is not None and data.get("name", "") == name
        return {**part, "data": {"values": values}} if replaced else dict(part)

    made = changed(chart)
    if "layer" in made:
        made["layer"] = [changed(part) for part in made["layer"]]
    return made


def placed(page: str, charts: Sequence[Any]) -> Iterator[Drawn]:
    """Yield the charts where the page has them."""
    section = caption = of = ""
    pieces = (
        r'<section id="(\w+)"|<figcaption>(.*?)</figcaption>|<div class="(wide|narrow)"|'
        r'<p class="of">(.*?)</p>|data-chart="(\d+)"'
    )
    for found in re.finditer(pieces, page):
        section, of = found[1] or section, found[3] or (found[4] or of).replace("<wbr>", "")
        caption = found[2].replace("<wbr>", "") if found[2] else caption
        if found[5]:
            yield Drawn(
                section, caption, of, list(marks_of(charts[int(found[5])], {"data": {}, "encoding": {}}))
            )


def figure(model: str, test_set: str, name: str) -> dict[str, Any]:
    return FIGURES.get(f"{model}|{test_set}|{name}", {})


def lost(model: str, test_set: str) -> dict[str, Any]:
    return figure(model, test_set, "drop|") or figure(model, test_set, "difference|")


def percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def of_kind(chart: Drawn, kind: str, *channels: str) -> dict[str, tuple[Any, ...]]:
    """Return what marks of a kind show in these channels, by the name on the axis; each has only one."""
    found = [mark for mark in chart.marks if mark.kind == kind and set(channels) <= mark.shows.keys()]
    rows = [(" ".join(str(mark.shows.get("y", "")).split()), mark) for mark in found]
    by_name = {name: tuple(mark.shows[channel] for channel in channels) for name, mark in rows}
    assert len(by_name) == len(rows), f"{chart.section}, {chart.caption}: two marks of a name"
    return by_name


def near(one: Any, other: Any, within: float = 0.0006) -> bool:
    """Return whether two places on an axis are the same; charts round to three decimals of a percent."""
    return one is other if one is None or other is None else isclose(one, other, abs_tol=within, rel_tol=1e-9)


def compared(
    where: str, found: Mapping[str, Sequence[Any]], right: Mapping[str, Sequence[Any]]
) -> Iterator[str]:
    """Yield where marks are anywhere else than they should be."""
    if found.keys() != right.keys():
        yield f"{where}: {sorted(found)} for {sorted(right)}"
    for name in found.keys() & right.keys():
        pairs = zip(found[name], right[name], strict=True)
        if not all(a == b if isinstance(b, str) else near(a, b) for a, b in pairs):
            yield f"{where}, {name}: {found[name]} for {right[name]}"


def of_intervals(chart: Drawn, figures: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with points, their numbers, and the lines of their intervals."""
    where = f"{chart.section} of {chart.caption}, {chart.of}"
    known = {name: each for name, each in figures.items() if each["value"] is not None}
    lines = {name: (percent(each["low"]), percent(each["high"])) for name, each in figures.items()}
    yield from compared(f"{where}, intervals", of_kind(chart, "rule", "x", "x2"), lines)
    points = {
        name: found for name, found in of_kind(chart, "point", "x", "y").items() if found[0] is not None
    }
    yield from compared(f"{where}, points", {name: each[:1] for name, each in points.items()},
                        {name: (percent(each["value"]),) for name, each in known.items()})  # fmt: skip
    texts = {name: found for name, found in of_kind(chart, "text", "x", "text").items() if found[1]}
    for name, (place, text) in texts.items():
        number = float(text.split(" ")[0].replace("−", "-"))
        right = percent(known[name]["value"]) if name in known else None
        if right is None or not near(place, right) or not near(number, right, 0.0501):
            yield f"{where}, number of {name}: {text} at {place} for {right}"
    if texts.keys() != known.keys():
        yield f"{where}, numbers: {sorted(texts)} for {sorted(known)}"


def test_accuracies_and_their_majority_lines(drawn: list[Drawn]) -> None:
    wrong: list[str] = []
    for chart in (each for each in drawn if each.section == "accuracy"):
        figures = {SHORT[name]: figure(chart.caption, name, "accuracy|") for name in SHORT}
        wrong += of_intervals(chart, figures)
        shares = {
            key.split("|")[1]: each["value"]
            for key, each in FIGURES.items()
            if key.startswith(f"{chart.caption}|") and "|majority_class|" in key
        }
        lines = {SHORT[name]: (percent(share),) for name, share in shares.items()}
        wrong += compared(f"majority of {chart.caption}", of_kind(chart, "tick", "x"), lines)
    assert not wrong, "\n".join(wrong)


def test_drops(drawn: list[Drawn]) -> None:
    wrong: list[str] = []
    for chart in (each for each in drawn if each.section == "drop"):
        figures = {SHORT[name]: found for name in SHORT if (found := lost(chart.caption, name))}
        assert figures
        wrong += of_intervals(chart, figures)
    assert not wrong, "\n".join(wrong)


def test_ranked_accuracies_and_groups(drawn: list[Drawn]) -> None:
    wrong: list[str] = []
    for chart in (each for each in drawn if each.section == "ranks"):
        test_set = FULL[chart.caption]
        ranked = [model for model in MODELS if figure(model, test_set, "rank|")]
        named = {name.partition(". ")[2]: name for name in of_kind(chart, "rule", "x", "x2")}
        figures = {named.get(model, model): figure(model, test_set, "ranked_accuracy|") for model in ranked}
        in_groups = Drawn(*chart[:3], [mark for mark in chart.marks if not is_letter(mark.shows.get("x"))])
        wrong += of_intervals(in_groups, figures)
        places = {
            (mark.shows["x"], mark.shows["y"].partition(". ")[2])
            for mark in chart.marks
            if mark.kind == "point" and is_letter(mark.shows["x"])
        }
        groups = {
            (letter, model)
            for letter in "abc"
            for model in ranked
            if figure(model, test_set, f"rank_group|{letter}")
        }
        several = Counter(letter for letter, _ in groups)
        right = {(letter, model) for letter, model in groups if several[letter] > 1}
        if places != right:
            wrong.append(f"groups of {chart.caption}: {sorted(places)} for {sorted(right)}")
    assert not wrong, "\n".join(wrong)


def is_letter(place: Any) -> bool:
    return isinstance(place, str)


def test_bars_of_errors(drawn: list[Drawn]) -> None:
    """A segment per type of error, as long as its share of the answered items, from the end of the last."""
    wrong: list[str] = []
    for chart in (each for each in drawn if each.section == "errors"):
        bars: dict[str, list[Any]] = {}
        for mark in chart.marks:
            if mark.kind == "bar" and "color" in mark.shows:
                bars.setdefault(" ".join(mark.shows["y"].split()), []).append(mark.shows)
        answered = {
            SHORT[name]: found["value"]
            for name in SHORT
            if (found := figure(chart.caption, name, "answered|"))
        }
        assert bars.keys() == answered.keys()
        for name, parts in bars.items():
            lengths = {
                SEGMENTS[part["color"][6:-1], part["fillOpacity"]]: part["x2"] - part["x"] for part in parts
            }
            for kind, length in lengths.items():
                count = figure(chart.caption, FULL[name], f"errors|{kind}").get("value", 0)
                if not near(length, 100 * count / answered[name]):
                    wrong.append(f"{chart.caption}, {name}, {kind}: {length} for {count} of {answered[name]}")
            joins = all(near(one["x2"], other["x"]) for one, other in pairwise(parts))
            if lengths.keys() != set(SEGMENTS.values()) or not joins or parts[0]["x"] != 0:
                wrong.append(f"{chart.caption}, {name}: {parts}")
    assert not wrong, "\n".join(wrong)


def test_confusion_matrices(drawn: list[Drawn]) -> None:
    """Each cell has its count, and in number and shade the share of the row."""
    wrong, found = [], set()
    for chart in (each for each in drawn if each.section == "confusion"):
        start = f"{chart.of}|{FULL[chart.caption]}|confusion|"
        found.add(start)
        counts = {
            key.removeprefix(start): each["value"] for key, each in FIGURES.items() if key.startswith(start)
        }
        rows = Counter[str]()
        for cell, count in counts.items():
            rows[cell.partition(">")[0]] += count
        shares = {
            cell: count / rows[cell.partition(">")[0]] if rows[cell.partition(">")[0]] else 0.0
            for cell, count in counts.items()
        }
        texts = [mark.shows for mark in chart.marks if mark.kind == "text"]
        for cell, count in counts.items():
            gold, answer = cell.split(">")
            here = [shows for shows in texts if (shows["y"], shows["x"]) == (gold, answer)]
            right = {f"{count:.0f}", f"{100 * shares[cell]:.0f} %" if rows[gold] else "–"}
            shades = [
                mark.shows["fillOpacity"]
                for mark in chart.marks
                if mark.kind == "rect" and (mark.shows["y"], mark.shows["x"]) == (gold, answer)
            ]
            if {shows["text"] for shows in here} != right or not near(*shades, shares[cell]):
                wrong.append(f"{start}{cell}: {here}, {shades} for {right}")
        assert len(texts) == 2 * len(counts)
    starts = {"|".join([*key.split("|")[:3], ""]) for key in FIGURES if "|confusion|" in key}
    assert not wrong, "\n".join(wrong)
    assert found == starts


def test_reliability_diagrams(drawn: list[Drawn]) -> None:
    """The bins are as far from the diagonal, weighted by their sizes, as the calibration error.

    Their bars have 95 % of the shares of right answers that a calibrated model would have.
    """
    wrong = []
    charts = [each for each in drawn if each.section == "calibration"]
    assert len(charts) == sum("|ece|" in key for key in FIGURES)
    for chart in charts:
        bins = [mark.shows for mark in chart.marks if mark.kind == "point"]
        weight = sum(each["size"] for each in bins)
        error = sum(each["size"] * abs(each["x"] - each["y"]) for each in bins) / weight
        mean = sum(each["size"] * each["x"] for each in bins) / weight
        test_set = FULL[chart.caption]
        held = [percent(figure(chart.of, test_set, name)["value"]) for name in ("ece|", "confidence|")]
        bars = [mark.shows for mark in chart.marks if mark.kind == "rule"]
        n = figure(chart.of, test_set, "ece|")["n"]
        for each, bar in zip(bins, bars, strict=True):
            binomial = binom(round(n * each["size"] / weight), each["x"] / 100)
            ends = [100 * binomial.ppf(tail) / binomial.args[0] for tail in (0.025, 0.975)]
            if not (near(bar["x"], each["x"]) and near(bar["y"], ends[0]) and near(bar["y2"], ends[1])):
                wrong.append(f"{chart.of} on {chart.caption}: {bar} for {ends}")
        if not near(error, held[0], 1e-6) or not near(mean, held[1], 1e-6):
            wrong.append(f"{chart.of} on {chart.caption}: {error}, {mean} for {held}")
    assert not wrong, "\n".join(wrong)


def test_risk_coverage_curves(drawn: list[Drawn]) -> None:
    """A curve has a point per answered item; the area under it is their mean, and it ends at the risk."""
    wrong = []
    charts = [each for each in drawn if each.section == "selective"]
    assert len(charts) == sum("|selective_risk|" in key for key in FIGURES)
    for chart in charts:
        points = [(mark.shows["x"], mark.shows["y"]) for mark in chart.marks if mark.kind == "line"]
        test_set = FULL[chart.caption]
        answered = figure(chart.of, test_set, "selective_risk|")
        items = figure(chart.of, test_set, "items|")["value"]
        coverages = [100 * (k + 1) / items for k in range(int(answered["n"]))]
        area = sum(risk for _, risk in points) / len(points)
        held = percent(figure(chart.of, test_set, "selective_aurc|")["value"])
        is_held = f"{chart.of}|{test_set}|selective_aurc|" not in DIFFERENT
        right = near(points[-1][1], percent(answered["value"])) and (near(area, held, 1e-6) or not is_held)
        if not right or [x for x, _ in points] != pytest.approx(coverages):
            wrong.append(f"{chart.of} on {chart.caption}: {points}, {area} for {held}")
    assert not wrong, "\n".join(wrong)


def test_no_chart_is_left_unchecked(drawn: list[Drawn]) -> None:
    """Charts of lexically misleading examples need other test sets: test_sections.py."""
    assert {each.section for each in drawn} == set(SECTIONS)
    assert all(each.marks for each in drawn)
