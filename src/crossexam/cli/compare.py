"""crossexam compare: compare two models on the same test sets, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crossexam.cli.console import note, show, written
from crossexam.cli.report import refuse_details, training_pairs_of
from crossexam.core.errors import CrossexamError
from crossexam.evaluation.comparison import check_same_sets, common_part, one_sided_sets
from crossexam.evaluation.verified import by_status, verified_only
from crossexam.options.results import Compare
from crossexam.reports.report import check_formats, make_report
from crossexam.reports.results import ReportOptions
from crossexam.runs.saved import read_runs, run_folders


def compare(options: Compare) -> None:
    """Compare two runs by paired differences."""
    refuse_details(options)
    check_formats(options.output, of_comparison=True)
    chosen = verified_only if options.verified else by_status
    folders = _two_folders(options.runs)
    a, b = (chosen(run) for run in read_runs(folders))
    left_out = one_sided_sets(a, b) if options.common else ()
    if options.common:
        a, b = common_part(a, b)
    check_same_sets(a, b)
    asked = ReportOptions.of(options, training=training_pairs_of([a, b], options.index))
    made = make_report(a, b, options=asked)
    for path in options.output:
        made.save_comparison(path)
    note(f"A: {folders[0]}, B: {folders[1]}")
    for line in left_out:
        note(f"left out: {line}")
    for path in options.output:
        written(path)
    if not options.output:
        show(made.terminal_comparison(details=options.details))
        if not options.details:
            note("--details prints all tables")


def _two_folders(places: Sequence[Path]) -> list[Path]:
    """Return the folders of the two runs that *places* are or have; raises CrossexamError if others."""
    folders = [run for place in places for run in run_folders(place)]
    if len(folders) != 2:
        raise CrossexamError(
            f"two runs are compared, not {len(folders)}",
            where=", ".join(map(str, folders)),
            wanted="two runs, or a folder with two",
            hint="crossexam report takes any number of runs",
        )
    return folders
