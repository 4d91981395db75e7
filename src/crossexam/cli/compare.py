"""crossexam compare: compare two models on the same test sets, item by item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options
from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.places import copy_path, work_path


def compare(
    first: Annotated[
        Path, typer.Argument(parser=copy_path, help="The first run: a folder or URL.", metavar="RUN")
    ],
    second: Annotated[
        Path, typer.Argument(parser=copy_path, help="The second run, over the same test sets.", metavar="RUN")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            parser=work_path,
            help="Output file or URL: .md, .tex, .csv or .json.",
            metavar="FILE",
        ),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print all tables, not just that of the accuracies.")
    ] = False,
    verified: options.Verified = False,
    alpha: options.Alpha = 0.05,
    max_unanswered: options.MaxUnanswered = MAX_UNANSWERED,
    common: Annotated[
        bool,
        typer.Option("--common", help="Leave out test sets that only one of the runs has, and name them."),
    ] = False,
    index: options.TrainingIndex = None,
) -> None:
    """Compare two runs by paired differences with confidence intervals and Holm-corrected p-values."""
    from crossexam.cli.console import note, show, written
    from crossexam.evaluation.comparison import check_same_sets, common_part, one_sided_sets
    from crossexam.evaluation.verified import by_status, verified_only
    from crossexam.reports.report import make_report
    from crossexam.reports.results import ReportOptions
    from crossexam.runs.saved import read_runs

    if details and output is not None:
        raise CrossexamError("a file has all tables", where="--details", wanted="--details or -o, not both")
    chosen = verified_only if verified else by_status
    a, b = (chosen(run) for run in read_runs([first, second]))
    left_out = one_sided_sets(a, b) if common else ()
    if common:
        a, b = common_part(a, b)
    check_same_sets(a, b)
    training = options.training_pairs_of([a, b], index)
    asked = ReportOptions(alpha=alpha, training=training, max_unanswered=max_unanswered)
    made = make_report(a, b, options=asked)
    if output is not None:
        made.save_comparison(output)
    for line in left_out:
        note(f"left out: {line}")
    if output is None:
        show(made.terminal_comparison(details=details))
        if not details:
            note("--details prints all tables")
    else:
        written(output)
