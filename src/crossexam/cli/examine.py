"""crossexam examine: build, run and report in one command.

crossexam demo is the same for the built-in corpus and models, without any download and without torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

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
from crossexam.core.outcome import MAX_UNANSWERED, check_max_unanswered
from crossexam.core.places import work_path

if TYPE_CHECKING:
    from crossexam.core.dataset import Run
    from crossexam.models.chunking import Chunking
    from crossexam.models.model import Model, Pair
    from crossexam.reports.results import ItemChoice
    from crossexam.suites.plan import SuiteRequest


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
    model_flags: ModelFlags = None,
    dry_run: DryRun = False,
    repeat: Repeat = None,
    max_unanswered: options.MaxUnanswered = MAX_UNANSWERED,
    items: options.Items = None,
    engine: engines.EngineSpec = "local",
    workers: engines.Workers = None,
    num_cpus: engines.CpusPerWorker = None,
    num_gpus: engines.GpusPerWorker = None,
) -> None:
    """Build test sets from a base, run models over them, print the results and write report.html.

    The same command resumes an interrupted examination: finished test sets and predictions are reused.
    --dry-run builds the test sets, and runs no model.
    """
    from crossexam.cli.build import build_and_show, refuse_unread, requested
    from crossexam.core.settings import parse_option_settings
    from crossexam.core.test_sets import read_suite
    from crossexam.models.chunking import chunking_of
    from crossexam.models.table import MODELS
    from crossexam.suites.table import DEFAULT_SUITE

    triples = parse_option_settings(settings or ())
    flags = flag_values(model_flags)
    chosen = partial(
        options.model_options,
        models,
        batch_size=batch_size,
        device=device,
        dtype=dtype,
        max_length=max_length,
        label_order=label_order,
        threshold=threshold,
        revision=revision,
        of_base={"labels": labels},
        settings=[triple for triple in triples if triple[0] in MODELS],
    )
    chunking = chunking_of(chunk, aggregate, like)
    refuse_repeated_chunks(repeat, chunking)
    asked_again = options.statuses(again)
    check_max_unanswered(max_unanswered)
    shown_items = options.chosen_items(items)
    planned = _planned(models, output, without_key(models, flags) if dry_run else flags, chosen)
    if dry_run:
        opened = [each.model for each in chain(*planned) if not isinstance(each.model, str)]
        required_server(opened, "--dry-run")
    elif engine == "local":
        _check_packages(models, planned)
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
    refuse_unread(request, but=["labels"])  # which are of answers, too
    # On this machine --workers is for building: a model has all cores to itself.
    ask = engines.asking(engine, None if engine == "local" else workers, num_cpus, num_gpus)
    if engine == "local" and not dry_run:
        new = [each.model for each in chain(*planned) if not each.folder.exists()]
        _try_functions(new, request, chunking)
    folder = output / "suite"
    build_and_show(request, folder, force=force, shown="total")
    built = read_suite(folder)
    maker = RunMaker(built, ask, None, chunking, repeat or 0, force=force, again=asked_again)
    if dry_run:
        maker.show_forecasts(list(chain(*planned)))
        return
    runs = [run for of_model in planned for run in maker.runs(of_model)]
    _report(runs, output / "report.html", shown_items, max_unanswered)


def _planned(
    models: Sequence[str],
    output: Path,
    flags: Mapping[str, str],
    options_with: Callable[..., dict[str, Any]],
) -> list[list[PlannedRun]]:
    """Return the runs of each of *models*, opened before it is known about what they are asked.

    Models that take templates have a run for each that *flags* name; raises CrossexamError.
    """
    from crossexam.models.table import kinds_of, open_model

    planned = []
    for model, folder in options.model_folders(output / "runs", models).items():
        has_template = any("template" in kind.option_names for kind in kinds_of([model]).values())
        variants = by_template(flags, folder) if has_template else [(dict(flags), folder)]
        of_model = []
        for more, place in variants:
            chosen = options_with(more=more)
            opened = open_model(model, chosen, tests=None)
            of_model.append(
                PlannedRun(opened, chosen, place, more["template"] if len(variants) > 1 else None)
            )
        planned.append(of_model)
    return planned


def _check_packages(models: Sequence[str], planned: Sequence[Sequence[PlannedRun]]) -> None:
    """Raise MissingExtraError if a model needs a package that is missing; stored answers need none."""
    from crossexam.models.table import check_packages

    for model, of_model in zip(models, planned, strict=True):
        if not all(each.folder.exists() for each in of_model):
            check_packages(model)


def _report(runs: Sequence[Run], page: Path, items: ItemChoice, max_unanswered: float) -> None:
    """Write the report of *runs* to *page*, and print it."""
    from crossexam.cli.console import show, warn_of_gaps, written
    from crossexam.reports.parts import written_beside
    from crossexam.reports.report import make_report
    from crossexam.reports.results import ReportOptions

    made = make_report(*runs, options=ReportOptions(items=items, max_unanswered=max_unanswered))
    made.save(page)
    show(made.terminal())
    written(page, written_beside(page), what="report")
    warn_of_gaps(runs)


#: Pairs of the base about which a function is asked before anything is built.
_TRIED: Final = 2


def _try_functions(models: Sequence[str | Model], request: SuiteRequest, chunking: Chunking | None) -> None:
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
