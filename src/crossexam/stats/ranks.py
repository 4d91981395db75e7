"""Several models on the same items: all paired differences, confidence intervals of ranks, groups of models.

*correct* says item by item which of m models are right [n, m].  A difference is that of a row's model minus
that of a column's: [m, m].  The best model has the rank 1, and models of equal accuracy have the same rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, cluster_codes, codes_together
from crossexam.stats.combined import mean_of
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import holm
from crossexam.stats.paired import clustered_mcnemar, paired_difference


class PairedTest(NamedTuple):
    """The *difference* of two models with its interval, and the p-value of equal accuracies."""

    difference: Estimate
    p_value: float


class Ranks(NamedTuple):
    """The ranks of m models [m] each: as observed, and the least and the greatest that are not excluded."""

    observed: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def pairwise_tests(
    correct: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> dict[tuple[int, int], PairedTest]:
    """Return the paired difference of every two models of *correct* [n, m], the first minus the second.

    The interval is that of :func:`crossexam.stats.paired.paired_difference`, the p-value that of
    :func:`crossexam.stats.paired.clustered_mcnemar`.

    >>> tests = pairwise_tests([[1, 1, 0]] * 10)
    >>> tests[0, 1].p_value, round(tests[1, 2].p_value * 2**10, 6)
    (1.0, 2.0)
    """
    right = np.asarray(correct, dtype=bool)
    codes = cluster_codes(clusters, len(right))
    return {
        (one, other): PairedTest(
            paired_difference(right[:, one], right[:, other], codes, confidence),
            clustered_mcnemar(right[:, one], right[:, other], codes).p_exact,
        )
        for one, other in combinations(range(right.shape[1]), 2)
    }


class MeanTests(NamedTuple):
    """The mean accuracy of each model over test sets, and the test of every two models."""

    means: list[Estimate]
    tests: dict[tuple[int, int], PairedTest]


def differences_of_means(sets: Sequence[tuple[ArrayLike, ArrayLike]], confidence: float = 0.95) -> MeanTests:
    """Return the unweighted means over test sets of the accuracies of m models, and their differences.

    *sets* has for each of k test sets which items are correct [n, m], and the clusters, [n] or in two
    clusterings [n, 2], integers that are the same for the same cluster in all test sets.  The means of
    accuracies (:func:`crossexam.stats.estimate.share_correct`) and of paired differences
    (:func:`crossexam.stats.paired.paired_difference`) have the intervals of
    :func:`crossexam.stats.combined.mean_of`, with the correlations of the sums over clusters.

    A cluster contributes ``z_c = sum_s d_cs / (k n_s)`` to the difference of two models, where ``d_cs`` is
    the sum of their differences on its items of set *s*.  The p-value is that of ``t = sum_c z_c / sqrt(sum_c
    z_c^2)`` by Student's distribution with one degree of freedom less than there are clusters in which the
    two models differ, which is McNemar's score test for unequal contributions; in two clusterings, it is the
    larger of the two.  Raises ValueError without a
    test set, if one is empty, or if the numbers of models differ.

    >>> found = differences_of_means([([[1, 0]] * 4 + [[1, 1]] * 4, range(8)), ([[0, 0], [1, 1]], [8, 9])])
    >>> [round(mean.value, 2) for mean in found.means], round(found.tests[0, 1].p_value, 3)
    ([0.75, 0.5], 0.139)
    """
    read = [np.asarray(correct, dtype=np.float64) for correct, _ in sets]
    if not read or any(each.ndim != 2 or not len(each) or each.shape[1] != read[0].shape[1] for each in read):
        raise ValueError("means need test sets with items, and the same number of models in each")
    given = [np.asarray(clusters, dtype=np.int64) for _, clusters in sets]
    codes = codes_together(given, [len(each) for each in read])
    models = range(read[0].shape[1])
    means = [
        mean_of(
            [
                share_correct(each[:, model], of_set, confidence)
                for each, of_set in zip(read, given, strict=True)
            ],
            [each[:, model] for each in read],
            codes,
            (0.0, 1.0),
        )
        for model in models
    ]
    tests = {pair: _test(read, given, codes, *pair, confidence) for pair in combinations(models, 2)}
    return MeanTests(means, tests)


def _test(
    read: Sequence[NDArray[np.float64]],
    given: Sequence[NDArray[np.int64]],
    codes: Sequence[NDArray[np.int64]],
    one: int,
    other: int,
    confidence: float,
) -> PairedTest:
    """Return the difference of the means of two models, and the p-value of none.

    *given* are the clusters of each test set, *codes* those of all of them together.
    """
    values = [each[:, one] - each[:, other] for each in read]
    parts = [
        paired_difference(each[:, one], each[:, other], of_set, confidence)
        for each, of_set in zip(read, given, strict=True)
    ]
    difference = mean_of(parts, values, codes, (-1.0, 1.0))
    weighted = np.concatenate([each / (len(each) * len(values)) for each in values])
    every = np.concatenate(codes)
    ways = every.T if every.ndim > 1 else (every,)
    p_values = (_p_of_contributions(np.bincount(way, weights=weighted)) for way in ways)
    return PairedTest(difference, max(p_values))


def _p_of_contributions(z: NDArray[Any]) -> float:
    """Return the p-value of a mean difference of 0 to which clusters contribute *z* [m]."""
    from scipy.special import stdtr

    z = np.where(np.abs(z) < 1e-15, 0.0, z)  # what rounding left where the models differ by nothing
    differing = int(np.count_nonzero(z))
    if differing < 2:
        return 1.0
    statistic = abs(float(z.sum())) / sqrt(float(z @ z))
    return min(1.0, 2 * float(stdtr(differing - 1, -statistic)))


def holm_matrix(
    tests: dict[tuple[int, int], PairedTest], models: int, left_out: int = 0
) -> NDArray[np.float64]:
    """Return the p-values of *tests* after Holm's correction over all of them: [m, m], nan on the diagonal.

    The tests are of every two of m *models*.  Those against further models that had to be *left out* were
    planned, and count in the correction as if their p-values were 1.

    >>> bool(holm_matrix({(0, 1): PairedTest(Estimate(0.1, 0, 0.2, 9, 9), 0.5)}, 2)[1, 0] == 0.5)
    True
    """
    matrix = np.full((models, models), nan)
    untested = comb(models + left_out, 2) - comb(models, 2)
    corrected = holm([*(test.p_value for test in tests.values()), *[1.0] * untested]).tolist()
    for (one, other), p in zip(tests, corrected, strict=False):
        matrix[one, other] = matrix[other, one] = p
    return matrix


def ranks(values: ArrayLike, apart: ArrayLike) -> Ranks:
    """Return the ranks of models with *values* [m], and their simultaneous confidence intervals.

    *apart* says which two models are significantly different [m, m].  The rank of a model is at least 1 plus
    the number of models that are significantly better, and at most m less the number of models that are
    significantly worse (Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91:476, section
    3).  If *apart* is from tests that together err with a probability of at most alpha, as those of Holm, the
    intervals together contain all true ranks with a probability of at least 1 - alpha.  Raises ValueError if
    the shapes differ.

    >>> found = ranks([0.9, 0.8, 0.8], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    >>> found.observed.tolist(), found.low.tolist(), found.high.tolist()
    ([1, 2, 2], [1, 1, 2], [2, 3, 3])
    """
    means, different = np.asarray(values, dtype=np.float64), np.asarray(apart, dtype=bool)
    m = len(means)
    if different.shape != (m, m):
        raise ValueError(f"{m} values for tests of shape {different.shape}")
    above = means[None, :] > means[:, None]  # the column's model is above the row's
    better, worse = above & different, above.T & different
    return Ranks(1 + above.sum(axis=1), 1 + better.sum(axis=1), m - worse.sum(axis=1))


def groups_not_apart(apart: ArrayLike) -> list[tuple[int, ...]]:
    """Return the largest groups of models no two of which are *apart* [m, m], by their first models.

    Two models share a group if and only if they are not apart, and each model is in some group: the maximal
    cliques of the models that are not apart (Piepho 2004, J. Comput. Graph. Stat. 13:456), by the algorithm
    of Bron & Kerbosch (1973, Commun. ACM 16:575).

    >>> groups_not_apart([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    [(0, 1), (1, 2)]
    """
    different = np.asarray(apart, dtype=bool)
    near = [set(np.flatnonzero(~row).tolist()) - {model} for model, row in enumerate(different)]
    return sorted(_cliques(set(), set(range(len(near))), set(), near))


def _cliques(
    chosen: set[int], candidates: set[int], left_out: set[int], near: Sequence[set[int]]
) -> Iterator[tuple[int, ...]]:
    """Yield the maximal cliques with all of *chosen*, some *candidates* and none of those *left_out*."""
    if not candidates:
        if not left_out:
            yield tuple(sorted(chosen))
        return
    pivot = max(sorted(candidates | left_out), key=lambda model: len(near[model] & candidates))
    for model in sorted(candidates - near[pivot]):
        yield from _cliques(chosen | {model}, candidates & near[model], left_out & near[model], near)
        candidates, left_out = candidates - {model}, left_out | {model}
