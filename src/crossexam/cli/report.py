"""crossexam report: report the results of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crossexam.cli.console import note, progress_bar, show, written
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.places import copy_path
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.evaluation.seen_pairs import TrainingPairs, training_pairs
from crossexam.evaluation.verified import by_status, verified_only
from crossexam.options.results import Compare, Report
from crossexam.reports.parts import written_beside
from crossexam.reports.report import Report as Made
from crossexam.reports.report import check_formats, make_report
from crossexam.reports.results import ReportOptions
from crossexam.reports.tracking import track_report
from crossexam.runs.saved import read_runs, run_folder, run_folders
from crossexam.training.trackers import checked_tracker

#: Begins the name of a run over the development split.
_DEV: Final = "dev:"


def report(options: Report) -> None:
    """Report the results of one or more runs."""
    refuse_details(options)
    check_formats(options.output)
    trackers = [checked_tracker(name, files=True) for name in dict.fromkeys(options.track)]
    chosen = verified_only if options.verified else by_status
    folders = [run for folder in options.runs for run in run_folders(folder)]
    base = _place_of(options.relative_to and run_folder(options.relative_to), folders)
    loaded = [chosen(run) for run in read_runs(folders)]
    asked = ReportOptions.of(
        options,
        training=training_pairs_of(loaded, options.index),
        relative_to=base,
        temperature_from=read_runs(options.temperature_from),
        threshold=_threshold_choice(options.threshold, options.threshold_per_set),
    )
    made = make_report(*loaded, options=asked)
    for path in options.output:
        made.save(path)
    tracked = [line for name in trackers for line in _tracked(made, name)]
    for path in options.output:
        written(path, written_beside(path))
    if not options.output:
        show(made.terminal(details=options.details))
        if not options.details:
            note("--details prints all tables, -o report.html writes the page")
    for line in tracked:
        note(line)


def refuse_details(options: Report | Compare) -> None:
    """Raise CrossexamError if all tables are to be printed, but written to a file."""
    if options.details and options.output:
        raise CrossexamError("a file has all tables", where="--details", wanted="--details or -o, not both")


def training_pairs_of(runs: Sequence[Run], index: str | None) -> TrainingPairs | None:
    """Return the word pairs of the corpora *index*, None if there is no such option, with a progress bar."""
    if index is None:
        return None
    with progress_bar() as progress:
        return training_pairs(runs, index, progress=progress)


def _tracked(made: Made, tracker: str) -> list[str]:
    """Write a report to a tracker, and return where it is, a line per model."""
    places = zip(made.results.models, track_report(made, tracker), strict=True)
    return [f"{tracker}: {model.name}: {place}" for model, place in places]


def _threshold_choice(texts: Sequence[str], per_set: bool) -> ThresholdChoice:
    """Return how the threshold is chosen that ``--threshold`` *texts* describe; raises CrossexamError."""
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
