"""The figures of a report as data: CSV with a figure per row, JSON with the figures by model and test set."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from crossexam.core.estimate import Estimate
from crossexam.core.manifest import TestSetEntry, package_version, signature
from crossexam.core.output.escapes import escape_cell, json_text
from crossexam.reports.figures import Figure
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.sections import compared_figures, figures_of

#: The number of the format of the JSON; ``docs/report.schema.json`` describes it.
FORMAT: Final = 1
_FIELDS: Final = TestSetEntry.__struct_encode_fields__
#: What the manifest of a suite says of every test set, by the names there; all else is given as facts.
_SAID_APART: Final = frozenset(_FIELDS[: _FIELDS.index("facts")])

COLUMNS: Final = (
    "model",
    "test_set",
    "construction",
    "rules",
    "part",
    "base_set",
    "statistic",
    "of",
    "value",
    "low",
    "high",
    "n",
    "clusters",
    "projection",
    "signature",
)

#: Figures by model and test set, in order of appearance.
Grouped = dict[str, dict[str, list[Figure]]]


def _grouped(figures: Iterable[Figure], models: Iterable[ModelResults] = ()) -> Grouped:
    """Return *figures* by model and test set, those of *models* first, if there are none, too."""
    found: Grouped = {model.name: {result.name: [] for result in model.results} for model in models}
    for figure in figures:
        found.setdefault(figure.model, {}).setdefault(figure.test_set, []).append(figure)
    return found


def signature_of(model: ModelResults, test_set: str) -> str:
    """Return the signature of the numbers of *model* on *test_set*: all that they depend on."""
    parts = {
        "test_set": test_set,
        "content": model.run.datasets[test_set].stated_hash,
        "model": model.run.manifest.model_key or model.run.model,
        "interval": "wilson95.clustered",
    }
    return signature(parts)


def render_csv(results: Results) -> str:
    """Return every figure of the models, one per row; shares are between 0 and 1."""
    return _csv(_grouped(figures_of(results), results.models), results)


def comparison_csv(results: Results) -> str:
    """Return the figures that compare two models, one per row."""
    return _csv(_grouped(compared_figures(results)), results)


def _csv(found: Grouped, results: Results) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for model, by_set in found.items():
        for test_set, figures in by_set.items():
            about = _about(model, test_set, results) if figures else {}
            for figure in figures:
                row = about | _row(figure)
                if figure.depends:
                    row["signature"] = f"{about.get('signature', '')}|{figure.depends}"
                writer.writerow({key: _cell(value) for key, value in row.items()})
    return stream.getvalue()


def _row(figure: Figure) -> dict[str, object]:
    known = {"model": figure.model, "test_set": figure.test_set, "statistic": figure.statistic}
    return {**known, "of": figure.of, **_numbers(figure)}


def _numbers(figure: Figure) -> dict[str, object]:
    """Return the value of *figure* with what belongs to it."""
    if isinstance(figure.value, Estimate):
        return figure.value._asdict()
    numbers: dict[str, object] = {"value": figure.value}
    return numbers if figure.n is None else {**numbers, "n": figure.n}


def _about(model: str, test_set: str, results: Results) -> dict[str, object]:
    """Return what is known of a test set and, of a model in the report, of its numbers there."""
    dataset = results.test_sets.get(test_set)
    if dataset is None:
        return {}
    entry = dataset.entry
    known = {"construction": entry.construction, "rules": entry.rules, "part": entry.part}
    known["base_set"] = entry.base_set or ""
    measured = next((each for each in results.models if each.name == model), None)
    if measured is None:
        return {**known}
    result = measured.result(test_set)
    projection = result.projection if result is not None else None
    return {**known, "projection": projection, "signature": signature_of(measured, test_set)}


def _cell(value: object) -> object:
    return escape_cell(value) if isinstance(value, str) else _finite(value)


def _finite(value: object) -> object:
    """Return *value*, or None for a share of no items."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render_json(results: Results) -> str:
    """Return every figure of the models, with the manifests of the runs and facts on the test sets."""
    return _json(_grouped(figures_of(results), results.models), results)


def comparison_json(results: Results) -> str:
    """Return the figures that compare two models, as :func:`render_json` has them."""
    return _json(_grouped(compared_figures(results)), results)


def _json(found: Grouped, results: Results) -> str:
    runs = {model.name: model.run for model in results.models}
    kinds: dict[str, list[Any]] = {"models": [], "comparison": [], "references": []}
    for name, by_set in found.items():
        run = runs.get(name)
        described = {"model": run.model, "manifest": run.manifest.to_json()} if run is not None else {}
        sets = [
            {"name": test_set, **_described(name, test_set, results), "figures": _nested(figures)}
            for test_set, figures in by_set.items()
        ]
        kind = "models" if name in runs else "comparison" if name == results.pair else "references"
        kinds[kind].append({"name": name, **described, "test_sets": sets})
    document = {"crossexam": package_version(), "format": FORMAT, "alpha": results.options.alpha}
    return json_text(_plain({**document, **kinds}), indent=1) + "\n"


def _described(model: str, test_set: str, results: Results) -> dict[str, object]:
    about = _about(model, test_set, results)
    dataset = results.test_sets.get(test_set)
    if dataset is None:
        return about
    entry = dataset.entry
    facts = {name: value for name, value in entry.to_json().items() if name not in _SAID_APART}
    more = {"yield": entry.yields, "test_set_signature": entry.signature, "facts": facts or None}
    return {**about, **{key: value for key, value in more.items() if value is not None}}


def _nested(figures: Iterable[Figure]) -> dict[str, Any]:
    """Return *figures* by statistic; those of a part are by that under the key ``of``."""
    found: dict[str, Any] = {}
    for figure in figures:
        of_statistic = found.setdefault(figure.statistic, {})
        numbers = {**_numbers(figure), **({"depends": figure.depends} if figure.depends else {})}
        if figure.of:
            of_statistic.setdefault("of", {})[figure.of] = numbers
        else:
            of_statistic.update(numbers)
    return found


def _plain(value: Any) -> Any:
    """Return *value* as JSON types, numbers that are not finite as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return _finite(value)
    return str(value)
