"""Ask a model about every test set of a suite: each distinct pair once, each answer stored when it is had."""

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
from crossexam.models.model import AnswersSets, Batch, Model, Pair, PlansBatches, check_batch_size
from crossexam.models.table import open_model
from crossexam.runs.answer_store import FILE_NAME, Store, pair_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Pairs that a model which plans no batches is given at once, and that are stored together.
PAIRS_AT_ONCE: Final = 256
_PACKAGES: Final = ("crossexam", "numpy", "torch", "transformers", "tokenizers", "safetensors", "rapidfuzz")


@dataclass(frozen=True)
class _Answered:
    """The probabilities of every test set, and how they were had."""

    probabilities: dict[str, NDArray[np.float64]]
    counts: dict[str, int]


def run(
    model: str | Model | Callable[[Sequence[Pair]], Any],
    data: Suite | Dataset | str | Path,
    *,
    store: Path | None = None,
    options: Mapping[str, Any] | None = None,
    limit: int | None = None,
    progress: Progress = silent,
) -> Run:
    """Return the answers of *model* over *data*: a suite, a test set, or the path of one.

    Answers go into ``store.sqlite`` in the folder *store* batch by batch; what is there already is not
    asked again.  *options* are those of the model, by name: see :func:`crossexam.models.table.open_model`.
    *limit* takes the first items of each test set.  Nothing else is written: see
    :func:`crossexam.runs.folder.save_run`.  Raises CrossexamError.
    """
    options = options or {}
    check_batch_size(options.get("batch_size", "auto"))
    if limit is not None and limit < 1:
        raise CrossexamError(f"the limit is {limit}", wanted="a whole number above 0")
    whole = _test_sets(data)
    asked = {name: _first(dataset, limit) for name, dataset in whole.items()}
    opened = open_model(model, options)
    start = time.monotonic()
    if isinstance(opened, AnswersSets):
        tables = opened.predict_sets(list(asked.values()), list(whole.values()))
        answered = _Answered(tables, {})
    else:
        answered = _ask_pairs(opened, asked, store, options, progress)
    seconds = time.monotonic() - start
    entries = {name: _entry(asked[name], whole[name]) for name in asked}
    manifest = _manifest(opened, answered.counts, entries, seconds, limit)
    return Run(opened.name, asked, answered.probabilities, manifest)


def _test_sets(data: Suite | Dataset | str | Path) -> Mapping[str, Dataset]:
    if isinstance(data, str | Path):
        from crossexam.core.test_sets import load_suite

        data = load_suite(Path(data))
    found = {data.name: data} if isinstance(data, Dataset) else data.datasets
    if not found:
        raise CrossexamError("the suite holds no test sets")
    return found


def _first(dataset: Dataset, limit: int | None) -> Dataset:
    if limit is None or len(dataset) <= limit:
        return dataset
    return Dataset(dataset.name, tuple(dataset.examples[:limit]), dataset.manifest)


def _ask_pairs(
    model: Model,
    asked: Mapping[str, Dataset],
    store: Path | None,
    options: Mapping[str, Any],
    progress: Progress,
) -> _Answered:
    """Ask *model* every distinct pair that the store does not know, and gather the answers."""
    import numpy as np

    pairs = list(dict.fromkeys((e.premise, e.hypothesis) for dataset in asked.values() for e in dataset))
    hashes = [pair_hash(*pair) for pair in pairs]
    stage = f"asking {model.name}"
    with Store(store / FILE_NAME if store else None, model.key, model.name) as kept:
        before = kept.known(hashes)
        known = [each in before for each in hashes]
        done = sum(known)
        progress(stage, done, len(pairs))
        if done < len(pairs):
            for batch in _batches(model, pairs, known, options):
                _check_batch(batch, model.name)
                kept.add([hashes[index] for index in batch.indices], batch.probabilities, batch.truncated)
                done += len(batch.indices)
                progress(stage, done, len(pairs))
        # Read back, so that where two processes answered one pair both report the answer that stayed.
        answers = kept.known(hashes)
    table = np.array([answers[each].probabilities for each in hashes]).reshape(-1, 3)
    place = {pair: index for index, pair in enumerate(pairs)}
    probabilities = {
        name: table[[place[e.premise, e.hypothesis] for e in dataset]] for name, dataset in asked.items()
    }
    counts = {
        "distinct_pairs": len(pairs),
        "asked_pairs": len(pairs) - sum(known),
        "pairs_from_store": sum(known),
        "truncated_pairs": sum(answers[each].truncated for each in hashes),
    }
    return _Answered(probabilities, counts)


def _batches(
    model: Model, pairs: Sequence[Pair], known: Sequence[bool], options: Mapping[str, Any]
) -> Iterator[Batch]:
    """Yield the answers to the pairs that are not *known*.

    The borders of batches depend on *pairs* alone, so that a resumed run has the batches that an
    undisturbed one has.
    """
    if isinstance(model, PlansBatches):
        yield from model.batches(pairs, known)
        return
    stated = options.get("batch_size", "auto")
    size = PAIRS_AT_ONCE if stated == "auto" else int(stated)
    for start in range(0, len(pairs), size):
        indices = [index for index in range(start, min(start + size, len(pairs))) if not known[index]]
        if indices:
            answers = model.predict([pairs[index] for index in indices])
            yield Batch(indices, answers, [False] * len(indices))


def _check_batch(batch: Batch, name: str) -> None:
    """Raise CrossexamError where a model, which may be anybody's object, does not answer as it should."""
    import numpy as np

    shares = batch.probabilities
    good = getattr(shares, "shape", None) == (len(batch.indices), 3)
    if not (good and np.isfinite(shares).all() and (np.abs(shares.sum(axis=1) - 1) < 1e-3).all()):
        raise CrossexamError(
            f"the model answered {len(batch.indices)} pairs with something else than probabilities",
            where=name,
            wanted=f"finite numbers of shape ({len(batch.indices)}, 3), rows that sum to 1",
        )


def _entry(dataset: Dataset, whole: Dataset) -> dict[str, Any]:
    """Return what the manifest says of one test set."""
    known = whole.manifest.get("content_hash") if len(dataset) == len(whole) else None
    return {
        "rows": len(dataset),
        "of_rows": len(whole),
        "content_hash": str(known or dataset.content_hash()),
        "signature": whole.manifest.get("signature"),
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
    """Yield the versions of the packages that are loaded, since answers can depend on them."""
    for name in _PACKAGES:
        if name in sys.modules:
            try:
                yield name, version(name)
            except PackageNotFoundError:
                continue
