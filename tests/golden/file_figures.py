"""The numbers of CSV and JSON by one kind of key: "model|test set|statistic|of", as in figures.json."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from crossexam.core.dataset import Run
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.results import ReportOptions, Results, results_of

PARTS = ("value", "low", "high", "n")
Found = dict[str, dict[str, float | None]]

#: Columns of a comparison that are no result.
NO_RESULTS = {"a", "b", "name", "projection", "alpha"}
#: Parts of the JSON that are not in CSV, and not held.
NOT_HELD = {
    "bins": "of the reliability diagram, whose sum is the calibration error, which is held",
    "risk_at_coverage": "points of the curve whose mean is the area, which is held",
}


def number(cell: Any) -> float | None:
    """A number of CSV or JSON; None if there is none."""
    if cell in (None, ""):
        return None
    return float({"True": 1.0, "False": 0.0}.get(cell, cell) if isinstance(cell, str) else cell)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def in_csv(results: Results, max_unanswered: float = MAX_UNANSWERED) -> Found:
    """Return the numbers of a report, and of the comparisons of every two models, in CSV."""
    found = {
        "|".join(row[key] for key in ("model", "test_set", "statistic", "of")): {
            part: number(row[part]) for part in PARTS
        }
        for row in table(render_csv(results))
    }
    for one, other in combinations(results.runs, 2):
        for row in table(
            comparison_csv(results_of((one, other), ReportOptions(max_unanswered=max_unanswered)))
        ):
            found |= compared(one, other, row)
    return found


def compared(one: Run, other: Run, row: Mapping[str, Any]) -> Found:
    key = f"{one.model} against {other.model}|{row['name']}"
    return {
        f"{key}|{column}|": {"value": number(cell)}
        for column, cell in row.items()
        if column not in NO_RESULTS
    }


def in_json(results: Results, max_unanswered: float = MAX_UNANSWERED) -> Found:
    """Return the same numbers in JSON."""
    document = json.loads(render_json(results))
    found: Found = {}
    for model in document["models"]:
        for result in model["test_sets"]:
            for key, value in of_result(result):
                found[f"{model['name']}|{result['name']}|{key}"] = parts(value)
    for key, value in of_several(
        document["several_models"] or {"rankings": (), "agreement": (), "only_one": ()}
    ):
        found[key] = parts(value)
    for one, other in combinations(results.runs, 2):
        for row in json.loads(
            comparison_json(results_of((one, other), ReportOptions(max_unanswered=max_unanswered)))
        )["test_sets"]:
            found |= compared(one, other, row)
    return found


def parts(value: Any) -> dict[str, float | None]:
    if isinstance(value, Mapping):
        return {part: number(value[part]) for part in PARTS if part in value}
    return {"value": number(value)}


def of_result(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the numbers of a test set in JSON, by statistic and ``of`` as in CSV."""
    for statistic, value in result.items():
        is_number = isinstance(value, int | float) and statistic != "n"  # every estimate has its own
        if is_number or (isinstance(value, Mapping) and "low" in value):
            of = "alpha=0.05" if statistic == "significant" else ""
            yield f"{statistic}|{of}", value
    for gold, counts in result["confusion"].items():
        yield from ((f"confusion|{gold}>{answer}", count) for answer, count in counts.items())
    for statistic in ("errors", "mcnemar"):
        yield from ((f"{statistic}|{of}", value) for of, value in (result[statistic] or {}).items())
    for slicing, slices in result["slices"].items():
        yield from ((f"accuracy|{slicing}={value}", estimate) for value, estimate in slices.items())
    if (majority := result["majority_class"]) is not None:
        yield f"majority_class|{majority['label']}", majority["share"]
        yield "above_majority_class|", majority["advantage"]
    if (keyed := result["keys"]) is not None:
        yield "keys|", keyed["keys"]
        yield f"largest_key_share|{keyed['largest']}", keyed["largest_share"]
        yield from ((f"accuracy_{mean}|", keyed[mean]) for mean in ("over_items", "over_keys"))
    yield from of_missing(result.get("unanswered"))
    yield from of_probabilities(result)


def of_missing(missing: Mapping[str, Any] | None) -> Iterator[tuple[str, Any]]:
    if missing is not None:
        yield from ((f"unanswered|{status}", count) for status, count in missing["by_status"].items())
        yield "unanswered_share|", missing["share"]
        yield "only_bounds|", missing["only_bounds"]
        for name in ("accuracy", "drop"):
            yield from ((f"{name}_{side}|", value) for side, value in missing.get(name, {}).items())


def of_probabilities(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in result.get("calibration", {}).items():  # none of results with bounds only
        if name in {"unanswered", "low_mass", "impossible"}:
            yield f"calibration_{name}|", value
        elif isinstance(value, Mapping) and "error" in value:
            yield f"{name}|", value["error"]
            yield f"{name}_if_calibrated|", value["if_calibrated"]
        elif name not in {"n", *NOT_HELD}:
            yield f"{name}|", value
    for name, value in result.get("selective", {}).items():
        if name not in {"n", "unanswered", *NOT_HELD}:
            statistic, _, at = name.partition("_at_")
            yield f"selective_{statistic}|{at.replace('_', '=')}", value


def of_several(several: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for ranking in several["rankings"]:
        name = ranking["test_set"] or "(mean of test sets)"
        for model in ranking["models"]:
            key = f"{model['model']}|{name}"
            yield f"{key}|ranked_accuracy|", model["accuracy"]
            ranks = {"value": model["rank"], "low": model["rank_low"], "high": model["rank_high"]}
            yield f"{key}|rank|", ranks
            yield from ((f"{key}|rank_group|{group}", 1) for group in model["groups"])
        for pair in ranking["pairs"]:
            one, other = pair["models"]
            for field in ("difference", "p_value", "p_holm", "significant"):
                statistic = field if field == "difference" else f"difference_{field}"
                yield f"{one}|{name}|model_{statistic}|{other}", pair[field]
    for pair in several["agreement"]:
        one, other = pair["models"]
        for statistic in ("same", "kappa", "same_errors"):
            yield f"{one}|{pair['test_set']}|agreement_{statistic}|{other}", pair[statistic]
    for each in several["only_one"]:
        for side in ("right", "wrong"):
            key = f"{each['model']}|{each['test_set']}|only_{side}"
            yield f"{key}|", each[f"only_{side}"]
            yield f"{key}_share|", each[side]
