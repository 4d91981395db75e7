"""Run a model over the test sets of a suite; each distinct pair is predicted once and stored at once.

A model that asks another in parts (``--chunk``) is asked part by part: the parts are the pairs that are
predicted once and stored, under the key of the model that is asked.

A truncated item counts as one whose edit the model never saw if every changed character lies beyond what was
read: a model that stops reading before the edit gives the prediction of the unchanged text.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset, Reading, Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import SIDES, Edit, Example, Side, located_in_result
from crossexam.core.manifest import package_version
from crossexam.core.progress import Progress, silent
from crossexam.language.parsing.binary import known_parses, parsed_items
from crossexam.models.answers import NamesLabels, not_probabilities
from crossexam.models.chunking import Chunking, in_chunks
from crossexam.models.model import (
    AnswersSets,
    AsksInParts,
    Batch,
    CharactersRead,
    Model,
    Pair,
    Parts,
    PlansBatches,
    ReadsParses,
    answered_by,
    check_batch_size,
)
from crossexam.models.precision import ROUNDING
from crossexam.models.table import open_model
from crossexam.runs.answer_store import FILE_NAME, SUM_TOLERANCE, AnswerStore, StoredPrediction, pair_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The details of a model that it has only once it was asked.
_LEARNT: Final = ("two_label", "probe", ROUNDING)
#: Pairs in a batch, and stored together, if the model does not plan its batches.
PAIRS_AT_ONCE: Final = 256
_PACKAGES: Final = (
    "crossexam",
    "numpy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "onnxruntime",
    "rapidfuzz",
)


def predict_suite(
    model: str | Model | Callable[[Sequence[Pair]], Any],
    data: Suite | Dataset | str | Path,
    *,
    store: Path | None = None,
    options: Mapping[str, Any] | None = None,
    chunking: Chunking | None = None,
    limit: int | None = None,
    progress: Progress = silent,
) -> Run:
    """Return the predictions of *model* over *data*: a suite, a test set, or the path of one.

    Predictions are stored batch by batch in ``store.sqlite`` in the folder *store*; stored ones are used
    again.  *options* are those of the model, by name: see :func:`crossexam.models.table.open_model`.
    *chunking* asks the model about chunks of each pair (:mod:`crossexam.models.chunking`).  *limit* restricts
    each test set to its first items.  Nothing else is written: see
    :func:`crossexam.runs.folder.save_run`.  Raises CrossexamError.
    """
    options = options or {}
    check_batch_size(options.get("batch_size", "auto"))
    if limit is not None and limit < 1:
        raise CrossexamError(f"the limit is {limit}", wanted="a positive whole number")
    given = _test_sets(data)
    datasets = {name: _first(dataset, limit) for name, dataset in given.items()}
    opened = open_model(model, options)
    parsed: Mapping[str, int] = {}
    if isinstance(opened, ReadsParses) and opened.reads_parses:
        parses = known_parses(given.values())
        opened = opened.with_parses(parses)
        parsed = {name: parsed_items(dataset, parses) for name, dataset in datasets.items()}
    if chunking is not None:
        opened = in_chunks(opened, chunking)
    start = time.monotonic()
    if isinstance(opened, AnswersSets):
        predicted = _Predicted(opened.predict_sets(list(datasets.values()), list(given.values())), {})
    else:
        predicted = _predict_pairs(opened, datasets, store, options, progress)
    seconds = time.monotonic() - start
    entries = {name: _entry(name, datasets[name], given[name], predicted) for name in datasets}
    for name, count in parsed.items():
        entries[name]["parsed"] = count
    manifest = _manifest(opened, predicted, entries, seconds, limit)
    return Run(opened.name, datasets, predicted.probabilities, manifest, predicted.reading)


@dataclass(frozen=True)
class _Predicted:
    """The probabilities of every test set, and the counts of pairs for the manifest.

    *reading* is what was read of the items, and *chunks* the number of chunks of each, if that is known.
    """

    probabilities: dict[str, NDArray[np.float64]]
    counts: dict[str, int]
    reading: dict[str, Reading] = field(default_factory=dict)
    chunks: dict[str, list[int]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


def _test_sets(data: Suite | Dataset | str | Path) -> Mapping[str, Dataset]:
    if isinstance(data, str | Path):
        from crossexam.core.test_sets import read_suite

        data = read_suite(Path(data))
    datasets = {data.name: data} if isinstance(data, Dataset) else data.datasets
    if not datasets:
        raise CrossexamError("the suite has no test sets")
    return datasets


def _first(dataset: Dataset, limit: int | None) -> Dataset:
    if limit is None or len(dataset) <= limit:
        return dataset
    return Dataset(dataset.name, tuple(dataset.examples[:limit]), dataset.manifest)


def _predict_pairs(
    model: Model,
    datasets: Mapping[str, Dataset],
    store: Path | None,
    options: Mapping[str, Any],
    progress: Progress,
) -> _Predicted:
    """Predict every distinct pair, or every part of it, that is not in the store."""
    items = {name: [(e.premise, e.hypothesis) for e in dataset] for name, dataset in datasets.items()}
    pairs = list(dict.fromkeys(pair for of_set in items.values() for pair in of_set))
    found = _answers(model, pairs, store, options, progress)
    place = {pair: index for index, pair in enumerate(pairs)}
    truncated = {pair: each for pair, each in zip(pairs, found.spans, strict=True) if each is not None}
    counts = {
        "distinct_pairs": len(pairs),
        **({"chunk_pairs": found.asked} if found.chunks else {}),
        "asked_pairs": found.asked - found.known,
        "pairs_from_store": found.known,
        "truncated_pairs": len(truncated),
    }
    chunks = {
        name: [found.chunks[place[p]] for p in of_set] for name, of_set in items.items() if found.chunks
    }
    return _Predicted(
        {name: found.probabilities[[place[pair] for pair in of_set]] for name, of_set in items.items()},
        counts,
        {name: reading_of(dataset, truncated) for name, dataset in datasets.items()},
        chunks,
        found.facts,
    )


@dataclass(frozen=True)
class _Answers:
    """The *probabilities* [n, 3] of distinct pairs, and what was read of each (None: all of it).

    *asked* pairs were put to the model or found in the store, *known* of them were found there; *chunks* has
    the number of chunks of each pair, and is empty if the model is not asked in parts.  *facts*
    are what was learnt of the model by asking it, now or before.
    """

    probabilities: NDArray[np.float64]
    spans: Sequence[Spans | None]
    asked: int
    known: int
    facts: Mapping[str, Any]
    chunks: Sequence[int] = ()


def _answers(
    model: Model, pairs: Sequence[Pair], store: Path | None, options: Mapping[str, Any], progress: Progress
) -> _Answers:
    """Return the predictions of *model* for *pairs*, part by part if it asks another in parts."""
    import numpy as np

    if not isinstance(model, AsksInParts):
        stored, known, facts = _stored_predictions(model, pairs, store, options, progress)
        found = [stored[pair] for pair in pairs]
        spans = [
            None if each.read is None else spans_read(whole(pair), [each.read])
            for pair, each in zip(pairs, found, strict=True)
        ]
        table = np.array([each.probabilities for each in found], dtype=np.float64).reshape(-1, 3)
        return _Answers(table, spans, len(pairs), known, facts)
    divided = [model.parts(pair) for pair in pairs]
    asked = list(dict.fromkeys(part for parts in divided for part in parts.pairs))
    stored, known, facts = _stored_predictions(model.inner, asked, store, options, progress)
    rows, spans = [], []
    for parts in divided:
        found = [stored[pair] for pair in parts.pairs]
        rows.append(model.combined(parts, np.array([each.probabilities for each in found])))
        spans.append(spans_read(parts, [each.read for each in found]))
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return _Answers(table, spans, len(asked), known, facts, [parts.chunks for parts in divided])


def _stored_predictions(
    model: Model, pairs: Sequence[Pair], store: Path | None, options: Mapping[str, Any], progress: Progress
) -> tuple[dict[Pair, StoredPrediction], int, Mapping[str, Any]]:
    """Predict those of *pairs* that are not in the store, and return all predictions as they are stored.

    The number is that of the pairs that were stored before; the last are the facts on the model.
    """
    parses = model.parses if isinstance(model, ReadsParses) else {}
    hashes = [pair_hash(*pair, [parses.get(text) for text in pair] if parses else ()) for pair in pairs]
    stage = f"running {model.name}"
    with AnswerStore(store / FILE_NAME if store else None, model.key, model.name) as answers:
        before = answers.known(hashes)
        known = [pair in before for pair in hashes]
        done = sum(known)
        progress(stage, done, len(pairs))
        facts = answers.facts
        if facts.get("two_label") and isinstance(model, NamesLabels):
            model.named.add(["not_entailment"], where=model.name)
        if done < len(pairs):
            for batch in _batches(model, pairs, known, options):
                _check_batch(batch, model.name)
                learnt = {name: model.details[name] for name in _LEARNT if model.details.get(name)}
                if learnt != {name: facts.get(name) for name in learnt}:
                    answers.note(learnt)
                    facts = answers.facts
                answers.add([hashes[index] for index in batch.indices], batch.probabilities, batch.read)
                done += len(batch.indices)
                progress(stage, done, len(pairs))
        # Read back: if two processes predicted the same pair, both report the prediction that was stored.
        stored = answers.known(hashes)
    return {pair: stored[each] for pair, each in zip(pairs, hashes, strict=True)}, sum(known), facts


def _batches(
    model: Model, pairs: Sequence[Pair], known: Sequence[bool], options: Mapping[str, Any]
) -> Iterator[Batch]:
    """Yield the predictions for the pairs that are not *known*, batch by batch.

    The boundaries of batches depend on *pairs* only, so that a resumed run has the same batches as one that
    was not interrupted.
    """
    if isinstance(model, PlansBatches):
        yield from model.batches(pairs, known)
        return
    stated = options.get("batch_size", "auto")
    size = PAIRS_AT_ONCE if stated == "auto" else int(stated)
    for start in range(0, len(pairs), size):
        indices = [index for index in range(start, min(start + size, len(pairs))) if not known[index]]
        if indices:
            batch = answered_by(model, [pairs[index] for index in indices])
            yield batch._replace(indices=indices)


def _check_batch(batch: Batch, name: str) -> None:
    """Raise CrossexamError if a model, which may be a user's object, does not return probabilities."""
    shares = batch.probabilities
    good = getattr(shares, "shape", None) == (len(batch.indices), 3)
    if not good or not_probabilities(shares, tolerance=SUM_TOLERANCE).any():
        raise CrossexamError(
            f"the model did not return probabilities for {len(batch.indices)} pairs",
            where=name,
            wanted=f"finite, non-negative numbers, shape ({len(batch.indices)}, 3), with rows that sum to 1",
        )


def _entry(name: str, dataset: Dataset, whole: Dataset, predicted: _Predicted) -> dict[str, Any]:
    """Return the entry of one test set in the manifest."""
    known = whole.entry.content_hash if len(dataset) == len(whole) else None
    reading, chunks = predicted.reading.get(name), predicted.chunks.get(name)
    entry: dict[str, Any] = {
        "rows": len(dataset),
        "of_rows": len(whole),
        "content_hash": str(known or dataset.content_hash()),
        "signature": whole.entry.signature,
    }
    if reading is not None:
        entry |= {
            "truncated": int(reading.truncated.sum()),
            "edit_unseen": int(reading.edit_unseen.sum()),
        }
    if chunks:
        entry["chunks_per_item"] = {"mean": round(sum(chunks) / len(chunks), 3), "most": max(chunks)}
    return entry


def _manifest(
    model: Model,
    predicted: _Predicted,
    entries: Mapping[str, Any],
    seconds: float,
    limit: int | None,
) -> dict[str, Any]:
    details = dict(model.details) | dict(predicted.facts)
    return {
        "format": 1,
        "model": model.name,
        "model_key": model.key,
        **(model.facts if isinstance(model, AsksInParts) else {}),
        "details": details,
        **predicted.counts,
        **({"limit": limit} if limit is not None else {}),
        "seconds": round(seconds, 3),
        "device": details.get("device", "cpu"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": package_version(),
        "python": platform.python_version(),
        "packages": dict(_versions()),
        "test_sets": dict(entries),
    }


def _versions() -> Iterator[tuple[str, str]]:
    """Yield the versions of the loaded packages that predictions may depend on."""
    for name in _PACKAGES:
        if name in sys.modules:
            try:
                yield name, version(name)
            except PackageNotFoundError:
                continue


#: The characters of each side that were read: (start, end) of each stretch.
Spans = Mapping[Side, Sequence[tuple[int, int]]]

_START: Final = (0, 0)


def spans_read(parts: Parts, read: Sequence[CharactersRead | None]) -> Spans | None:
    """Return what was read of a pair of which *parts* were asked; None if all of each part was read.

    >>> spans_read(whole(("It rains.", "Wet.")), [CharactersRead(2, 4)])
    {'premise': [(0, 2)], 'hypothesis': [(0, 4)]}
    """
    if all(each is None for each in read):
        return None
    spans: dict[Side, list[tuple[int, int]]] = {side: [] for side in SIDES}
    for pair, starts, each in zip(parts.pairs, parts.starts, read, strict=True):
        lengths = each or (len(pair[0]), len(pair[1]))
        for side, start, length in zip(SIDES, starts, lengths, strict=True):
            spans[side].append((start, start + length))
    return spans


def whole(pair: Pair) -> Parts:
    """Return *pair* as its only part."""
    return Parts([pair], [_START], 1)


def reading_of(dataset: Dataset, spans: Mapping[Pair, Spans]) -> Reading:
    """Return what was read of the items of *dataset*; *spans* has the pairs that were truncated."""
    import numpy as np

    found = [spans.get((item.premise, item.hypothesis)) for item in dataset]
    unseen = [each is not None and edit_unseen(item, each) for item, each in zip(dataset, found, strict=True)]
    return Reading(np.array([each is not None for each in found], dtype=bool), np.array(unseen, dtype=bool))


def edit_unseen(item: Example, spans: Spans) -> bool:
    """Return whether *item* was edited and no changed character is in *spans*.

    What was deleted was read if the place where it stood was.

    >>> from crossexam.core.example import Change
    >>> insertion = Change("x.v1", "premise", "hypothesis", (Edit("premise", 9, 9, "", " Or not."),))
    >>> item = Example("a", "It rains. Or not.", "Wet.", None, change=insertion)
    >>> edit_unseen(item, {"premise": [(0, 9)]}), edit_unseen(item, {"premise": [(0, 12)]})
    (True, False)
    """
    if item.change is None or not item.change.edits:
        return False
    return not any(
        _was_read(edit, len(item.text(side)), spans.get(side, ()))
        for side in SIDES
        for edit in located_in_result(item.change.edits, side)
    )


def _was_read(edit: Edit, length: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a stretch in *spans* touches *edit*, which is located in a text of *length*."""
    if edit.start == edit.end:  # a deletion
        return any(start <= edit.start < end or edit.start == end == length for start, end in spans)
    return any(start < edit.end and edit.start < end for start, end in spans)
