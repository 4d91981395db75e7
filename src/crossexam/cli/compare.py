"""crossexam compare: compare two models on the same test sets, item by item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options
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
    from crossexam.evaluation.comparison import common_part, one_sided_sets
    from crossexam.evaluation.verified import by_status, verified_only
    from crossexam.reports.report import terminal_comparison, write_comparison
    from crossexam.runs.saved import read_runs

    chosen = verified_only if verified else by_status
    a, b = (chosen(run) for run in read_runs([first, second]))
    left_out = one_sided_sets(a, b) if common else ()
    if common:
        a, b = common_part(a, b)
    training = options.training_pairs_of([a, b], index)
    if output is not None:
        write_comparison(a, b, output, alpha=alpha, training=training, max_unanswered=max_unanswered)
    for line in left_out:
        note(f"left out: {line}")
    if output is None:
        show(terminal_comparison(a, b, alpha=alpha, training=training, max_unanswered=max_unanswered))
    else:
        written(output)
