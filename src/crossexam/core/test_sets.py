"""Test sets as files: Parquet that the hub's tools open with label names, or JSON lines.

Columns: ``id premise hypothesis label base construction source target edits info``.  ``edits`` are
structs of side, start, end, old, new; ``info`` is a JSON object as text.  Parquet is written with
pyarrow (polars cannot write the schema metadata that `datasets` reads label names from) and read
with polars (which makes Python rows several times faster).

Suites as folders: a file a test set and a manifest, written last.

A folder without a manifest is a suite that was never finished.  A single ``.parquet`` or ``.jsonl``
file is a suite of one test set.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset, Suite, content_hash, has_content
from crossexam.core.errors import FormatError
from crossexam.core.example import Example, as_generated
from crossexam.core.files import json_problem, sha256_of
from crossexam.core.labels import GOLDS, LABELS
from crossexam.core.manifest import TestSetEntry
from crossexam.core.sealed import UNVERIFIED, ChangedError, has_checksum, read_manifest
from crossexam.core.stored.encoded import EncodedItems, Form, encoded_in_batches, schema
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.foreign_parquet import check_foreign
from crossexam.core.stored.rows import COLUMNS, from_row
from crossexam.core.transfers import fetch, has_file

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_GROUP: Final = 20_000  # examples held before they are written: about 20 MB

_JUDGED: Final = "|labels:judges"  # at the end of the signature of a test set that judges relabelled


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
        self._open_parquet(two_labels=any(len(LABELS) in _numbers(each) for each in rows["label"].chunks))
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


def _numbers(column: pa.Array) -> memoryview:
    """Return a column of 64-bit numbers as it is in memory; a function of pyarrow would import them all."""
    values = memoryview(column.buffers()[1]).cast("q")
    return values[column.offset : column.offset + len(column)]


def write_test_set(path: Path, examples: Iterable[Example], *, file_format: str = "parquet") -> None:
    """Write *examples* to *path*, whole or not at all."""
    from crossexam.core.files import finished_or_absent

    with finished_or_absent(path) as temporary, TestSetWriter(temporary, file_format=file_format) as writer:
        writer.write_examples(examples)


def iter_test_set(path: Path) -> Iterator[Example]:
    """Yield the examples of a test set file, Parquet or JSON lines; raises FormatError."""
    _check_is_file(path)
    yield from _lines(path) if path.suffix == ".jsonl" else StoredExamples.of(path)


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

    The examples of a Parquet file are read from it when they are used.  Every row is checked now, unless the
    file is known to be as it was written (*checked*).  Raises FormatError.
    """
    _check_is_file(path)
    examples: Sequence[Example]
    if path.suffix == ".jsonl":
        examples = tuple(_lines(path))
    else:
        if not checked:
            check_foreign(path, hint=_REBUILD)
        examples = stored = StoredExamples.of(path)
        if not checked:
            stored.check()
    return Dataset(name or path.stem, examples, {"path": str(path)})


MANIFEST: Final = "manifest.json"
_SUFFIXES: Final = (".parquet", ".jsonl")
_REBUILD: Final = "build the suite again with --force"


def read_suite(path: Path) -> Suite:
    """Return the suite in the folder *path*, or the suite of one test set in the file *path*.

    The folder may also be one that has a suite (:func:`suite_folder`).  Each Dataset's manifest is its entry
    of the suite's.  What belongs to a place elsewhere is brought here.
    Raises FormatError where there is no suite, where it was not finished, and where a file is not what the
    manifest says.
    """
    path = suite_folder(path)
    fetch(path)
    if path.is_dir():
        return _from_folder(path)
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
    vouched = None if beside is None else vouched_sha256(path, beside.known_sha256, hint=_REBUILD)
    dataset = read_test_set(path, checked=vouched is not None)
    known = beside.content_hash if beside and vouched and vouched == beside.sha256 else None
    entry = {
        "file": path.name,
        "base_set": None,
        **({"projection": beside.projection} if beside and beside.projection else {}),
        "rows": len(dataset),
        "content_hash": known or dataset.content_hash(),
        **({} if vouched else {UNVERIFIED: True}),
        "path": str(path.absolute()),
    }
    return Suite(dataset.name, {dataset.name: Dataset(dataset.name, dataset.examples, entry)}, {})


def suite_folder(path: Path) -> Path:
    """Return the suite that *path* is or has, as a folder that `crossexam examine` wrote has ``suite``.

    It is *path* itself if there is none.
    """
    inside = path / "suite"
    return inside if not has_file(path / MANIFEST) and has_file(inside / MANIFEST) else path


def vouched_sha256(path: Path, known: Collection[str], *, hint: str) -> str | None:
    """Return the SHA-256 of *path* if it is one of those *known*, None if none is known.

    Raises ChangedError, with *hint* as the way out, if it is another one.
    """
    if not known:
        return None
    found = sha256_of(path)
    if found not in known:
        raise ChangedError(
            "the file was changed by hand, or damaged, after it was written: its SHA-256 is not that of the "
            "manifest",
            where=str(path),
            wanted="the file as Crossexam wrote it",
            hint=f"put the file back; or {hint}",
        )
    return found


def entry_beside(path: Path) -> TestSetEntry | None:
    """Return the entry of the test set *path* in the suite whose folder it is in, None if there is none."""
    manifest_file = path.parent / MANIFEST
    if path.suffix not in _SUFFIXES or not manifest_file.is_file():
        return None
    try:
        test_sets = read_manifest(manifest_file, hint=_REBUILD).get("test_sets")
    except ChangedError:
        raise
    except FormatError:  # some other file of that name
        return None
    for name, entry in test_sets.items() if isinstance(test_sets, dict) else ():
        if isinstance(entry, dict) and entry.get("file") == path.name:
            return TestSetEntry.from_json(name, entry)
    return None


def read_suites(paths: Sequence[Path]) -> Suite:
    """Return the suites in *paths* as one; a base that several have is one.

    Raises FormatError where two test sets of one name hold different items.
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
    return Suite("+".join(suite.name for suite in suites), datasets, {})


def _from_folder(folder: Path) -> Suite:
    manifest_file = folder / MANIFEST
    if not manifest_file.exists():
        raise FormatError(
            f"{MANIFEST} is missing: this is not a suite, or the build did not finish",
            where=str(folder),
            hint="run `crossexam build` again; an unfinished build starts over",
        )
    manifest = read_manifest(manifest_file, hint=_REBUILD)
    if "model_key" in manifest:
        raise FormatError(
            "this is the folder of a run, not of a suite",
            where=str(folder),
            wanted="a folder that `crossexam build` wrote",
            hint="crossexam report reads runs",
        )
    entries = manifest.get("test_sets")
    if not isinstance(entries, dict):
        raise FormatError(
            "field 'test_sets' is missing",
            where=str(manifest_file),
            wanted="the manifest of a suite",
            hint=_REBUILD,
        )
    datasets = {name: _one(folder, name, entry, manifest_file) for name, entry in entries.items()}
    rest = {key: value for key, value in manifest.items() if key != "test_sets"}
    if not has_checksum(manifest_file):
        rest[UNVERIFIED] = True
    return Suite(str(manifest.get("name", folder.name)), datasets, rest)


def _one(folder: Path, name: str, entry: Mapping[str, Any], manifest_file: Path) -> Dataset:
    file = entry.get("file") if isinstance(entry, dict) else None
    if not isinstance(file, str) or Path(file).name != file:
        raise FormatError(
            f"test set '{name}' does not name a file in this folder",
            where=str(manifest_file),
            wanted="field 'file'",
            hint=_REBUILD,
        )
    try:
        typed = TestSetEntry.from_json(name, entry)
    except FormatError as error:
        raise FormatError(error.what, where=str(manifest_file), wanted=error.wanted, hint=_REBUILD) from None
    path = folder / file
    if not path.exists():
        raise FormatError(
            f"the manifest lists test set '{name}', but its file does not exist",
            where=str(path),
            hint=_REBUILD,
        )
    sha256 = vouched_sha256(path, typed.known_sha256, hint=_REBUILD)
    examples = read_test_set(path, checked=sha256 is not None).examples
    unverified = {} if sha256 else {UNVERIFIED: True}
    dataset = Dataset(name, examples, {**entry, **unverified, "path": str(path.absolute())})
    if sha256 is not None and sha256 == typed.sha256:
        return dataset
    known, now = entry.get("content_hash"), dataset.content_hash()
    if known is None or now == known:
        return dataset
    if not has_content(examples, known):
        raise FormatError(
            f"the content hash does not match the manifest ({now}, not {known})",
            where=str(path),
            hint=f"the file was changed after it was built; {_REBUILD}",
        )
    return relabelled(dataset)  # judges relabelled the items, but the manifest does not say so yet


def relabelled(dataset: Dataset) -> Dataset:
    """Return *dataset*, some of whose items judges relabelled, with the hash and signature that say so.

    >>> item = Example("a", "p", "h", "neutral", info={"generated_label": "entailment"})
    >>> relabelled(Dataset("tiny", [item], {"signature": "corpus:tiny"})).manifest["signature"]
    'corpus:tiny|labels:judges'
    """
    known = dataset.manifest.get("signature")
    signed = None if known is None else f"{known.removesuffix(_JUDGED)}{_JUDGED}"
    facts = {"content_hash": dataset.content_hash(), "signature": signed}
    return Dataset(dataset.name, dataset.examples, {**dataset.manifest, **facts})


def with_generated_labels(dataset: Dataset) -> Dataset:
    """Return *dataset* with the labels of its construction, and the hash and signature that say so."""
    known = dataset.manifest.get("signature")
    examples = [as_generated(example) for example in dataset]
    facts = {
        "content_hash": content_hash(examples),
        "signature": None if known is None else known.removesuffix(_JUDGED),
    }
    return Dataset(dataset.name, examples, {**dataset.manifest, **facts})
