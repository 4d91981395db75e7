"""Accuracy over keys: how much the frequent word pairs of a test set decide its score.

Test sets of constructions with a key (:attr:`~crossexam.constructions.entry.Construction.key`) have a
mean over keys beside the mean over items.  Both have intervals clustered by premise, and by key as well if
the keys are a sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from crossexam.constructions.keys import counted_keys
from crossexam.core.dataset import Dataset
from crossexam.core.estimate import Estimate
from crossexam.evaluation.scores import Scored
from crossexam.stats.clusters import equal_weights
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import paired_difference


@dataclass(frozen=True)
class KeyedResult:
    """The accuracy of a model on a test set of *keys* different keys; *largest* is the most frequent one.

    *largest_share* is its share of the items.  *over_items* is the accuracy, *over_keys* the mean of the
    accuracies of the keys.
    """

    test_set: str
    n: int
    keys: int
    largest: str
    largest_share: float
    over_items: Estimate
    over_keys: Estimate


@dataclass(frozen=True)
class KeyedComparison:
    """The difference of two models on a test set of *keys* different keys, positive if the first is better.

    Over items, and as the mean of the differences of the keys.
    """

    name: str
    n: int
    keys: int
    over_items: Estimate
    over_keys: Estimate


def keyed_results(test_sets: Mapping[str, Dataset], scored: Mapping[str, Scored]) -> tuple[KeyedResult, ...]:
    """Return the accuracies over keys of a model as *scored*, for those *test_sets* whose items have keys."""
    known = {name: each.known for name, each in scored.items()}
    return tuple(_result(name, here, keys) for name, here, keys in _keyed(test_sets, known))


def keyed_comparisons(
    test_sets: Mapping[str, Dataset], a: Mapping[str, Scored], b: Mapping[str, Scored]
) -> tuple[KeyedComparison, ...]:
    """Return the differences over keys of two models, for those *test_sets* whose items have keys.

    *a* and *b* are their scores on the items that both answered, as of
    :func:`~crossexam.evaluation.scores.score_both`.
    """
    return tuple(
        KeyedComparison(
            name,
            len(keys),
            len(set(keys)),
            paired_difference(here.correct, b[name].correct, here.units),
            paired_difference(
                here.correct, b[name].correct, here.units, weights=equal_weights(keys, len(keys))
            ),
        )
        for name, here, keys in _keyed(test_sets, a)
    )


def _keyed(
    test_sets: Mapping[str, Dataset], scored: Mapping[str, Scored]
) -> Iterator[tuple[str, Scored, list[str]]]:
    """Yield name, scored items and keys of the *test_sets* that have at least two keys."""
    for name, dataset in test_sets.items():
        keys = counted_keys(scored[name].examples, dataset.entry.construction)
        if keys is not None and len(set(keys)) > 1:
            yield name, scored[name], keys


def _result(name: str, here: Scored, keys: list[str]) -> KeyedResult:
    n = len(keys)
    (largest, most), *_ = Counter(keys).most_common(1)
    return KeyedResult(
        name,
        n,
        len(set(keys)),
        largest,
        most / n,
        share_correct(here.correct, here.units),
        share_correct(here.correct, here.units, weights=equal_weights(keys, n)),
    )
