"""RESULTS.md of a study, from its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final

from commands import settings
from deviations import Deviation, texts
from findings import OTHER, estimate
from results import NOT_AGAIN, NOT_RUN, Results, judged, ordered
from study import PaperTable, Study

from crossexam.reports.table import NOTHING, Cell, Column, Table
from crossexam.reports.text import markdown_table

VERDICTS: Final = ("holds", "does not hold", "undecided", NOT_AGAIN, NOT_RUN)
_CHECKS: Final = (
    "holds: the whole interval lies in the range expected; does not hold: it lies outside; "
    "undecided: neither."
)
_OTHERS: Final = (
    "The statement that a model is above, or below, every one of others (each of ...) is about the nearest "
    "of them, or the one farthest ahead of it, which follows the verdict. It holds if the 95 % interval of "
    "every single difference is in the range; it does not hold if that of one difference is outside, with "
    "the confidence of all of them together (Bonferroni). The interval shown ends accordingly."
)
_OUTDATED: Final = (
    "not measured again: a test set was built differently when the model was run over it; its predictions "
    "are for other items, and are left out."
)


def write(study: Study, results: Results, further: Sequence[str] = ()) -> Path:
    """Write RESULTS.md with the sections *further* before the tables of the paper; return its path."""
    path = study.folder / "RESULTS.md"
    path.write_text("\n\n".join(parts(study, results, further)) + "\n", encoding="utf-8")
    return path


def parts(study: Study, results: Results, further: Sequence[str] = ()) -> list[str]:
    """Return the parts of RESULTS.md: what deviates from the paper, preface, findings, models, tables ..."""
    findings = judged(study.published, results, study.findings, study.deviations)
    orderings = [ordered(study, results, each) for each in study.orderings]
    return [
        *opening(study.folder / "preface.md", study.deviations, results),
        markdown_table(findings_table(findings)),
        markdown_table(orderings_table(study, orderings)),
        markdown_table(models_table(study, results)),
        *further,
        *(markdown_table(cells_table(study, table, results)) for table in study.tables),
        markdown_table(sets_table(results)),
        "## Commands\n\n```\n" + "\n".join(_commands(results)) + "\n```",
    ]


def opening(preface: Path, deviations: Sequence[Deviation], results: Results) -> list[str]:
    """Return the title of *preface*, what deviates from the paper, and the rest of *preface*."""
    title, _, rest = preface.read_text(encoding="utf-8").partition("\n")
    told = texts(deviations, results.rows, results.answers, results.unread)
    lines = [f"- **{name}**: {text}" for name, text in told.items()]
    listed = ["## What deviates from the paper", "\n".join(lines)] if lines else []
    return [title, *listed, *filter(None, [rest.strip()])]


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
        Column("rests on"),
    )
    rows: list[tuple[Cell, ...]] = []
    for finding in findings:
        others = ",".join(finding["others"])
        for value in finding["values"]:
            expression = value["value"].replace(OTHER, f"(each of {others})")
            shown = (finding["claim"], finding["place"], expression, _range(*finding["expected"]))
            said = f"{value['verdict']}: {value['nearest']}" if value["nearest"] else value["verdict"]
            rows.append((*shown, value["paper"], value["ours"], said, ", ".join(value["rests_on"])))
    verdicts = [value["verdict"] for finding in findings for value in finding["values"]]
    notes = [_tally(verdicts), _CHECKS]
    notes += [_OTHERS] if any(finding["others"] for finding in findings) else []
    notes += [_OUTDATED] if NOT_AGAIN in verdicts else []
    return Table("Findings", columns, tuple(rows), tuple(notes), grouped=2)


def _tally(verdicts: Sequence[str]) -> str:
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
    every = ("same", "reversed", "undecided", NOT_RUN, NOT_AGAIN)
    outcomes = [each for each in every if each != NOT_AGAIN or any(o["pairs"][each] for o in orderings)]
    columns = (
        Column("order of the systems"),
        Column("place"),
        Column("on"),
        *(Column(header, "count") for header in outcomes),
        Column("reversed: first in the paper"),
    )
    rows: list[tuple[Cell, ...]] = []
    for ordering in orderings:
        pairs = ordering["pairs"]
        turned = ", ".join(f"{_name(study, a)} > {_name(study, b)}" for a, b in pairs["reversed"])
        counts = [len(pairs[key]) for key in outcomes]
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
        if name not in results.rows:
            rows.append((row.title, row.architecture, NOT_RUN, None, 0, NOTHING, NOTHING))
            continue
        result = results.rows[name]
        seeds = result["seeds"]
        spread = _spread([seed["dev"] for seed in seeds])
        minutes = f"{mean(seed['seconds'] for seed in seeds) / 60:.1f}"
        pairs = sum(corpus["pairs"] for corpus in result["train"])
        rows.append((row.title, row.architecture, _size(study, name), pairs, len(seeds), spread, minutes))
    notes = chain.from_iterable(_notes(study, name, results) for name in results.rows)
    return Table("Models", columns, tuple(rows), (study.notes["models"], *notes))


def _notes(study: Study, name: str, results: Results) -> Iterator[str]:
    """Yield what the figures of a row must be read with: its parses, what it did not read, what is old."""
    title, result = study.rows[name].title, results.rows[name]
    if result["members"] > 1:
        yield f"{title}: an ensemble of {result['members']} models, the mean of their probabilities."
    yield from _parses(title, result, results)
    if truncated := {name: count for name, count in result["truncated"].items() if name in results.suite}:
        counts = (f"{count:,} of {len(results.suite[name]):,} of {name}" for name, count in truncated.items())
        yield f"{title} did not read all items to the end: {', '.join(counts)}."
    if outdated := results.outdated.get(name):
        yield f"{title}: not measured again on {', '.join(sorted(outdated))}."


def _parses(title: str, result: Mapping[str, Any], results: Results) -> Iterator[str]:
    """Yield what a model that reads parses had to read in the test sets."""
    if trees := result["trees"]:
        yield f"{title}: trees of the test sets are {trees}."
    if parsed := {name: count for name, count in result["parsed"].items() if name in results.suite}:
        items = sum(len(results.suite[name]) for name in parsed)
        share = f"{sum(parsed.values()):,} of {items:,}"
        yield f"{title}: both sentences of {share} items have a parse; other trees are right-branching."


def _size(study: Study, name: str) -> str:
    row = study.rows[name]
    sizes = settings(row.architecture, study.data)
    changed = [f"{key} {value}" for key, value in sizes.get("set", {}).items()]
    return ", ".join(
        [*changed, f"epochs {row.epochs or sizes['epochs']}", *([" ".join(row.more)] if row.more else [])]
    )


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
        missing = {cell: results.missing(f"{name}:{cell}") for cell in table.cells}
        ours = [
            None if missing[cell] else estimate(results.answers, f"{name}:{cell}") for cell in table.cells
        ]
        why = next((each for each in missing.values() if each), None)
        rows.append((f"{row.title} ({why})" if why else row.title, *ours))
        theirs = [study.published(name, cell) for cell in table.cells]
        if any(figure is not None for figure in theirs):
            rows.append((f"{row.title}, published", *theirs))
    return Table(table.title, columns, tuple(rows), (table.note,) if table.note else ())


def sets_table(results: Results) -> Table:
    """Return the sizes of the test sets."""
    columns = (Column("test set"), Column("items", "count"))
    return Table("Test sets", columns, tuple((each.name, len(each)) for each in results.suite))


def _commands(results: Results) -> list[str]:
    rows = results.rows.values()
    every = [*(row["build"] for row in rows), *chain.from_iterable(row["commands"] for row in rows)]
    return list(dict.fromkeys(every))
