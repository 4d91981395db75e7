"""Whether two classifications of the same items go together: tests of tables of counts [r, c].

One statistic serves two questions.  *Independence*: of items drawn as they come, is the row independent of
the column?  *Homogeneity*: of items drawn group by group (so many with seen word pairs, so many with unseen
ones), are the shares of the rows the same in each?  What is fixed in advance differs, the statistic and its
distribution without association do not (McDonald 2014, *Handbook of Biological Statistics*, G-test of
independence; Agresti 2013, *Categorical Data Analysis*, section 3.2).

Sanchez Carmona et al. (2018, section 5.1) speak of chi-square tests and print ``chi2(1) = 74.16``; what they
print is G with Yates' correction, cut off, not rounded, after the second decimal
(``tests/test_association.py`` has all of theirs that can be had from their tables).  All tests here take
items to be independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.stats.bootstrap import generator

#: An expected count below this is small: the p-value is then Fisher's.
SMALL: Final = 5.0
#: Tables drawn for Fisher's test of tables of more than two rows or columns: p is 1e-5 at the least.
DRAWS: Final = 99_999
_AT_ONCE: Final = 2_000_000  # numbers held while drawing


class Association(NamedTuple):
    """A test of association of *n* items: *statistic* of *kind* with *freedom* degrees, and p-values.

    ``p_asymptotic`` is by the chi-square distribution, ``p_exact`` Fisher's where the
    ``smallest_expected`` count is below 5, else None.  ``corrected`` says that Yates' correction was
    made.  Rows and columns without any item are dropped, their places are kept.
    """

    statistic: float
    freedom: int
    p_asymptotic: float
    p_exact: float | None
    smallest_expected: float
    n: int
    kind: Literal["G", "Pearson"]
    corrected: bool
    dropped_rows: tuple[int, ...]
    dropped_columns: tuple[int, ...]

    @property
    def p(self) -> float:
        """The p-value to report: Fisher's where an expected count is small, else the asymptotic one."""
        return self.p_asymptotic if self.p_exact is None else self.p_exact


def cross_counts(rows: ArrayLike, columns: ArrayLike, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the counts of items by their code in *rows* and in *columns* [n] each: *shape*.

    Raises ValueError where a code is none of the *shape*'s.

    >>> cross_counts([0, 0, 1], [2, 2, 0], (2, 3)).tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    r, c = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    if r.shape != c.shape:
        raise ValueError(f"{r.size} codes of rows for {c.size} of columns")
    if r.size and not (min(r.min(), c.min()) >= 0 and r.max() < shape[0] and c.max() < shape[1]):
        raise ValueError(f"codes are wanted below {shape[0]} and {shape[1]}, from 0")
    return np.bincount(shape[1] * r + c, minlength=shape[0] * shape[1]).reshape(shape)


def association(
    table: ArrayLike, *, kind: Literal["G", "Pearson"] = "G", yates: bool = True, seed: int = 0
) -> Association:
    """Return the test of association of a *table* of counts [r, c]; raises ValueError for anything else.

    With ``O`` the counts and ``E = row sum x column sum / n``: the log-likelihood ratio
    ``G = 2 sum O ln(O / E)`` (Wilks 1938, Ann. Math. Stat. 9:60) or Pearson's ``X2 = sum (O - E)^2 / E``
    (1900, Philos. Mag. 50:157), by the chi-square distribution with ``(r - 1)(c - 1)`` degrees.  At one
    degree each O is first moved towards E by 1/2, no further than to E (Yates 1934, Suppl. J. R. Stat.
    Soc. 1:217; for G as for X2), unless *yates* is false.

    Where any E is below 5 the chi-square distribution is not trusted (the rule of Fisher 1925, *Statistical
    Methods for Research Workers*, in its strict form; Cochran 1954, Biometrics 10:417, allows a fifth of
    them) and :func:`fisher_exact` is asked besides; *seed* is for that.

    With fewer than two rows or columns that have items there is nothing to test: 0 degrees, p is 1.

    >>> found = association([[567, 20], [13, 20]])  # Sanchez Carmona et al. 2018, Table 3: 74.16
    >>> round(found.statistic, 3), found.freedom, round(found.smallest_expected, 2)
    (74.164, 1, 2.13)
    """
    if kind not in {"G", "Pearson"}:
        raise ValueError(f"the statistic '{kind}' is unknown: G and Pearson are wanted")
    counts, dropped_rows, dropped_columns = _without_empty(checked_counts(table))
    n, freedom = int(counts.sum()), max(0, counts.shape[0] - 1) * max(0, counts.shape[1] - 1)
    if freedom == 0:
        return Association(0.0, 0, 1.0, None, float(n), n, kind, False, dropped_rows, dropped_columns)
    from scipy.special import chdtrc

    expected = expected_counts(counts)
    corrected = yates and freedom == 1
    statistic = _statistic(counts.astype(np.float64), expected, kind, corrected)
    smallest = float(expected.min())
    exact = fisher_exact(counts, seed=seed) if smallest < SMALL else None
    return Association(
        statistic,
        freedom,
        float(chdtrc(freedom, statistic)),
        exact,
        smallest,
        n,
        kind,
        corrected,
        dropped_rows,
        dropped_columns,
    )


def _statistic(
    observed: NDArray[np.float64], expected: NDArray[np.float64], kind: str, corrected: bool
) -> float:
    from scipy.special import xlogy

    if corrected:
        gap = expected - observed
        observed = observed + np.sign(gap) * np.minimum(0.5, np.abs(gap))
    if kind == "Pearson":
        return float(((observed - expected) ** 2 / expected).sum())
    return max(0.0, 2 * float(xlogy(observed, observed / expected).sum()))


def fisher_exact(table: ArrayLike, *, seed: int = 0) -> float:
    """Return the p-value of Fisher's exact test of a *table* of counts [r, c], two-sided.

    The chance, given all row and column sums and no association, of a table that is no likelier than this
    one (Fisher 1935, J. R. Stat. Soc. 98:39; Freeman & Halton 1951, Biometrika 38:141, beyond two by two).
    Two by two it is exact.  Beyond, the chance is estimated from B = 99,999 tables drawn with these sums
    (Patefield 1981, Appl. Stat. 30:91) as ``(1 + those no likelier) / (B + 1)``, which is never 0
    (Davison & Hinkley 1997, *Bootstrap Methods and their Application*, chapter 4).

    >>> round(fisher_exact([[3, 1], [1, 3]]), 4)  # Fisher's tea, two-sided: (1 + 16 + 16 + 1) / 70
    0.4857
    """
    counts, _, _ = _without_empty(checked_counts(table))
    if min(counts.shape) < 2:
        return 1.0
    if counts.shape == (2, 2):
        from scipy.stats import fisher_exact as two_by_two

        return float(two_by_two(counts)[1])
    ours = _log_weight(counts[None])[0]
    hits = sum(
        int(np.count_nonzero(_log_weight(drawn) <= ours + 1e-7)) for drawn in _tables_like(counts, seed)
    )
    return (1 + hits) / (DRAWS + 1)


def _tables_like(counts: NDArray[np.int64], seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield tables drawn with the sums of *counts* and no association: [b, r, c], 99,999 in all."""
    from scipy.stats import random_table

    drawer = random_table(counts.sum(axis=1), counts.sum(axis=0))
    rng = generator(seed, "fisher_exact")
    step = max(1, _AT_ONCE // counts.size)
    for start in range(0, DRAWS, step):
        yield drawer.rvs(min(step, DRAWS - start), random_state=rng)


def _log_weight(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log chances of *tables* [b, r, c] that have the same sums, but for a constant: [b]."""
    from scipy.special import gammaln

    highest = int(tables.max())
    factorials = gammaln(np.arange(1, highest + 2))  # ln 0!, ln 1!, ...
    weights: NDArray[np.float64] = -factorials[tables].sum(axis=(1, 2))
    return weights


def expected_counts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what counts [r, c] would be without association, given their sums: [r, c].

    >>> expected_counts(np.array([[3, 1], [1, 3]])).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    expected: NDArray[np.float64] = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return expected


def checked_counts(table: ArrayLike) -> NDArray[np.int64]:
    """Return *table* as whole numbers [r, c]; raises ValueError where it is no table of counts."""
    given = np.asarray(table)
    if given.ndim != 2 or given.dtype.kind not in "iufb":
        raise ValueError(f"a table of counts is wanted, rows by columns, not shape {given.shape}")
    counts = given.astype(np.int64) if np.isfinite(given).all() else None
    if counts is None or (counts != given).any() or (counts < 0).any():
        raise ValueError(f"counts are wanted, whole numbers from 0: {given.tolist()}")
    return counts


def _without_empty(
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], tuple[int, ...], tuple[int, ...]]:
    rows, columns = counts.any(axis=1), counts.any(axis=0)
    kept = counts[rows][:, columns]
    return kept, tuple(np.flatnonzero(~rows).tolist()), tuple(np.flatnonzero(~columns).tolist())
