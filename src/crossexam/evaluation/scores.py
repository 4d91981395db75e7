"""The predictions of a run as arrays: gold label, predicted label, correctness, cluster.

Everything that is measured starts from :func:`score_run`, which alone decides which label a model predicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.constructions.keys import key_clusters
from crossexam.core.columns import Places, examples_at
from crossexam.core.dataset import ReadItems, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import GOLD_INDEX, LABEL_INDEX, THREE_LABELS, ItemLabels, Projection, Ties
from crossexam.core.stretches import stretches
from crossexam.evaluation.quantities import Flags, Quantity, difference_of, share_of, unpaired_drop
from crossexam.stats.confusion import cross_counts

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
    """The items of one test set that have a gold label, in order, as columns.

    *gold* and *predicted* are indices into ``GOLDS`` [n], the latter -1 for an item without an answer;
    *clusters* are numbers shared by all test sets that were scored together [n], and *keys* such of word
    pairs, or whatever else a sample of which its construction tests, None if there is none
    (:func:`~crossexam.constructions.keys.key_clusters`) [n]; *unlabelled* counts the items without a gold
    label; *projection* holds the labels of the test set and how probabilities are mapped to them; *reading*
    says what the model read of these items, if that is known.
    """

    examples: Sequence[Example]
    gold: NDArray[np.int8]
    predicted: NDArray[np.int8]
    clusters: NDArray[np.int32]
    unlabelled: int
    projection: Projection = THREE_LABELS
    reading: ReadItems | None = None
    keys: NDArray[np.int32] | None = None

    @property
    def units(self) -> NDArray[np.int32]:
        """What intervals and tests take for independent: the clusters [n], or these and the keys [n, 2]."""
        return units_of(self.clusters, self.keys)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Return which predictions equal the gold label, none of those that are missing: [n]."""
        right: NDArray[np.bool_] = self.gold == self.predicted
        return right

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Return which items have an answer: [n]."""
        found: NDArray[np.bool_] = self.predicted >= 0
        return found

    @property
    def right(self) -> Flags:
        """Return which items are right, with the units as the only column."""
        correct, answered = self.correct, self.answered
        return Flags(correct, correct | ~answered, answered, (self.units,))

    @cached_property
    def known(self) -> Scored:
        """The items that have an answer."""
        return self.at(self.answered)

    def classes(self, labels: NDArray[np.int8], *, two_labels: bool) -> NDArray[np.int8]:
        """Return *labels* of the items [n]; for two labels, neutral and contradiction are not_entailment."""
        return self.projection.scored(two_labels=two_labels).golds(labels)

    def at(self, kept: NDArray[np.bool_]) -> Scored:
        """Return the items that are *kept* [n]."""
        if kept.all():
            return self
        return replace(
            self,
            examples=examples_at(self.examples, kept),
            gold=self.gold[kept],
            predicted=self.predicted[kept],
            clusters=self.clusters[kept],
            reading=self.reading.at(kept) if self.reading is not None else None,
            keys=None if self.keys is None else self.keys[kept],
        )


def units_of(clusters: NDArray[np.int32], keys: NDArray[np.int32] | None) -> NDArray[np.int32]:
    """Return what accuracies take for independent: *clusters* [n], or these and *keys* [n, 2]."""
    return clusters if keys is None else np.stack([clusters, keys], axis=1)


@dataclass(frozen=True)
class ScoredRun:
    """A *run* that is scored once, on *two_labels* or on all.

    If more than the share *limit* of the items of a test set is missing, only bounds are known.
    """

    run: Run
    two_labels: bool
    limit: float
    _places: dict[str, Places] = field(default_factory=dict, init=False, repr=False, compare=False)
    _pairs: dict[tuple[str, str], tuple[NDArray[np.int64], NDArray[np.bool_]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def scores(self) -> dict[str, Scored]:
        """The items with a gold label by test set, answered or not."""
        return score_run(self.run, two_labels=self.two_labels)

    def base_of(self, name: str) -> str | None:
        """Return the base of test set *name*, if it has one; raises CrossexamError if the run lacks it."""
        base = self.run.datasets[name].entry.base_set
        if base is not None and base not in self.run.datasets:
            raise CrossexamError(
                f"the run lacks '{base}', with which the items are compared",
                where=f"test set {name}",
                wanted="a run over the test set and its base",
            )
        return base

    def compares_items(self, name: str) -> bool:
        """Return whether the items of test set *name* are compared with their base one by one."""
        return self.run.datasets[name].entry.compares_items

    def pairs(self, name: str, base: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the places of the base items, and which items of test set *name* have one [n]."""
        if base not in self._places:
            self._places[base] = Places(self.scores[base].examples)
        if (name, base) not in self._pairs:
            at = self._places[base].of_bases(self.scores[name].examples)
            self._pairs[name, base] = at[at >= 0], at >= 0
        return self._pairs[name, base]

    def before_and_after(self, name: str, base: str) -> tuple[Flags, Flags]:
        """Return which base items are right, and which of the items made from them."""
        at, kept = self.pairs(name, base)
        after = self.scores[name].right.at(kept)
        return self.scores[base].right.at(at)._replace(columns=after.columns), after

    def flipped(self, name: str) -> Flags | None:
        """Return of which items the prediction differs from that of their base; None if none is compared."""
        base = self.base_of(name)
        if base is None or not self.compares_items(name):
            return None
        at, kept = self.pairs(name, base)
        after, before = self.scores[name].predicted[kept], self.scores[base].predicted[at]
        answered = (after >= 0) & (before >= 0)
        flipped = after != before
        units = self.scores[name].units[kept]
        return Flags(flipped & answered, flipped | ~answered, answered, (units,))

    def accuracy(self, name: str) -> Quantity:
        """Return the share of the items of test set *name* that are right."""
        return share_of(self.scores[name].right, self.limit)

    def drop(self, name: str, base: str) -> Quantity:
        """Return the accuracy lost from the *base*; if items are not paired, the difference of accuracies."""
        if self.compares_items(name):
            return difference_of(*self.before_and_after(name, base), self.limit)
        return unpaired_drop([(self.scores[base].right, self.scores[name].right)], self.limit)


def score_run(
    run: Run,
    *,
    two_labels: bool = False,
    clusters: Mapping[str, NDArray[np.int32]] | None = None,
    keys: dict[str, int] | None = None,
) -> dict[str, Scored]:
    """Return the scored items of every test set of *run*: those that have a gold label, answered or not.

    *clusters* are :func:`numbered_clusters`, and *keys* the numbers of keys, if these are known; new ones are
    added.

    A test set without the three labels is scored by its projection.  With *two_labels*, a test set of three
    labels is scored on two: entailment is predicted if its probability exceeds 1/2; anything else is
    not_entailment, which is correct for neutral and contradiction.  *predicted* is then the gold label if the
    prediction is correct, and neutral if entailment was rejected wrongly.

    Raises CrossexamError if predictions are missing.
    """
    numbers = numbered_clusters(run) if clusters is None else clusters
    keys = {} if keys is None else keys
    scored = {}
    for name, dataset in run.datasets.items():
        gold = dataset.labels()
        labelled = gold >= 0
        _labels_fit(name, gold[labelled], dataset.projection)
        scored[name] = Scored(
            examples=dataset.examples,
            gold=gold,
            predicted=_predicted(run, name, two_labels),
            clusters=numbers[name],
            unlabelled=int((~labelled).sum()),
            projection=dataset.projection,
            reading=run.reading.get(name),
            keys=key_clusters(dataset.examples, dataset.entry.construction, keys),
        ).at(labelled)
    return scored


def score_answered(
    run: Run, *, two_labels: bool = False, clusters: Mapping[str, NDArray[np.int32]] | None = None
) -> dict[str, Scored]:
    """Return the scores of *run* (:func:`score_run`) on the items that have an answer."""
    scored = score_run(run, two_labels=two_labels, clusters=clusters)
    return {name: each.known for name, each in scored.items()}


def ties_of(run: Run, name: str, *, two_labels: bool = False, beside: Run | None = None) -> Ties | None:
    """Return the ties of *run* among the items of test set *name* that have a gold label and an answer.

    Those that *beside*, another run over the same items, did not answer are left out too.  None if no item is
    tied.  *two_labels* is that of :func:`score_run`.
    """
    dataset = run.datasets[name]
    scored = ItemLabels(dataset.labels(), run.answers(name), dataset.projection, two_labels)
    missing = ~run.answered(name)
    if beside is not None and name in beside.datasets:
        missing |= ~beside.answered(name)
    gold = np.where(missing, np.int8(-1), scored.gold)
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
    return on_both_answered(*score_pair(first, second))


def on_both_answered(
    first: Mapping[str, Scored], second: Mapping[str, Scored]
) -> tuple[dict[str, Scored], dict[str, Scored]]:
    """Return the scores of two models on the test sets of both, and of the items that both answered."""
    both = {name: here.answered & second[name].answered for name, here in first.items() if name in second}
    one, other = ({name: each[name].at(kept) for name, kept in both.items()} for each in (first, second))
    return one, other


def score_pair(first: Run, second: Run) -> tuple[dict[str, Scored], dict[str, Scored]]:
    """Return the scores of two runs over the same items, answered or not, on two labels if one has two."""
    two_labels = first.two_labels or second.two_labels
    clusters = numbered_clusters(first)
    are_same = all(first.datasets.get(name) is dataset for name, dataset in second.datasets.items())
    return (
        score_run(first, two_labels=two_labels, clusters=clusters),
        score_run(second, two_labels=two_labels, clusters=clusters if are_same else None),
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


def confusion(
    projection: Projection, gold: NDArray[np.int8], predicted: NDArray[np.int8]
) -> NDArray[np.int64]:
    """Return the table of *gold* by *predicted* labels [n], those of *projection* as indices in GOLDS."""
    k = len(projection.labels)
    return cross_counts(projection.places[gold], projection.places[predicted], (k, k))


def _predicted(run: Run, name: str, two_labels: bool) -> NDArray[np.int8]:
    """Return the predicted labels [n] among those of test set *name*, as :func:`score_run` shows them."""
    dataset, gold, answers = run.datasets[name], run.datasets[name].labels(), run.answers(name)
    predicted = np.empty(len(gold), dtype=np.int8)
    for part in stretches(len(gold)):
        scored = ItemLabels(gold[part], answers[part], dataset.projection, two_labels)
        if scored.projection is scored.declared:
            predicted[part] = scored.predicted
        else:
            wrong = np.where(scored.given == _ENTAILMENT, _NEUTRAL, _ENTAILMENT)
            predicted[part] = np.where(scored.correct, scored.given, wrong)
    predicted[~run.answered(name)] = -1
    return predicted


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
