"""Tests of no difference between two answers to the same items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.stats.clusters import Clusters, cluster_codes
from crossexam.stats.paired import discordant


class McNemar(NamedTuple):
    """*b* items right only in the first answer, *c* only in the second, exact p-value and mid-p."""

    b: int
    c: int
    p_exact: float
    p_mid: float


def mcnemar(b: int, c: int) -> McNemar:
    """Return McNemar's exact test of ``b`` against ``c`` discordant items, two-sided, and its mid-p.

    Under no difference *b* is binomial with ``b + c`` draws of probability 1/2 (McNemar 1947, Psychometrika
    12:153).  Exact: ``P(|B - C| >= |b - c|)``, at most 1.  Mid-p: ``P(|B - C| > |b - c|)`` plus half of
    ``P(|B - C| = |b - c|)``, which Fagerland, Lydersen & Laake (2013, BMC Med. Res. Methodol. 13:91) prefer,
    since the exact test is conservative.  Without discordant items both are 1: nothing was observed (the
    formula of mid-p would say 1/2).

    >>> "{0.p_exact:.4f} {0.p_mid:.4f}".format(mcnemar(1, 7))  # Fagerland et al. 2013, Table 1
    '0.0703 0.0391'
    """
    if b < 0 or c < 0:
        raise ValueError(f"b = {b}, c = {c}: counts are wanted")
    from scipy.stats import binom

    if b + c == 0:
        return McNemar(b, c, 1.0, 1.0)
    fewer = min(b, c)
    point = float(binom.pmf(fewer, b + c, 0.5))
    if b == c:
        return McNemar(b, c, 1.0, 1 - point / 2)
    exact = min(1.0, 2 * float(binom.cdf(fewer, b + c, 0.5)))
    return McNemar(b, c, exact, exact - point)


def clustered_mcnemar(base: ArrayLike, stress: ArrayLike, clusters: Clusters = None) -> McNemar:
    """Return the exact McNemar test whose independent unit is the cluster: [n] right or wrong each.

    McNemar's test takes items to be independent and finds too much where they share a premise (Durkalski
    et al. 2003, Statistics in Medicine 22:2417).  Under no difference, the two answers to a whole cluster
    may be exchanged: each cluster's ``d_k = b_k - c_k`` changes its sign with probability 1/2, and the test
    is ``P(|sum of +-d_k| >= |b - c|)`` over all 2^m sign vectors.  The distribution is had exactly, without
    sampling, by convolution of one binomial for each size ``|d_k|`` (after Pagano & Tritchler 1983, J. Am.
    Stat. Assoc. 78:435).  Where every item is its own cluster this is :func:`mcnemar`.

    >>> clustered_mcnemar([1, 1, 1, 1], [0, 0, 0, 0], ["a", "a", "b", "b"]).p_exact == 2 / 2**2
    True
    """
    b, c = discordant(base, stress)
    drops = np.asarray(base, dtype=bool).astype(np.int64) - np.asarray(stress, dtype=bool)
    codes = cluster_codes(clusters, len(drops))
    sums = np.bincount(codes, weights=drops).astype(np.int64)  # d: (m,)
    sizes = np.abs(sums[sums != 0])
    if not len(sizes):
        return McNemar(b, c, 1.0, 1.0)
    chances = _sign_flips(sizes)  # of the sums -total ... total: (2 total + 1,)
    total, observed = int(sizes.sum()), abs(int(sums.sum()))
    distance = np.abs(np.arange(-total, total + 1))
    equal = float(chances[distance == observed].sum())
    exact = min(1.0, float(chances[distance >= observed].sum()))
    return McNemar(b, c, exact, exact - equal / 2)


def _sign_flips(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distribution of the sum of *sizes* with random signs, from ``-total`` to ``total``."""
    from scipy.stats import binom

    chances = np.ones(1)
    values, counts = np.unique(sizes, return_counts=True)
    for size, count in zip(values.tolist(), counts.tolist(), strict=True):
        signs = binom.pmf(np.arange(count + 1), count, 0.5)  # how many of them are positive
        wider = np.zeros(len(chances) + 2 * size * count)
        if len(signs) <= len(chances):
            for positive, chance in enumerate(signs):
                start = 2 * size * positive
                wider[start : start + len(chances)] += chance * chances
        else:
            for start, chance in enumerate(chances):
                wider[start : start + 2 * size * count + 1 : 2 * size] += chance * signs
        chances = wider
    return chances
