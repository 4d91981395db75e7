"""crossexam run: run a model over test sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options


def run(
    model: Annotated[str, typer.Argument(help="A model: see crossexam ls models.", metavar="MODEL")],
    tests: Annotated[
        list[Path], typer.Argument(help="Suites (folders) or test sets (files).", metavar="DIR|FILE...")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for the predictions.", metavar="RUN")
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
) -> None:
    """Run a model over test sets. The same command resumes an interrupted run."""
    from crossexam.cli.console import progress_bar, show, warn_of_truncation, written
    from crossexam.core.test_sets import read_suites
    from crossexam.models.chunking import chunking_of
    from crossexam.reports.report import terminal_report
    from crossexam.runs.folder import refuse_other_run, save_run
    from crossexam.runs.run import predict_suite

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
    chunking = chunking_of(chunk, aggregate, like)
    refuse_other_run(model, output)
    with progress_bar() as progress:
        answers = predict_suite(
            model,
            read_suites(tests),
            store=output,
            options=chosen,
            chunking=chunking,
            limit=limit,
            progress=progress,
        )
        save_run(answers, output)
    show(terminal_report([answers]))
    written(output)
    warn_of_truncation([answers])
