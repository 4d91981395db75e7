"""crossexam run: run a model over test sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossexam.cli import engines, options
from crossexam.cli.model_flags import ModelFlags, by_template, flag_values
from crossexam.cli.model_runs import (
    DryRun,
    PlannedRun,
    Repeat,
    RunMaker,
    refuse_repeated_chunks,
    required_server,
    without_key,
)
from crossexam.core.errors import CrossexamError
from crossexam.core.places import copy_path, work_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crossexam.core.dataset import Run, Suite
    from crossexam.models.chunking import Chunking
    from crossexam.models.model import Model


def run(
    model: Annotated[str, typer.Argument(help="A model: see crossexam ls models.", metavar="MODEL")],
    tests: Annotated[
        list[Path],
        typer.Argument(
            parser=copy_path,
            help="Suites (folders) or test sets (files), or their URLs.",
            metavar="DIR|FILE...",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", parser=work_path, help="Folder for the predictions, or a URL.", metavar="RUN"
        ),
    ],
    only: options.Only = None,
    limit: options.RunLimit = None,
    batch_size: options.BatchSize = "auto",
    device: options.Device = "auto",
    dtype: options.Dtype = None,
    max_length: options.MaxLength = None,
    label_order: options.LabelOrder = None,
    threshold: options.Threshold = None,
    labels: options.AnswerLabels = None,
    columns: options.AnswerColumns = None,
    revision: options.Revision = None,
    chunk: options.Chunk = None,
    aggregate: options.Combine = None,
    like: options.Like = None,
    values: options.ModelSettings = None,
    again: options.Again = None,
    model_flags: ModelFlags = None,
    dry_run: DryRun = False,
    batch_out: Annotated[
        Path | None,
        typer.Option("--batch-out", help="Write the requests as a batch file; send nothing.", metavar="FILE"),
    ] = None,
    repeat: Repeat = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace another run in the folder; stored predictions are kept.")
    ] = False,
    engine: engines.EngineSpec = "local",
    workers: engines.Workers = None,
    num_cpus: engines.CpusPerWorker = None,
    num_gpus: engines.GpusPerWorker = None,
) -> None:
    """Run a model over test sets. The same command resumes an interrupted run.

    A folder holds one run: further test sets are added to it if the model is the same. With several
    templates, it holds a folder with a run for each.
    """
    from crossexam.core.test_sets import read_suites
    from crossexam.models.chunking import chunking_of
    from crossexam.models.table import open_model

    ask = engines.asking(engine, workers, num_cpus, num_gpus)
    asked_again = options.statuses(again)
    chunking = chunking_of(chunk, aggregate, like)
    refuse_repeated_chunks(repeat, chunking)
    flags = flag_values(model_flags)
    if dry_run or batch_out is not None:
        flags = without_key([model], flags)
    variants = by_template(flags, output)
    if batch_out is not None and len(variants) > 1:
        raise CrossexamError("a batch file has one prompt per pair", wanted="--batch-out with one --template")
    planned = []
    for more, folder in variants:
        chosen = options.model_options(
            [model],
            batch_size=batch_size,
            device=device,
            dtype=dtype,
            max_length=max_length,
            label_order=label_order,
            threshold=threshold,
            revision=revision,
            more={**more, "labels": labels, "columns": columns},
            settings=options.model_settings(values),
        )
        planned.append(PlannedRun(model, chosen, folder, more["template"] if len(variants) > 1 else None))
    suite = read_suites(tests).only(only or ())
    maker = RunMaker(suite, ask, limit, chunking, repeat or 0, force=force, again=asked_again)
    if dry_run:
        required_server([open_model(model, planned[0].options, tests=suite)], "--dry-run")
        maker.show_forecasts(planned)
        return
    if batch_out is not None:
        opened = open_model(model, planned[0].options, tests=suite)
        _write_batch(opened, suite, output, chunking, limit, batch_out)
        return
    _show(list(maker.runs(planned)), suite, output)


def _show(runs: Sequence[Run], suite: Suite, output: Path) -> None:
    """Show the results of *runs*, where they are, and what they leave open."""
    from crossexam.cli.console import note, show, warn_of_gaps, written
    from crossexam.reports.report import make_report

    show(make_report(*runs).terminal())
    kept = [name for name in runs[0].datasets if name not in suite.datasets]
    if kept:
        note(f"{output} already had these test sets of the model, which are kept: {', '.join(kept)}")
    written(output)
    warn_of_gaps(runs)


def _write_batch(
    model: Model, suite: Suite, folder: Path, chunking: Chunking | None, limit: int | None, path: Path
) -> None:
    """Write the requests about the probe and the pairs that *folder* lacks as batch files."""
    from crossexam.cli.console import note, written
    from crossexam.models.api.batch_files import write_batch_files
    from crossexam.models.chunking import in_chunks
    from crossexam.runs.run import pairs_to_ask

    asked = required_server([model], "--batch-out")
    waiting = pairs_to_ask(model if chunking is None else in_chunks(model, chunking), suite, folder, limit)
    files = write_batch_files(path, asked.batch_requests(waiting))
    for file in files:
        written(file)
    if files:
        note("send it as a batch, then repeat the command with --batch-in OUTPUT in place of --batch-out")
    else:
        note("all pairs are answered: no batch file was written")
