"""Tests of association of items in clusters, such as the items of one word pair.

Items of a cluster are alike, so that a test of independent items finds associations where there are none.
Both tests here shuffle what the null hypothesis leaves exchangeable:

- If one of the two classifications is a property of the cluster (its *label*), the labels are permuted over
  the clusters: :func:`permutation_test`.
- If both differ between the items of a cluster, one of them is permuted within each cluster:
  :func:`conditional_test`, which is exact.

The permutation of labels is exact if they are assigned to the clusters without regard to outcomes and sizes
(Good 2005, *Permutation, Parametric and Bootstrap Tests of Hypotheses*), and otherwise an approximation, for
which this statistic was chosen: plain G, permuted, finds far fewer effects, because the few largest clusters
decide it, and a cluster-robust score test whose signs are flipped rejects too often.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, nan
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.stats.association import association
from crossexam.stats.bootstrap import FEWEST_DRAWN, batch_sizes, generator, sampled_p
from crossexam.stats.chances import hypergeometric_chances

_AT_ONCE: Final = 4_000_000  # numbers in memory while permuting
_SAME: Final = 1e-9  # statistics with a smaller relative difference are equal
_SMALLEST: Final = float(np.finfo(np.float64).tiny)


class ClusteredTest(NamedTuple):
    """The p-value of a test of clusters, and how many permutations were drawn for it; 0 if it is exact.

    *n_eff* is the number of independent items that tell as much about the association.
    """

    p: float
    draws: int
    n_eff: float

    @property
    def method(self) -> Literal["exact", "Monte Carlo"]:
        """How :attr:`p` was computed."""
        return "Monte Carlo" if self.draws else "exact"


def intraclass_correlation(outcomes: ArrayLike) -> float:
    """Return the intraclass correlation, 0 to 1, of items with *outcomes* [m, c] per cluster and category.

    The estimator of the analysis of variance (Ridout, Demetrio & Firth 1999, Biometrics 55:137) with the mean
    squares summed over the categories.  With no two items in a cluster, or with one cluster or category, it
    is 0.

    >>> intraclass_correlation([[4, 0], [0, 4]]), intraclass_correlation([[2, 2], [2, 2]])
    (1.0, 0.0)
    """
    counts = np.asarray(outcomes, dtype=np.float64)
    sizes = counts.sum(axis=1)  # (m,)
    m, n = len(sizes), sizes.sum()
    if m < 2 or n == m:
        return 0.0
    shares = counts / sizes[:, None]
    between = float((sizes[:, None] * (shares - counts.sum(axis=0) / n) ** 2).sum()) / (m - 1)
    within = float((sizes[:, None] * shares * (1 - shares)).sum()) / (n - m)
    typical = (n - float(sizes @ sizes) / n) / (m - 1)
    total = between + (typical - 1) * within
    return min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0


def permutation_test(
    labels: ArrayLike, outcomes: ArrayLike, *, draws: int = FEWEST_DRAWN, seed: int = 0
) -> ClusteredTest:
    """Return the test of association of the *labels* [m] of clusters with *outcomes* [m, c] of their items.

    Labels are integers from 0, outcomes counts of items per category; no cluster is empty.  A cluster of
    *n_i* items counts as ``w_i = n_i / (1 + (n_i - 1) rho)`` items, with rho the intraclass correlation of
    the outcomes regardless of labels (Donner & Klar 2000, *Design and Analysis of Cluster Randomization
    Trials*): 1 if its items are all alike, *n_i* if they are independent.  The statistic is Pearson's ``X2 =
    sum (O - E)^2 / E`` of labels by outcomes in the weighted counts, ``w_i / n_i`` per item.  ``n_eff`` is
    the sum of the weights.

    The p-value is the share of labellings, of all or, if there are more than 99,999 different ones, of at
    most *draws* sampled ones (:func:`crossexam.stats.bootstrap.sampled_p`), whose X2 is at least that
    observed; but at least that of :func:`crossexam.stats.association.association`, as if the items were
    independent, which is smaller if those of a cluster are alike.  With one label or one outcome it is 1.

    >>> permutation_test([0, 0, 1, 1], [[5, 0], [2, 0], [0, 1], [0, 3]])  # 2 of 6 labellings
    ClusteredTest(p=0.3333333333333333, draws=0, n_eff=4.0)
    """
    counts = np.asarray(outcomes, dtype=np.float64)
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    sizes = counts.sum(axis=1)
    weights = sizes / (1 + (sizes - 1) * intraclass_correlation(counts))  # (m,)
    n_eff = float(weights.sum())
    weighted = counts * (weights / sizes)[:, None]  # (m, c)
    weighted = weighted[:, weighted.any(axis=0)]
    if len(names) < 2 or weighted.shape[1] < 2:
        return ClusteredTest(1.0, 0, n_eff)
    table = np.stack([np.bincount(codes, column) for column in counts.T], axis=1)
    least = association(table.astype(np.int64), draws=draws, seed=seed).p
    ours = float(_pearson(codes[None], weighted, weights)[0]) * (1 - _SAME)
    held = np.bincount(codes).tolist()
    if (number := _labellings(held)) <= FEWEST_DRAWN:
        step = max(1, _AT_ONCE // len(codes))
        every = _all_labellings(held)
        hits = sum(
            int((_pearson(every[at : at + step], weighted, weights) >= ours).sum())
            for at in range(0, number, step)
        )
        return ClusteredTest(max(hits / number, least), 0, n_eff)
    extreme = (
        _pearson(drawn, weighted, weights) >= ours for drawn in _permuted(codes.astype(np.int16), draws, seed)
    )
    sampled = sampled_p(extreme)
    return ClusteredTest(max(sampled.p, least), sampled.draws, n_eff)


def _pearson(
    labels: NDArray[np.integer], weighted: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return X2 of *weighted* counts [m, c] of clusters of *weights* [m] for each of *labels* [b, m]: [b]."""
    shares = weighted.sum(axis=0) / weights.sum()  # (c,)
    gaps = np.column_stack([weighted - weights[:, None] * shares, weights])  # O - E and weight: (m, c + 1)
    found = np.zeros(len(labels))
    for label in np.unique(labels[0]):
        sums = (labels == label) @ gaps  # (b, c + 1)
        found += (sums[:, :-1] ** 2 / shares).sum(axis=1) / sums[:, -1]
    return found


def _labellings(held: list[int]) -> int:
    """Return in how many ways labels that so many clusters have can be assigned to the clusters."""
    number, left = 1, sum(held)
    for each in held:
        number, left = number * comb(left, each), left - each
    return number


def _all_labellings(held: list[int], label: int = 0) -> NDArray[np.int16]:
    """Return all ways to assign labels, from *label* on, of which *held* clusters each have: [b, m]."""
    m = sum(held)
    if len(held) == 1:
        return np.full((1, m), label, dtype=np.int16)
    others = _all_labellings(held[1:], label + 1)
    blocks = []
    for places in combinations(range(m), held[0]):
        block = np.full((len(others), m), label, dtype=np.int16)
        block[:, np.delete(np.arange(m), places)] = others
        blocks.append(block)
    return np.concatenate(blocks)


def _permuted(codes: NDArray[np.int16], draws: int, seed: int) -> Iterator[NDArray[np.int16]]:
    """Yield *draws* permutations of *codes* [m]: [b, m]."""
    rng = generator(seed, "permutation_test")
    for size in batch_sizes(draws, max(1, _AT_ONCE // len(codes))):
        yield rng.permuted(np.broadcast_to(codes, (size, len(codes))), axis=1)


def conditional_test(tables: ArrayLike) -> ClusteredTest:
    """Return the exact test of association in two-by-two *tables* [m, 2, 2], one per cluster.

    The null hypothesis is that rows and columns are independent within each cluster; the shares of rows and
    of columns may differ between clusters.  Given the sums of each table, its first count then has a
    hypergeometric distribution, and the test statistic, the sum of the first counts, the convolution of
    these (Mehta, Patel & Gray 1985, J. Am. Stat. Assoc. 80:969; Agresti 2013, *Categorical Data
    Analysis*).  The p-value is the probability of all sums that are not more probable than that observed;
    one that underflows is 2e-308.  Single items say nothing, and if no table has two items that differ in
    both ways, the p-value is 1.

    ``n_eff`` compares the variance of the sum with that in one table of all items.

    >>> round(conditional_test([[[3, 1], [1, 3]]]).p, 4)  # one table: Fisher's test
    0.4857
    >>> conditional_test([[[2, 0], [0, 0]], [[0, 0], [0, 2]]])  # all between the clusters
    ClusteredTest(p=1.0, draws=0, n_eff=0.0)
    """
    counts = np.asarray(tables, dtype=np.int64)
    chances, first = np.ones(1), 0  # of the sums from *first* on
    variance = 0.0
    for (a, b), (c, d) in counts.tolist():
        row, column, n = a + b, a + c, a + b + c + d
        low, high = max(0, row + column - n), min(row, column)
        first += low
        if high > low:
            inside = hypergeometric_chances(np.arange(low, high + 1), n, column, row)
            chances = np.convolve(chances, inside)
            variance += row * (n - row) * column * (n - column) / (n * n * (n - 1))
    ours = chances[int(counts[:, 0, 0].sum()) - first]
    no_likelier = chances <= ours * (1 + 1e-7)
    p = 1.0 if no_likelier.all() else float(chances[no_likelier].sum())
    return ClusteredTest(min(1.0, max(_SMALLEST, p)), 0, _n_eff(variance, counts.sum(axis=0)))


def _n_eff(variance: float, whole: NDArray[np.int64]) -> float:
    """Return how many items in one table, of the shares of *whole* [2, 2], would have this *variance*."""
    n = int(whole.sum())
    sums = [float(each) for axis in (0, 1) for each in whole.sum(axis=axis)]
    alone = float(np.prod(sums)) / (n * n * (n - 1)) if n > 1 else 0.0
    return n * variance / alone if alone > 0 else nan
