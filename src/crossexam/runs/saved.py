"""Runs read back from their folders, with everything that they state checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset, Reading, Run, content_hash, has_content
from crossexam.core.errors import FormatError, UnfinishedError
from crossexam.core.example import STATUS, STATUSES
from crossexam.core.files import sha256_of
from crossexam.core.labels import GOLDS, LABELS, ItemLabels
from crossexam.core.manifest import RunEntry, TestSetEntry
from crossexam.core.outcome import CODES, Outcomes
from crossexam.core.places import copy_path
from crossexam.core.sealed import UNVERIFIED, has_checksum, read_manifest
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.foreign_parquet import check_foreign
from crossexam.core.test_sets import entry_beside, read_test_set, relabelled, vouched_sha256
from crossexam.core.transfers import fetch, fetch_file, has_file, names_at
from crossexam.models.model import SetAnswers
from crossexam.runs.answer_store import FILE_NAME
from crossexam.runs.answers import not_answers, run_of

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"
#: The model's own probabilities, in files whose labels are others.
OWN_SHARES: Final = tuple(f"model_p_{label}" for label in LABELS)
_SHARES: Final = tuple(f"p_{label}" for label in LABELS)
_AGAIN: Final = "repeat `crossexam run`; stored predictions are reused"
_REWRITE: Final = "repeat `crossexam run` with --force; stored predictions are reused"
_RUN_AGAIN: Final = "repeat `crossexam run` with --force; stored predictions for unchanged pairs are reused"
_ROWS_AT_ONCE: Final = 200_000  # of a file of predictions
READING: Final = tuple(field.name for field in fields(Reading))
OUTCOME: Final = "outcome"
MASS: Final = "label_mass"
_NO_OUTCOME: Final = -1


def run_folders(folder: Path) -> list[Path]:
    """Return *folder* if it is a run, or else the runs in it; *folder* itself if there are none.

    These are runs of several templates, or those that `crossexam examine` wrote into its folder ``runs``,
    finished or not.
    """
    if has_file(folder / MANIFEST) or has_file(folder / FILE_NAME):
        return [folder]
    inside = [group / name for group in (folder, folder / "runs") for name in sorted(names_at(group))]
    return [each for each in inside if _is_run(each)] or [folder]


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
    manifest_file = folder / MANIFEST
    if not folder.is_dir():
        raise FormatError("no such folder", where=str(folder), wanted="a folder that `crossexam run` wrote")
    if not manifest_file.exists():
        raise FormatError(
            f"there is no {MANIFEST}: this is not a run, or the run did not finish",
            where=str(folder),
            hint="repeat `crossexam run`, which resumes a run that was stopped, or says why it cannot",
        )
    manifest = read_manifest(manifest_file, hint=_REWRITE)
    entries = manifest.get("test_sets")
    if not isinstance(entries, dict) or not isinstance(manifest.get("model"), str):
        is_suite = isinstance(entries, dict) and not manifest.keys() & {"model", "model_key"}
        raise FormatError(
            "this is the folder of a suite, not of a run"
            if is_suite
            else "this is not the manifest of a run",
            where=str(manifest_file),
            wanted="a folder that `crossexam run` wrote",
            hint=f"crossexam run MODEL {folder} -o RUN runs a model over it" if is_suite else _REWRITE,
        )
    typed = run_entries(entries, manifest_file)
    unverified = [] if has_checksum(manifest_file) else [MANIFEST]
    unverified += [entry.predictions for entry in typed.values() if entry.sha256 is None]
    if unverified:
        manifest[UNVERIFIED] = f"{', '.join(unverified)}: without a checksum, as in runs of earlier versions"
    datasets = {name: _read_test_set(folder, name, entry) for name, entry in typed.items()}
    answers = {
        name: read_predictions(folder / entry.predictions, datasets[name], entry.sha256)
        for name, entry in typed.items()
    }
    return run_of(str(manifest["model"]), datasets, answers, manifest)


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


def run_entries(entries: object, manifest_file: Path) -> dict[str, RunEntry]:
    """Return the *entries* of the test sets in a manifest, by name; raises FormatError if one is damaged."""
    if not isinstance(entries, dict):
        raise FormatError(
            "field 'test_sets' is missing",
            where=str(manifest_file),
            wanted="the manifest of a run",
            hint=_REWRITE,
        )
    typed = {}
    for name, entry in entries.items():
        try:
            typed[name] = RunEntry.from_json(entry)
            TestSetEntry.from_json(name, typed[name].dataset)
        except (FormatError, KeyError, TypeError, ValueError, AttributeError) as error:
            detail = f": {error.what}" if isinstance(error, FormatError) else ""
            raise FormatError(
                f"the entry of test set '{name}' is damaged{detail}",
                where=str(manifest_file),
                wanted="an object with the number of rows and the files",
                hint=_REWRITE,
            ) from None
    return typed


@dataclass(frozen=True)
class PredictionTable:
    """The columns of a file of predictions for the items of a test set, as they are *scored*.

    *statuses* [n] are the codes of :func:`~crossexam.core.columns.status_codes`, None if the labels of the
    test set were not proposed by a rule.
    """

    scored: ItemLabels
    statuses: NDArray[np.int8] | None
    reading: Reading | None
    outcomes: Outcomes | None

    def columns(self, rows: slice) -> list[pl.Series]:
        """Return the columns at *rows*, but for ids."""
        import numpy as np
        import polars as pl

        def named(name: str, codes: NDArray[Any], names: Sequence[str]) -> pl.Series:
            numbers = pl.Series(codes.astype(np.int64))
            return pl.Series(name, names, pl.String).gather(numbers.set(numbers < 0, None))

        def known(name: str, values: NDArray[Any], missing: NDArray[np.bool_]) -> pl.Series:
            return pl.Series(name, values).set(pl.Series(missing), None)

        scored = self.scored
        gold, predicted = scored.gold[rows], scored.predicted[rows]
        columns = [named("label", gold, GOLDS), named("predicted", predicted, GOLDS)]
        columns.append(known("correct", scored.correct[rows], ~scored.judged[rows]))
        shares = [(f"p_{label}", scored.shares[rows, k]) for k, label in enumerate(scored.projection.labels)]
        if scored.has_own_shares:
            shares += zip(OWN_SHARES, scored.probabilities[rows].T, strict=True)
        columns += [known(name, np.ascontiguousarray(share), predicted < 0) for name, share in shares]
        if self.statuses is not None:
            columns.append(named(STATUS, self.statuses[rows], STATUSES))
        if self.reading is not None:
            columns += [pl.Series(name, getattr(self.reading, name)[rows]) for name in READING]
        if self.outcomes is not None:
            outcomes = self.outcomes.at(rows)
            mass = outcomes.label_mass
            columns += [pl.Series(OUTCOME, outcomes.statuses(), pl.String), known(MASS, mass, np.isnan(mass))]
        return columns


def read_predictions(path: Path, dataset: Dataset, sha256: str | None) -> SetAnswers:
    """Return what is in *path*, the predictions for *dataset*."""
    import polars as pl

    if not path.is_file():
        raise FormatError(f"the predictions for '{dataset.name}' are missing", where=str(path), hint=_AGAIN)
    try:
        if sha256 is not None and sha256_of(path) != sha256:
            raise FormatError("the predictions were changed after the run", where=str(path), hint=_AGAIN)
        if sha256 is None:
            check_foreign(path, hint=_AGAIN)
        found = _columns_of_predictions(path, dataset)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FormatError(f"not a prediction file: {error}", where=str(path), hint=_AGAIN) from None
    _check_probabilities(found, path)
    return found


def _columns_of_predictions(path: Path, dataset: Dataset) -> SetAnswers:
    """Return what is in *path* if its ids are those of *dataset*; a part of the file is read at a time."""
    import numpy as np
    import polars as pl

    rows = pl.scan_parquet(path, glob=False)
    schema = rows.collect_schema()
    reading = READING if all(name in schema for name in READING) else ()
    shares = np.zeros((len(dataset), len(LABELS)), dtype=np.float64)
    names = _columns_of_shares(schema.names())
    read = {name: np.empty(len(dataset), dtype=bool) for name in reading}
    outcome_names = [name for name in (OUTCOME, MASS) if OUTCOME in schema and name in schema]
    outcomes = Outcomes(np.zeros(len(dataset), dtype=np.int8), np.full(len(dataset), np.nan))
    fits = bool(names) and rows.select(pl.len()).collect().item() == len(dataset)
    start = 0
    for items in dataset.columns("id", at_once=_ROWS_AT_ONCE) if fits else ():
        here = slice(start, start + len(items))
        shown = rows.slice(start, len(items))
        table = shown.select("id", pl.col(names).cast(pl.Float64), *reading, *outcome_names).collect()
        fits &= table["id"].equals(items["id"])
        shares[here, : len(names)] = table.select(names).to_numpy()
        for name in reading:
            read[name][here] = table[name].to_numpy()
        if outcome_names:
            outcomes.codes[here] = table[OUTCOME].replace_strict(CODES, default=_NO_OUTCOME).to_numpy()
            outcomes.label_mass[here] = table[MASS].cast(pl.Float64).fill_null(math.nan).to_numpy()
        start = here.stop
    if not names:
        raise FormatError("not a prediction file: there are no probabilities", where=str(path), hint=_AGAIN)
    if not fits:
        raise FormatError(f"the ids are not those of test set '{dataset.name}'", where=str(path), hint=_AGAIN)
    if (outcomes.codes == _NO_OUTCOME).any():
        row = int((outcomes.codes == _NO_OUTCOME).argmax())
        raise FormatError("there is no such outcome", where=f"{path}, row {row}", wanted=", ".join(CODES))
    shares[np.isnan(shares[:, 0]), len(names) :] = math.nan  # of a model of two labels, without an answer
    return SetAnswers(shares, outcomes if outcome_names else None, Reading(**read) if reading else None)


def _columns_of_shares(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with the probabilities of the model: three, or two of a model of two labels."""
    rejected = next((f"p_{name}" for name in ("not_entailment", "neutral") if f"p_{name}" in names), "")
    two = (f"p_{LABELS[0]}", rejected)
    return next((each for each in (OWN_SHARES, _SHARES, two) if set(each) <= set(names)), ())


def _check_probabilities(found: SetAnswers, path: Path) -> None:
    outcomes = found.outcomes or Outcomes.all_answered(len(found.probabilities))
    for start in range(0, len(found.probabilities), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        wrong = not_answers(found.probabilities[rows], outcomes.at(rows))
        if wrong.any():
            row = start + int(wrong.argmax())
            raise FormatError(
                f"{found.probabilities[row].tolist()} are not probabilities",
                where=f"{path}, row {row}",
                wanted="finite, non-negative numbers that sum to 1, or none at all without an answer",
                hint=_AGAIN,
            )


def _read_test_set(folder: Path, name: str, entry: RunEntry) -> Dataset:
    """Return the test set of *entry*; only its first rows if the run had a limit."""
    whole = whole_test_set(folder, name, entry)
    return Dataset(name, whole.examples[: entry.rows], whole.manifest)


def whole_test_set(folder: Path, name: str, entry: RunEntry) -> Dataset:
    """Return a test set of the run in *folder*, without its limit; raises FormatError if it was changed."""
    of_set = TestSetEntry.from_json(name, entry.dataset)
    sha256 = entry.items_sha256 or of_set.sha256
    places = [folder / entry.items, copy_path(entry.items_path)]
    found = (fetch_file(place, sha256) for place in places if place != folder)
    path = next((place for place in found if place.is_file()), None)
    if path is None:
        raise FormatError(
            f"the items of test set '{name}' are missing",
            where=str(places[0]),
            hint="put the suite back, or build it and run the model again; stored predictions are reused",
        )
    found_sha256 = vouched_sha256(path, _known_sha256(path, entry, of_set), hint=_RUN_AGAIN)
    examples = read_test_set(path, checked=found_sha256 is not None).examples
    unverified = {} if found_sha256 else {UNVERIFIED: True}
    dataset = Dataset(name, examples, {**entry.dataset, **unverified, "path": str(path.absolute())})
    known = of_set.content_hash if entry.items_sha256 is None else entry.content_hash
    is_as_written = found_sha256 is not None and found_sha256 == sha256
    if is_as_written and known == entry.content_hash and len(dataset) == entry.rows:
        return dataset
    if content_hash(examples[: entry.rows]) == entry.content_hash:
        return dataset
    if not has_content(examples[: entry.rows], entry.content_hash):
        raise FormatError(
            f"test set '{name}' was changed after the run",
            where=str(path),
            hint=_RUN_AGAIN,
        )
    return relabelled(dataset)


def _known_sha256(path: Path, entry: RunEntry, of_set: TestSetEntry) -> frozenset[str]:
    """Return the SHA-256 that the items in *path* may have: as they were run, or as judges left them."""
    if entry.items_sha256 is not None:
        return frozenset({entry.items_sha256})
    beside = entry_beside(path)
    return of_set.known_sha256 | (frozenset() if beside is None else beside.known_sha256)
