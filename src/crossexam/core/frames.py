"""The items of a run as a table: a row per item, with its labels as strings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.arguments import required
from crossexam.core.columns import cluster_names, columns_of, info_values, status_codes
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import ITEM_STATUSES, Example
from crossexam.core.labels import GOLDS, LABELS, THREE_LABELS, ItemLabels
from crossexam.core.outcome import CODES, Outcomes
from crossexam.core.stored.arrays import array_of_names, array_of_numbers

if TYPE_CHECKING:
    import pyarrow as pa

_LEAST: Final = -(2**63)  # the least whole number that a column can have


def item_table(
    test_set: str, examples: Sequence[Example], scored: ItemLabels, outcomes: Outcomes
) -> pa.Table:
    """Return the table of the items of one test set, with what a model predicted, as it is *scored* [n].

    What is predicted is null where *outcomes* [n] say that there is no answer; without a gold label,
    ``correct`` is.
    """
    import pyarrow as pa

    names = ("id", "premise", "hypothesis")
    items = pa.Table.from_batches(
        columns_of(examples, names), schema=pa.schema([(name, pa.string()) for name in names])
    )
    shares = dict(zip(scored.projection.labels, scored.shares.T, strict=True))
    own = {} if scored.two_labels else dict(zip(LABELS, scored.probabilities.T, strict=True))
    every = {f"p_{label}": share for label, share in shares.items()}
    every |= {f"model_p_{label}": share for label, share in own.items()}
    missing = ~outcomes.answered
    return pa.table(
        {
            "test_set": array_of_names(np.zeros(len(examples), dtype=np.int8), [test_set]),
            **dict(zip(names, items.columns, strict=True)),
            "label": array_of_names(scored.gold, GOLDS),
            "predicted": array_of_names(scored.predicted, GOLDS),
            "correct": array_of_numbers(scored.correct, ~scored.judged),
            "cluster": cluster_names(examples),
            "status": array_of_names(status_codes(examples), ITEM_STATUSES),
            "outcome": array_of_names(outcomes.codes, list(CODES)),
            **{name: array_of_numbers(each, missing) for name, each in every.items()},
        }
    )


def empty_table() -> pa.Table:
    """Return the table of no items.

    >>> empty_table().num_rows
    0
    """
    nothing = ItemLabels(
        np.empty(0, dtype=np.int8), np.empty((0, len(LABELS))), THREE_LABELS, two_labels=False
    )
    return item_table("", (), nothing, Outcomes.all_answered(0))


def info_columns(test_sets: Sequence[Sequence[Example]], keys: Sequence[str]) -> dict[str, pa.Array]:
    """Return the values under each of *keys* of ``info`` of the examples of all *test_sets* [n], as columns.

    Null where absent; lists, mappings, and values of several types become JSON.  Raises UnknownNameError for
    a key that no example has, CrossexamError for the name of a column of :func:`item_table`.
    """
    import pyarrow as pa

    required(keys, (list, tuple), "info", wanted='a list of keys of info, such as ["genre"]')
    found = [info_values(examples, [str(key) for key in keys]) for examples in test_sets]
    columns = {}
    for key in keys:
        if not any(values[str(key)].values for values in found):
            known = {name for examples in test_sets for example in examples for name in example.info}
            raise UnknownNameError("key of info", str(key), sorted(known))
        if key in empty_table().column_names:
            raise CrossexamError(f"there is already a column '{key}'", wanted="other keys of info")
        every = [value for values in found for value in values[str(key)].each().tolist()]
        columns[key] = pa.array(_uniform(every))
    return columns


def _uniform(values: Sequence[Any]) -> list[Any]:
    """Return *values*, as JSON unless all are truth values, numbers, texts or whole numbers of 64 bits."""
    types = {type(value) for value in values if value is not None}
    numbers = [value for value in values if types == {int} and value is not None]
    if types in ({bool}, {float}, {str}) or (numbers and min(numbers) >= _LEAST and max(numbers) < -_LEAST):
        return list(values)
    return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
