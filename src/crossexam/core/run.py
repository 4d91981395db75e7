"""A model's answers over the test sets of a suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crossexam.core.dataset import Dataset

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """What *model* answered: per test set an array of probabilities [n, 3], columns in LABELS order.

    Models that give labels only have rows with a single 1.  The manifest holds the model key, the
    counts of truncated and asked pairs, and the signature of every test set.
    """

    model: str
    datasets: Mapping[str, Dataset]
    probabilities: Mapping[str, NDArray[np.float64]]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def predictions(self, name: str) -> NDArray[np.int64]:
        """Return the index of the most probable label of each item of test set *name*: [n]."""
        winners: NDArray[np.int64] = self.probabilities[name].argmax(axis=1)
        return winners
