"""crossexam run: run a model over test sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import engines, options
from crossexam.core.places import copy_path, work_path


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
    limit: options.Limit = None,
    batch_size: options.BatchSize = "auto",
    device: options.Device = "auto",
    dtype: options.Dtype = "float32",
    max_length: options.MaxLength = None,
    label_order: options.LabelOrder = None,
    threshold: options.Threshold = None,
    revision: options.Revision = None,
    chunk: options.Chunk = None,
    aggregate: options.Combine = None,
    like: options.Like = None,
    values: options.ModelSettings = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace another run in the folder; stored predictions are kept.")
    ] = False,
    engine: engines.EngineSpec = "local",
    workers: engines.Workers = None,
    num_cpus: engines.CpusPerWorker = None,
    num_gpus: engines.GpusPerWorker = None,
) -> None:
    """Run a model over test sets. The same command resumes an interrupted run.

    A folder holds one run: further test sets are added to it if the model is the same.
    """
    from crossexam.cli.console import note, progress_bar, show, warn_of_gaps, written
    from crossexam.core.test_sets import read_suites
    from crossexam.models.chunking import chunking_of
    from crossexam.reports.report import terminal_report
    from crossexam.runs.folder import run_into_folder

    chosen = options.model_options(
        batch_size,
        device,
        dtype,
        max_length,
        label_order,
        revision,
        threshold=threshold,
        models=[model],
        settings=options.model_settings(values),
    )
    ask = engines.asking(engine, workers, num_cpus, num_gpus)
    suite = read_suites(tests)
    with progress_bar() as progress:
        answers = run_into_folder(
            model,
            suite,
            output,
            options=chosen,
            limit=limit,
            chunking=chunking_of(chunk, aggregate, like),
            force=force,
            progress=progress,
            ask=ask,
        )
    show(terminal_report([answers]))
    kept = [name for name in answers.datasets if name not in suite.datasets]
    if kept:
        note(f"{output} already had these test sets of the model, which are kept: {', '.join(kept)}")
    written(output)
    warn_of_gaps([answers])
