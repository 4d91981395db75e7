"""The threshold of a score that separates two kinds of items best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Of several thresholds that are as good, the nearest to this one is the best.
USUAL: Final = 0.5


def best_threshold(sets: Sequence[tuple[NDArray[np.float64], NDArray[np.bool_]]]) -> float:
    """Return the threshold with the highest mean balanced accuracy over *sets* of items.

    Each set has the scores [n] of its items, and which of them are positive [n]; items that score above the
    threshold count as positive.  The candidates are 1/2 and the middles between neighbouring scores.

    Raises ValueError unless there is a set, and each has items of both kinds.

    >>> best_threshold([(np.array([0.1, 0.3, 0.4, 0.9]), np.array([False, False, True, True]))])
    0.35
    """
    if not sets or any(positive.all() or not positive.any() for _, positive in sets):
        raise ValueError("a threshold needs sets with items of both kinds")
    scores = np.unique(np.concatenate([each for each, _ in sets]))
    middles = (scores[:-1] + scores[1:]) / 2
    # The middle of two neighbouring floats is one of them: the lower one divides them, the upper does not.
    between = np.where(middles < scores[1:], middles, scores[:-1])
    candidates = np.concatenate([between, [USUAL]])
    total = sum(_doubled_accuracies(each, positive, candidates) for each, positive in sets)
    best = candidates[total >= np.max(total) - 1e-12]
    return float(best[np.argmin(np.abs(best - USUAL))])


def _doubled_accuracies(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum of both recalls at each of *thresholds* [t]."""
    high, low = np.sort(scores[positive]), np.sort(scores[~positive])
    missed = np.searchsorted(high, thresholds, side="right") / len(high)
    rejected = np.searchsorted(low, thresholds, side="right") / len(low)
    sums: NDArray[np.float64] = 1 - missed + rejected
    return sums
