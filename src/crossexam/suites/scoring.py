"""A run's answers as arrays: gold, predicted, right or wrong, cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example, cluster_of
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.run import Run

#: What is said of results of models that have two labels.
TWO_LABELS: Final = (
    "not_entailment = neutral + contradiction (two labels; not_entailment counts as right for both, "
    "and is shown as neutral where the gold label is entailment)"
)

_ENTAILMENT: Final = LABEL_INDEX["entailment"]
_NEUTRAL: Final = LABEL_INDEX["neutral"]


@dataclass(frozen=True)
class Scored:
    """The items of one test set that have a gold label, in order.

    *gold* and *predicted* are indices in ``LABELS`` [n]; *clusters* are numbers that are shared by all
    test sets scored together [n]; *unlabelled* counts the items left out.
    """

    examples: Sequence[Example]
    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    clusters: NDArray[np.int64]
    unlabelled: int

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Return which items are answered as the gold says: [n]."""
        right: NDArray[np.bool_] = self.gold == self.predicted
        return right


def has_two_labels(run: Run) -> bool:
    """Tell whether the model of *run* only tells entailment from the rest (``details.two_label``)."""
    details = run.manifest.get("details")
    return isinstance(details, Mapping) and bool(details.get("two_label"))


def score(run: Run, *, two_labels: bool = False) -> dict[str, Scored]:
    """Return the scored items of every test set of *run*.

    With *two_labels*, entailment is predicted where its probability is above 1/2, and anything else is
    not_entailment, which is right for neutral and contradiction; *predicted* is then the gold label
    itself where it is right, neutral where entailment is denied.

    Raises CrossexamError where answers are missing.
    """
    numbers: dict[str, int] = {}
    return {
        name: _score_one(name, dataset, run, two_labels, numbers) for name, dataset in run.datasets.items()
    }


def _score_one(name: str, dataset: Dataset, run: Run, two_labels: bool, numbers: dict[str, int]) -> Scored:
    examples = dataset.examples
    gold = np.fromiter(
        (-1 if each.label is None else LABEL_INDEX[each.label] for each in examples), np.int64, len(examples)
    )
    clusters = np.fromiter(
        (numbers.setdefault(cluster_of(each), len(numbers)) for each in examples), np.int64, len(examples)
    )
    answered = _probabilities(name, len(examples), run)
    if two_labels:
        predicted = _projected(gold, answered[:, _ENTAILMENT] > 0.5)
    else:
        predicted = answered.argmax(axis=1).astype(np.int64)
    labelled = gold >= 0
    if labelled.all():
        return Scored(examples, gold, predicted, clusters, 0)
    kept = [example for example, has_gold in zip(examples, labelled.tolist(), strict=True) if has_gold]
    unlabelled = len(examples) - len(kept)
    return Scored(kept, gold[labelled], predicted[labelled], clusters[labelled], unlabelled)


def _probabilities(name: str, n: int, run: Run) -> NDArray[np.float64]:
    wanted = f"{n} rows of {len(LABELS)} probabilities"
    if name not in run.probabilities:
        raise CrossexamError(f"'{run.model}' has no answers", where=f"test set {name}", wanted=wanted)
    answered = np.asarray(run.probabilities[name], dtype=np.float64).reshape(-1, len(LABELS))
    if len(answered) != n:
        raise CrossexamError(
            f"'{run.model}' has {len(answered)} answers for {n} items",
            where=f"test set {name}",
            wanted=wanted,
            hint="run the model over this test set again",
        )
    return answered


def _projected(gold: NDArray[np.int64], entailed: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.where(entailed, _ENTAILMENT, np.where(gold == _ENTAILMENT, _NEUTRAL, gold))
