"""The items of a run as a table: a row per item, with its labels as strings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crossexam.core.arguments import required
from crossexam.core.columns import cluster_names, columns_of, info_values, labels_of, status_codes
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import STATUSES, Example
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS
from crossexam.core.outcome import Outcomes

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


def item_frame(
    test_set: str,
    examples: Sequence[Example],
    shares: NDArray[np.float64],
    predicted: NDArray[np.int64],
    outcomes: Outcomes,
) -> pl.DataFrame:
    """Return the table of the items of one test set, their probabilities [n, 3] and predicted labels [n].

    The labels are indices in ``GOLDS``.  A prediction of not_entailment is correct for neutral and
    contradiction too, since only a model of two labels makes it there; without a gold label, ``correct`` is
    null.  What is predicted is null where *outcomes* [n] say that there is no answer.
    """
    import numpy as np
    import polars as pl

    gold = labels_of(examples)
    rejected = (predicted == GOLD_INDEX["not_entailment"]) & (gold != GOLD_INDEX["entailment"])
    correct = pl.Series((gold == predicted) | rejected, dtype=pl.Boolean)
    answered = pl.Series(outcomes.answered, dtype=pl.Boolean)
    names = pl.Series([*GOLDS, None], dtype=pl.String)
    texts = ("id", "premise", "hypothesis")
    empty = pl.DataFrame(schema=dict.fromkeys(texts, pl.String))
    items = pl.concat([empty, *columns_of(examples, texts)])
    can_be_correct = pl.Series(gold >= 0, dtype=pl.Boolean) & answered
    status = pl.Series([*STATUSES, None], dtype=pl.String)[status_codes(examples).astype(np.int64)]
    return pl.DataFrame(
        {
            "test_set": pl.repeat(test_set, len(items), dtype=pl.String, eager=True),
            **items.to_dict(),
            "gold": names[gold.astype(np.int64)],
            "predicted": names[predicted],  # -1 is the last
            **{
                f"p_{label}": pl.Series(shares[:, k], dtype=pl.Float64).set(~answered, None)
                for k, label in enumerate(LABELS)
            },
            "correct": correct.set(~can_be_correct, None),
            "cluster": cluster_names(examples),
            "status": status,
            "outcome": pl.Series(outcomes.statuses(), dtype=pl.String),
        }
    )


def empty_frame() -> pl.DataFrame:
    """Return the table of no items.

    >>> empty_frame().height
    0
    """
    import numpy as np

    no_predictions = np.empty((0, len(LABELS))), np.empty(0, dtype=np.int64)
    return item_frame("", (), *no_predictions, Outcomes.all_answered(0))


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
