"""Association of items in clusters, against other implementations."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from crossexam.stats import clustered_association
from crossexam.stats.bootstrap import FEWEST_DRAWN
from crossexam.stats.clustered_association import conditional_test, intraclass_correlation, permutation_test

LABELS = np.array([0, 1, 0, 2, 1, 0])
OUTCOMES = np.array([[5, 1, 0], [0, 3, 2], [4, 0, 1], [0, 1, 3], [1, 1, 0], [0, 1, 0]])


def test_intraclass_correlation_is_that_of_the_analysis_of_variance() -> None:
    groups = [[1, 1, 0, 1], [0, 0], [1], [0, 1, 0], [1, 1, 1, 1, 1, 0]]
    f = stats.f_oneway(*groups).statistic
    sizes = np.array([len(each) for each in groups])
    typical = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(groups) - 1)
    counts = [[sum(each), len(each) - sum(each)] for each in groups]
    assert intraclass_correlation(counts) == pytest.approx((f - 1) / (f - 1 + typical))
    for none in ([[1, 0], [0, 1]], [[3, 2]], [[3, 0], [2, 0]], [[1, 1], [1, 1]]):
        assert intraclass_correlation(none) == 0


def listed(labels: NDArray[np.int64], outcomes: NDArray[np.int64]) -> float:
    """The p-value from all orders of the labels, with X2 as SciPy computes it."""
    sizes = outcomes.sum(axis=1)
    each = outcomes / (1 + (sizes - 1) * intraclass_correlation(outcomes))[:, None]

    def x2(order: tuple[int, ...]) -> float:
        table = np.array([each[np.array(order) == label].sum(axis=0) for label in sorted(set(order))])
        return float(stats.chi2_contingency(table, correction=False).statistic)

    ours = x2(tuple(labels.tolist()))
    return float(np.mean([x2(order) >= ours - 1e-9 for order in permutations(labels.tolist())]))


def test_all_labellings_are_those_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    found = permutation_test(LABELS, OUTCOMES)
    assert found.p == pytest.approx(listed(LABELS, OUTCOMES))
    assert (found.draws, found.method) == (0, "exact")
    monkeypatch.setattr(clustered_association, "FEWEST_DRAWN", 0)
    drawn = permutation_test(LABELS, OUTCOMES)  # a sample estimates the same
    assert (drawn.draws, drawn.method) == (FEWEST_DRAWN, "Monte Carlo")
    assert drawn.p == pytest.approx(found.p, abs=4 * (found.p * (1 - found.p) / FEWEST_DRAWN) ** 0.5)
    assert permutation_test(LABELS, OUTCOMES) == drawn
    for labels, outcomes in (([0, 0], [[3, 1], [1, 2]]), ([0, 1], [[3, 0], [1, 0]]), ([0], [[3, 1]])):
        assert permutation_test(labels, outcomes).p == 1  # one label or outcome tests nothing


def test_a_cluster_counts_as_one_item_if_its_items_are_alike_and_else_as_all() -> None:
    alike = permutation_test([0, 0, 1, 1, 1], [[9, 0], [1, 0], [0, 1], [0, 5], [0, 2]])
    assert (alike.p, alike.n_eff) == (1 / 10, 5)
    different = permutation_test([0, 0, 1, 1], [[4, 4], [2, 2], [3, 3], [1, 1]])
    assert different.n_eff == 20


def test_no_p_value_is_0_and_tables_of_one_class_test_nothing() -> None:
    assert 0 < conditional_test([[[2000, 0], [0, 2000]]]).p < 1e-300
    for of_one_class in (np.zeros((0, 2, 2), dtype=int), [[[1, 0], [0, 0]]], [[[4, 0], [5, 0]]]):
        nothing = conditional_test(of_one_class)
        assert nothing.p == 1
        assert np.isnan(nothing.n_eff)


def test_several_tables_are_the_sum_over_all_that_have_their_sums() -> None:
    tables = np.array([[[3, 1], [0, 2]], [[2, 0], [1, 2]], [[0, 1], [2, 1]], [[1, 0], [0, 0]]])
    firsts = [np.arange(5), np.arange(4), np.arange(3), np.arange(2)]
    chances: dict[int, float] = {}
    for cells in product(*map(np.ndarray.tolist, firsts)):
        chance = 1.0
        for a, ((b, c), (d, e)) in zip(cells, tables.tolist(), strict=True):
            chance *= stats.hypergeom.pmf(a, b + c + d + e, b + d, b + c)
        chances[sum(cells)] = chances.get(sum(cells), 0.0) + chance
    ours = chances[int(tables[:, 0, 0].sum())]
    exact = sum(chance for chance in chances.values() if chance <= ours * (1 + 1e-7))
    found = conditional_test(tables)
    assert (found.p, found.draws, found.method) == (pytest.approx(exact), 0, "exact")
