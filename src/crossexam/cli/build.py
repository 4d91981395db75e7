"""crossexam build: make test sets from a base."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options


def build(
    suite: Annotated[
        str, typer.Argument(help="A suite or a construction: see crossexam ls.", metavar="SUITE|CONSTRUCTION")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the test sets.", metavar="DIR")],
    base: options.BasesOrNone = None,
    word_problems: options.Problems = None,
    seed: options.Seed = 0,
    split: options.Part = "test",
    pairs: options.Pairs = None,
    index: options.TrainingIndex = None,
    controls: options.Controls = None,
    limit: options.Limit = None,
    file_format: Annotated[str, typer.Option("--format", help="parquet or jsonl.")] = "parquet",
    annotator: options.AnnotatorSpec = "auto",
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
) -> None:
    """Build the test sets of a suite, or of one construction, from one or several bases."""
    from crossexam.cli.behaviour_screen import BEHAVIOUR, build_behaviour
    from crossexam.cli.cross_dataset_screen import CROSS_DATASET, build_cross_dataset
    from crossexam.cli.screen import note, progress_bar, show, written, yield_table
    from crossexam.core.files import read_json
    from crossexam.suites.building import Request, build_to_folder
    from crossexam.suites.table import suite_named

    kind = suite_named(suite)
    options.refuse_foreign(kind.name, split=split, pairs=pairs, index=index, controls=controls)
    if kind.name == CROSS_DATASET:
        build_cross_dataset(base, output, split, seed=seed, limit=limit, file_format=file_format, force=force)
        return
    bases = options.bases_from(options.named_bases(base, suite), columns, skip_bad, limit)
    if kind.name == BEHAVIOUR:
        build_behaviour(
            bases,
            output,
            pairs=pairs,
            index=index,
            controls=controls,
            seed=seed,
            annotator=annotator,
            limit=limit,
            force=force,
            file_format=file_format,
        )
        return
    request = Request(
        kind.name,
        bases,
        options.problems_from(word_problems, kind.name),
        seed=seed,
        file_format=file_format,
        annotator=annotator,
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
        built = build_to_folder(request, output, force=force, progress=progress)
    if not built:
        note(f"{output} holds this very suite already; nothing was built")
    for each in (*request.bases, *request.problems):
        dropped = each.report.summary()
        if dropped:
            note(f"{each.spec}: {dropped}")
    show(yield_table(read_json(output / "manifest.json")["test_sets"]))
    written(output)
