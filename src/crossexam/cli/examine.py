"""crossexam examine: build, run and report in one command.

crossexam demo is the same for the built-in corpus and models, without any download and without torch.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, Final

from crossexam.cli.build import build_and_show, refuse_unread, requested
from crossexam.cli.console import note, show, warn_of_conversion, written
from crossexam.cli.model_runs import PlannedRun, RunMaker, chunking_for, required_server
from crossexam.cli.models import by_template, model_folders, options_for, statuses, without_key
from crossexam.cli.questions import with_answers
from crossexam.core.dataset import Run
from crossexam.core.outcome import check_max_unanswered
from crossexam.core.settings import parse_option_settings
from crossexam.core.test_sets import read_suite
from crossexam.engines.table import DEFAULT
from crossexam.models.chunking import Chunking, in_chunks
from crossexam.models.function import FunctionModel
from crossexam.models.model import Model, Pair
from crossexam.models.table import MODELS, check_packages, kinds_of, open_model
from crossexam.options.build import Demo, Examine
from crossexam.options.engines import engine_of
from crossexam.options.groups import Where, model_values
from crossexam.reports.parts import written_beside
from crossexam.reports.report import make_report
from crossexam.reports.results import ItemChoice, ReportOptions
from crossexam.runs.folder import OtherRunError
from crossexam.runs.saved import run_folders
from crossexam.runs.workers import asking_of
from crossexam.suites.plan import SuiteRequest
from crossexam.suites.table import DEFAULT_SUITE


def examine(options: Examine) -> None:
    """Build test sets from a base, run models over them, print the results and write report.html."""
    with_answers(options, _examine)


def _examine(options: Examine) -> None:
    models, output, is_local = options.models, options.output, options.engine == DEFAULT
    triples = parse_option_settings(options.settings)
    settings = [triple for triple in triples if triple[0] in MODELS]
    chosen = partial(options_for, models, of_base={"labels": options.labels}, settings=settings)
    chunking = chunking_for(options)
    asked_again = statuses(options.again)
    check_max_unanswered(options.max_unanswered)
    values = model_values(options)
    planned = _planned(models, output, without_key(models, values) if options.dry_run else values, chosen)
    if options.dry_run:
        opened = [each.model for each in chain(*planned) if not isinstance(each.model, str)]
        required_server(opened, "--dry-run")
    elif is_local:
        _check_packages(models, planned)
    others = [triple for triple in triples if triple[0] not in MODELS]
    request = requested(options.suite or DEFAULT_SUITE, options, others)
    refuse_unread(request, but=["labels"])  # which are of answers, too
    # On this machine --workers is for building: a model has all cores to itself.
    ask = asking_of(engine_of(Where() if is_local else options, note=note))
    if is_local and not options.dry_run:
        new = [each.model for each in chain(*planned) if not each.folder.exists()]
        _try_functions(new, request, chunking)
    folder = output / "suite"
    build_and_show(request, folder, force=options.force, shown="total")
    built, repeat = read_suite(folder), options.repeat or 0
    maker = RunMaker(built, ask, None, chunking, repeat, force=options.force, again=asked_again)
    if options.dry_run:
        maker.show_forecasts(list(chain(*planned)))
        return
    folders = [each.folder for each in chain(*planned)]
    runs = [run for of_model in planned for run in _runs(maker, of_model, folder)]
    page = output / "report.html"
    _report(runs, page, options.items, options.max_unanswered)
    left_out = set(run_folders(output)).difference(folders)
    if left_out:
        names = ", ".join(sorted(each.name for each in left_out))
        note(f"the report leaves out earlier runs ({names}); crossexam report {output} -o {page} shows all")


def _planned(
    models: Sequence[str],
    output: Path,
    flags: Mapping[str, Any],
    options_with: Callable[..., dict[str, Any]],
) -> list[list[PlannedRun]]:
    """Return the runs of each of *models*, opened before it is known about what they are asked.

    Models that take templates have a run for each that *flags* name; raises CrossexamError.
    """
    planned = []
    for model, folder in model_folders(output / "runs", models).items():
        has_template = any("template" in kind.option_names for kind in kinds_of([model]).values())
        variants = by_template(flags, folder) if has_template else [(dict(flags), folder)]
        of_model = []
        for more, place in variants:
            chosen = options_with(more)
            opened = open_model(model, chosen, tests=None)
            of_model.append(
                PlannedRun(opened, chosen, place, more["template"] if len(variants) > 1 else None)
            )
        planned.append(of_model)
    return planned


def _check_packages(models: Sequence[str], planned: Sequence[Sequence[PlannedRun]]) -> None:
    """Raise MissingExtraError if a model needs a package that is missing; stored answers need none."""
    for model, of_model in zip(models, planned, strict=True):
        if not all(each.folder.exists() for each in of_model):
            check_packages(model)


def _runs(maker: RunMaker, planned: MutableSequence[PlannedRun], suite: Path) -> Iterator[Run]:
    """Yield the runs of one model that are *planned* over the suite in the folder *suite*.

    Raises what they raise; where another version of the model was run, with the command that keeps both.
    """
    try:
        yield from maker.runs(planned)
    except OtherRunError as error:
        others = (error.folder.with_name(f"{error.folder.name}-{number}") for number in count(2))
        beside = next(each for each in others if not each.exists())
        command = shlex.join(["crossexam", "run", error.model, str(suite), "-o", str(beside)])
        hint = f"{command}, with the options of the model, keeps both runs; --force replaces the one there"
        raise error.placed(error.where or "", hint=hint) from None


def _report(runs: Sequence[Run], page: Path, items: ItemChoice, max_unanswered: float) -> None:
    """Write the report of *runs* to *page*, and print it."""
    made = make_report(*runs, options=ReportOptions(items=items, max_unanswered=max_unanswered))
    made.save(page)
    show(made.terminal())
    written(page, written_beside(page), what="report")
    warn_of_conversion(runs)


#: Pairs of the base about which a function is asked before anything is built.
_TRIED: Final = 2


def _try_functions(models: Sequence[str | Model], request: SuiteRequest, chunking: Chunking | None) -> None:
    """Ask the functions among *models* about two pairs of the base; raises what they or their answers raise.

    So a function whose answers cannot be read fails before the suite is built.  These answers are not kept.
    """
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


#: A model that is good on the base, and breaks, and a baseline.
_DEMO_MODELS: Final = ("builtin/minilm", "builtin/bag-of-words")


def demo(options: Demo) -> None:
    """Build all stress tests from built-in pairs, run two built-in models and write report.html."""
    import webbrowser

    examine(
        Examine(
            models=_DEMO_MODELS,
            base=("builtin:scenes",),
            output=options.output,
            word_problems=("builtin:word_problems",),
            tautology="green is not red",
            force=options.force,
        )
    )
    page = options.output / "report.html"
    if options.open and not webbrowser.open(page.absolute().as_uri()):
        note(f"no browser was found; open {page} in one")
