"""Models against the label distributions of people: corpora whose examples many annotators labelled.

The distributions are those that a corpus states in ``info["label_distribution"]``, as ChaosNLI does (Nie et
al. 2020, EMNLP, section 5).  They are of the examples as they are: items that a construction made from such
an example inherit its ``info``, and are not measured.  Distances are in natural logarithms, the entropy of
people in bits, both as in ChaosNLI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite, log, log2, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import InfoValues, info_values
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import FormatError
from crossexam.core.estimate import Estimate
from crossexam.core.example import DISTRIBUTION, OLD_LABEL, VOTES
from crossexam.core.labels import LABELS, Projection, most_probable, parse_label
from crossexam.evaluation.shares import Shares, shares_of
from crossexam.stats.bootstrap import generator
from crossexam.stats.distances import (
    entropy_bits,
    halves_of_votes,
    js_distance,
    js_divergence,
    kl_divergence,
    total_variation,
)
from crossexam.stats.estimate import nonnegative_mean, share_correct

#: The edges of the bins of the entropy of people's labels, in bits; the last is that of three equal shares.
ENTROPY_EDGES: Final = (0.0, 0.4, 0.8, 1.2, log2(3))

#: How often the votes of each item are split into two halves.
SPLITS: Final = 100

# Distances: the field of Distances, its function, and the largest value.
_DISTANCES: Final = (
    ("js_distance", js_distance, sqrt(log(2))),
    ("js_divergence", js_divergence, log(2)),
    ("kl", kl_divergence, inf),
    ("total_variation", total_variation, 1.0),
)

_TOLERANCE: Final = 1e-6  # of the sum of a distribution


@dataclass(frozen=True)
class Distances:
    """Means over items of distances from the distribution of people, in natural logarithms.

    *kl* is KL(people || model), which is infinite if the model excludes a label that somebody gave.
    """

    js_distance: Estimate
    js_divergence: Estimate
    kl: Estimate
    total_variation: Estimate


@dataclass(frozen=True)
class PeopleResult:
    """A model against people on the items of a test set whose *entropy* is between two bounds, in bits.

    *whole*: these are all of its items.

    *accuracy* is that against the gold label, the majority of the people; *old_accuracy* that against the
    label before (None if there is none).  *references* are the distances from people of what the model is
    compared with: *uniform*, every label has the same probability; *majority*, the most frequent label of the
    people has all of it; and, if votes are known, *people*, one half of the annotators of an item against the
    other half, in random splits.
    """

    test_set: str
    entropy: tuple[float, float]
    whole: bool
    n: int
    unanswered: int
    distances: Distances
    accuracy: Estimate
    old_accuracy: Estimate | None
    references: Mapping[str, Distances]


@dataclass(frozen=True)
class _People:
    """What people said of items: *distributions* [n, k], *votes* [n, 3] (0 if not known), *old* labels [n].

    *old* labels are indices of the k labels, -1 if there is none.
    """

    distributions: NDArray[np.float64]
    votes: NDArray[np.int64]
    old: NDArray[np.int64]

    def at(self, rows: NDArray[np.bool_]) -> _People:
        return _People(self.distributions[rows], self.votes[rows], self.old[rows])


def people_results(run: Run) -> tuple[PeopleResult, ...]:
    """Return *run* against the label distributions of people, per test set that has them.

    The first result of a test set is over all of its items, the others by entropy (:data:`ENTROPY_EDGES`).  A
    model of two labels, and a test set of two, are compared on these labels.  Empty if no test set has
    distributions, or if the model gave labels only.  Raises FormatError if a distribution is malformed.
    """
    stated = {
        name: info_values(dataset.examples, (DISTRIBUTION, VOTES, OLD_LABEL))
        for name, dataset in run.datasets.items()
        if has_distributions(dataset)
    }
    if not stated:
        return ()
    probabilities = {name: run.answers(name) for name in stated}
    part = replace(run, datasets={name: run.datasets[name] for name in stated}, probabilities=probabilities)
    results: list[PeopleResult] = []
    for shares in shares_of(part):
        values = stated[shares.name]
        here = shares.at(values[DISTRIBUTION].stated[shares.rows])
        results += _by_entropy(here, _people(shares.name, values, here))
    return tuple(results)


def has_distributions(dataset: Dataset) -> bool:
    """Return whether *dataset* has the labels that many people gave to its examples, which are unchanged."""
    if dataset.entry.base_set is not None:
        return False
    return bool(info_values(dataset.examples, (DISTRIBUTION,))[DISTRIBUTION].values)


def _people(name: str, values: Mapping[str, InfoValues], here: Shares) -> _People:
    """Return what people said of the items *here*; raises FormatError."""
    distributions = _table(values[DISTRIBUTION], here.rows, name, DISTRIBUTION)
    wrong = (distributions < 0).any(axis=1) | (np.abs(distributions.sum(axis=1) - 1) > _TOLERANCE)
    if wrong.any():
        raise FormatError(
            f"{distributions[wrong][0].tolist()} is not a distribution",
            where=f"info['{DISTRIBUTION}'] in test set {name}",
            wanted="shares of entailment, neutral and contradiction with the sum 1",
        )
    votes = np.zeros((len(here.rows), len(LABELS)), dtype=np.int64)
    if values[VOTES].stated[here.rows].all():
        votes = _table(values[VOTES], here.rows, name, VOTES).astype(np.int64)
    old = values[OLD_LABEL].mapped(lambda value: _place(value, here.projection))[here.rows].astype(np.int64)
    return _People(here.projection.shares(distributions), votes, old)


def _table(values: InfoValues, rows: NDArray[np.int32], name: str, key: str) -> NDArray[np.float64]:
    """Return the values of three numbers of the items at *rows* [n, 3]; raises FormatError."""
    for value in values.values:
        numbers = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == len(LABELS)
        if not numbers or not all(isinstance(part, int | float) and isfinite(part) for part in value):
            raise FormatError(
                f"{value!r} is not a number for each label",
                where=f"info['{key}'] in test set {name}",
                wanted="three numbers, for entailment, neutral and contradiction",
            )
    return np.array(values.values, dtype=np.float64)[values.codes[rows]]


def _place(value: Any, projection: Projection) -> int:
    """Return the label *value* as its index among those of *projection*, -1 if it is not one of them."""
    label = projection.gold(parse_label(value))
    return -1 if label is None else projection.labels.index(label)


def _by_entropy(here: Shares, people: _People) -> list[PeopleResult]:
    """Return the result over all items with an answer, and those by entropy that have items."""
    entropy = entropy_bits(people.distributions)
    inner = np.searchsorted(ENTROPY_EDGES[1:-1], entropy, side="left")  # (low, high], the first with its low
    results = [_result(here, people, (ENTROPY_EDGES[0], ENTROPY_EDGES[-1]))]
    for place, edges in enumerate(pairwise(ENTROPY_EDGES)):
        rows = inner == place
        if rows.any() and not rows.all():
            results.append(_result(here.at(rows), people.at(rows), edges))
    return results


def _result(here: Shares, people: _People, edges: tuple[float, float]) -> PeopleResult:
    answered = here.answered
    kept, said = here.at(answered), people.at(answered)
    has_old = said.old >= 0
    old = None
    if has_old.any():
        old = share_correct((kept.predicted == said.old)[has_old], kept.clusters[has_old])
    return PeopleResult(
        test_set=here.name,
        entropy=edges,
        whole=edges == (ENTROPY_EDGES[0], ENTROPY_EDGES[-1]),
        n=len(kept.gold),
        unanswered=int((~answered).sum()),
        distances=_distances(said.distributions, kept.shares, kept.clusters),
        accuracy=share_correct(kept.correct, kept.clusters),
        old_accuracy=old,
        references=dict(_references(kept, said)),
    )


def _references(kept: Shares, said: _People) -> Iterator[tuple[str, Distances]]:
    shares, clusters = said.distributions, kept.clusters
    k = shares.shape[1]
    yield "uniform", _distances(shares, np.full_like(shares, 1 / k), clusters)
    yield "majority", _distances(shares, np.eye(k)[most_probable(shares)], clusters)
    if len(shares) and (said.votes.sum(axis=1) >= 2).all():
        yield "people", _between_halves(said.votes, kept)


def _between_halves(votes: NDArray[np.int64], kept: Shares) -> Distances:
    """Return the mean distances between two halves of the votes of each item, over random splits."""
    rng = generator(0, "halves of votes")
    sums = {name: np.zeros(len(votes)) for name, *_ in _DISTANCES}
    for _ in range(SPLITS):
        first, second = (kept.projection.shares(half) for half in halves_of_votes(votes, rng))
        for name, distance, _ in _DISTANCES:
            sums[name] += distance(first, second) / SPLITS
    return _means(sums, kept.clusters)


def _distances(
    people: NDArray[np.float64], model: NDArray[np.float64], clusters: NDArray[np.int32]
) -> Distances:
    return _means({name: distance(people, model) for name, distance, _ in _DISTANCES}, clusters)


def _means(values: Mapping[str, NDArray[np.float64]], clusters: NDArray[np.int32]) -> Distances:
    return Distances(*(nonnegative_mean(values[name], clusters, most=most) for name, _, most in _DISTANCES))
