"""crossexam check: check built test sets for errors."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from crossexam.core.places import copy_path

_SHOWN: Final = 5


def check(
    path: Annotated[
        Path,
        typer.Argument(
            parser=copy_path, help="Suite (a folder) or test set (a file), or its URL.", metavar="DIR|FILE"
        ),
    ],
    base: Annotated[
        Path | None,
        typer.Option(
            parser=copy_path, help="Base, as a test-set file. Default: the base in the suite.", metavar="FILE"
        ),
    ] = None,
    all_findings: Annotated[
        bool, typer.Option("--all", help="Show all findings, not just the first five per code.")
    ] = False,
) -> None:
    """Check built test sets, and show why examples gave no item; exit with status 1 if there are errors.

    The codes of errors begin with E, those of warnings with W.
    """
    from rich.table import Table

    from crossexam.cli.console import note, reader_may_leave, show, yield_summary
    from crossexam.constructions.check import CHECKS, run_checks
    from crossexam.core.dataset import counted_items
    from crossexam.core.test_sets import read_suite, read_test_set
    from crossexam.core.transfers import fetch_file

    suite = read_suite(path)
    given = read_test_set(fetch_file(base)) if base else None
    table = Table(title=f"{len(CHECKS)} checks over {len(suite)} test sets", title_justify="left")
    for column in ("code", "test set", "count", "message", "items"):
        table.add_column(column, overflow="fold")
    errors = warnings = 0
    for dataset in suite:
        entry = dataset.entry
        base_of_set = given or suite.datasets.get(str(entry.base_set))
        from_pairs = entry.base_set or not entry.base_known
        findings = run_checks(dataset, base_of_set if from_pairs else None)
        counts = Counter(finding.code for finding in findings)
        errors += sum(count for code, count in counts.items() if code.startswith("E"))
        warnings += sum(count for code, count in counts.items() if code.startswith("W"))
        for code, count in counts.items():
            of_code = [finding for finding in findings if finding.code == code]
            shown = of_code if all_findings else of_code[:_SHOWN]
            where = "; ".join(f"{each.item} ({each.detail})" if each.detail else each.item for each in shown)
            table.add_row(code, dataset.name, str(count), of_code[0].message, where)
    items = sum(len(dataset) for dataset in suite)
    found = f"{counted_items(errors, 'error')}, {counted_items(warnings, 'warning')}"
    with reader_may_leave():
        if any(dataset.entry.yields for dataset in suite):
            show(yield_summary({each.name: replace(each.entry, rows=len(each)) for each in suite}))
        if errors or warnings:
            show(table)
        note(f"{items:,} items in {counted_items(len(suite), 'test set')}: {found}")
    if errors:
        raise typer.Exit(1)
