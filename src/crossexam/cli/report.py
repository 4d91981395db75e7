"""crossexam report: report the results of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders that crossexam run wrote.", metavar="RUN...")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Output file: .html, .md, .tex, .csv or .json. Default: tables on the terminal.",
        ),
    ] = None,
    items: options.Items = None,
    verified: options.Verified = False,
    alpha: options.Alpha = 0.05,
) -> None:
    """Report the results of one or more runs, separately for items with verified and proposed labels."""
    from crossexam.cli.console import show, written
    from crossexam.evaluation.verified import by_status, verified_only
    from crossexam.reports.report import terminal_report, write_report
    from crossexam.runs.folder import read_run

    most_items = options.items_per_set(items)
    chosen = verified_only if verified else by_status
    loaded = [chosen(read_run(folder)) for folder in runs]
    if output is None:
        show(terminal_report(loaded, alpha=alpha))
        return
    write_report(loaded, output, items_per_set=most_items, alpha=alpha)
    written(output)
