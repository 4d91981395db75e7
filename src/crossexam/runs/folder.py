"""Runs as folders: ``predictions/TESTSET.parquet``, and ``manifest.json``, which is written last.

A file of predictions has the columns ``id``, ``label`` (gold), ``p_entailment``, ``p_neutral``,
``p_contradiction`` and ``predicted``, in the order of the test set; and, if it is known what the model read,
``truncated`` and ``edit_unseen`` (:class:`~crossexam.core.dataset.Reading`), which runs of earlier versions
lack.  Its bytes depend on the predictions only.  Test sets are not copied: the manifest has their paths and
content hashes.  Test sets that were built in memory, and corpora, are written into
``test_sets/``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from crossexam.core.dataset import Dataset, Reading, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent, read_json, write_json
from crossexam.core.labels import LABELS
from crossexam.core.manifest import RunEntry
from crossexam.core.test_sets import read_test_set, write_test_set
from crossexam.runs.answer_store import FILE_NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"
_PREDICTIONS: Final = "predictions"
_TEST_SETS: Final = "test_sets"
_SHARES: Final = tuple(f"p_{label}" for label in LABELS)
_READING: Final = tuple(field.name for field in fields(Reading))


def save_run(run: Run, folder: Path) -> None:
    """Write *run* into *folder*, replacing an earlier run; the store of predictions is kept."""
    manifest_file = folder / MANIFEST
    manifest_file.unlink(missing_ok=True)
    entries = {}
    for name, dataset in run.datasets.items():
        file = f"{quote(name, safe=' ')}.parquet"
        place = folder / _PREDICTIONS / file
        _write_predictions(place, dataset, run.probabilities[name], run.reading.get(name))
        entries[name] = {
            **run.manifest.get("test_sets", {}).get(name, {"rows": len(dataset), "of_rows": len(dataset)}),
            "predictions": f"{_PREDICTIONS}/{file}",
            **_place(dataset, folder, file),
            "dataset": {key: value for key, value in dataset.manifest.items() if key != "path"},
        }
        entries[name].setdefault("content_hash", dataset.content_hash())
    _remove_stale(folder, entries)
    write_json(manifest_file, {**run.manifest, "model": run.model, "test_sets": entries})


def read_run(folder: Path) -> Run:
    """Return the run in *folder* with its test sets.

    Raises FormatError if there is no finished run, or if a test set is missing or was changed.
    """
    manifest_file = folder / MANIFEST
    if not folder.is_dir():
        raise FormatError("no such folder", where=str(folder), wanted="a folder that `crossexam run` wrote")
    if not manifest_file.exists():
        raise FormatError(
            f"there is no {MANIFEST}: this is not a run, or the run did not finish",
            where=str(folder),
            hint="repeat `crossexam run` to resume it",
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
            hint=f"crossexam run MODEL {folder} -o RUN runs a model over it" if is_suite else None,
        )
    typed = {name: RunEntry.from_json(entry) for name, entry in entries.items()}
    datasets = {name: _read_test_set(folder, name, entry) for name, entry in typed.items()}
    files = {
        name: _read_predictions(folder / entry.predictions, datasets[name]) for name, entry in typed.items()
    }
    probabilities = {name: found for name, (found, _) in files.items()}
    reading = {name: found for name, (_, found) in files.items() if found is not None}
    return Run(str(manifest["model"]), datasets, probabilities, manifest, reading)


def refuse_other_run(model: str, folder: Path) -> None:
    """Raise CrossexamError if *folder* has the run of another model than *model*, or anything but a run."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CrossexamError("this is a file", where=str(folder), wanted="a folder for the predictions")
    manifest = folder / MANIFEST
    if manifest.exists():
        known = read_json(manifest)
        if "model" not in known or "test_sets" not in known:
            raise CrossexamError(
                "this is not the folder of a run", where=str(folder), hint="choose another -o"
            )
        # A run in chunks of the same model reuses its predictions, whatever the aggregate.
        if known.get("asked_model", known["model"]) != model:
            raise CrossexamError(
                f"this folder contains a run of {known['model']}", where=str(folder), hint="choose another -o"
            )
    elif not (folder / FILE_NAME).exists() and any(
        not path.name.startswith(".") for path in folder.iterdir()
    ):
        raise CrossexamError(
            "this folder contains files, but they are not from a run",
            where=str(folder),
            hint="choose another -o",
        )


def _write_predictions(
    path: Path, dataset: Dataset, probabilities: NDArray[np.float64], reading: Reading | None
) -> None:
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
        **(
            {}
            if reading is None
            else {name: pa.array(getattr(reading, name), pa.bool_()) for name in _READING}
        ),
    }
    with finished_or_absent(path) as temporary:
        pq.write_table(pa.table(columns), temporary, compression="zstd")


def _read_predictions(path: Path, dataset: Dataset) -> tuple[NDArray[np.float64], Reading | None]:
    """Return the probabilities in *path* and what was read of the items, if the file says so."""
    import numpy as np
    import polars as pl

    try:
        table = pl.read_parquet(path)
        ids = table["id"].to_list()
        probabilities: NDArray[np.float64] = table.select(_SHARES).to_numpy()
        known = all(name in table.columns for name in _READING)
        reading = Reading(*(table[name].to_numpy().astype(bool) for name in _READING)) if known else None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"not a prediction file: {error}", where=str(path)) from None
    if ids != [example.id for example in dataset]:
        raise FormatError(
            f"the ids are not those of test set '{dataset.name}'",
            where=str(path),
            hint="repeat `crossexam run`; stored predictions are reused",
        )
    return np.ascontiguousarray(probabilities, dtype=np.float64), reading


def _place(dataset: Dataset, folder: Path, file: str) -> dict[str, str]:
    """Return the path of the items of *dataset*, relative to *folder* and absolute; write them if need be."""
    path = dataset.manifest.get("path")
    is_corpus = "spec" in dataset.manifest  # its file, if it has one, is not a test set
    if path is None or is_corpus or not Path(path).exists():
        write_test_set(folder / _TEST_SETS / file, dataset.examples)
        return {"items": f"{_TEST_SETS}/{file}", "items_path": ""}
    absolute = Path(path).absolute()
    try:
        relative = os.path.relpath(absolute, folder.absolute())
    except ValueError:  # on another drive
        relative = str(absolute)
    return {"items": Path(relative).as_posix(), "items_path": str(absolute)}


def _read_test_set(folder: Path, name: str, entry: RunEntry) -> Dataset:
    """Return the test set of *entry*; only its first rows if the run had a limit."""
    places = [folder / entry.items, Path(entry.items_path)]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise FormatError(
            f"the items of test set '{name}' are missing",
            where=str(places[0]),
            hint="put the suite back, or build it and run the model again; stored predictions are reused",
        )
    examples = tuple(read_test_set(path).examples[: entry.rows])
    manifest = {**entry.dataset, "path": str(path.absolute())}
    dataset = Dataset(name, examples, manifest)
    if dataset.content_hash() != entry.content_hash:
        raise FormatError(
            f"test set '{name}' was changed after the run",
            where=str(path),
            hint="repeat `crossexam run`; stored predictions for unchanged pairs are reused",
        )
    return dataset


def _remove_stale(folder: Path, entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Remove files of test sets that were in an earlier run in this folder and are not in this one."""
    kept = {folder / str(entry[key]) for entry in entries.values() for key in ("predictions", "items")}
    for path in (*(folder / _PREDICTIONS).glob("*.parquet"), *(folder / _TEST_SETS).glob("*.parquet")):
        if path not in kept:
            path.unlink()
