"""Runs as folders: ``predictions/TESTSET.parquet``, and ``manifest.json``, written last.

A table of predictions has the columns ``id``, ``label`` (gold), ``p_entailment``, ``p_neutral``,
``p_contradiction`` and ``predicted``, in the order of the test set.  Its bytes depend on the answers
alone.  Test sets are not copied: the manifest says where they are and the hash of their content; those
that were built in memory and never written are put into ``test_sets/``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent, read_json, write_json
from crossexam.core.labels import LABELS
from crossexam.core.test_sets import read_test_set, write_test_set
from crossexam.runs.answer_store import FILE_NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"
_PREDICTIONS: Final = "predictions"
_TEST_SETS: Final = "test_sets"
_SHARES: Final = tuple(f"p_{label}" for label in LABELS)


def refuse_other_run(model: str, folder: Path) -> None:
    """Raise CrossexamError where *folder* holds the run of another model than *model*, or something else."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CrossexamError("this is a file", where=str(folder), wanted="a folder for the answers")
    manifest = folder / MANIFEST
    if manifest.exists():
        found = read_json(manifest)
        if "model" not in found or "test_sets" not in found:
            raise CrossexamError("it holds no run", where=str(folder), hint="choose another -o")
        if found["model"] != model:
            raise CrossexamError(
                f"it holds the run of {found['model']}", where=str(folder), hint="choose another -o"
            )
    elif not (folder / FILE_NAME).exists() and any(
        not each.name.startswith(".") for each in folder.iterdir()
    ):
        raise CrossexamError(
            "it holds something else than a run", where=str(folder), hint="choose another -o"
        )


def save_run(run: Run, folder: Path) -> None:
    """Write *run* into *folder*, over what an earlier run left there; the store stays."""
    manifest_file = folder / MANIFEST
    manifest_file.unlink(missing_ok=True)
    entries = {}
    for name, dataset in run.datasets.items():
        file = f"{quote(name, safe=' ')}.parquet"
        _write_predictions(folder / _PREDICTIONS / file, dataset, run.probabilities[name])
        entries[name] = {
            **run.manifest.get("test_sets", {}).get(name, {"rows": len(dataset), "of_rows": len(dataset)}),
            "predictions": f"{_PREDICTIONS}/{file}",
            **_place(dataset, folder, file),
            "dataset": {key: value for key, value in dataset.manifest.items() if key != "path"},
        }
        entries[name].setdefault("content_hash", dataset.content_hash())
    _remove_stale(folder, entries)
    write_json(manifest_file, {**run.manifest, "model": run.model, "test_sets": entries})


def load_run(folder: Path) -> Run:
    """Return the run in *folder* with its test sets.

    Raises FormatError where there is no finished run, and where a test set is gone or was changed.
    """
    manifest_file = folder / MANIFEST
    if not folder.is_dir():
        raise FormatError(
            "there is no such folder", where=str(folder), wanted="one that `crossexam run` wrote"
        )
    if not manifest_file.exists():
        raise FormatError(
            f"there is no {MANIFEST}: this is no run, or it was not finished",
            where=str(folder),
            hint="the same `crossexam run` resumes with the answers that it had",
        )
    manifest = read_json(manifest_file)
    entries = manifest.get("test_sets")
    if not isinstance(entries, dict) or "model" not in manifest:
        is_suite = isinstance(entries, dict)
        raise FormatError(
            "this is the folder of a suite, not of a run"
            if is_suite
            else "this is not the manifest of a run",
            where=str(manifest_file),
            wanted="a folder that `crossexam run` wrote",
            hint=f"crossexam run MODEL {folder} -o RUN asks a model about it" if is_suite else None,
        )
    datasets = {name: _load_test_set(folder, name, entry) for name, entry in entries.items()}
    probabilities = {
        name: _read_predictions(folder / str(entry["predictions"]), datasets[name])
        for name, entry in entries.items()
    }
    return Run(str(manifest["model"]), datasets, probabilities, manifest)


def _write_predictions(path: Path, dataset: Dataset, probabilities: NDArray[np.float64]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if probabilities.shape != (len(dataset), len(LABELS)):
        raise ValueError(f"{probabilities.shape} probabilities for {len(dataset)} items of {dataset.name}")
    winners = probabilities.argmax(axis=1) if len(dataset) else []
    columns = {
        "id": pa.array([example.id for example in dataset], pa.string()),
        "label": pa.array([example.label for example in dataset], pa.string()),
        **{name: pa.array(probabilities[:, k], pa.float64()) for k, name in enumerate(_SHARES)},
        "predicted": pa.array([LABELS[winner] for winner in winners], pa.string()),
    }
    with finished_or_absent(path) as temporary:
        pq.write_table(pa.table(columns), temporary, compression="zstd")


def _read_predictions(path: Path, dataset: Dataset) -> NDArray[np.float64]:
    import numpy as np
    import polars as pl

    try:
        table = pl.read_parquet(path)
        ids = table["id"].to_list()
        answers: NDArray[np.float64] = table.select(_SHARES).to_numpy()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"not a table of predictions: {error}", where=str(path)) from None
    if ids != [example.id for example in dataset]:
        raise FormatError(
            f"the ids are not those of test set '{dataset.name}'",
            where=str(path),
            hint="run the model again; answers in the store are not asked again",
        )
    return np.ascontiguousarray(answers, dtype=np.float64)


def _place(dataset: Dataset, folder: Path, file: str) -> dict[str, str]:
    """Return where the items of *dataset* are, seen from *folder* and from anywhere."""
    path = dataset.manifest.get("path")
    if path is None or not Path(path).exists():  # built in memory: written into the run's folder
        write_test_set(folder / _TEST_SETS / file, dataset.examples)
        return {"items": f"{_TEST_SETS}/{file}", "items_path": ""}
    absolute = Path(path).absolute()
    try:
        seen_from_here = os.path.relpath(absolute, folder.absolute())
    except ValueError:  # another drive
        seen_from_here = str(absolute)
    return {"items": Path(seen_from_here).as_posix(), "items_path": str(absolute)}


def _load_test_set(folder: Path, name: str, entry: Mapping[str, Any]) -> Dataset:
    """Return the test set of *entry*, its first rows only where the run had a limit."""
    places = [folder / str(entry.get("items")), Path(str(entry.get("items_path") or "."))]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise FormatError(
            f"the items of test set '{name}' are gone",
            where=str(places[0]),
            hint="put the suite back, or build and run it again; answers in the store are not asked again",
        )
    examples = tuple(read_test_set(path).examples[: int(entry["rows"])])
    manifest = {**entry.get("dataset", {}), "path": str(path.absolute())}
    dataset = Dataset(name, examples, manifest)
    if dataset.content_hash() != entry.get("content_hash"):
        raise FormatError(
            f"test set '{name}' is not the one that the model was asked about: it was changed since",
            where=str(path),
            hint="run the model again; answers to pairs that are still there are not asked again",
        )
    return dataset


def _remove_stale(folder: Path, entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Remove tables of test sets that an earlier run in this folder had and this one has not."""
    kept = {folder / str(entry[key]) for entry in entries.values() for key in ("predictions", "items")}
    for path in (*(folder / _PREDICTIONS).glob("*.parquet"), *(folder / _TEST_SETS).glob("*.parquet")):
        if path not in kept:
            path.unlink()
