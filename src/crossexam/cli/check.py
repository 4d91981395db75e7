"""crossexam check: check built test sets for errors."""

from __future__ import annotations

from collections import Counter
from typing import Final

import typer
from msgspec.structs import replace

from crossexam.cli.console import note, reader_may_leave, show, table_of
from crossexam.cli.yields import yield_summary
from crossexam.constructions.check import CHECKS, run_checks
from crossexam.core.dataset import counted_items
from crossexam.core.test_sets import read_suite, read_test_set
from crossexam.core.transfers import fetch_file
from crossexam.options.data import Check

_SHOWN: Final = 5


def check(options: Check) -> None:
    """Check built test sets, and show why examples gave no item; exit with status 1 if there are errors."""
    suite = read_suite(options.path)
    given = read_test_set(fetch_file(options.base)) if options.base else None
    rows = []
    errors = warnings = 0
    for dataset in suite:
        entry = dataset.entry
        base_of_set = given or suite.datasets.get(str(entry.base_set))
        findings = run_checks(dataset, base_of_set if entry.base_set else None)
        counts = Counter(finding.code for finding in findings)
        errors += sum(count for code, count in counts.items() if code.startswith("E"))
        warnings += sum(count for code, count in counts.items() if code.startswith("W"))
        for code, count in counts.items():
            of_code = [finding for finding in findings if finding.code == code]
            shown = of_code if options.all_findings else of_code[:_SHOWN]
            where = "; ".join(f"{each.item} ({each.detail})" if each.detail else each.item for each in shown)
            rows.append((code, dataset.name, str(count), of_code[0].message, where))
    items = sum(len(dataset) for dataset in suite)
    found = f"{counted_items(errors, 'error')}, {counted_items(warnings, 'warning')}"
    title = f"{len(CHECKS)} checks over {len(suite)} test sets"
    with reader_may_leave():
        if any(dataset.entry.yields for dataset in suite):
            show(yield_summary({each.name: replace(each.entry, rows=len(each)) for each in suite}))
        if rows:
            show(table_of(title, ("code", "test set", "count", "message", "items"), rows))
        note(f"{items:,} items in {counted_items(len(suite), 'test set')}: {found}")
    if errors:
        raise typer.Exit(1)
