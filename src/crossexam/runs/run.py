"""Run a model over the test sets of a suite; each distinct pair is predicted once and stored at once."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.manifest import package_version
from crossexam.core.progress import Progress, silent
from crossexam.models.answers import not_probabilities
from crossexam.models.model import AnswersSets, Batch, Model, Pair, PlansBatches, check_batch_size
from crossexam.models.table import open_model
from crossexam.runs.answer_store import FILE_NAME, AnswerStore, pair_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Pairs in a batch, and stored together, if the model does not plan its batches.
PAIRS_AT_ONCE: Final = 256
#: How far from 1 the sum of a row of probabilities may be.
SUM_TOLERANCE: Final = 1e-6
_PACKAGES: Final = ("crossexam", "numpy", "torch", "transformers", "tokenizers", "safetensors", "rapidfuzz")


def predict_suite(
    model: str | Model | Callable[[Sequence[Pair]], Any],
    data: Suite | Dataset | str | Path,
    *,
    store: Path | None = None,
    options: Mapping[str, Any] | None = None,
    limit: int | None = None,
    progress: Progress = silent,
) -> Run:
    """Return the predictions of *model* over *data*: a suite, a test set, or the path of one.

    Predictions are stored batch by batch in ``store.sqlite`` in the folder *store*; stored ones are used
    again.  *options* are those of the model, by name: see :func:`crossexam.models.table.open_model`.
    *limit* restricts each test set to its first items.  Nothing else is written: see
    :func:`crossexam.runs.folder.save_run`.  Raises CrossexamError.
    """
    options = options or {}
    check_batch_size(options.get("batch_size", "auto"))
    if limit is not None and limit < 1:
        raise CrossexamError(f"the limit is {limit}", wanted="a positive whole number")
    whole = _test_sets(data)
    datasets = {name: _first(dataset, limit) for name, dataset in whole.items()}
    opened = open_model(model, options)
    start = time.monotonic()
    if isinstance(opened, AnswersSets):
        predicted = _Predicted(opened.predict_sets(list(datasets.values()), list(whole.values())), {})
    else:
        predicted = _predict_pairs(opened, datasets, store, options, progress)
    seconds = time.monotonic() - start
    entries = {name: _entry(datasets[name], whole[name]) for name in datasets}
    manifest = _manifest(opened, predicted.counts, entries, seconds, limit)
    return Run(opened.name, datasets, predicted.probabilities, manifest)


@dataclass(frozen=True)
class _Predicted:
    """The probabilities of every test set, and the counts of pairs for the manifest."""

    probabilities: dict[str, NDArray[np.float64]]
    counts: dict[str, int]


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
    """Predict every distinct pair that is not in the store, then read all predictions from there."""
    import numpy as np

    pairs = list(dict.fromkeys((e.premise, e.hypothesis) for dataset in datasets.values() for e in dataset))
    hashes = [pair_hash(*pair) for pair in pairs]
    stage = f"running {model.name}"
    with AnswerStore(store / FILE_NAME if store else None, model.key, model.name) as answers:
        before = answers.known(hashes)
        known = [pair in before for pair in hashes]
        done = sum(known)
        progress(stage, done, len(pairs))
        if done < len(pairs):
            for batch in _batches(model, pairs, known, options):
                _check_batch(batch, model.name)
                answers.add([hashes[index] for index in batch.indices], batch.probabilities, batch.truncated)
                done += len(batch.indices)
                progress(stage, done, len(pairs))
        # Read back: if two processes predicted the same pair, both report the prediction that was stored.
        stored = answers.known(hashes)
    rows = np.array([stored[pair].probabilities for pair in hashes]).reshape(-1, 3)
    place = {pair: index for index, pair in enumerate(pairs)}
    probabilities = {
        name: rows[[place[e.premise, e.hypothesis] for e in dataset]] for name, dataset in datasets.items()
    }
    counts = {
        "distinct_pairs": len(pairs),
        "asked_pairs": len(pairs) - sum(known),
        "pairs_from_store": sum(known),
        "truncated_pairs": sum(stored[pair].truncated for pair in hashes),
    }
    return _Predicted(probabilities, counts)


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
            probabilities = model.predict([pairs[index] for index in indices])
            yield Batch(indices, probabilities, [False] * len(indices))


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


def _entry(dataset: Dataset, whole: Dataset) -> dict[str, Any]:
    """Return the entry of one test set in the manifest."""
    known = whole.entry.content_hash if len(dataset) == len(whole) else None
    return {
        "rows": len(dataset),
        "of_rows": len(whole),
        "content_hash": str(known or dataset.content_hash()),
        "signature": whole.entry.signature,
    }


def _manifest(
    model: Model,
    counts: Mapping[str, int],
    entries: Mapping[str, Any],
    seconds: float,
    limit: int | None,
) -> dict[str, Any]:
    details = dict(model.details)
    return {
        "format": 1,
        "model": model.name,
        "model_key": model.key,
        "details": details,
        **counts,
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
