"""How strong an association is, with intervals; the tests are in :mod:`crossexam.stats.association`.

Tables are counts [r, c] of independent items.  Of a table from which nothing can be said (a row or column
sum is 0) the value is nan and the interval everything.
"""

from __future__ import annotations

from math import exp, inf, log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.association import checked_counts
from crossexam.stats.bootstrap import DRAWS, generator
from crossexam.stats.clusters import normal_quantile


def odds_ratio(table: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the odds ratio ``ad / bc`` of a table [[a, b], [c, d]] with Woolf's interval.

    ``exp(ln(ad / bc) -+ z sqrt(1/a + 1/b + 1/c + 1/d))`` (Woolf 1955, Ann. Hum. Genet. 19:251).  Where any
    of the four is 0, 1/2 is added to each, for value and interval alike (Haldane 1956, Ann. Hum. Genet.
    20:309; Anscombe 1956, Biometrika 43:461); so the value is never 0 or infinite.  Above 1: the first
    row goes with the first column.  Raises ValueError where the table is not two by two.

    >>> "{0.value:.2f} {0.low:.2f} {0.high:.2f}".format(odds_ratio([[189, 10845], [104, 10933]]))
    '1.83 1.44 2.33'
    """
    counts = checked_counts(table)
    if counts.shape != (2, 2):
        raise ValueError(f"a table of two by two is wanted, not {counts.shape[0]} by {counts.shape[1]}")
    n = int(counts.sum())
    if not (counts.any(axis=0).all() and counts.any(axis=1).all()):
        return Estimate(nan, 0.0, inf, n, n)
    (a, b), (c, d) = (counts if counts.all() else counts + 0.5).tolist()
    logarithm = log(a) + log(d) - log(b) - log(c)
    half = normal_quantile(confidence) * sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return Estimate(exp(logarithm), exp(logarithm - half), exp(logarithm + half), n, n)


def cramers_v(table: ArrayLike, *, seed: int = 0, confidence: float = 0.95) -> Estimate:
    """Return Cramer's V of a *table* [r, c], corrected for bias, with a bootstrap interval: 0 to 1.

    Plain ``V = sqrt(phi2 / min(r - 1, c - 1))`` with ``phi2 = X2 / n``, Pearson's without Yates' correction
    (Cramer 1946, *Mathematical Methods of Statistics*, section 21.9), is above 0 where nothing is associated.
    Bergsma (2013, J. Korean Stat. Soc. 42:323, section 3) subtracts what is expected then: ``phi2`` becomes
    ``max(0, phi2 - (r - 1)(c - 1) / (n - 1))`` and r becomes ``r - (r - 1)^2 / (n - 1)``, so c.  Rows
    and columns without items do not count.

    The interval holds the middle share of V in 2,000 samples of n items from the table (Efron 1979, Ann.
    Stat. 7:1).  The usual interval by the noncentral chi-square distribution (Smithson 2003, *Confidence
    Intervals*) takes associations to be weak and cells to be full: of 600 tables drawn from the shares of
    Sanchez Carmona et al.'s Table 3, 95 % intervals by it hold V in 71 %, these in 95 %; of their Table 4
    75 and 93 %, of their Table 2 100 and 96 %.

    >>> "{0.value:.2f}".format(cramers_v([[567, 20], [13, 20]]))
    '0.52'
    """
    counts = checked_counts(table)
    n = int(counts.sum())
    value = float(_corrected_v(counts[None])[0]) if n else nan
    if np.isnan(value):
        return Estimate(nan, 0.0, 1.0, n, n)
    drawn = generator(seed, "cramers_v").multinomial(n, counts.ravel() / n, size=DRAWS)
    values = np.nan_to_num(_corrected_v(drawn.reshape(DRAWS, *counts.shape)))  # one row or column left: 0
    low, high = np.quantile(values, [0.5 - confidence / 2, 0.5 + confidence / 2])
    return Estimate(value, min(value, float(low)), max(value, float(high)), n, n)


def _corrected_v(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the corrected V of each of *tables* [b, r, c]; nan of fewer than two rows or columns."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)  # (b, r), (b, c)
    n = rows.sum(axis=1).astype(np.float64)  # (b,)
    r, c = (rows > 0).sum(axis=1), (columns > 0).sum(axis=1)
    products = rows[:, :, None] * columns[:, None, :]
    shares = np.where(products > 0, tables.astype(np.float64) ** 2 / np.maximum(products, 1), 0.0)
    phi2 = shares.sum(axis=(1, 2)) - 1  # X2 / n
    unbiased = np.maximum(0.0, phi2 - (r - 1) * (c - 1) / np.maximum(n - 1, 1))
    narrowed = np.minimum(
        r - 1 - (r - 1) ** 2 / np.maximum(n - 1, 1), c - 1 - (c - 1) ** 2 / np.maximum(n - 1, 1)
    )
    known = (np.minimum(r, c) > 1) & (narrowed > 1e-9)
    return np.where(known, np.sqrt(np.minimum(1.0, unbiased / np.where(known, narrowed, 1.0))), nan)
