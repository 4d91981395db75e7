"""Fisher's exact test of a table of counts: all tables with its row and column sums, or a sample of them.

The p-value is the probability, given all row and column sums and no association, of a table that is not more
probable than the observed one (Fisher 1935, J. R. Stat. Soc. 98:39; for more than two rows or columns Freeman
& Halton 1951, Biometrika 38:141).  The probability of a table is proportional to the product of ``1 / x!``
over its cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, lgamma, prod
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.stats.bootstrap import FEWEST_DRAWN, SampledP, batch_sizes, generator, sampled_p

_AT_ONCE: Final = 2_000_000  # numbers in memory while sampling
_MOST_PARTIAL: Final = 1_000_000  # partial tables in memory while summing
_SAME: Final = 1e-7  # log probabilities that differ by less are equal


def fisher_exact(table: ArrayLike, *, draws: int = FEWEST_DRAWN, seed: int = 0) -> SampledP:
    """Return Fisher's exact test of a *table* of counts [r, c], two-sided.

    It is exact for two by two, and for larger tables if the tables with these sums can be summed over
    (:func:`_summed`).  Otherwise at most *draws* tables are sampled (Patefield 1981, Appl. Stat. 30:91), and
    the p-value is that of :func:`crossexam.stats.bootstrap.sampled_p`.  With fewer than two non-empty rows
    or columns it is 1.  Raises ValueError if *table* is not a table of counts.

    >>> round(fisher_exact([[3, 1], [1, 3]]).p, 4)  # Fisher's tea, two-sided: (1 + 16 + 16 + 1) / 70
    0.4857
    >>> fisher_exact([[5, 21, 0], [5, 543, 3], [0, 3, 0], [8, 20, 12]]).draws
    0
    """
    counts = without_empty(checked_counts(table))
    if min(counts.shape) < 2:
        return SampledP(1.0, 0)
    if counts.shape == (2, 2):
        from scipy.stats import fisher_exact as two_by_two

        return SampledP(float(two_by_two(counts)[1]), 0)
    exact = _summed(counts)
    return SampledP(exact, 0) if exact is not None else _sampled(counts, draws, seed)


class _Partial(NamedTuple):
    """The first rows of tables: what is *left* of the column sums [k, c], log weights, and multiplicities."""

    left: NDArray[np.int64]
    weights: NDArray[np.float64]
    times: NDArray[np.float64]


def _summed(counts: NDArray[np.int64]) -> float | None:
    """Return the p-value of *counts* by summing over all tables, None if there are too many.

    Row by row, the smallest first; the last row follows from the others.  Partial tables with the same
    remaining column sums and the same probability are merged (as in the network algorithm of Mehta & Patel
    1983, J. Am. Stat. Assoc. 78:427), which is exact.
    """
    from scipy.special import logsumexp

    table = counts if counts.shape[1] <= counts.shape[0] else counts.T
    table = table[np.argsort(table.sum(axis=1), kind="stable")]
    columns = table.sum(axis=0)
    if prod((columns + 1).tolist()) > 2**62:  # remaining column sums are encoded as one number
        return None
    factorials = _log_factorials(int(columns.sum()))
    partial = _Partial(columns[None], np.zeros(1), np.ones(1))
    for total in table.sum(axis=1)[:-1].tolist():
        grown = _with_row(partial, total, columns, factorials)
        if grown is None:
            return None
        partial = grown
    weights = partial.weights - factorials[partial.left].sum(axis=1)
    ours = -sum(lgamma(count + 1) for count in table.ravel().tolist())
    extreme = weights <= ours + _SAME
    log_p = logsumexp(weights[extreme], b=partial.times[extreme]) - logsumexp(weights, b=partial.times)
    return min(1.0, exp(log_p))


def _with_row(
    partial: _Partial, total: int, columns: NDArray[np.int64], factorials: NDArray[np.float64]
) -> _Partial | None:
    """Return *partial* with every row of sum *total* added, None if there are too many."""
    sizes = np.minimum(columns[:-1], total) + 1
    if prod(sizes.tolist()) > _MOST_PARTIAL:
        return None
    cells = np.indices(tuple(sizes.tolist())).reshape(len(sizes), -1).T  # all but the last column
    rows = np.column_stack([cells, total - cells.sum(axis=1)])
    rows = rows[(rows[:, -1] >= 0) & (rows[:, -1] <= columns[-1])]
    if len(rows) * len(partial.left) > _MOST_PARTIAL:
        return None
    left = (partial.left[:, None] - rows[None]).reshape(-1, len(columns))
    weights = (partial.weights[:, None] - factorials[rows].sum(axis=1)[None]).ravel()
    possible = (left >= 0).all(axis=1)
    times = np.repeat(partial.times, len(rows))
    return _merged(_Partial(left[possible], weights[possible], times[possible]), columns)


def _merged(partial: _Partial, columns: NDArray[np.int64]) -> _Partial:
    """Return *partial* with those that have the same remaining sums and weight merged."""
    code = np.ravel_multi_index(tuple(partial.left.T), tuple((columns + 1).tolist()))
    rounded = np.rint(partial.weights / (_SAME / 100)).astype(np.int64)
    order = np.lexsort((rounded, code))
    new = np.append(True, (np.diff(code[order]) != 0) | (np.diff(rounded[order]) != 0))
    first = order[new]
    times = np.add.reduceat(partial.times[order], np.flatnonzero(new))
    return _Partial(partial.left[first], partial.weights[first], times)


def _sampled(counts: NDArray[np.int64], draws: int, seed: int) -> SampledP:
    ours = _log_weights(counts[None])[0]
    return sampled_p(_log_weights(drawn) <= ours + _SAME for drawn in _tables_like(counts, draws, seed))


def _tables_like(counts: NDArray[np.int64], draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield *draws* tables sampled with the sums of *counts* and no association: [b, r, c]."""
    from scipy.stats import random_table

    drawer = random_table(counts.sum(axis=1), counts.sum(axis=0))
    rng = generator(seed, "fisher_exact")
    for size in batch_sizes(draws, max(1, _AT_ONCE // counts.size)):
        yield drawer.rvs(size, random_state=rng)


def _log_weights(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log probabilities of *tables* [b, r, c] with the same sums, up to a constant: [b]."""
    weights: NDArray[np.float64] = -_log_factorials(int(tables.max()))[tables].sum(axis=(1, 2))
    return weights


def _log_factorials(highest: int) -> NDArray[np.float64]:
    """Return ln 0!, ln 1!, ..., ln *highest*!."""
    from scipy.special import gammaln

    factorials: NDArray[np.float64] = gammaln(np.arange(1, highest + 2))
    return factorials


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


def without_empty(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return *counts* [r, c] without its empty rows and columns.

    >>> without_empty(np.array([[1, 0], [0, 0], [2, 0]])).tolist()
    [[1], [2]]
    """
    return counts[counts.any(axis=1)][:, counts.any(axis=0)]
