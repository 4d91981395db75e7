"""Building suites: one builder for all, which writes, resumes, signs and counts what a suite plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from msgspec import structs

from crossexam.constructions.apply import ChunkYield, SeenPairs
from crossexam.constructions.resources import LanguageResources
from crossexam.core.dataset import ContentHash, Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, sha256_of, write_json, writing
from crossexam.core.locks import alone_in
from crossexam.core.manifest import SavedSuiteManifest, TestSetEntry
from crossexam.core.output.file_names import file_stem
from crossexam.core.progress import Progress, seldom_collected, silent
from crossexam.core.sealed import MANIFEST, write_manifest
from crossexam.core.stored.encoded import EncodedItems, Form, encoded_in_batches
from crossexam.core.test_sets import TestSetWriter
from crossexam.core.transfers import copied_to_place
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.engines.ray import RayEngine
from crossexam.suites.bases import base_read, distinct_parts
from crossexam.suites.chunks import BaseChunk, ChunkRows, chunks_of, in_worker
from crossexam.suites.folder import UNFINISHED, already_built, announce
from crossexam.suites.plan import BasePass, DeferredItems, SuitePlan, SuiteRequest, TestSetPlan

#: Chunks of a base from which several processes build it sooner than one, which need not start them.
WORTHWHILE: Final = 20


@dataclass(frozen=True)
class Built:
    """The result of building: whether anything was *written*, and *notes* for the user."""

    written: bool
    notes: tuple[str, ...]


@seldom_collected()
def build_to_folder(
    request: SuiteRequest, folder: Path, *, force: bool = False, progress: Progress = silent
) -> Built:
    """Write the suite that *request* describes to *folder*, unless it already exists there.

    If *folder* is the work folder of a place elsewhere, the suite is then copied there.
    Raises CrossexamError if *folder* contains something else, unless *force*.
    """
    busy = CrossexamError(
        "another process is building into this folder",
        where=str(folder),
        hint="wait until it has finished, or choose another -o",
    )
    request = replace(request, progress=progress)
    with (
        alone_in(folder, busy, if_possible=True),
        copied_to_place(folder, resumes=True, force=force),
    ):
        plan, manifest = _planned(request)
        notes = list(plan.notes)
        if request.kind.in_one_process and isinstance(request.engine, RayEngine):
            notes.append(f"{request.kind.name} was built by this process alone, without Ray")
        existed = already_built(manifest, folder, force=force)
        if not existed:
            with SuiteWriter(folder, request.file_format) as writer:
                _write(request, plan, manifest, writer)
    return Built(not existed, tuple(notes))


@seldom_collected()
def build_in_memory(request: SuiteRequest, *, progress: Progress = silent) -> Suite:
    """Return the suite that *request* describes, without writing any files."""
    request = replace(request, progress=progress)
    plan, manifest = _planned(request)
    with SuiteWriter(None, request.file_format) as writer:
        _write(request, plan, manifest, writer)
    return writer.suite()


def _planned(request: SuiteRequest) -> tuple[SuitePlan, SavedSuiteManifest]:
    """Return the plan of what is requested, and what the manifest says of the suite before it is built."""
    distinct_parts(request.bases)
    kind, plan = request.kind, request.kind.plan(request)
    manifest = SavedSuiteManifest(
        name=kind.name,
        paper=kind.paper,
        signature=plan.signature(request),
        request=plan.described(request),
        test_sets={},
    )
    return plan, manifest


def _write(request: SuiteRequest, plan: SuitePlan, manifest: SavedSuiteManifest, writer: SuiteWriter) -> None:
    """Write all test sets of *plan*, in order, and the *manifest*."""
    passes = [part for part in plan.parts if isinstance(part, BasePass)]
    work = [part.work() for part in passes]
    deferred = [{each.entry.made_by for each in part.plans if each.deferred} for part in passes]
    engine: Engine = InThisProcess() if request.kind.in_one_process else request.engine
    results = engine.results(partial(in_worker, work, deferred, writer.form), _chunks(passes))
    with closing(results):
        by_pass = groupby(results, key=lambda rows: rows.of_pass)
        for part in plan.parts:
            if isinstance(part, TestSetPlan):
                assert part.rows is not None, f"{part.entry.name} has no rows of its own"
                test_set = writer.open(part)
                test_set.write(part.rows())
                writer.close(test_set)
            else:
                number, rows = next(by_pass)  # few files are open at once
                _write_pass(part, work[number].resources, rows, writer, request.progress)
    bases = tuple(base_read(each) for each in (*request.bases, *request.problems))
    writer.finish(structs.replace(manifest, bases=bases, facts=plan.facts()), plan.files)


def _chunks(passes: Iterable[BasePass]) -> Iterator[BaseChunk]:
    for number, part in enumerate(passes):
        yield from chunks_of(number, part.base, part.constructions)


def _write_pass(
    part: BasePass,
    resources: LanguageResources,
    results: Iterable[ChunkRows],
    writer: SuiteWriter,
    progress: Progress,
) -> None:
    """Write the test sets of a pass from the *results* of its chunks; *resources* count who read them."""
    test_sets = {plan.entry.made_by: writer.open(plan) for plan in part.plans}
    stage, done = f"building from {part.base.spec}", 0
    for rows in results:
        resources.add_answered(rows.answered)
        for name, made in rows.made.items():
            test_sets[name].take(made)
        done += rows.examples
        progress(stage, done, None)
    progress(stage, done, done)
    part.choose({name: each.made for name, each in test_sets.items() if each.plan.deferred})
    for each in test_sets.values():
        each.write(each.made.items)
        writer.close(each)


class OpenTestSet:
    """A test set while it is written, with its rows and its content hash so far.

    Items are handed to *write* in the *form* in which they are written.
    """

    def __init__(
        self,
        plan: TestSetPlan,
        form: Form,
        write: Callable[[EncodedItems], None],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.plan, self.form, self.close = plan, form, close
        self.rows, self.made = 0, DeferredItems()
        self._write, self._hash, self._pairs = write, ContentHash(), SeenPairs()

    def take(self, made: ChunkYield[EncodedItems]) -> None:
        """Count what was made of a chunk, and write its items, unless they are deferred."""
        repeated = self._pairs.repeated(made.pairs)
        self.made.counts.add(made, repeated)
        items = made.items.without(set(repeated))
        if self.plan.deferred:
            self.made.items.extend(items.items)
        else:
            self._add(items)

    def write(self, items: Iterable[Example]) -> None:
        """Encode and add *items*."""
        for batch in encoded_in_batches(items, self.form):
            self._add(batch)

    def _add(self, items: EncodedItems) -> None:
        if len(items):
            self.rows += len(items)
            self._hash.update_records(items.records)
            self._write(items)

    @property
    def entry(self) -> TestSetEntry:
        """What the manifest says of it, once all is written."""
        plan = self.plan
        is_counted = plan.rows is None and not plan.entry.is_base
        known: dict[str, Any] = {
            "rows": self.rows,
            "content_hash": self._hash.hexdigest(),
            "signature": plan.signature,
            "yields": self.made.counts.as_dict() if is_counted else None,
        }
        return structs.replace(plan.entry, **known | dict(plan.found()))


class SuiteWriter:
    """A writer of the test sets of one suite and its manifest, to a folder or to memory.

    Files get their final names when the suite is complete, the manifest last.
    """

    def __init__(self, folder: Path | None, file_format: str) -> None:
        self.folder, self.file_format = folder, file_format
        self._stack, self._entries = ExitStack(), list[TestSetEntry]()
        self._items: dict[str, list[Example]] = {}
        self._beside: Mapping[str, Mapping[str, Any]] = {}
        self._manifest: SavedSuiteManifest | None = None

    def __enter__(self) -> SuiteWriter:
        self._stack.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        if kind is None and self.folder is not None and self._manifest is not None:
            for name, value in self._beside.items():
                write_json(self.folder / name, value)
            entries = [
                structs.replace(entry, sha256=sha256_of(self.folder / str(entry.file)))
                for entry in self._entries
            ]
            write_manifest(self.folder / MANIFEST, _complete(self._manifest, entries).to_json())
            (self.folder / UNFINISHED).unlink(missing_ok=True)

    @property
    def form(self) -> Form:
        """The form in which items are written."""
        if self.folder is None:
            return "examples"
        return "parquet" if self.file_format == "parquet" else "jsonl"

    def open(self, plan: TestSetPlan) -> OpenTestSet:
        """Return the test set of *plan*, to which items can be written."""
        if self.folder is None:
            kept = self._items.setdefault(plan.entry.name, [])
            return OpenTestSet(plan, self.form, lambda batch: kept.extend(batch.items))
        path = self.folder / self._file_of(plan.entry.name)
        temporary = self._stack.enter_context(finished_or_absent(path, lock=False))  # the folder has a lock
        opened = self._stack.enter_context(ExitStack())
        opened.enter_context(writing(path))
        file = opened.enter_context(TestSetWriter(temporary, file_format=self.file_format))
        return OpenTestSet(plan, self.form, file.write, opened.close)

    def _file_of(self, name: str) -> str:
        """Return the name of the file of the test set *name*, whose base may have any."""
        return f"{file_stem(name)}.{self.file_format}"

    def close(self, test_set: OpenTestSet) -> None:
        """Close *test_set*, and record its entry."""
        test_set.close()
        file = None if self.folder is None else self._file_of(test_set.plan.entry.name)
        self._entries.append(structs.replace(test_set.entry, file=file))

    def finish(self, manifest: SavedSuiteManifest, beside: Mapping[str, Mapping[str, Any]]) -> None:
        """Complete the suite of *manifest*, to which its test sets are added, with JSON files *beside*."""
        self._manifest, self._beside = manifest, beside
        if self.folder is not None:
            announce(self.folder, [*(str(entry.file) for entry in self._entries), *beside])

    def suite(self) -> Suite:
        """Return the suite that was written to memory."""
        assert self._manifest is not None, "what builds a suite ends with finish()"
        sets = {e.name: Dataset(e.name, self._items[e.name], e.to_json()) for e in self._entries}
        return Suite(self._manifest.name, sets, _complete(self._manifest, self._entries))


def _complete(manifest: SavedSuiteManifest, entries: Iterable[TestSetEntry]) -> SavedSuiteManifest:
    """Return *manifest* with the *entries* of the test sets."""
    return structs.replace(manifest, test_sets={entry.name: entry for entry in entries})
