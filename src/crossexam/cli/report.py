"""crossexam report: report the results of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.cli import options
from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.places import copy_path, work_path

if TYPE_CHECKING:
    from crossexam.evaluation.fact_checking import ThresholdChoice
    from crossexam.reports.report import Report

#: Begins the name of a run over the development split.
_DEV: Final = "dev:"


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
            help="Output file or URL: .html, .md, .tex, .csv or .json; .yaml for a model card; .pdf, .svg or "
            ".vl.json for figures. Default: in brief on the terminal.",
            metavar="FILE",
        ),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print all tables, not just the main one of each suite.")
    ] = False,
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
            help="Show calibration and selective prediction in every format; by default they are in CSV "
            "and JSON only.",
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
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="In fact checking, a claim counts as supported above this probability of entailment, or "
            "above the best one in this run over the development split; repeatable for several models. "
            "Default: 0.5.",
            metavar="P|dev:RUN",
        ),
    ] = None,
    threshold_per_set: Annotated[
        bool,
        typer.Option("--threshold-per-set", help="Choose the threshold of each data set on its own."),
    ] = False,
    track: Annotated[
        list[str] | None,
        typer.Option(
            help="Also write the report to an experiment tracker, mlflow or wandb; repeatable.",
            metavar="NAME",
        ),
    ] = None,
) -> None:
    """Report the results of one or more runs, separately for items with verified and proposed labels."""
    from crossexam.cli.console import note, show, written
    from crossexam.evaluation.verified import by_status, verified_only
    from crossexam.interop.trackers import checked_tracker
    from crossexam.reports.parts import written_beside
    from crossexam.reports.report import make_report
    from crossexam.reports.results import ReportOptions
    from crossexam.runs.saved import read_runs, run_folder, run_folders

    if details and output is not None:
        raise CrossexamError("a file has all tables", where="--details", wanted="--details or -o, not both")
    trackers = [checked_tracker(name) for name in dict.fromkeys(track or ())]
    shown_items = options.chosen_items(items)
    chosen = verified_only if verified else by_status
    folders = [run for folder in runs for run in run_folders(folder)]
    base = _place_of(relative_to and run_folder(relative_to), folders)
    loaded = [chosen(run) for run in read_runs(folders)]
    asked = ReportOptions(
        items=shown_items,
        relative_to=base,
        alpha=alpha,
        training=options.training_pairs_of(loaded, index),
        max_unanswered=max_unanswered,
        calibration=calibration,
        temperature_from=read_runs(temperature_from or ()),
        threshold=_threshold_choice(threshold or (), threshold_per_set),
    )
    made = make_report(*loaded, options=asked)
    if output is not None:
        made.save(output)
    tracked = [line for name in trackers for line in _tracked(made, name)]
    if output is None:
        show(made.terminal(details=details))
        if not details:
            note("--details prints all tables, -o report.html writes the page")
    else:
        written(output, written_beside(output))
    for line in tracked:
        note(line)


def _tracked(made: Report, tracker: str) -> list[str]:
    """Write a report to a tracker, and return where it is, a line per model."""
    from crossexam.reports.tracking import track_report

    places = zip(made.results.models, track_report(made, tracker), strict=True)
    return [f"{tracker}: {model.name}: {place}" for model, place in places]


def _threshold_choice(texts: Sequence[str], per_set: bool) -> ThresholdChoice:
    """Return how the threshold is chosen that ``--threshold`` *texts* describe; raises CrossexamError."""
    from crossexam.evaluation.fact_checking import ThresholdChoice
    from crossexam.runs.saved import read_runs

    runs = [text.removeprefix(_DEV) for text in texts if text.startswith(_DEV)]
    if runs and len(runs) == len(texts):
        return ThresholdChoice(chosen_on=tuple(read_runs([copy_path(run) for run in runs])), per_set=per_set)
    try:
        (fixed,) = map(float, texts or ("0.5",))
    except ValueError:
        raise CrossexamError(
            f"'{' '.join(texts)}' is not a threshold",
            where="--threshold",
            wanted="one number above 0 and below 1, or dev:RUN, repeated for several models",
        ) from None
    return ThresholdChoice(fixed, per_set=per_set)


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
