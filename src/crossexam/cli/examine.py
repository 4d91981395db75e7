"""crossexam examine: build, run and report in one command.

crossexam demo is the same for the built-in corpus and models, without any download and without torch.
"""

from __future__ import annotations

from itertools import compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.cli import engines, options
from crossexam.core.outcome import MAX_UNANSWERED, check_max_unanswered
from crossexam.core.places import work_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crossexam.models.chunking import Chunking
    from crossexam.models.model import Model, Pair
    from crossexam.suites.build import SuiteRequest


def examine(
    models: Annotated[list[str], typer.Argument(help="Models: see crossexam ls models.", metavar="MODEL...")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", parser=work_path, help="Folder for all output, or a URL.", metavar="DIR"
        ),
    ],
    base: options.BasesOrNone = None,
    suite: Annotated[
        str | None, typer.Option(help="Suite or construction. Default: the stress tests.")
    ] = None,
    word_problems: options.Problems = None,
    settings: options.Settings = None,
    short_forms: options.ShortForms = None,
    seed: options.Seed = 0,
    limit: options.Limit = None,
    per_key: options.PerKey = None,
    tagger: options.TaggerSpec = "auto",
    entities: options.RecognizerSpec = "auto",
    parser: options.ParserSpec = "auto",
    columns: options.Columns = None,
    labels: options.AllLabels = None,
    skip_bad: options.SkipBad = False,
    allow_loss: options.AllowLoss = False,
    force: options.Force = False,
    batch_size: options.BatchSize = "auto",
    device: options.Device = "auto",
    dtype: options.Dtype = None,
    max_length: options.MaxLength = None,
    label_order: options.LabelOrder = None,
    threshold: options.Threshold = None,
    revision: options.Revision = None,
    chunk: options.Chunk = None,
    aggregate: options.Combine = None,
    like: options.Like = None,
    again: options.Again = None,
    max_unanswered: options.MaxUnanswered = MAX_UNANSWERED,
    items: options.Items = None,
    engine: engines.EngineSpec = "local",
    workers: engines.Workers = None,
    num_cpus: engines.CpusPerWorker = None,
    num_gpus: engines.GpusPerWorker = None,
) -> None:
    """Build test sets from a base, run models over them, print the results and write report.html.

    The same command resumes an interrupted examination: finished test sets and predictions are reused.
    """
    from crossexam.cli.build import build_and_show, requested
    from crossexam.cli.console import progress_bar, show, warn_of_gaps, written
    from crossexam.core.settings import parse_option_settings
    from crossexam.core.test_sets import read_suite
    from crossexam.models.chunking import chunking_of
    from crossexam.models.table import MODELS, check_packages, open_model
    from crossexam.reports.parts import written_beside
    from crossexam.reports.report import terminal_report, write_report
    from crossexam.runs.folder import run_into_folder
    from crossexam.suites.table import DEFAULT_SUITE

    triples = parse_option_settings(settings or ())
    of_models = [triple for triple in triples if triple[0] in MODELS]
    chosen = options.model_options(
        models,
        batch_size=batch_size,
        device=device,
        dtype=dtype,
        max_length=max_length,
        label_order=label_order,
        threshold=threshold,
        revision=revision,
        of_base={"labels": labels},
        settings=of_models,
    )
    chunking = chunking_of(chunk, aggregate, like)
    asked_again = options.statuses(again)
    check_max_unanswered(max_unanswered)
    shown_items = options.chosen_items(items)
    folders = options.model_folders(output / "runs", models)
    opened = [open_model(model, chosen) for model in models]
    # Packages are looked for before building; workers elsewhere, and answers that are stored, need none here.
    for model in models:
        if engine == "local" and not folders[model].exists():
            check_packages(model)
    request = requested(
        suite or DEFAULT_SUITE,
        base,
        word_problems=word_problems,
        settings=[triple for triple in triples if triple[0] not in MODELS],
        short_forms=short_forms,
        reading=options.reading_options(columns, labels, skip_bad, allow_loss),
        limit=limit,
        per_key=per_key,
        seed=seed,
        tagger=tagger,
        recognizer=entities,
        parser=parser,
        engine=engines.building_engine(engine, workers, num_cpus, num_gpus),
    )
    # On this machine --workers is for building: a model has all cores to itself.
    ask = engines.asking(engine, None if engine == "local" else workers, num_cpus, num_gpus)
    if engine == "local":
        is_new = [not folders[name].exists() for name in models]
        _try_functions(list(compress(opened, is_new)), request, chunking)
    folder = output / "suite"
    build_and_show(request, folder, force=force)
    with progress_bar() as progress:
        built = read_suite(folder)
        runs = []
        for name in models:
            run = run_into_folder(
                opened.pop(0),  # so that it does not stay in memory
                built,
                folders[name],
                options=chosen,
                chunking=chunking,
                force=force,
                progress=progress,
                ask=ask,
                again=asked_again,
            )
            runs.append(run)
    page = output / "report.html"
    write_report(runs, page, items=shown_items, max_unanswered=max_unanswered)
    show(terminal_report(runs, max_unanswered=max_unanswered))
    written(page, written_beside(page), what="report")
    warn_of_gaps(runs)


#: Pairs of the base about which a function is asked before anything is built.
_TRIED: Final = 2


def _try_functions(models: Sequence[Model], request: SuiteRequest, chunking: Chunking | None) -> None:
    """Ask the functions among *models* about two pairs of the base; raises what they or their answers raise.

    So a function whose answers cannot be read fails before the suite is built.  These answers are not kept.
    """
    from crossexam.cli.console import note
    from crossexam.models.chunking import in_chunks
    from crossexam.models.function import FunctionModel

    functions = [model for model in models if isinstance(model, FunctionModel)]
    pairs: list[Pair] = []
    for base in request.bases if functions else ():
        if base.has_pairs:
            pairs += [(each.premise, each.hypothesis) for each in islice(base.open(), _TRIED - len(pairs))]
    for model in functions:
        if model.words.declared.get("true", "entailment") != "entailment":
            note(
                f"{model.name}: its answer True means {model.words.declared['true'] or 'no gold label'}, as "
                "--labels says; --set py.labels=none keeps True for entailment"
            )
        (model if chunking is None else in_chunks(model, chunking)).predict(pairs)


#: Two baselines and a model that is good on the base, and breaks.
_DEMO_MODELS: Final = ("builtin/minilm", "builtin/overlap", "builtin/bag-of-words")


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for all output.", metavar="DIR")
    ] = Path("crossexam-demo"),
    force: options.Force = False,
) -> None:
    """Build all stress tests from the built-in corpus, run three built-in models and write report.html."""
    examine(
        list(_DEMO_MODELS),
        base=["builtin:demo"],
        output=output,
        word_problems=["builtin:word_problems"],
        tagger="parses",
        entities="auto",
        short_forms=["--tautology=green is not red"],
        force=force,
    )
