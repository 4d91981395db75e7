"""The steps of a reproduction that trains models, and its command line.

Checkpoints, test sets and runs are written to a working folder.  *train*, *build* and *run* are commands of
crossexam; *run* also writes the predictions and all else that is known of each row into ``results/``.
*judge* makes RESULTS.md of these files and of the suite, which it builds if need be: it needs no model.
Steps that are finished are skipped, and interrupted ones are resumed.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from commands import carry_out, recorded_seconds, shown
from page import write
from results import read_results, store
from study import (
    BUILT,
    Study,
    Trained,
    Training,
    command_of,
    is_run,
    is_trained,
    models,
    read_study,
    trainings,
)

from crossexam.core.dataset import Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.test_sets import read_suite

STEPS = ("train", "build", "run", "judge")


def train(study: Study, work: Path, names: Sequence[str] = ()) -> None:
    """Carry out the trainings that are not finished."""
    for training in trainings(study, names):
        if not is_trained(work, training):
            carry_out(command_of(study, training), work)


def build(study: Study, work: Path, more: Sequence[str] = ()) -> None:
    """Build the suite; the command itself does nothing if the suite is there, and replaces another one."""
    words = [*shlex.split(study.build), *more, "--force"]
    carry_out(words, work)
    (work / BUILT).write_text(shown(words), encoding="utf-8")


def run(study: Study, work: Path, names: Sequence[str] = ()) -> None:
    """Run the trained models over the suite, and store their results.

    Predictions for pairs that were asked before are reused.
    """
    for name in names or study.rows:
        for model in models(study, [name]):
            ready = all(is_trained(work, training) for training in model.trainings)
            if ready and not is_run(study, work, model):
                words = ["crossexam", "run", model.model, study.suite, "-o", model.run_folder]
                carry_out([*words, "--force"], work)
        store(study, work, name)


def judge(
    study: Study, work: Path, sections: Callable[[Suite, Path], list[str]] = lambda suite, work: []
) -> Path:
    """Write RESULTS.md from results/ and the suite, with further *sections*; return its path."""
    suite = read_suite(work / study.suite)
    return write(study, read_results(study, suite), sections(suite, work))


def describe(study: Study, work: Path, names: Sequence[str] = (), only: Sequence[str] = STEPS) -> str:
    """Return what remains to be trained and run, and how long training takes by the records.

    Steps that are not among *only* are left out; empty if both are.
    """
    every = list(trainings(study, names))
    told = {"train": _to_train(study, work, every), "run": _to_run(work, models(study, names))}
    chosen = "; ".join(told[step] for step in told if step in only)
    return f"{study.study}: {chosen}" if chosen else ""


def _to_train(study: Study, work: Path, every: Sequence[Training]) -> str:
    left = [training for training in every if not is_trained(work, training)]
    times = [recorded_seconds(training.row.architecture, study.data) for training in left]
    hours = sum(time or 0.0 for time in times) / 3600
    unknown = f", {times.count(None)} of them without a record" if None in times else ""
    return (
        f"{len(left)} of {len(every)} trainings remain, about {hours:.1f} hours on one core "
        f"by the records in reproductions/zoo/results{unknown}"
    )


def _to_run(work: Path, every: Sequence[Trained]) -> str:
    waiting = sum(not ((work / each.run_folder / "manifest.json").exists()) for each in every)
    return f"{waiting} of {len(every)} models have not been run"


def main(
    folder: Path,
    about: str,
    *,
    prepare: Callable[[Path], list[str]] = lambda work: [],
    sections: Callable[[Suite, Path], list[str]] = lambda suite, work: [],
) -> None:
    """Carry out the steps of the study in *folder* that the command line names.

    *prepare* makes what the suite is built from, and returns further options of `build`; *sections* makes
    further parts of RESULTS.md from the suite and the working folder.
    """
    given = _arguments(about)
    try:
        _carry_out_steps(folder, given, prepare, sections)
    except CrossexamError as error:
        sys.exit(f"error: {error}")


def _carry_out_steps(
    folder: Path,
    given: argparse.Namespace,
    prepare: Callable[[Path], list[str]],
    sections: Callable[[Suite, Path], list[str]],
) -> None:
    study = read_study(folder)
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    remaining = describe(study, work, given.rows, given.only)
    print("\n".join(filter(None, (f"steps: {', '.join(given.only)}", remaining))), flush=True)
    if "train" in given.only:
        train(study, work, given.rows)
    if {"build", "judge"} & set(given.only):
        limit = ["--limit", str(given.limit)] if given.limit else []
        build(study, work, [*prepare(work), *limit])
    if "run" in given.only:
        run(study, work, given.rows)
    if "judge" in given.only:
        print(f"written: {judge(study, work, sections)}")


def _arguments(about: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="rows of study.toml to train and run; default: all")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints, test sets and runs")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=STEPS, help="steps; default: all")
    parser.add_argument("--limit", type=int, help="build from the first N examples of each base")
    return parser.parse_args()
