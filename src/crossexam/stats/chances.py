"""Exact chances of counts, by the special functions alone: scipy.stats takes most of a second to import."""

from __future__ import annotations

from bisect import bisect_left
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

_FEW: Final = 1000  # trials of which every number of ways is a floating-point number


def binomial_chances(n: int, share: float) -> NDArray[np.float64]:
    """Return the chances of 0, 1, ..., *n* successes in *n* trials, each a success with the chance *share*.

    >>> binomial_chances(2, 0.5).round(9).tolist(), binomial_chances(2, 0.0).tolist()
    ([0.25, 0.5, 0.25], [1.0, 0.0, 0.0])
    """
    from scipy.special import betaln, binom, xlog1py, xlogy

    k = np.arange(n + 1.0)
    if n <= _FEW:
        exact: NDArray[np.float64] = binom(n, k) * share**k * (1 - share) ** (n - k)
        return exact
    logs = xlogy(k, share) + xlog1py(n - k, -share) - betaln(n - k + 1, k + 1) - np.log(n + 1)
    chances: NDArray[np.float64] = np.exp(logs)
    return chances


def chance_of_reaching(count: float, n: float, share: float) -> float:
    """Return the chance of at least *count* successes in *n* trials; neither need be an integer.

    >>> chance_of_reaching(1, 2, 0.5), chance_of_reaching(0, 2, 0.5), chance_of_reaching(3, 2, 0.5)
    (0.75, 1.0, 0.0)
    """
    from scipy.special import betainc

    return 1.0 if count <= 0 else 0.0 if count > n else float(betainc(count, n - count + 1, share))


def improbable_count(n: int, share: float, level: float) -> int:
    """Return the least count of successes in *n* trials that is reached with a chance of at most *level*.

    If none is so improbable, it is n + 1.

    >>> improbable_count(2, 0.5, 0.25), improbable_count(2, 0.5, 0.2)
    (2, 3)
    """
    return bisect_left(range(n + 1), True, key=lambda count: chance_of_reaching(count, n, share) <= level)


def hypergeometric_chances(counts: NDArray[np.int64], n: int, marked: int, drawn: int) -> NDArray[np.float64]:
    """Return the chances of *counts* marked ones among so many *drawn* from *n*, of which some are *marked*.

    >>> hypergeometric_chances(np.arange(3), 4, 2, 2).round(9).tolist()
    [0.166666667, 0.666666667, 0.166666667]
    """

    def log_ways(of: int, chosen: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import betaln

        possible = (chosen >= 0) & (chosen <= of)
        known = np.where(possible, chosen, 0.0)
        ways = -betaln(of - known + 1, known + 1) - np.log(of + 1)
        return np.where(possible, ways, -inf)

    k = np.asarray(counts, dtype=np.float64)
    logs = log_ways(marked, k) + log_ways(n - marked, drawn - k) - log_ways(n, np.asarray(float(drawn)))
    chances: NDArray[np.float64] = np.exp(logs)
    return chances
