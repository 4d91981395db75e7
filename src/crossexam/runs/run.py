"""Run a model over the test sets of a suite; each distinct pair is predicted once and stored at once.

A model that asks another in parts (``--chunk``) is asked part by part: the parts are the pairs that are
predicted once and stored, under the key of the model that is asked.

Items are read as a stream (:mod:`crossexam.runs.predictions`), and asked in windows
(:mod:`crossexam.runs.windows`).
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from crossexam.core.columns import columns_of
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import SIDES
from crossexam.core.manifest import (
    ChunkCounts,
    PairCounts,
    PredictedSet,
    RunManifest,
    loaded_packages,
    package_version,
)
from crossexam.core.places import copy_path
from crossexam.core.progress import Progress, silent
from crossexam.language.parsing.binary import known_parses, parsed_items
from crossexam.models.chunking import Chunking, in_chunks
from crossexam.models.model import Model, Pair, SetAnswers, check_batch_size
from crossexam.models.table import open_model
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.answers import check_probabilities, run_of
from crossexam.runs.pair_columns import PairColumns
from crossexam.runs.pair_hashes import DistinctPairs
from crossexam.runs.predictions import PACKAGES, Predictions, predictions_of, with_learnt
from crossexam.runs.reading import reading_of
from crossexam.runs.windows import Asking, ask_in_this_process

#: More requests to a server on another machine must be confirmed.
MOST_UNCONFIRMED: Final = 2_000

#: What is called before pairs are sent, with the model and their number; raises CrossexamError to refuse it.
Permit = Callable[[Model, int], None]


class UnconfirmedError(CrossexamError):
    """So many *requests* would be sent to another machine that the user is asked first."""

    def __init__(self, host: str, requests: int) -> None:
        self.requests = requests
        super().__init__(
            f"up to {requests:,} requests would be sent to {host}",
            wanted=f"a confirmation, since they are more than {MOST_UNCONFIRMED:,}",
            hint="--yes (in Python, yes=True) confirms; --dry-run shows the first one; --limit asks fewer",
        )


def refuse_many(model: Model, pairs: int) -> None:
    """Raise UnconfirmedError if *pairs* are many requests to another machine that nobody confirmed."""
    requests = model.requests_for(pairs)
    if model.needs_confirmation and requests > MOST_UNCONFIRMED:
        raise UnconfirmedError(str(model.host), requests)


def predict_suite(
    model: str | Model | Callable[[Sequence[Pair]], Any],
    data: Suite | Dataset | str | Path,
    *,
    store: Path | None = None,
    options: Mapping[str, Any] | None = None,
    chunking: Chunking | None = None,
    limit: int | None = None,
    progress: Progress = silent,
    ask: Asking = ask_in_this_process,
    permit: Permit = refuse_many,
) -> Run:
    """Return the predictions of *model* over *data*: a suite, a test set, or the path of one.

    Predictions are stored batch by batch in ``store.sqlite`` in the folder *store*; stored ones are used
    again.  *options* are those of the model, by name: see :func:`crossexam.models.table.open_model`.
    *chunking* asks the model about chunks of each pair (:mod:`crossexam.models.chunking`).  *limit* restricts
    each test set to its first items.  *ask* has the model asked, here or by workers
    (:mod:`crossexam.runs.workers`).  *permit* is called before pairs are sent to a server.  Nothing else is
    written: see :func:`crossexam.runs.folder.save_run`.  Raises CrossexamError.
    """
    options = options or {}
    check_batch_size(options.get("batch_size", "auto"))
    if limit is not None and limit < 1:
        raise CrossexamError(f"the limit is {limit}", wanted="a positive whole number")
    given = _test_sets(data)
    datasets = {name: first_items(dataset, limit) for name, dataset in given.items()}
    opened = open_model(model, options, tests=given.values())
    parsed: Mapping[str, int] = {}
    if opened.parses is not None:
        parses = known_parses(given.values())
        opened = opened.with_parses(parses)
        parsed = {name: parsed_items(dataset, parses) for name, dataset in datasets.items()}
    if chunking is not None:
        opened = in_chunks(opened, chunking)
    start = time.monotonic()
    counts, facts = PairCounts(), dict[str, Any]()
    if opened.predict_sets is not None:
        sets = opened.predict_sets(list(datasets.values()), list(given.values()))
        for each in sets.values():
            check_probabilities(each.probabilities, each.outcomes, opened.name)
    else:
        _ask_permission(opened, datasets.values(), store, permit)
        items = sum(map(len, datasets.values()))
        found = predictions_of(
            opened, lambda: stretches_of(datasets.values()), items, store, options, progress, ask
        )
        sets, counts, facts = _by_test_set(found, datasets), found.counts, dict(found.facts)
    seconds = time.monotonic() - start
    entries = {name: _entry(datasets[name], given[name], sets[name], parsed.get(name)) for name in datasets}
    manifest = _manifest(opened, counts, facts, entries, seconds, limit)
    return run_of(opened.name, datasets, sets, manifest)


def finished_run(
    model: Model,
    data: Suite,
    sets: Mapping[str, SetAnswers],
    counts: PairCounts,
    facts: Mapping[str, Any],
    *,
    earlier: RunManifest,
) -> Run:
    """Return the run of *model* over *data* whose answers are all there, as it is when nothing is asked.

    *sets* are the answers by test set, *counts* those of the pairs, and *facts* what was learnt of the model;
    *earlier* is the manifest of the run that asked.
    """
    limit = earlier.limit
    datasets = {name: first_items(dataset, limit) for name, dataset in data.datasets.items()}
    entries = {
        name: msgspec.structs.replace(
            _entry(datasets[name], data.datasets[name], sets[name]),
            chunks_per_item=earlier.test_sets[name].chunks_per_item,
        )
        for name in datasets
    }
    manifest = _manifest(model, counts, facts, entries, 0.0, limit)
    return run_of(model.name, datasets, sets, manifest)


def pairs_to_ask(model: Model, data: Suite, folder: Path | None, limit: int | None) -> Iterator[Pair]:
    """Yield the distinct pairs of *data*, or parts of them, to which the store in *folder* has no answer."""
    datasets = [first_items(dataset, limit) for dataset in data.datasets.values()]
    return waiting_pairs(model, lambda: stretches_of(datasets), folder)


def waiting_pairs(
    model: Model, stretches: Callable[[], Iterable[Sequence[Pair]]], folder: Path | None
) -> Iterator[Pair]:
    """Yield the distinct pairs, or parts of them, of *stretches* that the store in *folder* lacks."""
    asked, pairs = model, DistinctPairs(stretches())
    if model.inner is not None:
        asked, whole = model.inner, pairs
        divide = model.parts
        pairs = DistinctPairs([part for pair in new for part in divide(pair).pairs] for new, _ in whole)
    path = None if folder is None else folder / FILE_NAME
    with AnswerStore(path if path is not None and path.exists() else None, asked.key, asked.name) as store:
        for new, hashes in pairs:
            known, _ = store.look_up(hashes)
            yield from (pair for pair, is_known in zip(new, known.tolist(), strict=True) if not is_known)


def _ask_permission(model: Model, datasets: Collection[Dataset], store: Path | None, permit: Permit) -> None:
    """Call *permit* if *model* sends pairs to a server and some of *datasets* are not yet answered.

    Raises CrossexamError before anything is sent if the model must not be asked about one of them.
    """
    asked = model.inner or model
    if asked.host is not None:
        count = 0
        for pair in waiting_pairs(model, lambda: stretches_of(datasets), store):
            asked.refuse_asking_about((pair,))
            count += 1
        if count:
            permit(asked, count)


def _test_sets(data: Suite | Dataset | str | Path) -> Mapping[str, Dataset]:
    if isinstance(data, str | Path):
        from crossexam.core.test_sets import read_suite

        data = read_suite(copy_path(data))
    datasets = {data.name: data} if isinstance(data, Dataset) else data.datasets
    if not datasets:
        raise CrossexamError("the suite has no test sets")
    return datasets


def first_items(dataset: Dataset, limit: int | None) -> Dataset:
    """Return *dataset* with its first *limit* items, all of them if that is None."""
    if limit is None or len(dataset) <= limit:
        return dataset
    return Dataset(dataset.name, dataset.examples[:limit], dataset.manifest)


#: Rows of a test set whose texts are read at once.
_ROWS_AT_ONCE: Final = 20_000


def stretches_of(datasets: Iterable[Dataset]) -> Iterator[Sequence[Pair]]:
    """Yield the pairs of the items of *datasets*, a stretch at a time; raises FormatError."""
    for dataset in datasets:
        yield from map(PairColumns, columns_of(dataset.examples, SIDES, _ROWS_AT_ONCE, exact=True))


def _by_test_set(found: Predictions, datasets: Mapping[str, Dataset]) -> dict[str, SetAnswers]:
    """Return the answers to the items of *datasets*, whose pairs were asked about in this order."""
    sets = {}
    has_outcomes = bool(found.answers.outcomes.noted.any())
    start = 0
    for name, dataset in datasets.items():
        stop = start + len(dataset)
        numbers = found.numbers[start:stop]
        sets[name] = SetAnswers(
            found.answers.probabilities[numbers],
            found.answers.outcomes.at(numbers) if has_outcomes else None,
            reading_of(dataset, numbers, found.truncated, found.spans),
            None if found.chunks is None else found.chunks[numbers],
        )
        start = stop
    return sets


def _entry(dataset: Dataset, whole: Dataset, answers: SetAnswers, parsed: int | None = None) -> PredictedSet:
    """Return the entry of one test set in the manifest."""
    reading, outcomes, chunks = answers.reading, answers.outcomes, None
    if answers.chunks is not None and len(answers.chunks):
        mean = round(int(answers.chunks.sum()) / len(answers.chunks), 3)
        chunks = ChunkCounts(mean, int(answers.chunks.max()))
    return PredictedSet(
        rows=len(dataset),
        of_rows=len(whole),
        content_hash=dataset.stated_hash,
        signature=whole.entry.signature,
        truncated=None if reading is None else int(reading.truncated.sum()),
        edit_unseen=None if reading is None else int(reading.edit_unseen.sum()),
        unanswered=None if outcomes is None else outcomes.unanswered() or None,
        chunks_per_item=chunks,
        parsed=parsed,
    )


def _manifest(
    model: Model,
    counts: PairCounts,
    facts: Mapping[str, Any],
    entries: Mapping[str, PredictedSet],
    seconds: float,
    limit: int | None,
) -> RunManifest:
    learnt = {name: value for name, value in facts.items() if name != PACKAGES}
    details = with_learnt(model.details, learnt)
    return RunManifest(
        format=1,
        model=model.name,
        model_key=model.key,
        **model.facts,
        details=details,
        distinct_pairs=counts.distinct,
        chunk_pairs=counts.chunks,
        asked_pairs=counts.asked,
        pairs_from_store=counts.from_store,
        truncated_pairs=counts.truncated,
        limit=limit,
        seconds=round(seconds, 3),
        device=details.get("device", "cpu"),
        finished=datetime.now(UTC).isoformat(timespec="milliseconds"),
        version=package_version(),
        python=platform.python_version(),
        packages=loaded_packages(facts.get(PACKAGES)),
        test_sets=entries,
    )
