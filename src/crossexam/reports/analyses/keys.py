"""The tables of accuracy over keys: word pairs, or whatever else items of a construction share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    pass

_KEYS: Final = (
    "Keys: word pairs of antonymy and word swaps, rules of numerical reasoning, adjective and nouns of "
    "AddAmod, subject, verb and object of SOSwap. Over keys: the mean of the accuracies of the keys, so that "
    "a frequent one counts no more than a rare one. Quote the accuracy over items for these items, as all "
    "other tables do, and that over keys for such words in general."
)
#: Fewer keys say nothing of keys in general; CSV and JSON have them.
FEWEST_KEYS = 20
#: What the intervals of test sets with keys allow for, here and in all other tables.
_BY_KEY: Final = (
    "95 % confidence intervals are clustered by premise and by key at once, as if the word pairs were a "
    "random sample, and are wide if few pairs make up most of the items; those of numerical reasoning are "
    "clustered by premise alone."
)
_RESULTS: Final = f"{_KEYS} {_BY_KEY}"
_DIFFERENCES: Final = (
    f"The mean difference over items and over keys. {_BY_KEY} If p is not significant, take it as not shown."
)


def keys_table(results: Results) -> Table:
    """Return the mean over keys beside the mean over items, for test sets with keys; may have no rows."""
    rows: list[tuple[Cell, ...]] = []
    for name in results.test_sets:
        for model in results.models:
            rows += [
                (
                    results.short_names[name],
                    model.name,
                    each.n,
                    each.keys,
                    each.largest,
                    each.largest_share,
                    each.over_items,
                    each.over_keys,
                )
                for each in model.keyed
                if each.test_set == name and each.keys >= FEWEST_KEYS
            ]
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Items", "count"),
        Column("Keys", "count"),
        Column("Largest key"),
        Column("Its share, %", "percent"),
        Column("Over items", "percent"),
        Column("Over keys", "percent"),
    )
    return Table("Accuracy over keys", columns, tuple(rows), (_RESULTS,), grouped=1)


def keyed_against_table(results: Results) -> Table:
    """Return the comparison over keys of exactly two models; else it has no rows."""
    columns = (
        Column("Test set"),
        Column("Items", "count"),
        Column("Keys", "count"),
        Column("A minus B over items", "points"),
        Column("A minus B over keys", "points"),
    )
    rows = tuple(
        (results.short_names[each.name], each.n, each.keys, each.over_items, each.over_keys)
        for each in results.keyed_comparison
        if each.keys >= FEWEST_KEYS
    )
    folded = "Show the differences over keys"
    return Table("A minus B over keys", columns, rows, (_DIFFERENCES,), folded=folded)
