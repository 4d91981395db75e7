"""Checks of tables of counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_counts(table: ArrayLike) -> NDArray[np.int64]:
    """Return *table* as integers [r, c]; raises ValueError if it is not a table of counts."""
    given = np.asarray(table)
    if given.ndim != 2 or given.dtype.kind not in "iufb":
        raise ValueError(
            f"a table of counts must be a two-dimensional array of numbers, not one of shape {given.shape}"
        )
    counts = given.astype(np.int64) if np.isfinite(given).all() else None
    if counts is None or (counts != given).any() or (counts < 0).any():
        raise ValueError(f"counts must be non-negative whole numbers: {given.tolist()}")
    return counts


def without_empty(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], tuple[int, ...], tuple[int, ...]]:
    """Return *counts* [r, c] without its empty rows and columns, and the indices of these.

    >>> without_empty(np.array([[1, 0], [0, 0], [2, 0]]))[1:]
    ((1,), (1,))
    """
    rows, columns = counts.any(axis=1), counts.any(axis=0)
    kept = counts[rows][:, columns]
    return kept, tuple(np.flatnonzero(~rows).tolist()), tuple(np.flatnonzero(~columns).tolist())
