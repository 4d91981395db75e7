"""Accuracy over keys: word pairs, or whatever else items of a construction share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crossexam.constructions.keys import KEYED, keys_are_sampled
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import TEST_SET, FigureColumn, FigureTable, Row, rows_of
from crossexam.reports.results import ModelResults, Results, once

if TYPE_CHECKING:
    from crossexam.evaluation.keys import KeyedComparison, KeyedResult

_KEYS: Final = (
    "Keys: word pairs of antonymy and word swaps, rules of numerical reasoning, adjective and nouns of "
    "AddAmod, subject, verb and object of SOSwap. Over keys: the mean of the accuracies of the keys, so that "
    "a frequent one counts no more than a rare one. Quote the accuracy over items for these items, as all "
    "other tables do, and that over keys for such words in general."
)
#: Fewer keys say nothing of keys in general; CSV and JSON have them.
FEWEST_KEYS = 20
#: A key with a larger share of the items weighs heavily in their accuracy.
LARGE_SHARE: Final = 0.2
#: What the intervals of test sets with keys allow for, here and in all other tables.
_BY_KEY: Final = (
    "95 % confidence intervals are clustered by premise and by key at once, as if the word pairs were a "
    "random sample, and are wide if few pairs make up most of the items; those of numerical reasoning are "
    "clustered by premise alone."
)
_RESULTS: Final = f"{_KEYS} {_BY_KEY}"
_DIFFERENCES: Final = (
    f"The mean difference over items and over keys. {_BY_KEY} If p is not significant, a difference is not "
    "established."
)


@once
def keyed(model: ModelResults) -> tuple[KeyedResult, ...]:
    """Return the accuracies over keys of the test sets whose items have keys."""
    from crossexam.evaluation.keys import keyed_results

    return keyed_results(model.answered.datasets, model.scores)


@once
def heavy_keys(results: Results) -> dict[str, KeyedResult]:
    """Return by test set the accuracy over keys where one key, of a sample of keys, has many of the items."""
    return {
        each.test_set: each
        for model in reversed(results.models)
        for each in keyed(model)
        if each.largest_share > LARGE_SHARE
        and keys_are_sampled(results.test_sets[each.test_set].entry.construction)
    }


def _by_model(results: Results) -> Iterator[Row[KeyedResult]]:
    return rows_of(results, keyed)


def _of_pair(results: Results) -> Iterator[Row[KeyedComparison]]:
    return (Row(results.pair, each.name, each) for each in results.comparison.over_keys)


_TABLE: Final = FigureTable["KeyedResult"](
    "Accuracy over keys",
    _by_model,
    (
        FigureColumn("Items", "count", lambda each: each.n),
        FigureColumn("Keys", "count", lambda each: each.keys, "keys"),
        FigureColumn("Largest key", "text", lambda each: each.largest),
        FigureColumn(
            "Its share, %",
            "percent",
            lambda each: each.largest_share,
            "largest_key_share",
            of=lambda each: each.largest,
        ),
        FigureColumn("Over items", "percent", lambda each: each.over_items, "accuracy_over_items"),
        FigureColumn("Over keys", "percent", lambda each: each.over_keys, "accuracy_over_keys"),
    ),
    lambda _, __: (_RESULTS,),
    n=lambda each: each.n,
    shows=lambda each: each.keys >= FEWEST_KEYS,
)
_AGAINST: Final = FigureTable["KeyedComparison"](
    "A minus B over keys",
    _of_pair,
    (
        FigureColumn("Items", "count", lambda each: each.n),
        FigureColumn("Keys", "count", lambda each: each.keys, "keys"),
        FigureColumn("A minus B over items", "points", lambda each: each.over_items, "difference_over_items"),
        FigureColumn("A minus B over keys", "points", lambda each: each.over_keys, "difference_over_keys"),
    ),
    lambda _, __: (_DIFFERENCES,),
    first=(TEST_SET,),
    grouped=0,
    folded="Show the differences over keys",
    n=lambda each: each.n,
    shows=lambda each: each.keys >= FEWEST_KEYS,
)

KEYS: Final = Analysis(
    "keys",
    (
        Section("keys", "Keys", _TABLE),
        Section("by_key", "Over keys", _AGAINST, within="against", models=2),
    ),
    constructions=KEYED,
)
