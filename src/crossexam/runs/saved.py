"""Runs read back from their folders, with everything that they state checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import structs

from crossexam.core.dataset import Dataset, ReadItems, Run, content_hash, has_content
from crossexam.core.errors import FormatError, UnfinishedError, UnknownNameError
from crossexam.core.example import ITEM_STATUSES, STATUS, Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import GOLDS, LABELS, ItemLabels
from crossexam.core.manifest import RunEntry, entry_of, saved_run_in
from crossexam.core.outcome import CODES, Outcomes
from crossexam.core.places import copy_path
from crossexam.core.sealed import MANIFEST
from crossexam.core.stored.arrays import (
    array_of_names,
    array_of_numbers,
    codes_of,
    numbers_of,
    numbers_or_nan,
)
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.parquet import ParquetRows
from crossexam.core.test_sets import UNVERIFIED, entry_beside, read_test_set, vouched
from crossexam.core.transfers import fetch, fetch_file, has_file, names_at
from crossexam.models.model import SetAnswers
from crossexam.runs.answer_store import FILE_NAME
from crossexam.runs.answers import run_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: The model's own probabilities, in files whose labels are others.
OWN_SHARES: Final = tuple(f"model_p_{label}" for label in LABELS)
_SHARES: Final = tuple(f"p_{label}" for label in LABELS)
_LATER: Final = "~"  # than all times
_AGAIN: Final = "repeat `crossexam run`; stored predictions are reused"
_REWRITE: Final = "repeat `crossexam run` with --force; stored predictions are reused"
_RUN_AGAIN: Final = "repeat `crossexam run` with --force; stored predictions for unchanged pairs are reused"
_ROWS_AT_ONCE: Final = 200_000  # of a file of predictions
READING: Final = tuple(field.name for field in fields(ReadItems))
OUTCOME: Final = "outcome"
MASS: Final = "label_mass"


def run_folders(folder: Path) -> list[Path]:
    """Return *folder* if it is a run, or else the runs in it; *folder* itself if there are none.

    These are runs of several templates, or those that `crossexam examine` wrote into its folder ``runs``,
    finished or not, in the order in which they were last finished.
    """
    if has_file(folder / MANIFEST) or has_file(folder / FILE_NAME):
        return [folder]
    inside = [group / name for group in (folder, folder / "runs") for name in sorted(names_at(group))]
    return sorted((each for each in inside if _is_run(each)), key=_finished_at) or [folder]


def _finished_at(folder: Path) -> str:
    """Return when the run in *folder* was finished, in UTC; later than all times if that is not known."""
    fetch_file(folder / MANIFEST)
    try:
        return saved_run_in(folder, hint=_AGAIN).finished or _LATER
    except FormatError:  # whoever reads the run says what is wrong
        return _LATER


def _is_run(folder: Path) -> bool:
    names = names_at(folder)
    return FILE_NAME in names or {MANIFEST, "predictions"} <= names


def run_folder(folder: Path) -> Path:
    """Return the run that *folder* is or has; raises FormatError that names them if it has several."""
    first, *others = runs = run_folders(folder)
    if others:
        raise FormatError(
            "this is a folder of several runs",
            where=str(folder),
            wanted="one of these runs",
            hint=f"name one: {', '.join(map(str, runs))}",
        )
    return first


def read_run(folder: Path) -> Run:
    """Return the run in *folder* with its test sets.

    The folder may also be one that has a single run (:func:`run_folder`).  What belongs to a place elsewhere
    is brought here.  Raises FormatError if there is no finished run, or if a test set is missing or was
    changed.
    """
    folder = run_folder(folder)
    fetch(folder)
    if not folder.is_dir():
        runs = [each.name for each in run_folders(folder.parent) if each != folder.parent]
        raise FormatError(
            "no such folder",
            where=str(folder),
            wanted="a folder that `crossexam run` wrote",
            hint=UnknownNameError("run", folder.name, runs).hint if runs else None,
        )
    manifest = saved_run_in(folder, hint=_REWRITE)
    entries = manifest.test_sets
    datasets = {name: _read_test_set(folder, name, entry) for name, entry in entries.items()}
    answers = {name: saved_answers(folder, datasets[name], entry) for name, entry in entries.items()}
    return run_of(manifest.model, datasets, answers, manifest)


def read_finished_run(folder: Path) -> Run:
    """Return the run in *folder* as :func:`read_run`, but raise UnfinishedError if it was begun only."""
    folder = run_folder(folder)
    fetch(folder)
    if (folder / FILE_NAME).exists() and not (folder / MANIFEST).exists():
        raise UnfinishedError(
            "the run is not finished", where=str(folder), hint="repeat `crossexam run`, which resumes it"
        )
    return read_run(folder)


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """Return the runs in *folders*; of a test set in one file, several runs have the same object.

    What is computed from the items is then computed, and held, once.  Raises what :func:`read_run` raises.
    """
    runs: list[Run] = []
    for run in map(read_run, folders):
        datasets = dict(run.datasets)
        for name, dataset in run.datasets.items():
            for other in runs:
                if name in other.datasets and _are_same_rows(other.datasets[name], dataset):
                    datasets[name] = other.datasets[name]
        runs.append(replace(run, datasets=datasets))
    return runs


def _are_same_rows(one: Dataset, other: Dataset) -> bool:
    """Return whether two test sets, which declare the same, are the same rows of one file."""
    here, there = one.examples, other.examples
    declared = [{**each.manifest, "path": None} for each in (one, other)]
    return (
        declared[0] == declared[1]
        and isinstance(here, StoredExamples)
        and isinstance(there, StoredExamples)
        and here.rows.path.samefile(there.rows.path)
        and isinstance(here.places, range)
        and here.places == there.places
    )


@dataclass(frozen=True)
class PredictionTable:
    """The columns of a file of predictions for the items of a test set, as they are *scored*.

    *statuses* [n] are the codes of :func:`~crossexam.core.columns.status_codes`, None if the labels of the
    test set were not proposed by a rule.
    """

    scored: ItemLabels
    statuses: NDArray[np.int8] | None
    reading: ReadItems | None
    outcomes: Outcomes | None

    def columns(self, rows: slice) -> dict[str, pa.Array]:
        """Return the columns at *rows* by name, but for ids."""
        scored = self.scored
        gold, predicted = scored.gold[rows], scored.predicted[rows]
        columns = {"label": array_of_names(gold, GOLDS), "predicted": array_of_names(predicted, GOLDS)}
        columns["correct"] = array_of_numbers(scored.correct[rows], ~scored.judged[rows])
        shares = {f"p_{label}": scored.shares[rows, k] for k, label in enumerate(scored.projection.labels)}
        if scored.has_own_shares:
            shares |= dict(zip(OWN_SHARES, scored.probabilities[rows].T, strict=True))
        columns |= {name: array_of_numbers(share, predicted < 0) for name, share in shares.items()}
        if self.statuses is not None:
            columns[STATUS] = array_of_names(self.statuses[rows], ITEM_STATUSES)
        if self.reading is not None:
            columns |= {name: array_of_numbers(getattr(self.reading, name)[rows]) for name in READING}
        if self.outcomes is not None:
            outcomes = self.outcomes.at(rows)
            columns[OUTCOME] = array_of_names(outcomes.codes, list(CODES))
            columns[MASS] = array_of_numbers(outcomes.label_mass, np.isnan(outcomes.label_mass))
        return columns


def saved_answers(folder: Path, dataset: Dataset, entry: RunEntry) -> SetAnswers:
    """Return the predictions of *entry* in *folder*, which are those for *dataset*.

    Raises FormatError if they are missing, or not as the run wrote them.
    """
    path = folder / entry.predictions
    if not path.is_file():
        raise FormatError(f"the predictions for '{dataset.name}' are missing", where=str(path), hint=_AGAIN)
    if sha256_of(path) != entry.sha256:
        raise FormatError("the predictions were changed after the run", where=str(path), hint=_AGAIN)
    return _columns_of_predictions(path)


def _columns_of_predictions(path: Path) -> SetAnswers:
    """Return what is in *path*, a file that :class:`PredictionTable` made; a part of it is read at a time."""
    rows = ParquetRows(path, hint=_AGAIN)
    schema, count = rows.schema.names, rows.count
    reading = [name for name in READING if name in schema]
    names = _columns_of_shares(schema)
    shares = np.zeros((count, len(LABELS)), dtype=np.float64)
    read = {name: np.empty(count, dtype=bool) for name in reading}
    outcomes = Outcomes(np.zeros(count, dtype=np.int8), np.full(count, np.nan)) if OUTCOME in schema else None
    others = [] if outcomes is None else [OUTCOME, MASS]
    start = 0
    for batch in rows.stretches(0, count, [*names, *reading, *others], _ROWS_AT_ONCE):
        here = slice(start, start + len(batch))
        for place, name in enumerate(names):
            shares[here, place] = numbers_or_nan(batch[name])
        for name in reading:
            read[name][here] = numbers_of(batch[name])
        if outcomes is not None:
            outcomes.codes[here] = codes_of(batch[OUTCOME], CODES)
            outcomes.label_mass[here] = numbers_or_nan(batch[MASS])
        start = here.stop
    shares[np.isnan(shares[:, 0]), len(names) :] = math.nan  # of a model of two labels, without an answer
    return SetAnswers(shares, outcomes, ReadItems(**read) if reading else None)


def _columns_of_shares(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with the probabilities of the model: three, or two of a model of two labels."""
    rejected = next((f"p_{name}" for name in ("not_entailment", "neutral") if f"p_{name}" in names), "")
    two = (f"p_{LABELS[0]}", rejected)
    return next(each for each in (OWN_SHARES, _SHARES, two) if set(each) <= set(names))


def _read_test_set(folder: Path, name: str, entry: RunEntry) -> Dataset:
    """Return the test set of *entry*; only its first rows if the run had a limit."""
    whole = whole_test_set(folder, name, entry)
    return Dataset(name, whole.examples[: entry.rows], whole.manifest)


def whole_test_set(folder: Path, name: str, entry: RunEntry) -> Dataset:
    """Return a test set of the run in *folder*, without its limit; raises FormatError if it was changed.

    If judges relabelled its items in the meantime, its manifest has the hashes and the signature that say so.
    """
    then = entry_of(name, entry.dataset, folder / MANIFEST, hint=_REWRITE)
    path = _items_file(folder, name, entry, entry.items_sha256 or then.sha256)
    if entry.items_sha256 is not None:  # the run holds them
        vouched(path, structs.replace(then, sha256=entry.items_sha256), hint=_RUN_AGAIN)
        return _dataset(path, name, read_test_set(path, checked=True).examples, entry.dataset)
    known = [each for each in (then, entry_beside(path)) if each is not None and each.sha256 is not None]
    now = vouched(path, *known, hint=_RUN_AGAIN) if known else None
    examples = read_test_set(path, checked=now is not None).examples
    if now is not None:
        found = structs.asdict(now)
    else:  # a file outside of its suite
        found = {"content_hash": content_hash(examples), UNVERIFIED: True}
    same = found["content_hash"] == entry.content_hash
    if not same and not has_content(examples[: entry.rows], entry.content_hash):
        raise FormatError(f"test set '{name}' was changed after the run", where=str(path), hint=_RUN_AGAIN)
    return _dataset(path, name, examples, {**entry.dataset, **found})


def _dataset(path: Path, name: str, examples: Sequence[Example], manifest: Mapping[str, Any]) -> Dataset:
    return Dataset(name, examples, {**manifest, "path": str(path.absolute())})


def _items_file(folder: Path, name: str, entry: RunEntry, sha256: str | None) -> Path:
    """Return the file with the items of test set *name* of the run in *folder*; raises FormatError."""
    places = [folder / entry.items, copy_path(entry.items_path)]
    found = (fetch_file(place, sha256) for place in places if place != folder)
    path = next((place for place in found if place.is_file()), None)
    if path is None:
        raise FormatError(
            f"the items of test set '{name}' are missing",
            where=str(places[0]),
            hint="put the suite back, or build it and run the model again; stored predictions are reused",
        )
    return path
