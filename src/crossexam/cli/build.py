"""crossexam build: build test sets from a base."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from rich.table import Table

from crossexam.cli.console import note, progress_bar, show, table_of, written
from crossexam.cli.questions import with_answers
from crossexam.cli.yields import items_table, yield_summary
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.dataset import counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.manifest import TestSetEntry, saved_suite_in
from crossexam.core.progress import seldom_collected
from crossexam.core.settings import parse_option_settings
from crossexam.corpora.installed import data_folder
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import CorpusSpec, reading_among
from crossexam.options.build import Build, Examine, Subset
from crossexam.options.engines import engine_of
from crossexam.options.groups import reading_of, request_fields
from crossexam.options.short_forms import suite_options
from crossexam.suites.bases import Base, base_from_spec, installed_word_problems
from crossexam.suites.build import WORTHWHILE, build_to_folder
from crossexam.suites.plan import Overview, SuiteKind, SuiteRequest
from crossexam.suites.table import reads_problems, suite_named, suite_request


def build(options: Build) -> None:
    """Build the test sets of a suite, or of one construction."""
    with_answers(options, _build)


def _build(options: Build) -> None:
    settings = parse_option_settings(options.settings)
    request = requested(options.suite, options, settings, file_format=options.file_format)
    refuse_unread(request)
    shown: Literal["items", "details"] = "details" if options.details else "items"
    build_and_show(request, options.output, force=options.force, shown=shown)


def requested(
    suite: str, options: Build | Examine | Subset, settings: Iterable[tuple[str, str, str]], **fields: Any
) -> SuiteRequest:
    """Return the request for *suite* that *options* describe; raises CrossexamError.

    *settings* are (name, option, text) triples of ``--set``, and *fields* further ones of SuiteRequest.
    """
    kind = suite_named(suite)
    reading = reading_of(options)
    fields |= {"options": suite_options(kind, options, settings, options.base), "limit": options.limit}
    if not isinstance(options, Subset):
        fields |= request_fields(options)
        fields["engine"] = engine_of(options, usual="auto", worthwhile=WORTHWHILE, note=note)
    if kind.base_option is not None:
        return suite_request(suite, reading=reading, **fields)
    if not options.base:
        raise CrossexamError(
            f"{suite} needs a base corpus",
            wanted="--base CORPUS:SPLIT or --base FILE",
            hint="crossexam ls corpora lists the corpora",
        )
    bases = bases_from(options.base, reading, options.limit)
    problems = [] if isinstance(options, Subset) else _problems(options.word_problems, kind)
    return suite_request(suite, bases, problems, **fields)


def bases_from(specs: Sequence[str], reading: Reading, limit: int | None) -> list[Base]:
    """Return the bases named by the options, which are read as *reading* says."""
    reading = reading_among(chain.from_iterable(map(CorpusSpec.parse_union, specs)), reading)
    return [base_from_spec(spec, reading, limit=limit) for spec in specs]


def _problems(specs: Sequence[str], kind: SuiteKind) -> list[Base]:
    """Return the word problems for a suite: those named, else AQuA-RAT if it is installed, else none."""
    if not reads_problems(kind) or tuple(specs) == ("base",):
        return []
    if specs or kind.name in CONSTRUCTIONS:
        return [base_from_spec(spec) for spec in specs]
    found = installed_word_problems()
    if found:
        note(
            f"numerical reasoning is built from {', '.join(base.spec for base in found)}, installed in "
            f"{data_folder()}; --word-problems base builds it from the base"
        )
    return found


def refuse_unread(request: SuiteRequest, *, but: Collection[str] = ()) -> None:
    """Raise CrossexamError if options of reading, *but* some, have no effect on a suite of named corpora.

    What the columns and labels of these mean is known; a suite whose options name no files reads them with no
    options at all.
    """
    kind = request.kind
    for_files = {"columns", "labels"} if kind.file_options else set(request.reading.changed)
    unread = [name for name in request.reading.changed if name in for_files.difference(but)]
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

    If the folder already contains the suite, it only says so.  Why a test set has no items is said with the
    items of each set, else in the report.  Raises CrossexamError.
    """
    with seldom_collected(), progress_bar() as progress:
        built = build_to_folder(request, folder, force=force, progress=progress)
    gc.freeze()  # what is kept for the next build need not be searched for cycles
    if not built.written:
        note(f"{folder} already contains this suite; nothing was built")
    for base in (*request.bases, *request.problems):
        for line in filter(None, (base.report.label_counts(), base.report.summary())):
            note(f"{base.spec}: {line}")
    if built.written:
        entries = saved_suite_in(folder, hint="build it again").test_sets
        overview = request.kind.overview
        if shown == "details":
            show(overview_table(overview, entries.values()) if overview else yield_summary(entries))
        elif shown == "items":
            show(items_table(entries))
    if request.limit is not None and request.problems:
        unlimited = ", ".join(base.spec for base in request.problems)
        verb = "is" if len(request.problems) == 1 else "are"
        note(f"--limit {request.limit} does not apply to word problems: {unlimited} {verb} used whole")
    for text in built.notes:
        note(text)
    if built.written:
        total = sum(each.rows or 0 for each in entries.values())
        counts = f"{counted_items(len(entries), 'test set')}, {counted_items(total, 'item')}"
        written(folder, what=f"written ({counts})" if shown == "total" else "written")


def overview_table(overview: Overview, entries: Iterable[TestSetEntry]) -> Table:
    """Return *overview* of *entries* as a table for the terminal."""
    right = [place for place, column in enumerate(overview.columns) if column in overview.numbers]
    return table_of(overview.title, list(overview.columns), overview.rows(entries), right=right)
