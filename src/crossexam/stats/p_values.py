"""P-values: of one-sided claims, from intervals at any level of confidence; corrected for several tests.

Corrections take p-values [k] and return adjusted p-values [k] in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.roots import crossing

#: The level of significance: a corrected p-value of at most this is significant.
ALPHA: Final = 0.05
#: An estimate as a function of the two-sided confidence of its interval, such as 0.95.
AtConfidence: TypeAlias = Callable[[float], Estimate]

#: No smaller p-value is computed: floating-point confidences next to 1 are too coarse.
LEAST_P: Final = 1e-12
_MOST_P: Final = 0.4999  # a confidence of almost 0, at which the interval is the estimate itself


def one_sided_p(
    at: AtConfidence, threshold: float, side: Literal["above", "below"], *, inclusive: bool = False
) -> float:
    """Return the p-value of the claim that the true value is on this *side* of *threshold*.

    It is (1 - c) / 2, where c is the confidence at which the bound of the interval *at* that confidence
    touches the threshold: p is at most 0.025 if and only if the 95 % interval lies wholly on the side.  So
    test and interval agree, with all that the interval allows for, such as clusters.  With *inclusive*, the
    threshold itself is on the side.  If the estimate is not on the side, p is above 1/2 and returned as 1.
    No p-value is below :data:`LEAST_P`.

    >>> from crossexam.stats.estimate import share_correct
    >>> right = [True] * 70 + [False] * 30
    >>> round(one_sided_p(lambda confidence: share_correct(right, None, confidence), 0.6, "above"), 4)
    0.0206
    >>> f"{share_correct(right):.2f}"
    '70.00 [60.42, 78.11]'
    """

    def beyond(log_p: float) -> float:
        """Return by how much the bound is on the side; above 0 if the claim is shown at this p."""
        estimate = at(1 - 2 * exp(log_p))
        distance = estimate.low - threshold if side == "above" else threshold - estimate.high
        return distance or (1e-300 if inclusive else -1e-300)

    least, most = log(LEAST_P), log(_MOST_P)
    log_p = crossing(beyond, least, most, 1e-9)
    return LEAST_P if log_p <= least else 1.0 if log_p >= most else exp(log_p)


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
