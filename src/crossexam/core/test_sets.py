"""Test sets as Parquet or JSON lines, and suites of them as folders.

The columns are ``id premise hypothesis label base construction source target edits info``.  ``edits`` is a
list of structs (side, start, end, old, new), and ``info`` is a JSON object as text.  Tools of the hub find
the names of the labels in the Parquet files.

A suite has a file per test set and a manifest, which is written last: a folder without one is a suite that
was never finished.  A single ``.parquet`` or ``.jsonl`` file is a suite of one test set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import json_problem, sha256_of
from crossexam.core.labels import GOLDS, LABELS
from crossexam.core.manifest import FileRecord, TestSetEntry, saved_suite_in
from crossexam.core.sealed import MANIFEST, ChangedError
from crossexam.core.stored.arrays import numbers_of
from crossexam.core.stored.encoded import EncodedItems, Form, encoded_in_batches
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.rows import COLUMNS, from_row, schema
from crossexam.core.transfers import fetch, has_file

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_GROUP: Final = 20_000  # examples held before they are written: about 20 MB

#: The mark of a test set that no checksum vouches for, since its file is outside of its suite.
UNVERIFIED: Final = "unverified"
#: The way out of a damaged suite.
REBUILD: Final = "build the suite again with --force"
_SUFFIXES: Final = (".parquet", ".jsonl")


class TestSetWriter:
    """Writes examples to *path* (``.parquet`` or ``.jsonl``), a row group at a time.

    A context manager.  *path* should be a temporary name (see
    :func:`crossexam.core.files.finished_or_absent`).
    """

    __test__ = False  # not a test, whatever pytest thinks of its name

    def __init__(self, path: Path, *, file_format: str = "parquet") -> None:
        if file_format not in {"parquet", "jsonl"}:
            raise FormatError(
                f"'{file_format}' is not a format for test sets",
                wanted="parquet or jsonl",
                hint="--format parquet (file_format='parquet')",
            )
        self.form: Form = "parquet" if file_format == "parquet" else "jsonl"
        self._path = path
        self._pending: list[pa.RecordBatch] = []
        self._pending_rows = 0
        self._stream: IO[str] | None = None
        self._parquet: Any = None
        self._schema: Any = None
        self._two_labels = False

    def __enter__(self) -> TestSetWriter:
        if self.form == "jsonl":
            self._stream = self._path.open("w", encoding="utf-8")
        return self

    def write(self, items: EncodedItems) -> None:
        """Add items that are encoded in the format of the file."""
        if self._stream is not None:
            self._stream.writelines(items.items)
            return
        self._pending.append(items.items)
        self._pending_rows += len(items)
        if self._pending_rows >= ROWS_PER_GROUP:
            self._write_groups()

    def write_examples(self, examples: Iterable[Example]) -> None:
        """Add *examples*."""
        for items in encoded_in_batches(examples, self.form):
            self.write(items)

    def _write_groups(self) -> None:
        """Write the pending rows that make whole row groups, and keep the others."""
        import pyarrow as pa

        rows = pa.Table.from_batches(self._pending)
        while len(rows) >= ROWS_PER_GROUP:
            self._write_group(rows.slice(0, ROWS_PER_GROUP))
            rows = rows.slice(ROWS_PER_GROUP)
        self._pending, self._pending_rows = rows.to_batches(), len(rows)

    def _write_group(self, rows: pa.Table) -> None:
        rows = rows.combine_chunks()  # as one array, so that the bytes do not depend on the batches
        self._open_parquet(two_labels=any(len(LABELS) in numbers_of(each) for each in rows["label"].chunks))
        self._parquet.write_table(rows.replace_schema_metadata(self._schema.metadata))

    def _open_parquet(self, *, two_labels: bool) -> None:
        """Open the file at its first rows, which tell how many labels there are; raises FormatError."""
        if self._parquet is None:
            import pyarrow.parquet as pq

            self._two_labels = two_labels
            self._schema = schema(two_labels=two_labels)
            self._parquet = pq.ParquetWriter(self._path, self._schema, compression="zstd")
        elif two_labels and not self._two_labels:
            raise FormatError(
                f"'{GOLDS[-1]}' appears after {ROWS_PER_GROUP:,} or more rows without it",
                where=str(self._path),
                wanted="a corpus with either two or three labels",
            )

    def _finish(self) -> None:
        """Write the last row group, an empty one if there are no rows at all."""
        import pyarrow as pa

        if self._pending_rows or self._parquet is None:
            pending = schema(two_labels=False)
            self._write_group(pa.Table.from_batches(self._pending, schema=pending))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._stream is None:
                self._finish()
        finally:
            if self._stream is not None:
                self._stream.close()
            if self._parquet is not None:
                self._parquet.close()


def write_test_set(path: Path, examples: Iterable[Example], *, file_format: str = "parquet") -> None:
    """Write *examples* to *path*, whole or not at all."""
    from crossexam.core.files import finished_or_absent

    with finished_or_absent(path) as temporary, TestSetWriter(temporary, file_format=file_format) as writer:
        writer.write_examples(examples)


def _check_is_file(path: Path) -> None:
    if not path.is_file():
        raise FormatError(
            "this is a folder" if path.is_dir() else "no such file",
            where=str(path),
            wanted="a test set: a .parquet or .jsonl file",
        )


def _lines(path: Path) -> Iterator[Example]:
    """Yield the examples in the JSON lines of *path*."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(
                    f"not JSON: {json_problem(error)}", where=where, wanted=", ".join(COLUMNS)
                ) from None
            if not isinstance(row, dict):
                raise FormatError("not a JSON object", where=where, wanted=", ".join(COLUMNS))
            yield from_row(row, where=where)


def read_test_set(path: Path, *, name: str | None = None, checked: bool = False) -> Dataset:
    """Return the test set in *path* as a Dataset; its name is the file's unless given.

    The examples in a Parquet file are read when they are used.  Every row is checked now, unless the file is
    known to be as it was written (*checked*).  Raises FormatError.
    """
    _check_is_file(path)
    examples: Sequence[Example]
    if path.suffix == ".jsonl":
        examples = tuple(_lines(path))
    else:
        examples = stored = StoredExamples.of(path, hint=REBUILD)
        if not checked:
            stored.check()
    return Dataset(name or path.stem, examples, {"path": str(path)})


def read_suite(path: Path) -> Suite:
    """Return the suite in the folder *path*, or the suite of one test set in the file *path*.

    The folder may also contain the suite (:func:`suite_folder`).  The manifest of each Dataset is its entry
    in the manifest of the suite.  A suite at a URL is copied to this machine.  Raises FormatError if there is
    no suite, if it was never finished, or if a file is not the one in the manifest.
    """
    path = suite_folder(path)
    fetch(path)
    if path.is_dir():
        manifest = saved_suite_in(path, hint=REBUILD)
        datasets = {name: _one(path, name, entry) for name, entry in manifest.test_sets.items()}
        return Suite(manifest.name, datasets, manifest)
    if not path.exists():
        raise FormatError(
            "no such file or folder",
            where=str(path),
            wanted="a folder that `crossexam build` wrote, or a .parquet or .jsonl file",
        )
    if path.suffix not in _SUFFIXES:
        raise FormatError(
            f"'{path.suffix}' is not a file extension for test sets",
            where=str(path),
            wanted=" or ".join(_SUFFIXES),
            hint=f"crossexam build corpus --base {path} -o DIR turns a table into a test set",
        )
    beside = entry_beside(path)
    recorded = None if beside is None else vouched(path, beside, hint=REBUILD)
    dataset = read_test_set(path, checked=recorded is not None)
    entry = {
        "file": path.name,
        "base_set": None,
        **({"projection": beside.projection} if beside and beside.projection else {}),
        "rows": len(dataset),
        "content_hash": recorded.content_hash if recorded else dataset.content_hash(),
        **({} if recorded else {UNVERIFIED: True}),
        "path": str(path.absolute()),
    }
    return Suite(dataset.name, {dataset.name: Dataset(dataset.name, dataset.examples, entry)})


def suite_folder(path: Path) -> Path:
    """Return the folder of the suite: *path*, or ``suite`` in it if `crossexam examine` wrote *path*.

    If there is no suite in either, it is *path*.
    """
    inside = path / "suite"
    return inside if not has_file(path / MANIFEST) and has_file(inside / MANIFEST) else path


def vouched(path: Path, *entries: TestSetEntry, hint: str) -> FileRecord:
    """Return the record of the file *path*, by its SHA-256, in the first of *entries* that has one.

    Raises ChangedError, with *hint* as the way out, if none has.
    """
    found = sha256_of(path)
    for entry in entries:
        if found in entry.records:
            return entry.records[found]
    raise ChangedError(
        "the file was changed by hand, or damaged, after it was written: its SHA-256 is not that of the "
        "manifest",
        where=str(path),
        wanted="the file as Crossexam wrote it",
        hint=f"put the file back; or {hint}",
    )


def entry_beside(path: Path) -> TestSetEntry | None:
    """Return the entry of the test set *path* in the manifest beside it, None if there is none."""
    if path.suffix not in _SUFFIXES or not (path.parent / MANIFEST).is_file():
        return None
    try:
        entries = saved_suite_in(path.parent, hint=REBUILD).test_sets
    except ChangedError:
        raise
    except FormatError:  # some other file of that name
        return None
    return next((entry for entry in entries.values() if entry.file == path.name), None)


def read_suites(paths: Sequence[Path]) -> Suite:
    """Return the suites in *paths* as one, in which a base that they share occurs once.

    Raises FormatError if two test sets of the same name have different items.
    """
    if len(paths) == 1:
        return read_suite(paths[0])
    suites = [read_suite(path) for path in paths]
    datasets: dict[str, Dataset] = {}
    for path, suite in zip(paths, suites, strict=True):
        for dataset in suite:
            known = datasets.get(dataset.name)
            if known is not None and known.content_hash() != dataset.content_hash():
                raise FormatError(
                    f"two test sets with different items are both called '{dataset.name}'",
                    where=str(path),
                    hint="run them separately, or rename one of the files",
                )
            datasets.setdefault(dataset.name, dataset)
    return Suite("+".join(suite.name for suite in suites), datasets)


def _one(folder: Path, name: str, entry: TestSetEntry) -> Dataset:
    """Return the test set *name*; while judges relabel it, its entry is the one of the file that is there."""
    path = folder / str(entry.file)
    if not path.exists():
        raise FormatError(
            f"the manifest lists test set '{name}', but its file does not exist",
            where=str(path),
            hint=REBUILD,
        )
    now = replace(entry.of_file(vouched(path, entry, hint=REBUILD)), path=str(path.absolute()))
    return Dataset(name, read_test_set(path, checked=True).examples, now.to_json())
