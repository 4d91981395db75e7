"""The predictions of a run as arrays: gold label, predicted label, correctness, cluster.

Everything that is measured starts from :func:`score_run`, which alone decides which label a model predicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.keys import key_clusters
from crossexam.core.columns import examples_at
from crossexam.core.dataset import Dataset, Reading, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import GOLD_INDEX, LABEL_INDEX, THREE_LABELS, ItemLabels, Projection, Ties
from crossexam.core.stretches import stretches

#: How a report describes results of models with two labels.
TWO_LABELS: Final = (
    "not_entailment = neutral + contradiction (two labels; not_entailment counts as correct for both, "
    "and is shown as neutral if the gold label is entailment)"
)

_AS_NEUTRAL: Final = "not_entailment counts as neutral, the only other label"

_ENTAILMENT: Final = LABEL_INDEX["entailment"]
_NEUTRAL: Final = LABEL_INDEX["neutral"]


@dataclass(frozen=True)
class Scored:
    """The items of one test set that were answered and have a gold label, in order, as columns.

    *gold* and *predicted* are indices into ``GOLDS`` [n]; *clusters* are numbers shared by all test sets
    that were scored together [n], and *keys* those of word pairs, or whatever else a sample of which its
    construction tests, None if there is none (:func:`~crossexam.constructions.keys.key_clusters`) [n];
    *unlabelled* counts the items without a gold label, and *unanswered* those
    with a gold label that were left out because they have no answer; *projection* holds the
    labels of the test set and how probabilities are mapped to them; *reading* says what the model read of
    these items, if that is known.
    """

    examples: Sequence[Example]
    gold: NDArray[np.int8]
    predicted: NDArray[np.int8]
    clusters: NDArray[np.int32]
    unlabelled: int
    projection: Projection = THREE_LABELS
    reading: Reading | None = None
    unanswered: int = 0
    keys: NDArray[np.int32] | None = None

    @property
    def units(self) -> NDArray[np.int32]:
        """What intervals and tests take for independent: the clusters [n], or these and the keys [n, 2]."""
        return self.clusters if self.keys is None else np.stack([self.clusters, self.keys], axis=1)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Return which predictions equal the gold label: [n]."""
        right: NDArray[np.bool_] = self.gold == self.predicted
        return right


#: What becomes of items without an answer: they are left out, or counted as wrong or right.
Missing = Literal["out", "wrong", "right"]


def score_run(
    run: Run,
    *,
    two_labels: bool = False,
    unanswered: Missing = "out",
    beside: Run | None = None,
    clusters: Mapping[str, NDArray[np.int32]] | None = None,
) -> dict[str, Scored]:
    """Return the scored items of every test set of *run*: those that were answered and have a gold label.

    With *unanswered*, items without an answer are not left out: they are wrong (their prediction is -1, which
    is not a label) or right.  *beside* is another run over the same items: what it did not answer is left out
    too, so that the two can be compared item by item.  *clusters* are :func:`numbered_clusters`, if these are
    known.

    A test set without the three labels is scored by its projection.  With *two_labels*, a test set of three
    labels is scored on two: entailment is predicted if its probability exceeds 1/2; anything else is
    not_entailment, which is correct for neutral and contradiction.  *predicted* is then the gold label if the
    prediction is correct, and neutral if entailment was rejected wrongly.

    Raises CrossexamError if predictions are missing.
    """
    numbers = numbered_clusters(run) if clusters is None else clusters
    return {
        name: _score_one(name, dataset, run, two_labels, numbers[name], unanswered, beside)
        for name, dataset in run.datasets.items()
    }


def ties_of(run: Run, name: str, *, two_labels: bool = False, beside: Run | None = None) -> Ties | None:
    """Return the ties of *run* among the items of test set *name* that :func:`score_run` returns.

    None if no item is tied.  *two_labels* and *beside* are those of :func:`score_run`.
    """
    dataset = run.datasets[name]
    scored = ItemLabels(dataset.labels(), run.answers(name), dataset.projection, two_labels)
    missing = _unanswered(name, run, beside)
    gold = scored.gold if missing is None else np.where(missing, -1, scored.gold).astype(np.int8)
    found = Ties()
    for part in stretches(len(gold)):
        found += scored.projection.ties(scored.probabilities[part], gold[part])
    return found if found.count else None


def with_accuracy(run: Run) -> Run:
    """Return *run* over the test sets of which accuracy says something."""
    kept = [name for name, dataset in run.datasets.items() if dataset.entry.has_accuracy]
    return run if len(kept) == len(run.datasets) else run.restricted_to(kept)


def score_both(first: Run, second: Run) -> tuple[dict[str, Scored], dict[str, Scored]]:
    """Return the scores of two runs over the same items, on those that both answered.

    If one of the models has two labels, both are scored on two.
    """
    two_labels = first.two_labels or second.two_labels
    clusters = numbered_clusters(first)
    are_same = all(first.datasets.get(name) is dataset for name, dataset in second.datasets.items())
    return (
        score_run(first, two_labels=two_labels, beside=second, clusters=clusters),
        score_run(second, two_labels=two_labels, beside=first, clusters=clusters if are_same else None),
    )


def numbered_clusters(run: Run) -> dict[str, NDArray[np.int32]]:
    """Return the clusters of every test set of *run* [n] as numbers 0, 1, ... in the order of appearance."""
    import pyarrow as pa

    hashes = {name: dataset.clusters() for name, dataset in run.datasets.items()}
    every = np.concatenate([np.empty(0, dtype=np.uint64), *hashes.values()])
    column = pa.Array.from_buffers(pa.uint64(), len(every), [None, pa.py_buffer(every)])  # without pandas
    coded = column.dictionary_encode().indices
    numbers = np.frombuffer(coded.buffers()[1], dtype=np.int32)[coded.offset : coded.offset + len(coded)]
    ends = np.cumsum([len(each) for each in hashes.values()], dtype=np.int64)
    return {name: numbers[end - len(hashes[name]) : end] for name, end in zip(hashes, ends, strict=True)}


def _score_one(
    name: str,
    dataset: Dataset,
    run: Run,
    two_labels: bool,
    clusters: NDArray[np.int32],
    unanswered: Missing,
    beside: Run | None,
) -> Scored:
    examples, projection = dataset.examples, dataset.projection
    gold, answers = dataset.labels(), run.answers(name)
    predicted = np.empty(len(gold), dtype=np.int8)
    for part in stretches(len(gold)):
        predicted[part] = _predicted(ItemLabels(gold[part], answers[part], projection, two_labels))
    labelled = gold >= 0
    _labels_fit(name, gold[labelled], projection)
    kept = labelled
    if (missing := _unanswered(name, run, beside)) is not None:
        if unanswered == "out":
            kept = labelled & ~missing
        predicted = np.where(missing, gold if unanswered == "right" else -1, predicted).astype(np.int8)
    reading = run.reading.get(name)
    keys = key_clusters(examples, dataset.entry.construction)
    if kept.all():
        return Scored(examples, gold, predicted, clusters, 0, projection, reading, keys=keys)
    return Scored(
        examples_at(examples, kept),
        gold[kept],
        predicted[kept],
        clusters[kept],
        int((~labelled).sum()),
        projection,
        reading.at(kept) if reading is not None else None,
        int((labelled & ~kept).sum()),
        None if keys is None else keys[kept],
    )


def _predicted(scored: ItemLabels) -> NDArray[np.int64] | NDArray[np.int8]:
    """Return the predicted labels [n] among those of the test set, as :func:`score_run` shows them."""
    if scored.projection is scored.declared:
        return scored.predicted
    wrong = np.where(scored.given == _ENTAILMENT, _NEUTRAL, _ENTAILMENT).astype(np.int8)
    return np.where(scored.correct, scored.given, wrong)


def _unanswered(name: str, run: Run, beside: Run | None) -> NDArray[np.bool_] | None:
    """Return which items *run*, or the run *beside* it, did not answer: [n]; None if both answered all."""
    missing = ~run.answered(name)
    if beside is not None and name in beside.datasets:
        missing |= ~beside.answered(name)
    return missing if missing.any() else None


def describe_projection(projection: Projection, two_labels: bool) -> str | None:
    """Return how a report says which labels were mapped, and how; None if none were.

    The probabilities of a model of two labels are those of a test set of two labels as they are.
    """
    if projection is THREE_LABELS:
        return TWO_LABELS if two_labels else None
    if two_labels:
        return None if "not_entailment" in projection.labels else _AS_NEUTRAL
    return projection.says


def _labels_fit(name: str, gold: NDArray[np.int8], projection: Projection) -> None:
    strange = set(np.unique(gold).tolist()) - {GOLD_INDEX[label] for label in projection.labels}
    if strange:
        found = ", ".join(label for label, index in GOLD_INDEX.items() if index in strange)
        raise CrossexamError(
            f"gold labels outside the projection '{projection.name}': {found}",
            where=f"test set {name}",
            wanted=", ".join(projection.labels),
        )
