"""Confusion matrices and error types.

Labels are indices in ``LABELS``: 0, 1, 2 are entailment, neutral, contradiction (E, N, C).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The papers' abbreviations of the labels, in the order of ``LABELS``.
LETTERS: Final = ("E", "N", "C")


def confusion(gold: ArrayLike, predicted: ArrayLike, k: int = 3) -> NDArray[np.int64]:
    """Return the confusion matrix, counts of items by gold (row) and predicted label (column): [k, k].

    Raises ValueError if a label is not one of the *k*, or if the lengths differ.

    >>> confusion([0, 0, 2], [0, 1, 1]).tolist()
    [[1, 1, 0], [0, 0, 0], [0, 1, 0]]
    """
    rows, columns = np.asarray(gold, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
    if rows.shape != columns.shape:
        raise ValueError(f"{rows.size} gold labels for {columns.size} predictions")
    if rows.size and not (min(rows.min(), columns.min()) >= 0 and max(rows.max(), columns.max()) < k):
        raise ValueError(f"labels must be from 0 to {k - 1}")
    return np.bincount(k * rows + columns, minlength=k * k).reshape(k, k)


def error_types(table: ArrayLike, letters: Sequence[str] = LETTERS) -> dict[str, int]:
    """Return the counts of a confusion *table* by type of error: "E-C" is gold E predicted as C.

    As in Naik et al. (2018, section 4.4).

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
    """Return the share, 0 to 1, of false predictions of *label* among all errors; None without errors.

    Naik et al. (2018) report it for neutral in Table 4 and for entailment in Table 7.

    >>> false_share([[1, 1, 0], [0, 0, 0], [0, 1, 0]], 1)
    1.0
    """
    counts = np.asarray(table)
    errors = int(counts.sum() - np.trace(counts))
    if errors == 0:
        return None
    return int(counts[:, label].sum() - counts[label, label]) / errors
