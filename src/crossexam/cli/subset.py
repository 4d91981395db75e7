"""crossexam subset: the examples of a corpus that a shallow model gets wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options
from crossexam.core.errors import CrossexamError


def subset(
    kind: Annotated[
        str,
        typer.Argument(
            help="cs: misclassified by a bag of words; hard: misclassified from the hypothesis alone.",
            metavar="cs|hard",
        ),
    ],
    base: options.BaseSpecs,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the test sets.", metavar="DIR")],
    model: Annotated[
        str | None,
        typer.Option(
            help="Shallow model. Default for cs: builtin/bag-of-words; hard needs a hypothesis-only model.",
            metavar="MODEL",
        ),
    ] = None,
    lambdas: Annotated[
        list[float] | None,
        typer.Option(
            "--lambda",
            help="Only cs: least probability of a wrong label; repeatable. Default: 0.5, 0.6, 0.7.",
            metavar="LAMBDA",
        ),
    ] = None,
    limit: options.Limit = None,
    columns: options.Columns = None,
    skip_bad: options.SkipBad = False,
    force: options.Force = False,
) -> None:
    """Write the examples of a corpus that a shallow model gets wrong, and the whole corpus, as test sets."""
    from crossexam.cli.console import note, progress_bar, show, written, yield_summary
    from crossexam.core.test_sets import load_suite
    from crossexam.suites.lexically_misleading import LAMBDAS
    from crossexam.suites.subsets import SubsetRequest, write_subsets

    if kind == "hard" and model is None:
        raise CrossexamError(
            "the subset 'hard' needs a hypothesis-only model",
            wanted="--model MODEL",
            hint="train one with crossexam train bag-of-words --set premise=false --set pairs=false "
            "--set content=false --set bigrams=true ... -o FOLDER, then give --model bow/FOLDER",
        )
    if kind != "cs" and lambdas:
        raise CrossexamError("--lambda is only for the subset 'cs'", hint="leave out --lambda")
    request = SubsetRequest(
        kind,
        options.bases_from(base, columns, skip_bad, limit),
        model or "builtin/bag-of-words",
        tuple(dict.fromkeys(lambdas or LAMBDAS)),
        limit=limit,
    )
    with progress_bar() as progress:
        if not write_subsets(request, output, force=force, progress=progress):
            note(f"{output} already has these subsets")
    show(yield_summary({dataset.name: dataset.manifest for dataset in load_suite(output)}))
    written(output)
