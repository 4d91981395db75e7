"""Items counted by two classifications, such as their gold and their predicted label, and types of errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def cross_counts(rows: ArrayLike, columns: ArrayLike, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the contingency table, of *shape* [r, c], of items with codes *rows* [n] and *columns* [n].

    Raises ValueError if a code is outside the *shape*.

    >>> cross_counts([0, 0, 1], [2, 2, 0], (2, 3)).tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    r, c = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    if r.shape != c.shape:
        raise ValueError(f"{r.size} row codes but {c.size} column codes")
    if r.size and not (min(r.min(), c.min()) >= 0 and r.max() < shape[0] and c.max() < shape[1]):
        raise ValueError(f"codes must be at least 0 and below {shape[0]} (rows) and {shape[1]} (columns)")
    return np.bincount(shape[1] * r + c, minlength=shape[0] * shape[1]).reshape(shape)


def error_types(table: ArrayLike, labels: Sequence[str]) -> dict[str, int]:
    """Return the counts of a *table* of gold by predicted *labels*, by type of error.

    "E-C" is gold entailment predicted as contradiction, as in Naik et al. (2018, section 4.4).

    >>> error_types([[1, 1, 0], [0, 0, 0], [0, 1, 0]], "ENC")["C-N"]
    1
    """
    counts, letters = np.asarray(table), [label[0].upper() for label in labels]
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
