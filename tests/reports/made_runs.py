"""Runs that are made for tests of reports, written as letters, and what their reports show.

A letter is a label: E, N, C, and n for *not entailment*. As a gold label, - is none; as an answer, ? is a
refusal, and n is neutral.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import Gold
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.results import Results
from crossexam.reports.sections import ANALYSES
from crossexam.reports.table import Table, cell_text

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: The sections of all analyses.
SECTIONS = tuple(section for analysis in ANALYSES for section in analysis.sections)

GOLD_OF: Mapping[str, Gold | None] = {
    "E": "entailment", "N": "neutral", "C": "contradiction", "n": "not_entailment", "-": None
}  # fmt: skip
ANSWER_OF = {
    "E": (1.0, 0.0, 0.0), "N": (0.0, 1.0, 0.0), "C": (0.0, 0.0, 1.0), "n": (0.0, 1.0, 0.0), "?": (np.nan,) * 3
}  # fmt: skip


def dataset(
    name: str,
    golds: str,
    base: str | None = None,
    info: Callable[[int], Mapping[str, Any]] = lambda k: {},
    **facts: Any,
) -> Dataset:
    """A test set with an item per letter of *golds*, made from the item of its number in *base*."""
    construction, _, part = name.partition(".")
    items = tuple(
        Example(
            f"{name}:{k}",
            f"Ann has {k} cats.",
            f"{name} {k}.",
            GOLD_OF[letter],
            base=base and f"{base}:{k}",
            info=dict(info(k)),
        )
        for k, letter in enumerate(golds)
    )
    made = {"construction": construction, "part": part, "base_set": base, "keeps_label": True}
    return Dataset(name, items, {**made, **facts})


def negated(base: Dataset, words: str, **facts: Any) -> Dataset:
    """A test set over *base*, with *words* before the full stop of each hypothesis."""
    items = []
    for each in base:
        end = len(each.hypothesis) - 1
        edit = Edit("hypothesis", end, end, "", words)
        items.append(each.derive(each.label, Change("negation.v1", "premise", "hypothesis", (edit,))))
    part = base.manifest["part"]
    made = {"construction": "negation.v1", "part": part, "base_set": base.name, "keeps_label": True}
    return Dataset(f"negation.{part}", tuple(items), {**made, **facts})


def answers(letters: str, sure: float = 1.0) -> Any:
    """The probabilities of answers, of which each has the probability *sure*."""
    rows, other = np.array([ANSWER_OF[letter] for letter in letters]).reshape(-1, 3), (1 - sure) / 2
    return rows * (sure - other) + other


def run_of(
    said: Mapping[str, str], *sets: Dataset, model: str = "m", sure: float = 1.0, **details: Any
) -> Run:
    """A run that gave these answers to the items of each test set."""
    told = {name: [Outcome("refused" if x == "?" else "answered") for x in said[name]] for name in said}
    return Run(
        model,
        {each.name: each for each in sets},
        {name: answers(letters, sure) for name, letters in said.items()},
        RunManifest(model_key=model, details=details),
        {},
        {name: Outcomes.of(each, len(each)) for name, each in told.items() if "?" in said[name]},
    )


def wrong(golds: str, count: int) -> str:
    """Answers of which the first *count* are wrong."""
    return golds[:count].translate(str.maketrans("ENCn", "NCEE")) + golds[count:]


def terminal(shown: Any, width: int = 250, *, details: bool = False) -> str:
    """What a report, or anything that Rich shows, is on a terminal."""
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(shown.terminal(details=details) if hasattr(shown, "terminal") else shown)
    return console.export_text()


def page_of(report: Any) -> str:
    """The page of a report, with blanks that break."""
    text: str = report.text(".html")
    return text.replace("\N{NO-BREAK SPACE}", " ")


def settled(page: Page) -> str:
    """Return how many items a page says that it has found, once they are there."""
    page.locator("#list[aria-busy=false]").wait_for(state="attached")
    return page.locator("#count").inner_text()


def wait_for_count(page: Page, text: str) -> None:
    page.wait_for_function("text => document.getElementById('count').textContent === text", arg=text)


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def json_figures(text: str, test_set: str, model: str | None = None) -> dict[str, Any]:
    """The figures of *test_set* in the JSON of a report, of the first model that has any, or of *model*."""
    found = [
        each["figures"]
        for kind in ("models", "comparison", "references")
        for of_model in json.loads(text)[kind]
        for each in of_model["test_sets"]
        if model in {None, of_model["name"]} and each["name"] == test_set
    ]
    figures: dict[str, Any] = found[0]
    return figures


def headers(table: Table) -> list[str]:
    return [column.header for column in table.columns]


def tables_of(results: Results, key: str) -> list[Table]:
    """The tables of the section with this key, without drawings."""
    (section,) = (section for section in SECTIONS if section.key == key)
    return [table.in_words for table in section.tables_of(results)]


def cells_of(results: Results, key: str) -> list[dict[str, str]]:
    """The rows of the tables of a section as they are shown, by the headers of the columns."""
    return [
        {column.header: cell_text(cell, column.kind) for column, cell in zip(table.columns, row, strict=True)}
        for table in tables_of(results, key)
        for row in table.rows
    ]
