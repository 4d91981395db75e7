"""crossexam report: report the results of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options
from crossexam.core.errors import CrossexamError
from crossexam.core.places import copy_path, work_path


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(parser=copy_path, help="What crossexam run wrote: folders or URLs.", metavar="RUN..."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            parser=work_path,
            help="Output file or URL: .html, .md, .tex, .csv or .json. Default: tables on the terminal.",
            metavar="FILE",
        ),
    ] = None,
    items: options.Items = None,
    relative_to: Annotated[
        Path | None,
        typer.Option(
            parser=copy_path,
            help="Show the relative improvement of the other models over this run on the cross-dataset "
            "benchmark.",
            metavar="RUN",
        ),
    ] = None,
    verified: options.Verified = False,
    alpha: options.Alpha = 0.05,
    index: options.TrainingIndex = None,
) -> None:
    """Report the results of one or more runs, separately for items with verified and proposed labels."""
    from crossexam.cli.console import show, written
    from crossexam.evaluation.verified import by_status, verified_only
    from crossexam.reports.parts import written_beside
    from crossexam.reports.report import terminal_report, write_report
    from crossexam.runs.folder import read_run

    shown_items = options.chosen_items(items)
    chosen = verified_only if verified else by_status
    base = _place_of(relative_to, runs)
    loaded = [chosen(read_run(folder)) for folder in runs]
    training = options.training_pairs_of(loaded, index)
    if output is None:
        show(terminal_report(loaded, relative_to=base, alpha=alpha, training=training))
        return
    write_report(loaded, output, items=shown_items, relative_to=base, alpha=alpha, training=training)
    written(output, written_beside(output))


def _place_of(base: Path | None, runs: list[Path]) -> int | None:
    """Return the place of the run *base* among *runs*; raises CrossexamError if it is not one of them."""
    if base is None:
        return None
    places = [place for place, run in enumerate(runs) if run.resolve() == base.resolve()]
    if not places or len(runs) < 2:
        raise CrossexamError(
            f"{base} is not one of the runs of this report",
            where="--relative-to",
            wanted="one of the runs of the report, and at least one other",
            hint=f"crossexam report {base} RUN --relative-to {base}",
        )
    return places[0]
