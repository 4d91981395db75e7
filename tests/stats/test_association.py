"""Tests of tables of counts and effect sizes: published figures and second opinions."""

from itertools import product
from math import exp, inf, isnan, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.gof import chisquare_effectsize

from crossexam.stats.association import association, cramers_v, expected_counts, odds_ratio, too_small
from made.cases import refused

# Sanchez Carmona et al. 2018.  Table 2: change, no change by correct, incorrect (ESIM).  Table 3: correct,
# incorrect by seen, unseen (DAM).  Table 4: polarity by prediction N, C, E (DAM).
TABLE_2 = [[155, 31], [8, 100]]
TABLE_3 = [[567, 20], [13, 20]]
TABLE_4 = [[5, 21, 0], [5, 543, 3], [0, 3, 0], [8, 20, 12]]
# Strongly associated, with rows of three items, and with too many tables of these sums to sum over.
WITH_RARE_ROWS = [[40, 60, 30], [80, 20, 20], [30, 70, 60], [5, 3, 2], [2, 0, 1], [1, 1, 1], [20, 30, 60]]


def tables_of(rows: int, columns: int) -> st.SearchStrategy[list[list[int]]]:
    row = st.lists(st.integers(1, 60), min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


tables = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(lambda shape: tables_of(*shape))


def test_the_published_tables_give_the_published_statistics() -> None:
    """Which are cut off after the second decimal, not rounded."""
    for table, published, freedom in ((TABLE_2, 175.34, 1), (TABLE_3, 74.16, 1), (TABLE_4, 101.26, 6)):
        found = association(table)
        assert (int(found.statistic * 100) / 100, found.freedom) == (published, freedom)


def test_the_rule_of_small_expected_counts() -> None:
    """Two by two: any below 5.  Larger: any below 1, or more than a fifth below 5 (Cochran 1954)."""
    assert too_small(np.array([[4.9, 9], [9, 9]]))
    assert not too_small(np.array([[5.0, 9], [9, 9]]))
    rows = np.full((2, 5), 9.0)
    rows[0, :2] = 1.0
    assert not too_small(rows)  # two of ten
    rows[1, 0] = 4.9
    assert too_small(rows)  # three of ten


def test_the_p_value_says_where_it_is_from() -> None:
    full, small, table_4 = map(association, (TABLE_2, TABLE_3, TABLE_4))
    assert (full.p_exact, full.p) == (None, full.p_asymptotic)
    assert (small.draws, table_4.draws) == (0, 0)
    assert small.smallest_expected == 33 * 40 / 620
    assert small.p == small.p_exact == pytest.approx(stats.fisher_exact(TABLE_3)[1])
    assert table_4.p_asymptotic == pytest.approx(stats.chi2.sf(101.2642, 6), rel=1e-4)  # 1.4e-19
    assert table_4.p == table_4.p_exact < 1e-19
    large = association(WITH_RARE_ROWS)
    assert large.draws == 99_999
    assert association(WITH_RARE_ROWS, draws=200_000).p < large.p


@given(tables_of(2, 2), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_odds_ratio_is_statsmodels(table: list[list[int]], confidence: float) -> None:
    found, theirs = odds_ratio(table, confidence), Table2x2(np.array(table))
    assert found.value == pytest.approx(theirs.oddsratio)
    assert found[1:3] == pytest.approx(theirs.oddsratio_confint(1 - confidence))


@given(tables)
def test_cramers_v_is_bergsmas_formula(table: list[list[int]]) -> None:
    found = cramers_v(table)
    n, (r, c) = int(np.sum(table)), np.shape(table)
    counts = np.array(table)
    phi2 = chisquare_effectsize(expected_counts(counts).ravel(), counts.ravel(), cohen=True) ** 2
    unbiased = max(0.0, phi2 - (r - 1) * (c - 1) / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    assert found.value == pytest.approx(min(1.0, unbiased / least) ** 0.5, abs=1e-6)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_odds_ratio_of_clusters_is_that_of_a_jackknife() -> None:
    clusters = np.array([[[5, 1], [2, 0]], [[9, 0], [1, 3]], [[2, 4], [3, 6]], [[4, 1], [0, 3]]])
    table = clusters.sum(axis=0)

    def logarithm(counts: np.ndarray) -> float:
        (a, b), (c, d) = (counts + 0.5).tolist()
        return log(a * d / (b * c))

    pulls = [logarithm(table - each) - logarithm(table) for each in clusters]
    apart, effective = np.zeros((2, 2)), np.zeros((2, 2))
    for cell in product((0, 1), repeat=2):
        shares = clusters[:, *cell] / table[cell]
        effective[cell] = max(1.0, 1 / (shares**2).sum() - 1)
        for count in clusters[:, *cell].tolist():
            without = table.copy()
            without[cell] -= count
            apart[cell] += (logarithm(without) - logarithm(table)) ** 2
    of_columns = (clusters.sum(axis=1) / table.sum(axis=0)).mean(axis=1)
    freedom = min(apart.sum() ** 2 / (apart**2 / effective).sum(), 1 / (of_columns**2).sum() - 1)
    assert 1 < freedom < 3
    half = stats.t.ppf(0.975, freedom) * (3 / 4 * sum(pull**2 for pull in pulls)) ** 0.5
    found = odds_ratio(table, clusters=clusters)
    assert found.value == odds_ratio(table).value
    assert log(found.high / found.value) == pytest.approx(half)
    assert log(found.value / found.low) == pytest.approx(half)
    assert (found.n, found.clusters) == (44, 4)


def test_cramers_v_counts_clusters_of_two_alike_as_half() -> None:
    table = np.array([[12, 7, 3], [4, 9, 10]])
    clusters = np.eye(6, dtype=int)[np.repeat(np.arange(6), table.ravel())].reshape(-1, 2, 3)
    alone, found = cramers_v(table), cramers_v(2 * table, clusters=2 * clusters)
    assert found.value == pytest.approx(alone.value, rel=0.05)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.05)


def test_clusters_at_the_edge() -> None:
    table = np.array([[20, 10], [10, 20]])
    assert odds_ratio(table, clusters=[table]) == (pytest.approx(4), 0.0, inf, 60, 1)
    assert cramers_v(table, clusters=[table])[1:] == (0.0, 1.0, 60, 1)
    alike = np.tile([[4, 2], [2, 4]], (20, 1, 1))  # vary less than chance: not narrower than Woolf's
    whole = alike.sum(axis=0)
    assert odds_ratio(whole, clusters=alike)[:3] == odds_ratio(whole)[:3]
    assert isnan(cramers_v([[3, 4], [0, 0]], clusters=[[[3, 0], [0, 0]], [[0, 4], [0, 0]]]).value)


def test_tables_at_the_edge() -> None:
    assert association([[567, 0, 20], [0, 0, 0], [13, 0, 20]]) == association(TABLE_3)
    for table in ([[5, 7], [0, 0]], [[3, 0], [4, 0]], [[0, 0], [0, 0]]):  # of one row or column
        found = association(table)
        assert (found.statistic, found.freedom, found.p) == (0.0, 0, 1.0)
        for estimate, most in ((odds_ratio(table), inf), (cramers_v(table), 1.0)):
            assert isnan(estimate.value)
            assert estimate[1:3] == (0.0, most)
    assert cramers_v([[50, 50], [30, 30]]).value == 0.0
    assert cramers_v([[30, 0, 0], [0, 20, 0], [0, 0, 10]])[:3] == (pytest.approx(1.0),) * 3
    half = odds_ratio([[10, 0], [5, 5]])  # an empty cell adds half to all
    assert half.value == pytest.approx(10.5 * 5.5 / (0.5 * 5.5))
    distance = stats.norm.ppf(0.975) * (1 / 10.5 + 1 / 0.5 + 1 / 5.5 + 1 / 5.5) ** 0.5
    assert half[1:3] == pytest.approx((half.value * exp(-distance), half.value * exp(distance)))


def test_other_than_tables_of_counts_is_refused() -> None:
    said = refused(ValueError, odds_ratio, [[1, 2], [3, 4]], clusters=[[[1, 0], [0, 1]]])
    assert "the tables of the clusters do not add up to the table" in said
    for says, call, table in (
        ("counts must be non-negative whole numbers", association, [[nan, 1], [2, 3]]),
        ("a two-dimensional array of numbers, not one of shape (3,)", association, [1, 2, 3]),
        ("needs a two-by-two table", odds_ratio, TABLE_4),
    ):
        assert says in refused(ValueError, call, table)
