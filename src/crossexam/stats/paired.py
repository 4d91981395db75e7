"""Paired comparison: the drop in accuracy from base to stressed items, its interval, and McNemar's tests.

Conventions: *base* and *stress* say item by item [n] whether the prediction is correct; *b* is the number of
pairs in which only the base item is correct, *c* that of pairs in which only the stressed item is correct.
The drop is ``(b - c) / n``, a share between -1 and 1, positive if stress lowers accuracy.  Two models on the
same items are compared in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.stretches import stretches
from crossexam.stats.chances import binomial_chances
from crossexam.stats.clusters import (
    ClusteredMean,
    Clusters,
    cluster_codes,
    clustered_mean,
    codes_together,
    count_clusters,
    design_effect,
    effective_size,
    jackknife,
    normal_quantile,
)
from crossexam.stats.combined import correlations
from crossexam.stats.roots import crossing


def discordant(base: ArrayLike, stress: ArrayLike) -> tuple[int, int]:
    """Return the numbers of discordant pairs: *b*, only the base is correct, and *c*, only the other is.

    Raises ValueError if the lengths differ.

    >>> discordant([1, 1, 0], [0, 0, 1])
    (2, 1)
    """
    before, after = _pair(base, stress)
    return int(np.count_nonzero(before & ~after)), int(np.count_nonzero(~before & after))


def tango(b: float, c: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Tango's score interval for the paired difference ``(b - c) / n``; counts need not be integers.

    The interval consists of the differences ``d`` that the score test does not reject: ``|b - c - n d| <= z
    sqrt(n (2q + d(1-d)))``, with ``q`` the constrained estimate of the probability of *c*: ``q = (sqrt(B^2 -
    8nC) - B) / 4n``, ``B = -b - c + (2n - b + c) d``, ``C = -c d (1 - d)`` (Tango 1998, Statistics in
    Medicine 17:891).  It is defined without discordant pairs too, and contains 0 if and only if McNemar's
    score test does not reject.

    >>> tuple(round(bound, 4) for bound in tango(6, 16, 161))  # Cavo et al. 2012, in Fagerland et al. 2014
    (-0.124, -0.0054)
    """
    z = normal_quantile(confidence)
    difference = (b - c) / n

    def score(d: float) -> float:
        quadratic = -b - c + (2 * n - b + c) * d
        root = sqrt(max(0.0, quadratic * quadratic + 8 * n * c * d * (1 - d)))
        variance = n * (2 * max(0.0, (root - quadratic) / (4 * n)) + d * (1 - d))
        return n * (d - difference) / sqrt(max(variance, 1e-300))  # positive except for rounding

    low = crossing(lambda d: score(d) + z, -1.0, difference)
    high = crossing(lambda d: score(d) - z, difference, 1.0)
    return low, high


def paired_difference(
    correct_base: ArrayLike,
    correct_stress: ArrayLike,
    clusters: Clusters = None,
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the drop ``mean(base) - mean(stress)`` with Tango's interval at the effective sample size.

    The effective size (:func:`crossexam.stats.clusters.effective_size`) is that of the differences -1, 0, 1;
    *b*, *c* and *n* are scaled to it in :func:`tango` (Yang, Sun & Hardin 2012, Pharmaceutical Statistics
    11:386, use the clustered variance in Tango's interval in the same way).  With *weights* [n], which sum to
    1, it is a weighted drop.  With no pairs the value is nan and the interval -1 to 1.

    >>> f"{paired_difference([1] * 20, [0] * 5 + [1] * 15)}"
    '25.0 [4.9, 46.9]'
    """
    before, after = _pair(correct_base, correct_stress)
    n = len(before)
    if n == 0:
        return Estimate(nan, -1.0, 1.0, 0, 0)
    only_base, only_stress = before & ~after, ~before & after
    if weights is None:
        b, c = (float(np.count_nonzero(each)) for each in (only_base, only_stress))
        total = float(n)
    else:
        b, c = (float(weights @ each) for each in (only_base, only_stress))
        total = 1.0
    residuals = np.subtract(before, after, dtype=np.float64)
    value = (b - c) / total
    residuals -= value
    size = effective_size(residuals, cluster_codes(clusters, n), confidence, weights)
    scale = size.n_eff / total
    low, high = tango(b * scale, c * scale, size.n_eff, confidence)
    return Estimate(value, min(low, value), max(high, value), n, size.clusters)


def difference_of_drops(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the drop of the *first* model minus that of the *second*, on the same pairs of items.

    Each model is (correct on the base items, correct on the stressed items).  The difference of a pair is
    ``D = (base - stress) - (base' - stress')``, from -2 to 2.  The interval is twice Tango's for the mean of
    ``h = D / 2``: the parts of the mean that are positive and negative stand for the shares of discordant
    pairs.  As ``h`` may be a half, its variance is below that of such shares, ``E|h| - E(h)^2``, and the
    effective size is larger by their ratio.  So the interval is not empty even if no pair differs.  With no
    pairs the value is nan and the interval -2 to 2.

    >>> same = ([1] * 50, [1] * 40 + [0] * 10)
    >>> f"{difference_of_drops(same, same)}"
    '0.0 [-14.3, 14.3]'
    """
    halves = np.subtract(*_pair(*first), dtype=np.float64)
    halves -= np.subtract(*_pair(*second), dtype=np.float64)
    halves /= 2
    n = len(halves)
    if n == 0:
        return Estimate(nan, -2.0, 2.0, 0, 0)
    more, less = float(np.maximum(halves, 0).mean()), float(np.maximum(-halves, 0).mean())
    value = more - less
    halves -= value
    size = effective_size(halves, cluster_codes(clusters, n), confidence)
    variance = float(halves @ halves) / n
    n_eff = size.n_eff * ((more + less - value**2) / variance if variance > 0 else 1.0)
    low, high = tango(more * n_eff, less * n_eff, n_eff, confidence)
    return Estimate(2 * value, 2 * low, 2 * high, n, size.clusters)


def relative_difference(
    pairs: Sequence[tuple[ArrayLike, ArrayLike, Clusters]], confidence: float = 0.95
) -> Estimate:
    """Return the relative difference ``A / B - 1`` of two models in the mean of their accuracies.

    *pairs* has for each set which items [n] the model and the base model got right, and the clusters, the
    same name being the same one in every set.  ``A`` and ``B`` are the unweighted means of the accuracies on
    the sets.  The interval is that of a ratio of means by linearization (Cochran 1977, *Sampling Techniques*,
    section 6.4): with residuals ``e_i = a_i - b_i A / B``, less their mean on the set, the variance of a set
    of *n* items is ``B / n^2`` (*B* of :mod:`crossexam.stats.clusters`), and the standard error of the ratio
    the root of the sum of these and of the covariances of sets that share clusters
    (:func:`crossexam.stats.combined.correlations`; at least 0), divided by ``k B`` for *k* sets, with t for
    the degrees of freedom of all sets, at most one less than there are clusters.  If ``B`` is 0, the value is
    nan and the interval the whole range.

    >>> relative_difference([([1, 1, 1, 0], [1, 1, 0, 0], None)]).value
    0.5
    """
    read = [_pair(one, base) for one, base, _ in pairs]
    n = sum(len(one) for one, _ in read)
    if not read or any(not len(one) for one, _ in read) or not sum(base.mean() for _, base in read):
        return Estimate(nan, -1.0, inf, n, 0)
    codes = codes_together([clusters for *_, clusters in pairs], [len(one) for one, _ in read])
    m = count_clusters(np.concatenate(codes))
    mean = sum(float(one.mean()) for one, _ in read) / len(read)
    of_base = sum(float(base.mean()) for _, base in read) / len(read)
    ratio = mean / of_base
    values = [one - ratio * base for one, base in read]
    of_sets = [clustered_mean(each, of_set) for each, of_set in zip(values, codes, strict=True)]
    residuals = [each - found.value for each, found in zip(values, of_sets, strict=True)]
    errors = np.array([each.error for each in of_sets])
    error = inf
    if np.isfinite(errors).all():
        related = np.maximum(0.0, correlations(residuals, codes))
        error = sqrt(float(errors @ related @ errors)) / len(read) / of_base
    freedom = min(sum(each.freedom for each in of_sets), max(1, m - 1))
    return ClusteredMean(ratio - 1, error, freedom, n, m).interval((-1.0, inf), confidence)


def _pair(base: ArrayLike, stress: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return both as Boolean arrays; raises ValueError if their lengths differ."""
    before, after = np.asarray(base, dtype=bool), np.asarray(stress, dtype=bool)
    if before.shape != after.shape:
        raise ValueError(f"{len(before)} base items for {len(after)} stressed ones: they must be paired")
    return before, after


class McNemar(NamedTuple):
    """McNemar's test of *b* against *c* discordant pairs: exact p-value and mid-p."""

    b: int
    c: int
    p_exact: float
    p_mid: float


def mcnemar(b: int, c: int) -> McNemar:
    """Return McNemar's exact test of *b* against *c* discordant pairs, two-sided, and its mid-p.

    Under the null hypothesis *b* is binomial with ``b + c`` trials of probability 1/2 (McNemar 1947,
    Psychometrika 12:153).  Exact: ``P(|B - C| >= |b - c|)``, at most 1.  Mid-p: ``P(|B - C| > |b - c|)`` plus
    half of ``P(|B - C| = |b - c|)``, which Fagerland, Lydersen & Laake (2013, BMC Med. Res. Methodol. 13:91)
    prefer because the exact test is conservative.  Without discordant pairs both are 1 (the formula of mid-p
    would give 1/2).  Raises ValueError for negative counts.

    >>> "{0.p_exact:.4f} {0.p_mid:.4f}".format(mcnemar(1, 7))  # Fagerland et al. 2013, Table 1
    '0.0703 0.0391'
    """
    if b < 0 or c < 0:
        raise ValueError(f"b = {b}, c = {c}: counts must not be negative")
    if b + c == 0:
        return McNemar(b, c, 1.0, 1.0)
    from scipy.special import bdtr, betaln

    fewer = min(b, c)
    point = exp(-betaln(b + 1, c + 1) - log(b + c + 1) - (b + c) * log(2))
    if b == c:
        return McNemar(b, c, 1.0, 1 - point / 2)
    exact = min(1.0, 2 * float(bdtr(fewer, b + c, 0.5)))
    return McNemar(b, c, exact, exact - point)


def clustered_mcnemar(base: ArrayLike, stress: ArrayLike, clusters: Clusters = None) -> McNemar:
    """Return McNemar's test of *base* against *stress* [n] with clusters as the independent units.

    McNemar's test assumes independent items and is anti-conservative if they share premises (Durkalski et al.
    2003, Statistics in Medicine 22:2417).  If the two outcomes of a whole cluster are exchangeable, each
    cluster's ``d_k = b_k - c_k`` has either sign with probability 1/2, and the p-value is ``P(|sum of +-d_k|
    >= |b - c|)`` over all 2^m sign vectors.  Its distribution is computed exactly by convolution of one
    binomial per size ``|d_k|`` (after Pagano & Tritchler 1983, J. Am. Stat. Assoc. 78:435).  If every item is
    its own cluster this is :func:`mcnemar`.

    Equal accuracy does not make clusters exchangeable, so that p is at least that of the score test ``z =
    |b - c| / sqrt((b + c) deff)`` by Student's t for *m* - 1 degrees of freedom, with *deff* of
    :func:`crossexam.stats.clusters.design_effect` (docs/derivations.md#mcnemars-test-by-cluster).  With two
    clusterings [n, 2], it is the larger of the two p-values.

    >>> clustered_mcnemar([1, 1, 1, 1], [0, 0, 0, 0], ["a", "a", "b", "b"]).p_exact == 2 / 2**2
    True
    """
    b, c = discordant(base, stress)
    drops = np.subtract(*_pair(base, stress), dtype=np.int8)
    codes = cluster_codes(clusters, len(drops))
    if codes.ndim > 1:
        each_way = (clustered_mcnemar(base, stress, each) for each in codes.T)
        return max(each_way, key=lambda test: test.p_exact)
    sums = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)  # d: (m,)
    for part in stretches(len(codes)):
        np.add.at(sums, codes[part], drops[part])
    sizes = np.abs(sums[sums != 0])
    if not len(sizes):
        return McNemar(b, c, 1.0, 1.0)
    chances = _sign_flips(sizes)  # of the sums -total ... total: (2 total + 1,)
    total, observed = int(sizes.sum()), abs(int(sums.sum()))
    distance = np.abs(np.arange(-total, total + 1))
    equal = float(chances[distance == observed].sum())
    exact = min(1.0, float(chances[distance >= observed].sum()))
    least = _score_p(b, c, sums, np.bincount(codes)) if len(sums) < len(drops) else 0.0
    return McNemar(b, c, max(exact, least), max(exact - equal / 2, least))


def _score_p(b: int, c: int, sums: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """Return the p-value of McNemar's score test of clusters with these *sums* and *sizes* [m]."""
    from scipy.special import stdtr

    n, m = int(sizes.sum()), len(sizes)
    shares, mean = sizes / n, (b - c) / n
    between = jackknife(sums - sizes * mean, shares) if m > 1 else inf
    within = n / (n - 1) * (b + c - n * mean**2)
    deff = float(design_effect(between, within, n * float(shares @ shares), alone=0.0))
    z = abs(b - c) / sqrt((b + c) * deff)
    return min(1.0, 2 * float(stdtr(max(1, m - 1), -z)))


def _sign_flips(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distribution of the sum of *sizes* with random signs, from ``-total`` to ``total``."""
    chances = np.ones(1)
    values, counts = np.unique(sizes, return_counts=True)
    for size, count in zip(values.tolist(), counts.tolist(), strict=True):
        signs = binomial_chances(count, 0.5)  # number of positive signs
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
