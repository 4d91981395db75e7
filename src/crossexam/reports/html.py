"""The report as a single HTML page that works offline.

The file contains everything: drawings as SVG, the items in compressed parts for a script to read, and a
Content-Security-Policy under which only that script may run and nothing may be loaded.  If there are many
items, their parts are in a folder beside the page, and the policy permits scripts from there.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from crossexam.core.manifest import package_version
from crossexam.core.output.escapes import finalized, script_json, visible
from crossexam.reports.broken import broken_sets, origins
from crossexam.reports.items import PageItems
from crossexam.reports.parts import PartsFolder, packed_items
from crossexam.reports.results import Results
from crossexam.reports.sections import page_sections, warnings
from crossexam.reports.sentences.advice import advice
from crossexam.reports.sentences.headline import culprit, headlines
from crossexam.reports.sentences.leading import worst_of
from crossexam.reports.table import interval_text, number_text

if TYPE_CHECKING:
    from jinja2 import Template

_PAGE: Final = Path(__file__).parent / "page"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(css: str, script: str, *, beside: bool = False) -> str:
    """Return the Content-Security-Policy that permits *css* and *script* only, and scripts *beside* the page.

    From a disk, browsers take every file there as beside the page.
    """
    scripts = f"{_hash(script)} 'self'" if beside else _hash(script)
    return (
        f"default-src 'none'; style-src {_hash(css)}; script-src {scripts}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def render_html(results: Results, folder: PartsFolder | None = None) -> str:
    """Return the page of *results*; if it shows many items, they are written to *folder*, if there is one."""
    shown = PageItems(results)
    items, parts = packed_items(results, shown, folder)
    items["first"] = _opens_at(results)
    css, script = ((_PAGE / name).read_text(encoding="utf-8").strip() for name in ("report.css", "report.js"))
    return _template().render(
        **_summary(results),
        sections=page_sections(results),
        broken=broken_sets(results, shown),
        origins=origins(results),
        advice=[_unbroken(sentence) for sentence in advice(results)],
        shown=_shown(results, items["sets"]),
        whole=all(each["shown"] == each["total"] for each in items["sets"]),
        data=Markup(script_json(items)),  # noqa: S704  (escaped by script_json)
        parts=parts,
        folder=None if items["folder"] is None or folder is None else folder.path.name,
        css=Markup(css),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704  (ours)
        policy=policy(css, script, beside=items["folder"] is not None),
        version=package_version(),
    )


@cache
def _template() -> Template:
    """Return the template of the page, which is compiled once per process."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=finalized,
    )
    environment.globals.update(number=number_text, interval=interval_text, breakable=_breakable)
    environment.filters["neighbours"] = _neighbours
    return environment.get_template("report.html.j2")


def _summary(results: Results) -> dict[str, Any]:
    names = [model.name for model in results.models]
    first, *others = headlines(results)
    return {
        "title": f"Crossexam: {', '.join(names)}",
        "models": names,
        "short_models": results.short_models,
        "headline": _unbroken(first).split(_NEXT, 1),
        "sentences": [_unbroken(text) for text in others],
        "warnings": [_unbroken(text) for text in warnings(results)],
    }


#: Between the first sentence of a headline and the others.
_NEXT: Final = ". "


def _unbroken(text: str) -> str:
    """Return *text* without line breaks between numbers and their units."""
    return re.sub(r"(?<=\d) (?=%|points)", "\N{NO-BREAK SPACE}", text)


def _shown(results: Results, sets: Sequence[dict[str, Any]]) -> str:
    """Return which items are shown and which are left out."""
    cut = [each for each in sets if each["shown"] < each["total"]]
    if not cut:
        return "All items are in this report."
    most = max(cut, key=lambda each: int(each["total"]))
    kind = (
        "those that at least one model got wrong"
        if results.options.items == "errors"
        else "a sample with every combination of gold label, predictions and flips, "
        "which over-represents rare ones"
    )
    inside, total = (sum(each[key] for each in sets) for key in ("shown", "total"))
    return (
        f"{inside:,} of {total:,} items are in this report "
        f"({most['shown']:,} of {most['total']:,} of {most['short']}): {kind}."
    )


def _opens_at(results: Results) -> int:
    """Return the position of the test set in the headline, which the browser of items opens at."""
    model = culprit(results)
    result = worst_of(model) if model is not None else None
    return list(results.test_sets).index(result.name) if result is not None else 0


def _breakable(name: str) -> Markup:
    """Return *name* with optional line breaks after its punctuation."""
    return Markup("<wbr>").join(re.findall(r"[^._/:-]*[._/:-]?", visible(name)))


def _neighbours(each: Sequence[Any], by: str | int) -> list[tuple[Any, list[Any]]]:
    """Return what follows one another in *each* with the same attribute, or the same cell, and which that is.

    >>> _neighbours([("a", 1), ("a", 2), ("b", 3)], 0)
    [('a', [('a', 1), ('a', 2)]), ('b', [('b', 3)])]
    """
    key: Callable[[Any], Any] = itemgetter(by) if isinstance(by, int) else attrgetter(by)
    return [(same, list(found)) for same, found in groupby(each, key)]
