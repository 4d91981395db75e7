"""The items behind the value of a check: those that changed since the baseline, or that a limit is about.

Rows are found as numbers, and examples are made of the few that are shown, so that a test set may be large.
Which are shown depends on their ids alone, and on how sure the model was if the measure is about that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crossexam.core.arguments import shown
from crossexam.core.columns import examples_at
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import GOLDS
from crossexam.core.outcome import STATUSES
from crossexam.core.stored.arrays import array_of_numbers
from crossexam.gates.items import Finder, JudgedRun

#: As many items of a check are shown unless more are asked for.
ITEMS_PER_CHECK: Final = 3
ALL: Final = "all"


@dataclass(frozen=True)
class ShownItem:
    """An item with its *gold* label, what is predicted *now*, and what the baseline predicted *before*.

    *before* is None without a baseline.  *base* is the item that it was made from, if that matters.
    """

    id: str
    premise: str
    hypothesis: str
    gold: str | None
    now: str
    before: str | None = None
    base: ShownItem | None = None


@dataclass(frozen=True)
class ItemsBehind:
    """The *count* items behind the value of a check, all of which are *what*, and those that are *shown*."""

    what: str
    count: int
    shown: tuple[ShownItem, ...]


def check_item_count(value: object) -> int | None:
    """Return how many items of a check are shown, None for all; raises CrossexamError.

    >>> check_item_count(5), check_item_count("all")
    (5, None)
    """
    if value == ALL:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise CrossexamError(
            f"the number of items that a check shows (items) is {shown(value)}",
            wanted="a whole number, or all",
        )
    return value


def items_behind(
    find: Finder, name: str, new: JudgedRun, old: JudgedRun | None, *, if_true: bool, most: int | None
) -> ItemsBehind:
    """Return the items of test set *name* that *find* finds, and at *most* so many of them to be shown.

    These are those of which it is true, or false without *if_true*; if there is an *old* run, only those of
    which the contrary was so then.
    """
    found = find(new, name)
    kept = found.known & (found.is_true == if_true)
    what = found.words[0 if if_true else 1]
    if old is not None and found.weights is None:
        before = find(old, name)
        kept &= before.known & (before.is_true != if_true)
        what += " now, but not in the baseline"
    weights = None if found.weights is None else found.weights[kept]
    rows = first_rows(new.run.datasets[name], found.rows[kept], weights, most)
    runs = [new.run] if old is None else [new.run, old.run]
    return ItemsBehind(what, int(kept.sum()), _shown(runs, name, rows, found.reads_base))


def first_rows(
    dataset: Dataset, rows: NDArray[np.int64], weights: NDArray[np.float64] | None, most: int | None
) -> list[int]:
    """Return at *most* so many of *rows*, which ascend: of the largest *weights*, then in the order of ids.

    >>> from crossexam.core.example import Example
    >>> tiny = Dataset("tiny", tuple(Example(name, "p", "h", None) for name in "dcba"))
    >>> first_rows(tiny, np.array([0, 2, 3]), None, 2), first_rows(tiny, np.arange(2), np.arange(2.0), 1)
    ([3, 2], [1])
    """
    order = np.zeros(len(rows)) if weights is None else -weights
    kept = len(rows) if most is None else most
    best, start = [], 0
    for part in dataset.columns("id"):
        here = slice(*np.searchsorted(rows, [start, start + len(part)]).tolist())
        columns = {name: array_of_numbers(each[here]) for name, each in (("order", order), ("row", rows))}
        ids = part["id"].take(array_of_numbers(rows[here] - start))
        best.append(_in_order(pa.table({**columns, "id": ids})).slice(0, kept))
        start += len(part)
    return _in_order(pa.concat_tables(best)).slice(0, kept)["row"].to_pylist() if best else []


def _in_order(table: pa.Table) -> pa.Table:
    return table.sort_by([("order", "ascending"), ("id", "ascending")])


def _shown(runs: Sequence[Run], name: str, rows: Sequence[int], with_base: bool) -> tuple[ShownItem, ...]:
    """Return the items at *rows* with what the first of *runs*, and a second as the baseline, predicted."""
    made, base = _items_at(runs, name, rows), runs[0].datasets[name].entry.base_set
    if with_base and base is not None:
        origins = dict(zip(made, _origins(runs[0].datasets[name], made), strict=True))
        places = _rows_of(runs[0].datasets[base], set(origins.values()))
        bases = _items_at(runs, base, places.values())
        made = {row: replace(made[row], base=bases.get(places.get(origins[row], -1))) for row in made}
    return tuple(made[row] for row in rows)


def _items_at(runs: Sequence[Run], name: str, rows: Iterable[int]) -> dict[int, ShownItem]:
    """Return the items of test set *name* at *rows* by their row, in ascending order."""
    ordered = sorted(set(rows))
    examples = examples_at(runs[0].datasets[name].examples, ordered)
    predicted = [_predicted(run, name, ordered) for run in runs]
    return {
        row: ShownItem(each.id, each.premise, each.hypothesis, each.label, *told)
        for row, each, *told in zip(ordered, examples, *predicted, strict=True)
    }


def _predicted(run: Run, name: str, rows: Sequence[int]) -> list[str]:
    """Return the labels that *run* predicted for the items at *rows*, or why it has no answer."""
    labels, codes = run.scored(name).predicted[rows], run.outcomes_of(name).codes[rows]
    statuses = list(STATUSES)
    return [
        GOLDS[label] if label >= 0 else f"no answer ({statuses[code].replace('_', ' ')})"
        for label, code in zip(labels.tolist(), codes.tolist(), strict=True)
    ]


def _origins(dataset: Dataset, rows: Iterable[int]) -> list[str | None]:
    """Return the ids of the bases of the items at *rows*, which ascend."""
    return [each.base for each in examples_at(dataset.examples, list(rows))]


def _rows_of(dataset: Dataset, ids: Set[str | None]) -> dict[str | None, int]:
    """Return the rows of the items with *ids*, by id."""
    found: dict[str | None, int] = {}
    start = 0
    for part in dataset.columns("id"):
        found |= {each: start + row for row, each in enumerate(part["id"].to_pylist()) if each in ids}
        start += len(part)
    return found
