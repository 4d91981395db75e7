"""How many items had a parse for a model that reads one: the table, and the warning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from crossexam.core.dataset import Run
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import MODEL_OF_SEVERAL, TEST_SET, FigureColumn, FigureTable, Row
from crossexam.reports.results import ModelResults, Results

_NOTE = (
    "Parsed: items of which both sentences have a parse, which is from the corpus, derived from it, or from "
    "--parser. For sentences without a parse, the model read right-branching trees."
)


class _Parsed(NamedTuple):
    """So many *parsed* items, of so many *items*."""

    parsed: int
    items: int


def _rows(results: Results) -> Iterator[Row[_Parsed]]:
    for model in results.models:
        for name, (parsed, items) in parsed_counts(model.run).items():
            if items:
                yield Row(model.name, name, _Parsed(parsed, items))


_TABLE: Final = FigureTable["_Parsed"](
    "Parses",
    _rows,
    (
        FigureColumn("Items", "count", lambda each: each.items),
        FigureColumn("Parsed", "count", lambda each: each.parsed, "parsed"),
        FigureColumn("Parsed, %", "percent", lambda each: each.parsed / each.items, "parsed_share"),
    ),
    lambda _, __: (_NOTE,),
    first=(MODEL_OF_SEVERAL, TEST_SET),
    n=lambda each: each.items,
)


def parse_warnings(results: Results) -> list[str]:
    """Return a warning per model that lacked parses."""
    warnings = (parse_warning(model) for model in results.models)
    return [warning for warning in warnings if warning is not None]


def parse_warning(model: ModelResults) -> str | None:
    """Return which share of which test sets had no parse for *model*; None if all had, or it reads none."""
    counts = parsed_counts(model.run)
    without = {name: (items - parsed, items) for name, (parsed, items) in counts.items() if parsed < items}
    if not without:
        return None
    total = sum(missing for missing, _ in without.values())
    items = sum(of for _, of in counts.values())
    sets = ", ".join(f"{name} {missing:,} of {of:,}" for name, (missing, of) in without.items())
    return (
        f"{model.name} reads parses, which {total:,} of {items:,} items lack for a sentence or both: {sets}. "
        "For these sentences it read right-branching trees. Build the suite with --parser spacy:PIPELINE to "
        "parse them."
    )


def parsed_counts(run: Run) -> dict[str, tuple[int, int]]:
    """Return per test set how many items are parsed, and of how many; empty if the model reads no parses."""
    entries = run.manifest.test_sets.items()
    return {name: (each.parsed, each.rows) for name, each in entries if each.parsed is not None}


PARSES: Final = Analysis(
    "parses",
    (Section("parses", "Parses", _TABLE),),
    lambda results: any(parsed_counts(run) for run in results.runs),
    warnings=parse_warnings,
)
