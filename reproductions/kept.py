"""The labels that models predicted, kept with the results of a study: ``results/ROW.npz``.

With them the findings can be judged again without training or running anything: gold labels, premises and
all else of the items come from the suite, which is built again.  A file is an archive of NumPy arrays without
pickled objects: ``test_sets`` and their ``content_hashes`` [k] as text, and for each test set, under its
name, the predicted labels of all items as indices into LABELS [seeds, n].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import archive_errors, finished_or_absent
from crossexam.core.labels import LABELS

_NAMES: Final = "test_sets"
_HASHES: Final = "content_hashes"
_AGAIN: Final = "carry out the step run again"


class Kept(NamedTuple):
    """The predicted labels [seeds, n] and the content hash of each test set, from the file at *path*."""

    path: Path
    predicted: Mapping[str, NDArray[np.int8]]
    content_hashes: Mapping[str, str]

    def belongs_to(self, dataset: Dataset) -> bool:
        """Return whether the predictions are for the items of *dataset* as they are now."""
        return self.content_hashes.get(dataset.name) == hash_of(dataset)

    def runs_over(self, suite: Suite) -> list[Run]:
        """Return a run for each seed over those test sets of *suite* to which the predictions belong.

        The probability of the predicted label is 1.  Raises FormatError that names the file and the test set
        if there is not one prediction per item.
        """
        datasets = {each.name: each for each in suite if self.belongs_to(each)}
        for name, dataset in datasets.items():
            if len(self.predicted[name].T) != len(dataset):
                raise FormatError(
                    f"{len(self.predicted[name].T):,} predictions for {len(dataset):,} items of '{name}'",
                    where=str(self.path),
                    hint=_AGAIN,
                )
        certain = np.eye(len(LABELS))
        seeds = max((len(each) for each in self.predicted.values()), default=0)
        return [
            Run(self.path.stem, datasets, {name: certain[self.predicted[name][seed]] for name in datasets})
            for seed in range(seeds)
        ]


def hash_of(dataset: Dataset) -> str:
    """Return the content hash of *dataset*, which changes when an id, a text or a label does."""
    return str(dataset.entry.content_hash or dataset.content_hash())


def keep_predictions(path: Path, runs: Sequence[Run]) -> None:
    """Write the labels that *runs*, one per seed over the same test sets, predicted to *path*.

    Raises CrossexamError if an item has no prediction among the three labels.
    """
    datasets = runs[0].datasets
    arrays = {name: np.stack([_labels(run, name) for run in runs]) for name in datasets}
    hashes = [hash_of(each) for each in datasets.values()]
    with finished_or_absent(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(
            stream, allow_pickle=False, **{_NAMES: np.array([*datasets]), _HASHES: np.array(hashes)}, **arrays
        )


def _labels(run: Run, name: str) -> NDArray[np.int8]:
    predicted = run.scored(name).predicted
    strange = int((~np.isin(predicted, range(len(LABELS)))).sum())
    if strange:
        raise CrossexamError(
            f"{strange:,} items have no answer among the three labels",
            where=f"the run of '{run.model}' over {name}",
            wanted="a label for every item",
        )
    return predicted.astype(np.int8)


def read_kept(path: Path) -> Kept:
    """Return the predictions in *path*; raises FormatError that names the file if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            names = [str(name) for name in stored[_NAMES]]
            hashes = [str(each) for each in stored[_HASHES]]
            kept = Kept(path, {name: stored[name] for name in names}, dict(zip(names, hashes, strict=True)))
    except archive_errors() as error:
        raise FormatError(
            f"not a file of predictions: {error}", where=str(path), hint=f"{_AGAIN}, which writes it"
        ) from None
    for name, labels in kept.predicted.items():
        if labels.dtype != np.int8 or labels.ndim != 2 or not np.isin(labels, range(len(LABELS))).all():
            raise FormatError(
                f"the predictions for '{name}' are not labels by seed and item", where=str(path), hint=_AGAIN
            )
    return kept
