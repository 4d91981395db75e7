"""Suites as folders: a file a test set and a manifest, written last.

A folder without a manifest is a suite that was never finished.  A single ``.parquet`` or ``.jsonl``
file is a suite of one test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import FormatError
from crossexam.core.files import read_json
from crossexam.core.tables import read_test_set

MANIFEST: Final = "manifest.json"
_SUFFIXES: Final = (".parquet", ".jsonl")


def load_suite(path: Path) -> Suite:
    """Return the suite in the folder *path*, or the suite of one test set in the file *path*.

    Each Dataset's manifest is its entry of the suite's.  Raises FormatError where there is no suite,
    where it was not finished, and where a file is not what the manifest says.
    """
    if path.is_dir():
        return _from_folder(path)
    if not path.exists():
        raise FormatError(
            "there is no such file or folder",
            where=str(path),
            wanted="a folder that `crossexam build` wrote, or a .parquet or .jsonl file",
        )
    if path.suffix not in _SUFFIXES:
        raise FormatError(
            f"a test set does not end in '{path.suffix}'",
            where=str(path),
            wanted=" or ".join(_SUFFIXES),
            hint=f"crossexam build corpus --base {path} -o DIR makes a test set of a table",
        )
    dataset = read_test_set(path)
    entry = {
        "file": path.name,
        "base_set": None,
        "rows": len(dataset),
        "content_hash": dataset.content_hash(),
        "path": str(path.absolute()),
    }
    return Suite(dataset.name, {dataset.name: Dataset(dataset.name, dataset.examples, entry)}, {})


def load_suites(paths: Sequence[Path]) -> Suite:
    """Return the suites in *paths* as one; a base that several have is one.

    Raises FormatError where two test sets of one name hold different items.
    """
    if len(paths) == 1:
        return load_suite(paths[0])
    suites = [load_suite(path) for path in paths]
    datasets: dict[str, Dataset] = {}
    for path, suite in zip(paths, suites, strict=True):
        for dataset in suite:
            known = datasets.get(dataset.name)
            if known is not None and known.content_hash() != dataset.content_hash():
                raise FormatError(
                    f"a second test set, of other items, is called '{dataset.name}'",
                    where=str(path),
                    hint="run them apart, or rename one of the files",
                )
            datasets.setdefault(dataset.name, dataset)
    return Suite("+".join(suite.name for suite in suites), datasets, {})


def _from_folder(folder: Path) -> Suite:
    manifest_file = folder / MANIFEST
    if not manifest_file.exists():
        raise FormatError(
            f"there is no {MANIFEST}: this is no suite, or building it was not finished",
            where=str(folder),
            hint="run `crossexam build` again; it starts over where nothing was finished",
        )
    manifest = read_json(manifest_file)
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
            "field 'test_sets' is missing", where=str(manifest_file), wanted="the manifest of a suite"
        )
    datasets = {name: _one(folder, name, entry, manifest_file) for name, entry in entries.items()}
    rest = {key: value for key, value in manifest.items() if key != "test_sets"}
    return Suite(str(manifest.get("name", folder.name)), datasets, rest)


def _one(folder: Path, name: str, entry: Mapping[str, Any], manifest_file: Path) -> Dataset:
    file = entry.get("file") if isinstance(entry, dict) else None
    if not isinstance(file, str) or Path(file).name != file:
        raise FormatError(
            f"test set '{name}' names no file of this folder", where=str(manifest_file), wanted="field 'file'"
        )
    path = folder / file
    if not path.exists():
        raise FormatError(
            f"the manifest names it, but there is no such file: test set '{name}'",
            where=str(path),
            hint="build the suite again with --force",
        )
    examples = read_test_set(path).examples
    dataset = Dataset(name, examples, {**entry, "path": str(path.absolute())})
    known = entry.get("content_hash")
    if known is not None and dataset.content_hash() != known:
        raise FormatError(
            f"the content is not what the manifest records ({dataset.content_hash()}, not {known})",
            where=str(path),
            hint="the file was changed after it was built; build the suite again with --force",
        )
    return dataset
