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
from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.evaluation.scores import Scored, score_both
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


def keyed_results(run: Run, scored: Mapping[str, Scored]) -> tuple[KeyedResult, ...]:
    """Return the accuracies over keys of *run* as *scored*, for the test sets whose items have keys."""
    known = {name: each.known for name, each in scored.items()}
    return tuple(_result(name, here, keys) for name, here, keys in _keyed(run, known))


def keyed_comparisons(first: Run, second: Run) -> tuple[KeyedComparison, ...]:
    """Return the differences over keys of two runs over the same items, for test sets whose items have keys.

    If one of the models has two labels, both are scored on two.  Items that one did not answer are left out.
    """
    a, b = score_both(first, second)
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
        for name, here, keys in _keyed(first, a)
        if name in b
    )


def _keyed(run: Run, scored: Mapping[str, Scored]) -> Iterator[tuple[str, Scored, list[str]]]:
    """Yield name, scored items and keys of the test sets that have at least two keys."""
    for name, here in scored.items():
        keys = counted_keys(here.examples, run.datasets[name].entry.construction)
        if keys is not None and len(set(keys)) > 1:
            yield name, here, keys


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
