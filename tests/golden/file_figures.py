"""The numbers of CSV and JSON by one kind of key: "model|test set|statistic|of", as in figures.json."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.results import ReportOptions, Results, results_of

PARTS = ("value", "low", "high", "n")
Found = dict[str, dict[str, float | None]]


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def in_csv(results: Results, max_unanswered: float = MAX_UNANSWERED) -> Found:
    """Return the numbers of a report, and of the comparisons of every two models, in CSV."""
    return {
        "|".join(row[key] for key in ("model", "test_set", "statistic", "of")): numbers(row)
        for text in texts(results, max_unanswered, render_csv, comparison_csv)
        for row in table(text)
    }


def in_json(results: Results, max_unanswered: float = MAX_UNANSWERED) -> Found:
    """Return the same numbers in JSON."""
    return {
        key: numbers(figure)
        for text in texts(results, max_unanswered, render_json, comparison_json)
        for key, figure in figures(json.loads(text))
    }


def texts(
    results: Results,
    max_unanswered: float,
    whole: Callable[[Results], str],
    comparison: Callable[[Results], str],
) -> Iterator[str]:
    """Yield the report of all models, and the comparison of every two."""
    yield whole(results)
    for pair in combinations(results.runs, 2):
        yield comparison(results_of(pair, ReportOptions(max_unanswered=max_unanswered)))


def figures(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the figures of the JSON of a report."""
    for model in (*document["models"], *document["comparison"], *document["references"]):
        for test_set in model["test_sets"]:
            for statistic, figure in test_set["figures"].items():
                key = f"{model['name']}|{test_set['name']}|{statistic}"
                if "value" in figure:
                    yield f"{key}|", figure
                yield from ((f"{key}|{of}", each) for of, each in figure.get("of", {}).items())


def numbers(figure: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the parts of a figure that are there."""
    found = {part: figure[part] for part in PARTS if figure.get(part) not in (None, "")}
    return {"value": None} | {part: float(each) for part, each in found.items()}
