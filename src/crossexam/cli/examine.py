"""crossexam examine: build, run and report in one verb."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options


def examine(
    models: Annotated[list[str], typer.Argument(help="Models: see crossexam ls models.", metavar="MODEL...")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for everything.", metavar="DIR")],
    base: options.BasesOrNone = None,
    suite: Annotated[str, typer.Option(help="Suite or construction.")] = "stress-tests",
    word_problems: options.Problems = None,
    seed: options.Seed = 0,
    split: options.Part = "test",
    pairs: options.Pairs = None,
    index: options.TrainingIndex = None,
    controls: options.Controls = None,
    limit: options.Limit = None,
    tagger: options.TaggerSpec = "auto",
    entities: options.RecognizerSpec = "auto",
    parser: options.ParserSpec = "auto",
    tautology: options.Tautology = None,
    indirect: options.Indirect = False,
    as_published: options.AsPublished = False,
    adjectives: options.Adjectives = None,
    both_directions: options.BothDirections = False,
    columns: options.Columns = None,
    skip_bad: options.SkipBad = False,
    force: options.Force = False,
    batch_size: options.BatchSize = "auto",
    device: options.Device = "auto",
    dtype: options.Dtype = "float32",
    max_length: options.MaxLength = None,
    label_order: options.LabelOrder = None,
    revision: options.Revision = None,
    items: options.Items = None,
) -> None:
    """Build the tests from a base, run the models over them, print the table and write report.html.

    What is built and answered already is used again: an interrupted examination goes on where it was.
    """
    from crossexam.cli.build import BEHAVIOUR, CROSS_DATASET, build_behaviour, build_cross_dataset
    from crossexam.cli.console import note, progress_bar, show
    from crossexam.core.test_sets import load_suite
    from crossexam.reports.report import terminal_report, write_report
    from crossexam.runs.folder import save_run
    from crossexam.runs.run import predict_suite
    from crossexam.suites.build import Request, build_to_folder
    from crossexam.suites.table import suite_named

    options.refuse_foreign(suite, split=split, pairs=pairs, index=index, controls=controls)
    chosen = options.model_options(
        batch_size, device, dtype, max_length, label_order, revision, models=models
    )
    folder = output / "suite"
    if suite_named(suite).name == CROSS_DATASET:
        build_cross_dataset(base, folder, split, seed=seed, limit=limit, force=force)
    elif suite_named(suite).name == BEHAVIOUR:
        build_behaviour(
            options.bases_from(options.named_bases(base, suite), columns, skip_bad, limit),
            folder,
            pairs=pairs,
            index=index,
            controls=controls,
            seed=seed,
            tagger=tagger,
            limit=limit,
            force=force,
        )
    else:
        request = Request(
            suite_named(suite).name,
            options.bases_from(options.named_bases(base, suite), columns, skip_bad, limit),
            options.problems_from(word_problems, suite),
            seed=seed,
            tagger=tagger,
            recognizer=entities,
            parser=parser,
            tautology=tautology,
            indirect=indirect,
            as_published=as_published,
            adjectives=adjectives,
            both_directions=both_directions,
            limit=limit,
        )
        with progress_bar() as progress:
            if not build_to_folder(request, folder, force=force, progress=progress):
                note(f"{folder} holds this very suite already; it is used again")
    with progress_bar() as progress:
        built = load_suite(folder)
        runs = []
        for model in models:
            place = options.model_folder(output / "runs", model)
            run = predict_suite(model, built, store=place, options=chosen, progress=progress)
            save_run(run, place)
            runs.append(run)
    page = output / "report.html"
    write_report(runs, page, items_per_set=options.items_per_set(items))
    show(terminal_report(runs))
    note(f"the page: {page}")
