"""Corrections for multiple testing: p-values [k] in, adjusted p-values [k] out, in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The level of significance: a corrected p-value of at most this is significant.
ALPHA: Final = 0.05


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values: [k].

    The j-th smallest of k is ``max over i <= j of (k - i + 1) p_i``, at most 1.  This controls the
    family-wise error rate for any dependence of the tests (Holm 1979, Scand. J. Stat. 6:65).  Raises
    ValueError if a value is not between 0 and 1.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def holm_of_planned(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values of planned tests [k], None for those that could not be made.

    *p_values* are None for the latter, for example because too many answers are missing.  They count as if
    their p-value were 1: the family is that of all planned tests, so that whatever kept a test from being
    made does not make another significant.  Raises ValueError as :func:`holm` does.

    >>> holm_of_planned([0.01, None, 0.03])
    [0.03, None, 0.06]
    """
    adjusted = holm([1.0 if p is None else p for p in p_values]).tolist()
    return [None if p is None else each for p, each in zip(p_values, adjusted, strict=True)]


def bonferroni(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return Bonferroni's adjusted p-values, ``min(1, k p_i)``: [k].

    They control the family-wise error rate for any dependence of the tests (Dunn 1961, J. Am. Stat. Assoc.
    56:52).  Raises ValueError if a value is not between 0 and 1.

    >>> bonferroni([0.25, 0.5]).tolist()
    [0.5, 1.0]
    """
    p = _checked(p_values)
    return np.minimum(1.0, len(p) * p)


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():  # nan fails too
        raise ValueError(f"p-values must be between 0 and 1: {p.tolist()}")
    return p
