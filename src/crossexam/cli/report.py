"""crossexam report: report the results of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options
from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import MAX_UNANSWERED
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
    max_unanswered: options.MaxUnanswered = MAX_UNANSWERED,
    index: options.TrainingIndex = None,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration",
            help="Show calibration and selective prediction in every format; by default they are in "
            "HTML, CSV and JSON only.",
        ),
    ] = False,
    temperature_from: Annotated[
        list[Path] | None,
        typer.Option(
            help="Also show the calibration after temperature scaling, fitted on this run (the same model, "
            "other items); repeatable.",
            metavar="RUN",
        ),
    ] = None,
) -> None:
    """Report the results of one or more runs, separately for items with verified and proposed labels."""
    from crossexam.cli.console import show, written
    from crossexam.evaluation.verified import by_status, verified_only
    from crossexam.reports.parts import written_beside
    from crossexam.reports.report import terminal_report, write_report
    from crossexam.runs.saved import read_runs

    shown_items = options.chosen_items(items)
    chosen = verified_only if verified else by_status
    folders = [run for folder in runs for run in _runs_in(folder)]
    base = _place_of(relative_to, folders)
    loaded = [chosen(run) for run in read_runs(folders)]
    training = options.training_pairs_of(loaded, index)
    fitted_on = read_runs(temperature_from or ())
    if output is None:
        show(
            terminal_report(
                loaded,
                relative_to=base,
                alpha=alpha,
                training=training,
                max_unanswered=max_unanswered,
                calibration=calibration,
                temperature_from=fitted_on,
            )
        )
        return
    write_report(
        loaded,
        output,
        items=shown_items,
        relative_to=base,
        alpha=alpha,
        training=training,
        max_unanswered=max_unanswered,
        calibration=calibration,
        temperature_from=fitted_on,
    )
    written(output, written_beside(output))


def _runs_in(folder: Path) -> list[Path]:
    """Return *folder*, or the runs in it if it holds one for each of several templates."""
    if (folder / "manifest.json").exists() or not folder.is_dir():
        return [folder]
    return sorted(path.parent for path in folder.glob("*/manifest.json")) or [folder]


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
