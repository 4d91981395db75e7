"""Runs as folders: ``predictions/TESTSET.parquet``, and ``manifest.json``, which is written last.

A file of predictions has a row per item of the test set, in its order, with what was scored
(:class:`~crossexam.core.labels.ItemLabels`): ``id``, ``label`` (gold), ``predicted``, ``correct``, and
``p_LABEL`` for each label that is scored.  If these are not the three labels of the model, its own
probabilities are in ``model_p_entailment``, ``model_p_neutral`` and ``model_p_contradiction``.  Where there
is anything to say, further columns are ``status`` (verified, rejected or proposed labels), ``truncated`` and
``edit_unseen`` (:class:`~crossexam.core.dataset.ReadItems`), ``outcome`` and ``label_mass``
(:mod:`crossexam.core.outcome`).  Without an answer, ``predicted``, ``correct`` and the probabilities are
null, so that the mean of ``correct`` is the accuracy of the report.  The bytes of the file depend on the
predictions only, and the manifest has their SHA-256.  Test sets are not copied: the manifest has their paths
and content hashes.  Test sets that were built in memory, and corpora, are written into ``test_sets/``.

A folder holds one run of one model.  Further test sets are added to it; what is there is replaced only if
that is asked for.  One process at a time may write to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from crossexam.core.columns import status_codes
from crossexam.core.dataset import Dataset, Run, Suite, has_content
from crossexam.core.differences import differences
from crossexam.core.errors import CrossexamError
from crossexam.core.files import finished_or_absent, sha256_of
from crossexam.core.locks import alone_in, sweep
from crossexam.core.manifest import (
    PairCounts,
    PredictedSet,
    RunEntry,
    RunManifest,
    SavedRunManifest,
    saved_run_in,
)
from crossexam.core.outcome import check_unanswered
from crossexam.core.output.file_names import file_stem
from crossexam.core.places import relative_url, url_of
from crossexam.core.progress import Progress, silent
from crossexam.core.sealed import MANIFEST, write_manifest
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.test_sets import write_test_set
from crossexam.core.transfers import copied_to_place
from crossexam.models.chunking import Chunking, in_chunks
from crossexam.models.model import Model, Pair
from crossexam.models.table import open_model
from crossexam.runs.answer_store import FILE_NAME, AnswerStore, has_predictions
from crossexam.runs.asked import how_asked
from crossexam.runs.predictions import stage_of
from crossexam.runs.run import Permit, finished_run, first_items, predict_suite, refuse_many
from crossexam.runs.saved import PredictionTable, saved_answers, whole_test_set
from crossexam.runs.windows import Asking, ask_in_this_process

_PREDICTIONS: Final = "predictions"
_TEST_SETS: Final = "test_sets"
_WAY_OUT: Final = "choose another -o, or --force (in Python, force=True) to replace the run"
#: As many as pyarrow makes of a whole table.
_ROWS_PER_GROUP: Final = 2**20


class OtherRunError(CrossexamError):
    """A *folder* for a run of *model* that has another run, of which something would be lost."""

    def __init__(self, what: str, folder: Path, model: str) -> None:
        self.folder, self.model = folder, model
        super().__init__(what, where=str(folder), hint=_WAY_OUT)


def run_into_folder(
    model: str | Model | Callable[[Sequence[Pair]], Any],
    data: Suite | Dataset,
    folder: Path,
    *,
    options: Mapping[str, Any] | None = None,
    limit: int | None = None,
    chunking: Chunking | None = None,
    force: bool = False,
    progress: Progress = silent,
    ask: Asking = ask_in_this_process,
    permit: Permit = refuse_many,
    again: Sequence[str] = (),
) -> Run:
    """Run *model* over *data* and save the predictions in *folder*; return the run that the folder then has.

    If the folder has a run of the same model over other test sets, these are kept, and those of *data* are
    added.  *force* replaces the run instead.  *again* are statuses (:mod:`crossexam.core.outcome`): pairs
    without an answer that are stored with one of them are asked again.  If *folder* is the work folder of a
    place elsewhere, the run is then copied there, without the store.  The other arguments are those of
    :func:`crossexam.runs.run.predict_suite`.  Raises CrossexamError if the folder has anything else, or if
    another process is writing to it; UnfinishedError if the model could not be asked about all pairs, whose
    answers so far are kept.
    """
    check_unanswered(again)
    if url_of(folder) is None:
        _refuse_other_files(folder, force=force)
    opened = open_model(model, options, tests=[data] if isinstance(data, Dataset) else data)
    if chunking is not None:
        opened = in_chunks(opened, chunking)
    with _held(folder, force=force):
        suite = suite_in_folder(folder, opened, data, limit, force=force)
        if again and (folder / FILE_NAME).exists():
            with _opened_store(folder, opened) as store:
                store.forget(again)
        run = None if force else _finished(folder, opened, suite, limit)
        if run is not None:
            counted = run.manifest.pairs_from_store or 0
            progress(stage_of(opened), counted, counted)
            save_run(run, folder, has_predictions=True)
            return run
        run = predict_suite(
            opened,
            suite,
            store=folder,
            options=options,
            limit=limit,
            progress=progress,
            ask=ask,
            permit=permit,
        )
        save_run(run, folder, force=force)
    return run


def _finished(folder: Path, model: Model, suite: Suite, limit: int | None) -> Run | None:
    """Return the run of *model* over *suite* if *folder* has all of its predictions, and none is to be made.

    It is None if they are of other items or were changed, if the store lacks predictions, as when it was
    removed so that the model is asked again, and if predictions depend on more than the texts.
    """
    looks_up = model.predict_sets is not None or model.parses is not None
    if looks_up or not ((folder / MANIFEST).exists() and (folder / FILE_NAME).exists()):
        return None
    earlier = _manifest_there(folder)
    entries = earlier.test_sets
    pairs = earlier.distinct_pairs if model.inner is None else earlier.chunk_pairs
    datasets = {name: first_items(dataset, limit) for name, dataset in suite.datasets.items()}
    if (
        (earlier.model, earlier.model_key, earlier.limit) != (model.name, model.key, limit)
        or list(entries) != list(datasets)
        or pairs is None
        or not all(_is_finished(folder, datasets[name], entry) for name, entry in entries.items())
    ):
        return None
    with _opened_store(folder, model) as store:
        if store.count() < pairs:
            return None
        facts = store.facts
    model.recall(facts)
    sets = {name: saved_answers(folder, datasets[name], entry) for name, entry in entries.items()}
    counts = PairCounts(earlier.distinct_pairs, earlier.chunk_pairs, 0, pairs, earlier.truncated_pairs)
    return finished_run(model, suite, sets, counts, facts, earlier=earlier)


def _opened_store(folder: Path, model: Model) -> AnswerStore:
    """Return the store in *folder* of the answers of *model*, or of the model that it asks about parts."""
    asked = model.inner or model
    return AnswerStore(folder / FILE_NAME, asked.key, asked.name)


def _is_finished(folder: Path, dataset: Dataset, entry: RunEntry) -> bool:
    """Return whether *folder* has the predictions of *entry*, unchanged, and they are those for *dataset*."""
    path = folder / entry.predictions
    return (
        path.is_file()
        and len(dataset) == entry.rows
        and _content_hash(dataset) == entry.content_hash
        and sha256_of(path) == entry.sha256
    )


def _content_hash(dataset: Dataset) -> str:
    """Return the content hash of *dataset*: that of its manifest if its file was checked when it was read."""
    stated, examples = dataset.entry.content_hash, dataset.examples
    if (
        stated is not None
        and isinstance(examples, StoredExamples)
        and len(examples) == examples.rows.count
        and str(examples.rows.path.absolute()) == dataset.entry.path
    ):
        return stated
    return dataset.content_hash()


@contextmanager
def _held(folder: Path, *, force: bool) -> Iterator[None]:
    """Create *folder* and hold the lock on it; remove it after an error if it is new and has no predictions.

    If it is the work folder of a place, the run is copied there at the end.  Raises CrossexamError if another
    process holds the lock, which then may still need all that is there, or if the folder has anything but a
    run; *force* allows damage.
    """
    busy = CrossexamError(
        "another process is writing to this folder",
        where=str(folder),
        hint="wait until it has finished, or choose another -o",
    )
    is_new = not folder.exists()
    with alone_in(folder, busy), copied_to_place(folder):
        _refuse_other_files(folder, force=force)
        try:
            yield
        except BaseException:
            if is_new and not has_predictions(folder / FILE_NAME):
                (folder / FILE_NAME).unlink(missing_ok=True)
            raise


def save_run(run: Run, folder: Path, *, force: bool = False, has_predictions: bool = False) -> None:
    """Write *run* into *folder*, but for the predictions if it *has_predictions*; the store is kept.

    It replaces the run that the folder has; :func:`suite_in_folder` refuses before if that would lose
    anything.  With *force*, the folder has no run until all is written.
    """
    if force:
        (folder / MANIFEST).unlink(missing_ok=True)
    entries: dict[str, RunEntry] = {}
    for name, dataset in run.datasets.items():
        file = f"{file_stem(name)}.parquet"
        place = folder / _PREDICTIONS / file
        if not has_predictions:
            _write_predictions(place, run, name)
        stated, at = run.manifest.test_sets.get(name) or _unstated(dataset), _place(dataset, folder, file)
        entries[name] = RunEntry(
            **{each: getattr(stated, each) for each in PredictedSet.__struct_fields__},
            predictions=place.relative_to(folder).as_posix(),
            sha256=sha256_of(place),
            items=at.items,
            items_path=at.path,
            items_sha256=at.sha256,
            dataset={key: value for key, value in dataset.manifest.items() if key != "path"},
        )
    _remove_stale(folder, entries)
    write_manifest(folder / MANIFEST, replace(run.manifest, model=run.model, test_sets=entries))


def _unstated(dataset: Dataset) -> PredictedSet:
    """Return the entry of *dataset* in the manifest of a run that was made by hand."""
    rows = len(dataset)
    return PredictedSet(
        rows=rows, of_rows=rows, content_hash=dataset.content_hash(), signature=dataset.entry.signature
    )


def _refuse_other_files(folder: Path, *, force: bool) -> None:
    """Raise CrossexamError if *folder* has anything but a run, finished or not; *force* allows damage."""
    if not folder.exists() or (force and (folder / FILE_NAME).exists()):
        return
    if not folder.is_dir():
        raise CrossexamError("this is a file", where=str(folder), wanted="a folder for the predictions")
    if (folder / MANIFEST).exists():
        _manifest_there(folder)
    elif not (folder / FILE_NAME).exists() and any(
        not path.name.startswith(".") for path in folder.iterdir()
    ):
        raise CrossexamError(
            "this folder contains files, but they are not from a run",
            where=str(folder),
            hint="choose another -o",
        )


def _manifest_there(folder: Path) -> SavedRunManifest:
    """Return the manifest of the run in *folder*, which is written to; raises FormatError."""
    return saved_run_in(folder, hint=_WAY_OUT, otherwise="choose another -o")


def suite_in_folder(
    folder: Path, model: Model, data: Suite | Dataset, limit: int | None, *, force: bool = False
) -> Suite:
    """Return the test sets that a run of *model* over *data* in *folder* has: those that it keeps come first.

    With *force*, none are kept.  Raises OtherRunError if the folder has another run.
    """
    datasets = {data.name: data} if isinstance(data, Dataset) else dict(data.datasets)
    kept = {} if force else _kept_sets(folder, model, datasets, limit)
    return Suite(data.name, {**kept, **datasets})


def _kept_sets(
    folder: Path, model: Model, datasets: Mapping[str, Dataset], limit: int | None
) -> dict[str, Dataset]:
    """Return the test sets of the run in *folder* that *datasets* lacks, whole, as they were before a limit.

    Raises OtherRunError if the folder has another run than one of *model* with *limit*.
    """
    if not (folder / MANIFEST).exists():
        return {}
    asked = {name: first_items(dataset, limit) for name, dataset in datasets.items()}
    new = RunManifest(model=model.name, model_key=model.key, details=model.details, limit=limit)
    earlier = _manifest_there(folder)
    what = next(_losses(earlier, new, asked), None)
    if what is not None:
        raise OtherRunError(what, folder, model.name)
    others = {name: entry for name, entry in earlier.test_sets.items() if name not in datasets}
    return {name: whole_test_set(folder, name, entry) for name, entry in others.items()}


def _limit(limit: object) -> str:
    return "no limit" if limit is None else f"--limit {limit}"


def _losses(earlier: SavedRunManifest, new: RunManifest, datasets: Mapping[str, Dataset]) -> Iterator[str]:
    """Yield why a *new* run over *datasets* cannot be written where one is *earlier*.

    A test set may be run again if it has the same items, or the same and further ones; others are kept.
    """
    if earlier.model != new.model:
        yield f"this folder contains a run of {earlier.model}, not of {new.model}"
    if earlier.model_key != new.model_key:
        yield _of_other_key(earlier, new)
    for name, entry in earlier.test_sets.items():
        if name in datasets and not _has_items(datasets[name], entry):
            yield f"this folder contains a run over {entry.rows:,} other items that are also called '{name}'"
    others = ", ".join(name for name in earlier.test_sets if name not in datasets)
    if others and earlier.limit != new.limit:
        there, here = map(_limit, (earlier.limit, new.limit))
        yield (
            f"the run in this folder was made with {there}, this one with {here}, and the folder has other "
            f"test sets: {others}"
        )


def _of_other_key(earlier: RunManifest, new: RunManifest) -> str:
    """Return how the run *earlier* differs from a *new* one of the same model with another key."""
    model = new.model
    asked = (how_asked(each.details) for each in (earlier, new))
    if changed := differences(*asked):
        return f"this folder contains a run of {model} with other options: {'; '.join(changed)}"
    return (
        f"this folder contains a run of an earlier {model}: "
        "its files, its source or its options have changed since"
    )


def _has_items(dataset: Dataset, entry: RunEntry) -> bool:
    """Return whether *dataset* begins with the items of *entry*, or has no others."""
    if len(dataset) == entry.rows and _content_hash(dataset) == entry.content_hash:
        return True
    return has_content(dataset.examples[: entry.rows], entry.content_hash)


def _write_predictions(path: Path, run: Run, name: str) -> None:
    """Write the predictions of *run* for test set *name* to *path*, a row group at a time."""
    dataset = run.datasets[name]
    statuses = status_codes(dataset.examples) if dataset.has_proposed_labels else None
    table = PredictionTable(run.scored(name), statuses, run.reading.get(name), run.outcomes.get(name))
    with finished_or_absent(path) as temporary, ExitStack() as opened:
        writer = None
        for start in range(0, max(1, len(dataset)), _ROWS_PER_GROUP):
            rows = slice(start, start + _ROWS_PER_GROUP)
            ids = Dataset(dataset.name, dataset.examples[rows]).ids()
            group = pa.table({"id": ids, **table.columns(rows)})
            if writer is None:
                writer = opened.enter_context(pq.ParquetWriter(temporary, group.schema, compression="zstd"))
            writer.write_table(group)


class _ItemsFile(NamedTuple):
    """Where the items of a test set are, as :class:`~crossexam.core.manifest.RunEntry` says it."""

    items: str
    path: str
    sha256: str | None = None


def _place(dataset: Dataset, folder: Path, file: str) -> _ItemsFile:
    """Return where the items of *dataset* are, relative to *folder* and absolute; write them if need be.

    A run at a place elsewhere holds items that are on this machine only.
    """
    path = dataset.entry.path
    is_corpus = dataset.entry.spec is not None  # its file, if it has one, is not a test set
    url, to = None if path is None else url_of(Path(path)), url_of(folder)
    only_here = to is not None and url is None
    if path is None or is_corpus or only_here or not Path(path).exists():
        items = folder / _TEST_SETS / file
        write_test_set(items, dataset.examples)
        return _ItemsFile(f"{_TEST_SETS}/{file}", "", sha256_of(items))
    if url is not None:
        return _place_elsewhere(Path(path), url, to)
    absolute = Path(path).absolute()
    try:
        relative = os.path.relpath(absolute, folder.absolute())
    except ValueError:  # on another drive
        relative = str(absolute)
    return _ItemsFile(Path(relative).as_posix(), str(absolute))


def _place_elsewhere(path: Path, url: str, folder: str | None) -> _ItemsFile:
    """Return where the items at *url* are, whose copy is *path*, for a run at the URL *folder* or here."""
    relative = None if folder is None else relative_url(url, folder)
    if relative is not None and not relative.startswith("../"):  # the run holds them
        return _ItemsFile(relative, "", sha256_of(path))
    return _ItemsFile(relative or "", url)


def _remove_stale(folder: Path, entries: Mapping[str, RunEntry]) -> None:
    """Remove what an unfinished or replaced run left: files of test sets that this one does not have."""
    kept = {folder / file for entry in entries.values() for file in (entry.predictions, entry.items)}
    for path in (*(folder / _PREDICTIONS).glob("*.parquet"), *(folder / _TEST_SETS).glob("*.parquet")):
        if path not in kept:
            path.unlink()
    sweep(folder / _PREDICTIONS, folder / _TEST_SETS)
