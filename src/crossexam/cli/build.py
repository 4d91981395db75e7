"""crossexam build: build test sets from a base."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from crossexam.cli import engines, options
from crossexam.core.places import work_path

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.core.manifest import TestSetEntry
    from crossexam.suites.plan import Overview, SuiteRequest


def build(
    suite: Annotated[
        str, typer.Argument(help="A suite or a construction: see crossexam ls.", metavar="SUITE|CONSTRUCTION")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", parser=work_path, help="Folder for the test sets, or a URL.", metavar="DIR"
        ),
    ],
    base: options.BasesOrNone = None,
    word_problems: options.Problems = None,
    settings: options.Settings = None,
    short_forms: options.ShortForms = None,
    seed: options.Seed = 0,
    limit: options.Limit = None,
    per_key: options.PerKey = None,
    file_format: Annotated[str, typer.Option("--format", help="parquet or jsonl.")] = "parquet",
    tagger: options.TaggerSpec = "auto",
    entities: options.RecognizerSpec = "auto",
    parser: options.ParserSpec = "auto",
    columns: options.Columns = None,
    labels: options.Labels = None,
    skip_bad: options.SkipBad = False,
    allow_loss: options.AllowLoss = False,
    force: options.Force = False,
    details: Annotated[bool, typer.Option("--details", help="Also show why examples gave no item.")] = False,
    engine: engines.EngineSpec = "local",
    workers: engines.Workers = None,
    num_cpus: engines.CpusPerWorker = None,
    num_gpus: engines.GpusPerWorker = None,
) -> None:
    """Build the test sets of a suite, or of one construction, from one or more bases."""
    from crossexam.core.settings import parse_option_settings

    request = requested(
        suite,
        base,
        word_problems=word_problems,
        settings=parse_option_settings(settings or ()),
        short_forms=short_forms,
        reading=options.reading_options(columns, labels, skip_bad, allow_loss),
        limit=limit,
        per_key=per_key,
        seed=seed,
        file_format=file_format,
        tagger=tagger,
        recognizer=entities,
        parser=parser,
        engine=engines.building_engine(engine, workers, num_cpus, num_gpus),
    )
    refuse_unread(request)
    build_and_show(request, output, force=force, shown="details" if details else "items")


def requested(
    suite: str,
    base: Sequence[str] | None,
    *,
    word_problems: Sequence[str] | None = None,
    settings: Iterable[tuple[str, str, str]] = (),
    short_forms: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
    limit: int | None = None,
    **fields: Any,
) -> SuiteRequest:
    """Return the request described by the options of ``build``; raises CrossexamError.

    *settings* are (name, option, text) triples of ``--set NAME.OPTION=VALUE``, *reading* the options of
    reading the bases, or the files of a suite without bases (:func:`crossexam.cli.options.reading_options`).
    """
    from crossexam.corpora.spec import changed_reading
    from crossexam.suites.short_forms import expand, merged
    from crossexam.suites.table import suite_named, suite_request

    kind = suite_named(suite)
    settings = list(settings)
    stated = [{name: {option: value}} for name, option, value in settings]
    joined = [name for name, *_ in settings]
    given = merged(expand(kind.name, options.short_form_values(short_forms or ()), joined=joined), *stated)
    if kind.base_option is not None:
        if base:
            given = merged(given, {kind.name: {kind.base_option: tuple(base)}})
        return suite_request(
            suite, options=given, limit=limit, reading=changed_reading(reading or {}), **fields
        )
    bases = options.bases_from(options.named_bases(base, suite), reading or {}, limit)
    problems = options.problems_from(word_problems, kind)
    return suite_request(suite, bases, problems, options=given, limit=limit, **fields)


def refuse_unread(request: SuiteRequest, *, but: Collection[str] = ()) -> None:
    """Raise CrossexamError if options of reading, *but* some, have no effect on a suite of named corpora.

    What the columns and labels of these mean is known; a suite whose options name no files reads them with no
    options at all.
    """
    from crossexam.core.errors import CrossexamError

    kind = request.kind
    for_files = {"columns", "labels"} if kind.file_options else set(request.reading)
    unread = [name for name in request.reading if name in for_files.difference(but)]
    if unread and not (kind.file_options and request.options.files):
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in unread)
        with_files = " or ".join(f"--{option} FILE" for option in kind.file_options)
        raise CrossexamError(
            f"the corpora of {kind.name} have names and known formats, so nothing is read with {flags}",
            wanted=with_files or f"{kind.name} without {flags}",
        )


def build_and_show(
    request: SuiteRequest,
    folder: Path,
    *,
    force: bool = False,
    shown: Literal["total", "items", "details"] = "items",
) -> None:
    """Build the suite in *folder* and show the number of items: in total, of each set, or with rejections.

    If the folder already contains the suite, it only says so.  Test sets without items are shown in any case.
    Raises CrossexamError.
    """
    from crossexam.cli.console import items_table, note, progress_bar, show, written, yield_summary
    from crossexam.core.dataset import counted_items
    from crossexam.core.manifest import entries_of
    from crossexam.core.progress import seldom_collected
    from crossexam.core.sealed import read_manifest
    from crossexam.core.test_sets import MANIFEST
    from crossexam.suites.build import build_to_folder

    with seldom_collected(), progress_bar() as progress:
        built = build_to_folder(request, folder, force=force, progress=progress)
        gc.freeze()  # what is kept for the next build need not be searched for cycles
    if not built.written:
        note(f"{folder} already contains this suite; nothing was built")
    for base in (*request.bases, *request.problems):
        for line in filter(None, (base.report.label_counts(), base.report.summary())):
            note(f"{base.spec}: {line}")
    if built.written:
        manifest = read_manifest(folder / MANIFEST)
        overview, entries = request.kind.overview, entries_of(manifest)
        if shown == "details":
            show(overview_table(overview, entries.values()) if overview else yield_summary(entries))
        else:
            listed = {name: each for name, each in entries.items() if shown == "items" or not each.rows}
            if listed:
                show(items_table(listed))
        if shown == "total":
            total = sum(each.rows or 0 for each in entries.values())
            note(f"{counted_items(len(entries), 'test set')}, {counted_items(total, 'item')}")
    if request.limit is not None and request.problems:
        unlimited = ", ".join(base.spec for base in request.problems)
        verb = "is" if len(request.problems) == 1 else "are"
        note(f"--limit {request.limit} does not apply to word problems: {unlimited} {verb} used whole")
    for text in built.notes:
        note(text)
    if built.written:
        written(folder)


def overview_table(overview: Overview, entries: Iterable[TestSetEntry]) -> Table:
    """Return *overview* of *entries* as a table for the terminal."""
    from rich.table import Table

    table = Table(title=overview.title, title_justify="left")
    for column in overview.columns:
        table.add_column(column, justify="right" if column in overview.numbers else "left")
    for row in overview.rows(entries):
        table.add_row(*row)
    return table
