"""The steps of a reproduction that trains models, and its command line.

Checkpoints, test sets and runs are written to a working folder.  *train*, *build* and *run* are commands of
crossexam, *collect* writes ``results/`` from the rows that have been trained and run, and *write* makes
RESULTS.md of these files alone.  Steps that are finished are skipped, and interrupted ones are resumed.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from commands import carry_out, recorded_seconds, shown
from page import write
from results import collect
from study import BUILT, Study, Training, command_of, is_run, is_trained, read_study, trainings

from crossexam.core.files import read_json, write_json

STEPS = ("train", "build", "run", "collect", "write")


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
    """Run the trained models over the suite; predictions for pairs that were asked before are reused."""
    for training in trainings(study, names):
        if is_trained(work, training) and not is_run(study, work, training):
            words = ["crossexam", "run", f"zoo/{training.folder}", study.suite, "-o", training.run_folder]
            carry_out([*words, "--force"], work)


def describe(study: Study, work: Path, names: Sequence[str] = (), only: Sequence[str] = STEPS) -> str:
    """Return what remains to be trained and run, and how long training takes by the records.

    Steps that are not among *only* are left out; empty if both are.
    """
    every = list(trainings(study, names))
    told = {"train": _to_train(study, work, every), "run": _to_run(work, every)}
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


def _to_run(work: Path, every: Sequence[Training]) -> str:
    waiting = sum(not ((work / each.run_folder / "manifest.json").exists()) for each in every)
    return f"{waiting} of {len(every)} models have not been run"


def main(
    folder: Path,
    about: str,
    *,
    prepare: Callable[[Path], list[str]] = lambda work: [],
    figures: Callable[[Study, Path], dict[str, Any]] = lambda study, work: {},
    sections: Callable[[dict[str, Any]], list[str]] = lambda figures: [],
) -> None:
    """Carry out the steps of the study in *folder* that the command line names.

    *prepare* makes what the suite is built from, and returns further options of `build`; *figures* returns
    further results from the working folder, of which *sections* makes further parts of RESULTS.md.
    """
    given = _arguments(about)
    study = read_study(folder)
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    remaining = describe(study, work, given.rows, given.only)
    print("\n".join(filter(None, (f"steps: {', '.join(given.only)}", remaining))), flush=True)
    if "train" in given.only:
        train(study, work, given.rows)
    if "build" in given.only:
        limit = ["--limit", str(given.limit)] if given.limit else []
        build(study, work, [*prepare(work), *limit])
    if "run" in given.only:
        run(study, work, given.rows)
    if "collect" in given.only:
        collect(study, work)
        write_json(folder / "results" / "figures.json", figures(study, work))
    if "write" in given.only:
        path = write(study, sections(read_json(folder / "results" / "figures.json")))
        print(f"written: {path}")


def _arguments(about: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="rows of study.toml to train and run; default: all")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints, test sets and runs")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=STEPS, help="steps; default: all")
    parser.add_argument("--limit", type=int, help="build from the first N examples of each base")
    return parser.parse_args()
