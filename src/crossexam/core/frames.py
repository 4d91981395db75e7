"""The items of a run as a table: a row per item, with its labels as strings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.arguments import required
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example, cluster_of, status_of
from crossexam.core.labels import LABELS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_NOT_ENTAILED: Final = frozenset({"neutral", "contradiction"})


def item_frame(
    test_set: str, examples: Sequence[Example], shares: NDArray[np.float64], predicted: Sequence[str]
) -> pl.DataFrame:
    """Return the table of the items of one test set, their probabilities [n, 3] and predicted labels [n].

    A prediction of not_entailment is correct for neutral and contradiction too, since only a model of two
    labels makes it there; without a gold label, ``correct`` is null.
    """
    import polars as pl

    gold = [example.label for example in examples]
    correct = [
        None if label is None else label == said or (said == "not_entailment" and label in _NOT_ENTAILED)
        for label, said in zip(gold, predicted, strict=True)
    ]
    columns = {
        "test_set": pl.Series([test_set] * len(examples), dtype=pl.String),
        "id": pl.Series([example.id for example in examples], dtype=pl.String),
        "premise": pl.Series([example.premise for example in examples], dtype=pl.String),
        "hypothesis": pl.Series([example.hypothesis for example in examples], dtype=pl.String),
        "gold": pl.Series(gold, dtype=pl.String),
        "predicted": pl.Series(predicted, dtype=pl.String),
        **{f"p_{label}": pl.Series(shares[:, k], dtype=pl.Float64) for k, label in enumerate(LABELS)},
        "correct": pl.Series(correct, dtype=pl.Boolean),
        "cluster": pl.Series([cluster_of(example) for example in examples], dtype=pl.String),
        "status": pl.Series([status_of(example) for example in examples], dtype=pl.String),
    }
    return pl.DataFrame(columns)


def empty_frame() -> pl.DataFrame:
    """Return the table of no items.

    >>> empty_frame().height
    0
    """
    import numpy as np

    return item_frame("", (), np.empty((0, len(LABELS))), ())


def info_columns(examples: Sequence[Example], keys: Sequence[str]) -> dict[str, pl.Series]:
    """Return the values of *examples* [n] under each of *keys* of ``info``, as columns; null where absent.

    Lists, mappings, and values of several types become JSON.  Raises UnknownNameError for a key that no
    example has, CrossexamError for the name of a column of :func:`item_frame`.
    """
    import polars as pl

    required(keys, (list, tuple), "info", wanted='a list of keys of info, such as ["genre"]')
    known = sorted({key for example in examples for key in example.info})
    columns = {}
    for key in keys:
        if key not in known:
            raise UnknownNameError("key of info", str(key), known)
        if key in empty_frame().columns:
            raise CrossexamError(f"there is already a column '{key}'", wanted="other keys of info")
        columns[key] = pl.Series(_uniform([example.info.get(key) for example in examples]))
    return columns


def _uniform(values: Sequence[Any]) -> list[Any]:
    """Return *values*, as JSON unless they are all truth values, whole numbers, numbers or texts."""
    types = {type(value) for value in values if value is not None}
    if len(types) == 1 and types <= {bool, int, float, str}:
        return list(values)
    return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
