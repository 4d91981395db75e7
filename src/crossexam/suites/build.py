"""Building suites: the request, and the writer that is common to all suites.

A suite is an entry of ``SUITES`` (``suites/table.py``).  Its ``build`` is a function of a
:class:`SuiteRequest` and a :class:`SuiteWriter`: it declares what the output depends on
(:meth:`SuiteWriter.already_built`), opens test sets and writes items to them, and ends with
:meth:`SuiteWriter.finish`.  The writer takes care of the folder, temporary files, entries, hashes, signatures
and the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from crossexam.constructions.construction import Construction, changed_options
from crossexam.constructions.resources import LanguageResources
from crossexam.core.dataset import ContentHash, Dataset, Suite
from crossexam.core.differences import differences
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.files import (
    empty_or_kept,
    finished_or_absent,
    keep,
    read_json,
    sha256_of,
    shortened,
    sweep,
    write_json,
    writing,
)
from crossexam.core.locks import locked_folder
from crossexam.core.manifest import SuiteManifest, TestSetEntry, entries_of, package_version, signature
from crossexam.core.progress import Progress, silent
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.core.stored.encoded import EncodedItems, Form, encoded_in_batches
from crossexam.core.test_sets import MANIFEST, TestSetWriter, read_suite
from crossexam.core.transfers import copied_to_place, is_unpublished
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.engines.ray import RayEngine
from crossexam.suites.bases import Base, describe_base, distinct_parts


@dataclass(frozen=True)
class SuiteKind:
    """An entry of the table of suites.

    ``constructions`` names the constructions that are always applied, ``optional`` those that are applied if
    one of their options is set.  ``options`` is an instance of the suite's own dataclass of options, if it
    has one.  ``base_option`` names the option that ``--base`` sets in a suite that is not built from bases,
    and ``file_options`` those that may name files of the user's, which are read as bases are; ``files`` of
    its options lists these files.
    ``has_keys``: its items have keys although it names no constructions.  ``overview`` computes the table
    to show after building from the manifest; None means the yield table.  ``in_one_process``: the engine of
    a request has nothing to do.
    """

    name: str
    summary: str
    paper: str
    build: Callable[[SuiteRequest, SuiteWriter], None]
    constructions: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    options: Any = None
    base_option: str | None = None
    file_options: tuple[str, ...] = ()
    has_keys: bool = False
    overview: Callable[[Mapping[str, Any]], Overview] | None = None
    in_one_process: bool = False


@dataclass(frozen=True)
class Overview:
    """A summary table of a suite, with *header* and *rows*; the columns *numbers* are right-aligned."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class SuiteRequest:
    """What to build: a suite from *bases*, and from *problems* for tests that read word problems.

    *constructions* carry their options; *options* are those of the suite itself.  *per_key* is the maximum
    number of items of one key (:mod:`crossexam.constructions.keys`), None for all.  *reading* are the options
    of reading the corpora of a suite that is not built from bases; a base has its own.  *engine* carries out
    the work; the files do not depend on it.
    ``suites.table.suite_request`` creates a request from names.
    """

    kind: SuiteKind
    bases: Sequence[Base] = ()
    problems: Sequence[Base] = ()
    constructions: Sequence[Construction] = ()
    options: Any = None
    seed: int = 0
    file_format: str = "parquet"
    limit: int | None = None
    per_key: int | None = None
    tagger: str = "auto"
    recognizer: str = "auto"
    parser: str = "auto"
    reading: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine = field(default_factory=InThisProcess, compare=False)

    def resources(self) -> LanguageResources:
        """Return the linguistic resources for the constructions."""
        return LanguageResources(self.tagger, self.recognizer, self.parser)

    def base_identities(self) -> list[str]:
        """Return the name and content hash of every base."""
        return [f"{base.spec}@{base.identity}" for base in self.bases]

    def identity(self, **facts: Any) -> dict[str, Any]:
        """Return what the bytes of the suite depend on, for :meth:`SuiteWriter.already_built`.

        *facts* is what a suite depends on besides its bases, options, seed, limit and file format.
        """
        return {
            "suite": self.kind.name,
            "bases": self.base_identities(),
            "options": changed_options(self.options),
            "seed": self.seed,
            "format": self.file_format,
            "limit": self.limit,
            "version": package_version(),
            **self.per_key_part(),
            **facts,
        }

    def signature_of(self, base: Base, **parts: object) -> str:
        """Return the signature of a test set from *base*; *parts* is what else the test set depends on."""
        return signature({"corpus": f"{base.spec}@{base.identity}", **parts, **self.limit_part()})

    def limit_part(self) -> dict[str, object]:
        """Return the part of a signature that states how many examples were read, if not all."""
        return {} if self.limit is None else {"limit": self.limit}

    def per_key_part(self) -> dict[str, object]:
        """Return the part of a signature that states how many items of one key there are, if not all."""
        return {} if self.per_key is None else {"per_key": self.per_key}


class TestSetSink:
    """A test set that is being written, with its number of rows and its content hash so far.

    Items are handed over in the *form* in which they are written.
    """

    __test__ = False  # not a test: pytest collects classes by name

    def __init__(
        self, write: Callable[[EncodedItems], None], form: Form, close: Callable[[], None] = lambda: None
    ) -> None:
        self.rows, self.form, self.close = 0, form, close
        self._write, self._hash = write, ContentHash()

    def write(self, items: EncodedItems) -> None:
        """Add items that are encoded in the form of the sink."""
        if len(items):
            self.rows += len(items)
            self._hash.update_records(items.records)
            self._write(items)

    def write_examples(self, items: Iterable[Example]) -> None:
        """Encode and add *items*."""
        for batch in encoded_in_batches(items, self.form):
            self.write(batch)

    @property
    def content_hash(self) -> str:
        """The hash of the items written so far."""
        return self._hash.hexdigest()


class SuiteWriter:
    """A writer of the test sets of one suite and its manifest, to a folder or to memory.

    Files get their final names when the suite is complete, the manifest last.
    """

    def __init__(
        self, request: SuiteRequest, folder: Path | None, *, force: bool = False, progress: Progress = silent
    ) -> None:
        self.request, self.folder, self.progress = request, folder, progress
        self.notes: list[str] = []
        self.existed = False
        self._force = force
        self._identity: Mapping[str, Any] = {}
        self._stack, self._entries = ExitStack(), list[TestSetEntry]()
        self._items: dict[str, list[Example]] = {}
        self._extra: dict[str, Mapping[str, Any]] = {}
        self._manifest: SuiteManifest | None = None

    def __enter__(self) -> SuiteWriter:
        self._stack.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        if kind is None and self.folder is not None and self._manifest is not None:
            for name, value in self._extra.items():
                write_json(self.folder / name, value)
            entries = [
                replace(entry, sha256=sha256_of(self.folder / str(entry.file)))
                for entry in self._manifest.test_sets
            ]
            write_manifest(self.folder / MANIFEST, replace(self._manifest, test_sets=entries).to_json())
            (self.folder / UNFINISHED).unlink(missing_ok=True)

    def already_built(self, identity: Mapping[str, Any]) -> bool:
        """Return whether the folder already contains the suite of *identity*; if not, remove leftovers.

        *identity* is everything that the files of the suite depend on.  Raises CrossexamError if the folder
        contains something else, unless building is forced.
        """
        self._identity = identity
        if self.folder is None:
            return False
        self.existed = already_built(identity, self.folder, force=self._force)
        return self.existed

    @property
    def form(self) -> Form:
        """The form in which items are handed over to the sinks."""
        if self.folder is None:
            return "examples"
        return "parquet" if self.request.file_format == "parquet" else "jsonl"

    def open(self, name: str) -> TestSetSink:
        """Return the sink for the test set *name*."""
        if self.folder is None:
            kept = self._items.setdefault(name, [])
            return TestSetSink(lambda batch: kept.extend(batch.items), self.form)
        suffix = self.request.file_format
        path = self.folder / self._file_of(name)
        temporary = self._stack.enter_context(finished_or_absent(path, lock=False))  # the folder has a lock
        opened = self._stack.enter_context(ExitStack())
        opened.enter_context(writing(path))
        file = opened.enter_context(TestSetWriter(temporary, file_format=suffix))
        return TestSetSink(file.write, self.form, opened.close)

    def _file_of(self, name: str) -> str:
        """Return the name of the file of the test set *name*, whose base may have a long one."""
        return f"{shortened(name)}.{self.request.file_format}"

    def close(self, sink: TestSetSink, entry: TestSetEntry) -> None:
        """Close *sink*, and record *entry* for its items, with their number and content hash filled in."""
        sink.close()
        file = None if self.folder is None else self._file_of(entry.name)
        self._entries.append(replace(entry, file=file, rows=sink.rows, content_hash=sink.content_hash))

    def write(self, entry: TestSetEntry, items: Iterable[Example]) -> None:
        """Write a complete test set."""
        sink = self.open(entry.name)
        sink.write_examples(items)
        self.close(sink, entry)

    def write_extra(self, name: str, value: Mapping[str, Any]) -> None:
        """Write *value* as JSON to *name*, a path relative to the suite's folder."""
        self._extra[name] = value

    def note(self, text: str) -> None:
        """Print *text* for the user when building ends, even if there was nothing to build."""
        self.notes.append(text)

    def finish(self, signed: Mapping[str, object], **facts: Any) -> None:
        """Complete the suite; *signed* are the parts of its signature, *facts* are added to its manifest."""
        kind, request = self.request.kind, self.request
        self._manifest = SuiteManifest(
            name=kind.name,
            paper=kind.paper,
            signature=signature({"suite": kind.name, **signed}),
            request=self._identity,
            test_sets=self._entries,
            bases=[describe_base(base) for base in (*request.bases, *request.problems)]
            if request.bases
            else None,
            facts=facts,
        )
        if self.folder is not None:
            _announce(self.folder, [*(str(entry.file) for entry in self._entries), *self._extra])

    def suite(self) -> Suite:
        """Return the suite that was written, or that was already in the folder."""
        if self.folder is not None:
            return read_suite(self.folder)
        assert self._manifest is not None, "the builder of a suite ends with finish()"
        sets = {e.name: Dataset(e.name, self._items[e.name], e.to_json()) for e in self._entries}
        return Suite(self._manifest.name, sets, self._manifest.to_json())


@dataclass(frozen=True)
class Built:
    """The result of building: whether anything was *written*, and *notes* for the user."""

    written: bool
    notes: tuple[str, ...]


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
    with (
        empty_or_kept(folder),
        copied_to_place(folder, resumes=True, force=force),
        locked_folder(folder, busy),
        SuiteWriter(request, folder, force=force, progress=progress) as writer,
    ):
        distinct_parts(request.bases)
        if request.kind.in_one_process and isinstance(request.engine, RayEngine):
            writer.note(f"{request.kind.name} was built by this process alone, without Ray")
        request.kind.build(request, writer)
    return Built(not writer.existed, tuple(writer.notes))


def build_in_memory(request: SuiteRequest, *, progress: Progress = silent) -> Suite:
    """Return the suite that *request* describes, without writing any files."""
    with SuiteWriter(request, None, progress=progress) as writer:
        distinct_parts(request.bases)
        request.kind.build(request, writer)
    return writer.suite()


#: Chunks of a base from which several processes build it sooner than one, which need not start them.
WORTHWHILE: Final = 20
#: In the folder of a suite while its files get their names, or lose them: it lists these, so that what a kill
#: leaves then is known as such.
UNFINISHED: Final = ".unfinished"
#: Fields of the manifests of runs and of studies, which list test sets as well.
_NOT_OF_SUITES: Final = frozenset({"model_key", "study"})
_REPLACE: Final = "choose another -o, or --force to replace the suite"


def already_built(identity: Mapping[str, Any], folder: Path, *, force: bool) -> bool:
    """Return whether *folder* already contains the suite of *identity* (its request).

    Raises CrossexamError if it contains something else; with *force* the suite there is removed.
    """
    manifest = folder / MANIFEST
    if folder.exists() and not folder.is_dir():
        raise CrossexamError("this is a file", where=str(folder), wanted="a folder for the test sets")
    if not manifest.exists():
        _remove_unfinished(folder)
        if not force and folder.exists() and any(not path.name.startswith(".") for path in folder.iterdir()):
            raise CrossexamError(
                f"the folder {folder} is not empty",
                hint="choose another -o, or --force to build there anyway",
            )
        return False
    built = _manifest_there(manifest, force=force)
    if built.get("request") == identity and not force:
        _announced_none(folder)
        return True
    if not force and not is_unpublished(folder):
        lines = differences(_with_flags(built.get("request") or {}), _with_flags(identity))
        raise CrossexamError(
            "\n    ".join(
                [f"the folder {folder} contains a suite built from different input or options:", *lines]
            ),
            hint=_REPLACE,
        )
    _announce(folder, [Path(entry.file or "").name for entry in entries_of(built).values()])
    manifest.unlink()
    _remove_unfinished(folder)
    return False


#: The options of `build` behind parts of a request that have other names.
_FLAGS: Final = {
    "bases": "--base",
    "problems": "--word-problems",
    "seed": "--seed",
    "limit": "--limit",
    "per_key": "--per-key",
    "format": "--format",
    "annotator": "--tagger",
    "recognizer": "--entities",
    "parser": "--parser",
}


def _with_flags(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return *request* with the options of the command line as the names of its parts."""
    return {_FLAGS.get(name, name): value for name, value in request.items()}


def _announce(folder: Path, files: Iterable[str]) -> None:
    """Note in *folder* that *files* in it are not, or no longer, those of a suite until it has a manifest."""
    write_json(folder / UNFINISHED, {"files": list(files)})
    keep(folder / UNFINISHED)


def _announced_none(folder: Path) -> None:
    """Remove from *folder*, whose suite is complete, what a process left that was killed right after it."""
    (folder / UNFINISHED).unlink(missing_ok=True)
    sweep(folder)


def _remove_unfinished(folder: Path) -> None:
    """Remove from *folder* what a build left that was interrupted, and no file of anybody else."""
    sweep(folder)
    marker = folder / UNFINISHED
    if not marker.exists():
        return
    try:
        files = read_json(marker).get("files")
    except FormatError:
        files = None
    for name in files if isinstance(files, list) else ():
        path = folder / str(name)
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)
            sweep(path.parent)
            with suppress(OSError):  # not empty, not there
                if path.parent != folder:
                    path.parent.rmdir()
    marker.unlink()


def _manifest_there(manifest: Path, *, force: bool) -> dict[str, Any]:
    """Return the *manifest* of a suite, {} if *force* and it is damaged; raises CrossexamError."""
    try:
        built = read_manifest(manifest)
        if "test_sets" not in built or built.keys() & _NOT_OF_SUITES:
            raise CrossexamError(
                f"the {MANIFEST} in this folder does not describe a suite",
                where=str(manifest.parent),
                hint="choose another -o",
            )
        if not isinstance(built.get("request", {}), dict):
            raise FormatError("field 'request' is damaged", wanted="an object")
        entries_of(built)
    except FormatError as error:
        if force:
            return {}
        raise FormatError(error.what, where=str(manifest), wanted=error.wanted, hint=_REPLACE) from None
    return built
