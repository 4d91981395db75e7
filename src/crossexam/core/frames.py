"""The items of a run as a table: a row per item, with its labels as strings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crossexam.core.arguments import required
from crossexam.core.columns import cluster_names, columns_of, info_values, status_codes
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import STATUSES, Example
from crossexam.core.labels import GOLDS, LABELS, THREE_LABELS, ItemLabels
from crossexam.core.outcome import Outcomes

if TYPE_CHECKING:
    import polars as pl


def item_frame(
    test_set: str, examples: Sequence[Example], scored: ItemLabels, outcomes: Outcomes
) -> pl.DataFrame:
    """Return the table of the items of one test set, with what a model predicted, as it is *scored* [n].

    What is predicted is null where *outcomes* [n] say that there is no answer; without a gold label,
    ``correct`` is.
    """
    import polars as pl

    answered = pl.Series(outcomes.answered, dtype=pl.Boolean)
    names = pl.Series([*GOLDS, None], dtype=pl.String)  # -1 is the last
    texts = ("id", "premise", "hypothesis")
    empty = pl.DataFrame(schema=dict.fromkeys(texts, pl.String))
    items = pl.concat([empty, *columns_of(examples, texts)])
    status = pl.Series([*STATUSES, None], dtype=pl.String)[status_codes(examples).astype(np.int64)]
    shares = dict(zip(scored.projection.labels, scored.shares.T, strict=True))
    own = {} if scored.two_labels else dict(zip(LABELS, scored.probabilities.T, strict=True))
    every = {f"p_{label}": share for label, share in shares.items()}
    every |= {f"model_p_{label}": share for label, share in own.items()}
    return pl.DataFrame(
        {
            "test_set": pl.repeat(test_set, len(items), dtype=pl.String, eager=True),
            **items.to_dict(),
            "label": names[scored.gold.astype(np.int64)],
            "predicted": names[scored.predicted],
            "correct": pl.Series(scored.correct, dtype=pl.Boolean).set(pl.Series(~scored.judged), None),
            "cluster": cluster_names(examples),
            "status": status,
            "outcome": pl.Series(outcomes.statuses(), dtype=pl.String),
            **{name: pl.Series(each, dtype=pl.Float64).set(~answered, None) for name, each in every.items()},
        }
    )


def empty_frame() -> pl.DataFrame:
    """Return the table of no items.

    >>> empty_frame().height
    0
    """
    nothing = ItemLabels(
        np.empty(0, dtype=np.int8), np.empty((0, len(LABELS))), THREE_LABELS, two_labels=False
    )
    return item_frame("", (), nothing, Outcomes.all_answered(0))


def info_columns(test_sets: Sequence[Sequence[Example]], keys: Sequence[str]) -> dict[str, pl.Series]:
    """Return the values under each of *keys* of ``info`` of the examples of all *test_sets* [n], as columns.

    Null where absent; lists, mappings, and values of several types become JSON.  Raises UnknownNameError for
    a key that no example has, CrossexamError for the name of a column of :func:`item_frame`.
    """
    import polars as pl

    required(keys, (list, tuple), "info", wanted='a list of keys of info, such as ["genre"]')
    found = [info_values(examples, [str(key) for key in keys]) for examples in test_sets]
    columns = {}
    for key in keys:
        if not any(values[str(key)].values for values in found):
            known = {name for examples in test_sets for example in examples for name in example.info}
            raise UnknownNameError("key of info", str(key), sorted(known))
        if key in empty_frame().columns:
            raise CrossexamError(f"there is already a column '{key}'", wanted="other keys of info")
        every = [value for values in found for value in values[str(key)].each().tolist()]
        columns[key] = pl.Series(_uniform(every))
    return columns


def _uniform(values: Sequence[Any]) -> list[Any]:
    """Return *values*, as JSON unless they are all truth values, whole numbers, numbers or texts."""
    types = {type(value) for value in values if value is not None}
    if len(types) == 1 and types <= {bool, int, float, str}:
        return list(values)
    return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
