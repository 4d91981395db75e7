"""One-sided p-values of a threshold, from an interval that can be computed at any level of confidence."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from typing import Final, Literal, TypeAlias

from crossexam.core.estimate import Estimate

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
    from scipy.optimize import brentq

    def beyond(log_p: float) -> float:
        """Return by how much the bound is on the side; above 0 if the claim is shown at this p."""
        estimate = at(1 - 2 * exp(log_p))
        distance = estimate.low - threshold if side == "above" else threshold - estimate.high
        return distance or (1e-300 if inclusive else -1e-300)

    least, most = log(LEAST_P), log(_MOST_P)
    if beyond(most) < 0:
        return 1.0
    if beyond(least) > 0:
        return LEAST_P
    return exp(float(brentq(beyond, least, most, xtol=1e-9)))
