"""The report as one HTML page that works offline.

Everything is in the file: charts as SVG drawn here, the items as JSON that a script reads, and a
Content-Security-Policy that lets nothing run but that script and nothing load at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from crossexam.core.dataset import Run
from crossexam.core.manifest import package_version
from crossexam.reports import charts
from crossexam.reports.accuracy import (
    accuracy_of,
    answer_table,
    by_test_set,
    drop_table,
    error_table,
    slice_tables,
)
from crossexam.reports.behaviour import behaviour_table, crossed_tables, factor_table
from crossexam.reports.cross_dataset import corpus_table, score_table
from crossexam.reports.headline import culprit, headline, sentence
from crossexam.reports.items import ITEMS_PER_SET, pack_items
from crossexam.reports.lexically_misleading import misleading_charts, misleading_table
from crossexam.reports.provenance import run_table, signature_table, yield_table
from crossexam.reports.results import Measured, dataset_of, loss_of, names_of_test_sets, worst
from crossexam.reports.table import Cell, Kind, Table, interval_text, number_text

_PAGE: Final = Path(__file__).parent / "page"
_SECTIONS: Final = {
    "summary": "Summary", "accuracy": "Accuracy", "drop": "Drop", "errors": "Errors",
    "misleading": "Misleading words", "benchmark": "Cross-dataset", "behaviour": "Word swaps",
    "confusion": "Confusion", "items": "Items", "slices": "Slices", "yield": "Yield",
    "signatures": "Signatures",
}  # fmt: skip


def script_json(value: Any) -> str:
    r"""Return *value* as JSON that cannot end the script element it stands in.

    Everything outside ASCII is escaped, U+2028 and lone surrogates with it.

    >>> script_json("</script>&")
    '"\\u003c/script\\u003e\\u0026"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(css: str, script: str) -> str:
    """Return the Content-Security-Policy under which only *css* and *script* take effect."""
    return (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def render(
    models: Sequence[Measured], *, published_rows: bool = True, items_per_set: int | None = ITEMS_PER_SET
) -> str:
    """Return the page of *models*, at most *items_per_set* items a test set in its browser (None: all)."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_PAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.globals.update(number=_number, interval=_interval, groups=_groups, breakable=_breakable)
    runs = [model.run for model in models]
    items = pack_items(runs, [model.name for model in models], items_per_set=items_per_set)
    items["first"] = _opens_at(models)
    css, script = ((_PAGE / name).read_text(encoding="utf-8").strip() for name in ("report.css", "report.js"))
    context = _tables(models, published_rows) | _charts(models) | _summary(models)
    anchors = [
        key
        for key in _SECTIONS
        if (key != "slices" or context["slices"])
        and (key != "drop" or context["drops"].rows)
        and (key != "misleading" or context["misleading"].rows)
        and (key != "benchmark" or context["benchmark"].rows)
        and (key != "behaviour" or context["behaviour"].rows)
    ]
    return environment.get_template("report.html.j2").render(
        **context,
        sections=[(anchor, _SECTIONS[anchor]) for anchor in anchors],
        shown=_shown(items["sets"]),
        data=Markup(script_json(items)),  # noqa: S704  (escaped by script_json)
        css=Markup(css),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704  (ours)
        policy=policy(css, script),
        version=package_version(),
    )


def _summary(models: Sequence[Measured]) -> dict[str, Any]:
    runs: list[Run] = [model.run for model in models]
    names = names_of_test_sets(runs)
    first = headline(models)
    return {
        "title": f"Crossexam: {', '.join(model.name for model in models)}",
        "models": [model.name for model in models],
        "headline": _unbroken(first),
        "sentences": [_unbroken(text) for model in models if (text := sentence(model)) != first],
        "test_sets": len(names),
        "items_total": sum(len(dataset_of(runs, name)) for name in names),
    }


def _unbroken(text: str) -> str:
    """Return *text* with no line break between a number and its unit."""
    return re.sub(r"(?<=\d) (?=%|points)", "\N{NO-BREAK SPACE}", text)


def _tables(models: Sequence[Measured], published_rows: bool) -> dict[str, Any]:
    runs = [model.run for model in models]
    return {
        "accuracy": accuracy_of(models, published_rows=published_rows),
        "drops": drop_table(models),
        "errors": error_table(models),
        "answers": answer_table(models, published_rows=published_rows),
        "misleading": misleading_table(models),
        "benchmark": score_table(models, published_rows=published_rows),
        "corpora": corpus_table(models),
        "behaviour": behaviour_table(models, published_rows=published_rows),
        "factors": factor_table(models),
        "crossed": crossed_tables(models),
        "slices": slice_tables(models),
        "yields": yield_table(runs),
        "signatures": signature_table(runs),
        "runs": run_table(models),
    }


def _charts(models: Sequence[Measured]) -> dict[str, Any]:
    """Return the drawings: by model for each width of page, and the confusion by test set and model."""
    extent = charts.drop_range(models)
    ordered = by_test_set(models)
    of_model = {model.name: [found for _, each, found in ordered if each is model] for model in models}
    drops = []
    if extent is not None:
        least, largest = extent
        drops = [
            (
                name,
                {
                    size: _markup(charts.drop_chart(results, width=width, least=least, largest=largest))
                    for size, width in charts.WIDTHS.items()
                },
            )
            for name, results in of_model.items()
            if any(loss_of(result) is not None for result in results)
        ]
    wrong = charts.error_range(models)
    errors = [
        (
            name,
            {
                size: _markup(charts.error_chart(results, width=width, largest=wrong))
                for size, width in charts.WIDTHS.items()
            },
        )
        for name, results in of_model.items()
    ]
    maps = charts.HeatMaps()
    confusion = [
        (name, [(model.name, _markup(maps.draw(result))) for _, model, result in found])
        for name, group in groupby(ordered, key=lambda entry: entry[0])
        if (found := list(group))
    ]
    return {"drop_charts": drops, "error_charts": errors, "confusion": confusion, "curves": _curves(models)}


def _curves(models: Sequence[Measured]) -> list[tuple[str, dict[str, Markup]]]:
    """Return for each base with scores the drawings of accuracy over lambda, by width of page."""
    drawn: dict[str, dict[str, Markup]] = {}
    for size, width in charts.WIDTHS.items():
        for part, svg in misleading_charts(models, width=width):
            drawn.setdefault(part, {})[size] = _markup(svg)
    return list(drawn.items())


def _markup(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704  (vl-convert escapes what it takes from the data)


def _shown(sets: Sequence[dict[str, Any]]) -> str:
    cut = [each for each in sets if each["shown"] < each["total"]]
    if not cut:
        return "All items are here."
    most = max(cut, key=lambda each: int(each["total"]))
    return (
        f"{sum(each['shown'] for each in sets):,} of {sum(each['total'] for each in sets):,} items are here "
        f"({most['shown']:,} of {most['total']:,} of {most['name']}): every kind of gold label, answer and "
        "flip is among them, the rare ones more often than their share. "
        "For all of them: crossexam report --items all."
    )


def _opens_at(models: Sequence[Measured]) -> int:
    """Return the number of the test set that the headline is about: the browser opens there."""
    model = culprit(models)
    result = worst(model.results) if model is not None else None
    return names_of_test_sets([each.run for each in models]).index(result.name) if result is not None else 0


def _breakable(name: str) -> Markup:
    """Return *name* with leave to break lines after its punctuation."""
    return Markup("<wbr>").join(re.findall(r"[^._/-]*[._/-]?", name))


def _number(cell: Cell, kind: Kind) -> str:
    text = number_text(cell, kind)
    return text if kind == "text" else text.replace("-", "−")


def _interval(cell: Cell) -> str:
    return interval_text(cell).replace("-", "−")


def _groups(table: Table) -> list[tuple[str, int]]:
    return [(group, len(list(members))) for group, members in groupby(c.group for c in table.columns)]
