"""Which label is taken for which; labels are their indices in ``LABELS`` (0, 1, 2: E, N, C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: How the papers abbreviate the labels, in their order.
LETTERS: Final = ("E", "N", "C")


def confusion(gold: ArrayLike, predicted: ArrayLike, k: int = 3) -> NDArray[np.int64]:
    """Return the counts of items by gold (row) and predicted label (column): [k, k].

    Raises ValueError where a label is not one of the *k*.

    >>> confusion([0, 0, 2], [0, 1, 1]).tolist()
    [[1, 1, 0], [0, 0, 0], [0, 1, 0]]
    """
    rows, columns = np.asarray(gold, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
    if rows.shape != columns.shape:
        raise ValueError(f"{rows.size} gold labels for {columns.size} predictions")
    if rows.size and not (min(rows.min(), columns.min()) >= 0 and max(rows.max(), columns.max()) < k):
        raise ValueError(f"labels are wanted, from 0 to {k - 1}")
    return np.bincount(k * rows + columns, minlength=k * k).reshape(k, k)


def error_types(table: ArrayLike, letters: Sequence[str] = LETTERS) -> dict[str, int]:
    """Return the count of each kind of error of a confusion *table*; "E-C" is E taken for C.

    >>> error_types([[1, 1, 0], [0, 0, 0], [0, 1, 0]])["C-N"]
    1
    """
    counts = np.asarray(table)
    return {
        f"{gold}-{predicted}": int(counts[row, column])
        for row, gold in enumerate(letters)
        for column, predicted in enumerate(letters)
        if row != column
    }


def false_share(table: ArrayLike, label: int) -> float | None:
    """Return the share of all errors that falsely predict *label*; None without errors.

    Naik et al. (2018) report it of neutral in Table 4 and of entailment in Table 7.

    >>> false_share([[1, 1, 0], [0, 0, 0], [0, 1, 0]], 1)
    1.0
    """
    counts = np.asarray(table)
    errors = int(counts.sum() - np.trace(counts))
    if errors == 0:
        return None
    return int(counts[:, label].sum() - counts[label, label]) / errors
