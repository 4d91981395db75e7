"""RESULTS.md of a study, from the files in its folder ``results/``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from commands import settings
from study import PaperTable, Study

from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json
from crossexam.reports.table import NOTHING, Cell, Column, Table
from crossexam.reports.text import markdown_table

#: The results of the rows, by row.
Results = Mapping[str, Mapping[str, Any]]
VERDICTS = ("holds", "does not hold", "undecided", "not run yet")
_CHECKS = (
    "holds: the whole interval lies in the range expected; does not hold: it lies outside; "
    "undecided: neither."
)


def write(study: Study, further: Sequence[str] = ()) -> Path:
    """Write RESULTS.md with the sections *further* before the tables of the paper; return its path."""
    whole = parts(study)
    path = study.folder / "RESULTS.md"
    path.write_text("\n\n".join([*whole[:4], *further, *whole[4:]]) + "\n", encoding="utf-8")
    return path


def parts(study: Study) -> list[str]:
    """Return the parts of RESULTS.md that all studies have: preface, three tables, those of the paper ..."""
    results = read_results(study)
    checks = read_json(study.folder / "results" / "findings.json")
    return [
        (study.folder / "preface.md").read_text(encoding="utf-8").rstrip(),
        markdown_table(findings_table(checks["findings"])),
        markdown_table(orderings_table(study, checks["orderings"])),
        markdown_table(models_table(study, results)),
        *(markdown_table(cells_table(study, table, results)) for table in study.tables),
        markdown_table(sets_table(results)),
        "## Commands\n\n```\n" + "\n".join(_commands(results)) + "\n```",
    ]


def read_results(study: Study) -> dict[str, dict[str, Any]]:
    """Return the results by row, in the order of study.toml.

    Raises CrossexamError if two rows were run over different test sets.
    """
    paths = {name: study.folder / "results" / f"{name}.json" for name in study.rows}
    results = {name: read_json(path) for name, path in paths.items() if path.exists()}
    for name, result in results.items():
        first = next(iter(results.values()))
        if result["test_sets"] != first["test_sets"]:
            raise CrossexamError(
                f"'{name}' and '{first['row']}' were run over different test sets",
                where=str(study.folder / "results"),
                hint="carry out the steps run and collect again",
            )
    return results


def findings_table(findings: Sequence[Mapping[str, Any]]) -> Table:
    """Return the statements of the paper: one line per value, with its figure there and here."""
    columns = (
        Column("finding"),
        Column("place"),
        Column("value"),
        Column("expected"),
        Column("paper", "points"),
        Column("here", "points"),
        Column("verdict"),
    )
    rows: list[tuple[Cell, ...]] = []
    for finding in findings:
        for value in finding["values"]:
            ours = None if value["ours"] is None else Estimate(*value["ours"])
            shown = (finding["claim"], finding["place"], value["value"], _range(*finding["expected"]))
            rows.append((*shown, value["paper"], ours, value["verdict"]))
    return Table("Findings", columns, tuple(rows), (_tally(findings), _CHECKS), grouped=2)


def _tally(findings: Sequence[Mapping[str, Any]]) -> str:
    verdicts = [value["verdict"] for finding in findings for value in finding["values"]]
    counts = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    return "; ".join(f"{verdict}: {count} of {len(verdicts)}" for verdict, count in counts.items() if count)


def _range(low: float, high: float) -> str:
    """Return a range of points in words.

    >>> _range(0.0, float("inf")), _range(float("-inf"), 33.3), _range(0.0, 10.0)
    ('above 0', 'below 33.3', '0 to 10')
    """
    if high == float("inf"):
        return f"above {low:.3g}"
    return f"below {high:.3g}" if low == float("-inf") else f"{low:.3g} to {high:.3g}"


def orderings_table(study: Study, orderings: Sequence[Mapping[str, Any]]) -> Table:
    """Return how many pairs of systems come in the paper's order, and which are reversed."""
    columns = (
        Column("order of the systems"),
        Column("place"),
        Column("on"),
        *(Column(header, "count") for header in ("same", "reversed", "undecided", "not run yet")),
        Column("reversed: first in the paper"),
    )
    rows: list[tuple[Cell, ...]] = []
    for ordering in orderings:
        pairs = ordering["pairs"]
        turned = ", ".join(f"{_name(study, a)} > {_name(study, b)}" for a, b in pairs["reversed"])
        counts = [len(pairs[key]) for key in ("same", "reversed", "undecided", "not run yet")]
        rows.append((ordering["claim"], ordering["place"], ordering["cell"], *counts, turned))
    note = (
        "Pairs of systems: in the paper's order or reversed if the interval of their difference excludes 0, "
        "without correction for the number of pairs."
    )
    return Table("Order of the systems", columns, tuple(rows), (note,))


def _name(study: Study, row: str) -> str:
    return study.rows[row].published or row


def models_table(study: Study, results: Results) -> Table:
    """Return what was trained: sizes, pairs, seeds, dev accuracy and time."""
    columns = (
        Column("model"),
        Column("architecture"),
        Column("size and options"),
        Column("training pairs", "count"),
        Column("seeds", "count"),
        Column("dev accuracy"),
        Column("minutes per training"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, row in study.rows.items():
        if name not in results:
            rows.append((row.title, row.architecture, "not run yet", None, 0, NOTHING, NOTHING))
            continue
        result = results[name]
        seeds = result["seeds"]
        spread = _spread([seed["dev"] for seed in seeds])
        minutes = f"{mean(seed['seconds'] for seed in seeds) / 60:.1f}"
        size = _size(study, name)
        rows.append((row.title, row.architecture, size, result["train_rows"], len(seeds), spread, minutes))
    notes = chain.from_iterable(_parses(study.rows[name].title, result) for name, result in results.items())
    return Table("Models", columns, tuple(rows), (study.notes["models"], *notes))


def _parses(title: str, result: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a model that reads parses had to read in the test sets."""
    if trees := result["trees"]:
        yield f"{title}: trees of the test sets are {trees}."
    if parsed := result["parsed"]:
        items = sum(result["test_sets"][name]["rows"] for name in parsed)
        share = f"{sum(parsed.values()):,} of {items:,}"
        yield f"{title}: both sentences of {share} items have a parse; other trees are right-branching."


def _size(study: Study, name: str) -> str:
    row = study.rows[name]
    sizes = settings(row.architecture, study.data)
    changed = [f"{key} {value}" for key, value in sizes.get("set", {}).items()]
    return ", ".join([*changed, f"epochs {sizes['epochs']}", *([" ".join(row.more)] if row.more else [])])


def _spread(values: Sequence[float]) -> str:
    """Return the mean, with the standard deviation if there are several values.

    >>> _spread([60.0, 62.0]), _spread([60.0])
    ('61.0 ± 1.4', '60.0')
    """
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def cells_table(study: Study, table: PaperTable, results: Results) -> Table:
    """Return a table of the paper: our figures, and below them the paper's."""
    columns = (Column("model"), *(Column(cell, "percent") for cell in table.cells))
    rows: list[tuple[Cell, ...]] = []
    for name in table.rows:
        row = study.rows[name]
        found = results.get(name, {}).get("cells", {})
        ours = [Estimate(*found[cell]) if cell in found else None for cell in table.cells]
        rows.append((row.title if name in results else f"{row.title} (not run yet)", *ours))
        theirs = [study.published(name, cell) for cell in table.cells]
        if any(figure is not None for figure in theirs):
            rows.append((f"{row.title}, published", *theirs))
    return Table(table.title, columns, tuple(rows), (table.note,) if table.note else ())


def sets_table(results: Results) -> Table:
    """Return the sizes of the test sets."""
    columns = (Column("test set"), Column("items", "count"))
    sets = next(iter(results.values()), {}).get("test_sets", {})
    return Table("Test sets", columns, tuple((name, entry["rows"]) for name, entry in sets.items()))


def _commands(results: Results) -> list[str]:
    each = [(result["build"], result["command"]) for result in results.values()]
    return list(dict.fromkeys([build for build, _ in each] + [command for _, command in each]))
