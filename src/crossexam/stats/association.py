"""Association of two classifications of the same items: tests and effect sizes of contingency tables.

Tables are counts [r, c] of items.  :func:`association` tests whether there is an association of independent
items (:mod:`crossexam.stats.clustered_association` of items in clusters); :func:`odds_ratio` and
:func:`cramers_v` estimate how strong it is.  If a table determines no effect size (a row or column sum is 0),
its value is nan and its interval the whole range.

The intervals of effect sizes are wider for items in clusters, whose tables, [m, r, c], add up to the table.
Without them every item is its own cluster.

The same test answers whether the row is independent of the column, for items sampled without regard to the
classes, and whether the shares of the rows are the same in all groups, for items sampled by group (McDonald
2014, *Handbook of Biological Statistics*, G-test of independence).

Sanchez Carmona et al. (2018, section 5.1) report chi-square tests such as ``chi2(1) = 74.16``; these are in
fact G with Yates' correction, truncated, not rounded, after the second decimal
(``tests/stats/test_association.py`` checks all that can be recomputed from their tables).
"""

from __future__ import annotations

from math import exp, inf, nan, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.bootstrap import DRAWS, FEWEST_DRAWN, generator
from crossexam.stats.clusters import freedom_of, normal_quantile, student_quantile, t_factor
from crossexam.stats.fisher import checked_counts, fisher_exact, without_empty

#: An expected count below this is small.
SMALL: Final = 5.0
#: In tables larger than two by two: the largest share of small expected counts, and the smallest of these.
SMALL_SHARE: Final = 0.2
SMALLEST: Final = 1.0
_LARGEST: Final = 709.0  # of which the exponential function is a number


class Association(NamedTuple):
    """A test of association of *n* items: the *statistic* G with *freedom* degrees, and p-values.

    ``p_asymptotic`` is that of the chi-square distribution, ``p_exact`` that of Fisher's test if
    :func:`too_small` expected counts do not allow the former, else None; ``draws`` is the number of tables
    that were sampled for it, 0 if it is exact.
    """

    statistic: float
    freedom: int
    p_asymptotic: float
    p_exact: float | None
    smallest_expected: float
    n: int
    draws: int = 0

    @property
    def p(self) -> float:
        """The p-value to report: Fisher's if expected counts are too small, else the asymptotic one."""
        return self.p_asymptotic if self.p_exact is None else self.p_exact


def association(table: ArrayLike, *, draws: int = FEWEST_DRAWN, seed: int = 0) -> Association:
    """Return the test of association of a *table* of counts [r, c].

    With ``O`` the counts and ``E = row sum x column sum / n``: the log-likelihood ratio
    ``G = 2 sum O ln(O / E)`` (Wilks 1938, Ann. Math. Stat. 9:60), with the chi-square distribution with
    ``(r - 1)(c - 1)`` degrees of freedom.  With one degree each O is first moved towards E by 1/2, but not
    beyond E (Yates 1934, Suppl. J. R. Stat. Soc. 1:217).  Rows and columns without items do not count.

    If expected counts are :func:`too_small`, the chi-square approximation is not trusted, and
    :func:`crossexam.stats.fisher.fisher_exact` is computed as well, with at most *draws* sampled tables and
    with *seed*.

    With fewer than two non-empty rows or columns there is nothing to test: 0 degrees of freedom, p is 1.
    Raises ValueError if *table* is not a table of counts.

    >>> found = association([[567, 20], [13, 20]])  # Sanchez Carmona et al. 2018, Table 3: 74.16
    >>> round(found.statistic, 3), found.freedom, round(found.smallest_expected, 2)
    (74.164, 1, 2.13)
    """
    counts = without_empty(checked_counts(table))
    n, freedom = int(counts.sum()), max(0, counts.shape[0] - 1) * max(0, counts.shape[1] - 1)
    if freedom == 0:
        return Association(0.0, 0, 1.0, None, float(n), n)
    from scipy.special import chdtrc

    expected = expected_counts(counts)
    statistic = _log_likelihood_ratio(counts.astype(np.float64), expected, corrected=freedom == 1)
    fisher = fisher_exact(counts, draws=draws, seed=seed) if too_small(expected) else None
    return Association(
        statistic,
        freedom,
        float(chdtrc(freedom, statistic)),
        fisher.p if fisher else None,
        float(expected.min()),
        n,
        fisher.draws if fisher else 0,
    )


def too_small(expected: NDArray[np.float64]) -> bool:
    """Return whether *expected* counts [r, c] are too small for the chi-square distribution.

    In a table of two by two: if any is below 5.  In larger ones: if any is below 1, or more than a fifth of
    them below 5 (Cochran 1954, Biometrics 10:417).

    >>> too_small(np.array([[4.9, 20], [20, 80]])), too_small(np.array([[4.9, 20, 20], [20, 80, 80]]))
    (True, False)
    """
    small = expected < SMALL
    if expected.shape == (2, 2):
        return bool(small.any())
    return bool((expected < SMALLEST).any() or small.mean() > SMALL_SHARE)


def _log_likelihood_ratio(
    observed: NDArray[np.float64], expected: NDArray[np.float64], *, corrected: bool
) -> float:
    from scipy.special import xlogy

    if corrected:
        gap = expected - observed
        observed = observed + np.sign(gap) * np.minimum(0.5, np.abs(gap))
    return max(0.0, 2 * float(xlogy(observed, observed / expected).sum()))


def expected_counts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the expected counts without association: row sum x column sum / n of *counts* [r, c]: [r, c].

    >>> expected_counts(np.array([[3, 1], [1, 3]])).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    expected: NDArray[np.float64] = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return expected


def odds_ratio(table: ArrayLike, confidence: float = 0.95, *, clusters: ArrayLike | None = None) -> Estimate:
    """Return the odds ratio ``ad / bc`` of a table [[a, b], [c, d]] with Woolf's interval.

    ``exp(ln(ad / bc) -+ z sqrt(1/a + 1/b + 1/c + 1/d))`` (Woolf 1955, Ann. Hum. Genet. 19:251).  If any of
    the four counts is 0, 1/2 is added to each, for value and interval (Haldane 1956, Ann. Hum. Genet. 20:309;
    Anscombe 1956, Biometrika 43:461), so that the value is never 0 or infinite.  Above 1, the first row is
    associated with the first column.

    With the tables of *clusters* [m, 2, 2] that add up to *table*, it is no narrower than ``exp(L -+ t
    sqrt(V))``, with *L* the logarithm and *V* the variance of the jackknife over clusters (MacKinnon, Nielsen
    & Webb 2023, J. Appl. Econom. 38:671; degrees of freedom: docs/derivations.md#effect-sizes).  The interval
    of a single cluster is the whole range.
    Raises ValueError if the table is not two by two, or not the sum of those of the clusters.

    >>> "{0.value:.2f} {0.low:.2f} {0.high:.2f}".format(odds_ratio([[189, 10845], [104, 10933]]))
    '1.83 1.44 2.33'
    >>> found = odds_ratio([[20, 8], [8, 20]], clusters=[[[4, 1], [1, 4]], [[1, 1], [1, 1]]] * 4)
    >>> "{0.value:.2f} {0.low:.2f} {0.high:.2f}".format(found)
    '6.25 1.96 19.93'
    """
    counts = checked_counts(table)
    if counts.shape != (2, 2):
        raise ValueError(f"an odds ratio needs a two-by-two table, not one of shape {counts.shape}")
    n = int(counts.sum())
    parts = None if clusters is None else _checked_clusters(clusters, counts)
    m = n if parts is None else len(parts)
    if not (counts.any(axis=0).all() and counts.any(axis=1).all()):
        return Estimate(nan, 0.0, inf, n, m)
    filled = counts if counts.all() else counts + 0.5
    logarithm, variance = float(_log_odds(filled)), float((1 / filled).sum())
    if m < 2:
        return Estimate(exp(logarithm), 0.0, inf, n, m)
    half = normal_quantile(confidence) * sqrt(variance)
    if parts is not None:
        pulls = _log_odds(counts - parts + 0.5) - _log_odds(counts + 0.5)  # (m,)
        spread = sqrt((m - 1) / m * float(pulls @ pulls))
        half = max(half, student_quantile(_freedom(parts), confidence) * spread)
    low, high = logarithm - half, logarithm + half
    return Estimate(exp(logarithm), exp(low), exp(min(high, _LARGEST)), n, m)


def _freedom(parts: NDArray[np.int64]) -> float:
    """Return Welch and Satterthwaite's degrees of freedom of the log odds ratio of the sum of *parts*."""
    counts, variances, errors = parts.sum(axis=0), 0.0, 0.0
    for cell in np.eye(4, dtype=np.int64).reshape(4, 2, 2):
        own = parts * cell  # (m, 2, 2)
        pulls = _log_odds(counts - own + 0.5) - _log_odds(counts + 0.5)
        variance, held = float(pulls @ pulls), own.sum(axis=(1, 2))
        variances += variance
        errors += variance**2 / freedom_of(held / held.sum()) if variance else 0.0
    of_columns = parts.sum(axis=1) / counts.sum(axis=0)  # (m, 2)
    most = freedom_of(of_columns.mean(axis=1))
    return min(most, variances**2 / errors) if errors else most


def _log_odds(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the log odds ratios of tables of positive *counts* [..., 2, 2]."""
    logs = np.log(counts)
    odds: NDArray[np.float64] = logs[..., 0, 0] + logs[..., 1, 1] - logs[..., 0, 1] - logs[..., 1, 0]
    return odds


def _checked_clusters(clusters: ArrayLike, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the tables of *clusters* [m, r, c]; ValueError if they do not add up to *counts* [r, c]."""
    parts = np.asarray(clusters, dtype=np.int64)
    if parts.shape[1:] != counts.shape or (parts.sum(axis=0) != counts).any():
        raise ValueError("the tables of the clusters do not add up to the table")
    return parts


def cramers_v(table: ArrayLike, *, clusters: ArrayLike | None = None, confidence: float = 0.95) -> Estimate:
    """Return Cramer's V of a *table* [r, c], corrected for bias, with a bootstrap interval: 0 to 1.

    Plain ``V = sqrt(phi2 / min(r - 1, c - 1))`` with ``phi2 = X2 / n``, Pearson's without Yates' correction
    (Cramer 1946, *Mathematical Methods of Statistics*, section 21.9), is above 0 even without association.
    Bergsma (2013, J. Korean Stat. Soc. 42:323, section 3) subtracts its expectation: ``phi2`` becomes
    ``max(0, phi2 - (r - 1)(c - 1) / (n - 1))``, r becomes ``r - (r - 1)^2 / (n - 1)``, and c likewise.  Rows
    and columns without items are ignored.

    The interval is the percentile interval of V in 2,000 samples of n items from the table (Efron 1979, Ann.
    Stat. 7:1).  With the tables of *clusters* [m, r, c] that add up to *table*, whole clusters are sampled,
    the corrections are made larger by the mean design effect (Rao & Scott 1981, J. Am. Stat. Assoc. 76:221),
    and the distances to the bounds by t over z (docs/derivations.md#effect-sizes).  The interval of a single
    cluster is 0 to 1.  Raises ValueError if the tables do not add up.

    >>> "{0.value:.2f}".format(cramers_v([[567, 20], [13, 20]]))
    '0.52'
    >>> found = cramers_v([[20, 8], [8, 20]], clusters=[[[4, 1], [1, 4]], [[1, 1], [1, 1]]] * 4)
    >>> "{0.value:.2f} {0.low:.2f} {0.high:.2f}".format(found)
    '0.40 0.00 0.60'
    """
    counts = checked_counts(table)
    n = int(counts.sum())
    parts = None if clusters is None else _checked_clusters(clusters, counts)
    m = n if parts is None else len(parts)
    deff, given = (1.0, 1.0) if parts is None or m < 2 else _deffs_of_pearson(parts)
    value = float(_corrected_v(counts[None], deff)[0]) if n else nan
    if np.isnan(value) or m < 2:
        return Estimate(value, 0.0, 1.0, n, m)
    rng = generator(0, "cramers_v")
    if parts is None:
        drawn = rng.multinomial(n, counts.ravel() / n, size=DRAWS).reshape(DRAWS, *counts.shape)
    else:
        drawn = np.tensordot(rng.multinomial(m, np.full(m, 1 / m), size=DRAWS), parts, axes=1)
    low, high = (
        float(np.quantile(np.nan_to_num(_corrected_v(drawn, each)), share))  # one row or column left: 0
        for each, share in ((deff, 0.5 - confidence / 2), (given, 0.5 + confidence / 2))
    )
    freedom = inf if parts is None else freedom_of(parts.sum(axis=(1, 2)) / n)
    wider = 1 / sqrt(t_factor(inf, freedom, confidence))
    low, high = value - wider * max(0.0, value - low), value + wider * max(0.0, high - value)
    return Estimate(value, max(0.0, low), min(1.0, high), n, m)


def _deffs_of_pearson(parts: NDArray[np.int64]) -> tuple[float, float]:
    """Return two mean design effects, at least 1, of Pearson's X2 of the sum of *parts* [m, r, c].

    The first is that without an association: of the gaps ``O - E``, a cluster contributes ``O_i - (rows_i
    columns + rows columns_i) / n + n_i E / n``.  The second, which is no larger, is given the association
    that there is: a cluster contributes ``e_i - rows / n sum_r e_i`` with ``e_i = O_i - rows_i O / rows``, or
    the same of columns if that is less.  The mean is that of the eigenvalues in Rao and Scott's first-order
    correction: ``sum V(O - E) / E`` over ``(r - 1)(c - 1)``.
    """
    kept = without_empty(parts.sum(axis=0))
    used = parts[:, parts.sum(axis=(0, 2)) > 0][:, :, parts.sum(axis=(0, 1)) > 0]
    m, n, freedom = len(parts), int(kept.sum()), int((kept.shape[0] - 1) * (kept.shape[1] - 1))
    if freedom < 1:
        return 1.0, 1.0
    expected = expected_counts(kept)
    rows, columns, sizes = used.sum(axis=2), used.sum(axis=1), used.sum(axis=(1, 2))
    gaps = (
        used
        - (rows[:, :, None] * kept.sum(axis=0) + kept.sum(axis=1)[:, None] * columns[:, None]) / n
        + sizes[:, None, None] * expected / n
    )

    def mean(gaps: NDArray[np.float64]) -> float:
        spread = ((gaps - gaps.mean(axis=0)) ** 2).sum(axis=0) * m / (m - 1)
        return max(1.0, float((spread / expected).sum()) / freedom)

    by_columns = _gaps_by_rows(used.transpose(0, 2, 1), kept.T).transpose(0, 2, 1)
    without = mean(gaps)
    return without, min(without, mean(_gaps_by_rows(used, kept)), mean(by_columns))


def _gaps_by_rows(used: NDArray[np.int64], kept: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what clusters contribute to the gaps of their sum, given the shares of the columns by row."""
    of_row = kept.sum(axis=1)
    own = used - used.sum(axis=2)[:, :, None] * (kept / of_row[:, None])
    gaps: NDArray[np.float64] = own - (of_row / kept.sum())[:, None] * own.sum(axis=1)[:, None, :]
    return gaps


def _corrected_v(tables: NDArray[np.int64], deff: float) -> NDArray[np.float64]:
    """Return the corrected V of *tables* [b, r, c]: [b]; nan with fewer than two rows or columns."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)  # (b, r), (b, c)
    n_eff = rows.sum(axis=1) / deff  # (b,)
    free = np.maximum(n_eff - 1, 1)
    r, c = (rows > 0).sum(axis=1), (columns > 0).sum(axis=1)
    products = rows[:, :, None] * columns[:, None, :]
    shares = np.where(products > 0, tables.astype(np.float64) ** 2 / np.maximum(products, 1), 0.0)
    phi2 = shares.sum(axis=(1, 2)) - 1  # X2 / n
    unbiased = np.maximum(0.0, phi2 - (r - 1) * (c - 1) / free)
    narrowed = np.minimum(r - 1 - (r - 1) ** 2 / free, c - 1 - (c - 1) ** 2 / free)
    known = (np.minimum(r, c) > 1) & (narrowed > 1e-9)
    return np.where(known, np.sqrt(np.minimum(1.0, unbiased / np.where(known, narrowed, 1.0))), nan)
