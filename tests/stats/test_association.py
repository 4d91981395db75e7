"""Tests of tables of counts, effect sizes and their power: published figures and second opinions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import exp, inf, isnan, log, nan

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.contingency_tables import Table, Table2x2
from statsmodels.stats.gof import chisquare_effectsize

from crossexam.stats.association import (
    association,
    cramers_v,
    cross_counts,
    expected_counts,
    odds_ratio,
    too_small,
)

# Sanchez Carmona et al. 2018.  Table 2: change, no change by correct, incorrect (ESIM).  Table 3: correct,
# incorrect by seen, unseen (DAM).  Table 4: polarity by prediction N, C, E (DAM).
TABLE_2 = [[155, 31], [8, 100]]
TABLE_3 = [[567, 20], [13, 20]]
TABLE_4 = [[5, 21, 0], [5, 543, 3], [0, 3, 0], [8, 20, 12]]
# Strongly associated, with rows of three items, and with too many tables of these sums to sum over.
WITH_RARE_ROWS = [[40, 60, 30], [80, 20, 20], [30, 70, 60], [5, 3, 2], [2, 0, 1], [1, 1, 1], [20, 30, 60]]

tables = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(1, 60), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)
two_by_two = st.lists(st.lists(st.integers(1, 60), min_size=2, max_size=2), min_size=2, max_size=2)


def cut(number: float) -> float:
    """The published figures are cut off after the second decimal, not rounded."""
    return int(number * 100 + 1e-9) / 100


# -- the paper -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "published", "freedom"), [(TABLE_2, 175.34, 1), (TABLE_3, 74.16, 1), (TABLE_4, 101.26, 6)]
)
def test_the_published_tables_give_the_published_statistics(
    table: list[list[int]], published: float, freedom: int
) -> None:
    found = association(table)
    assert (cut(found.statistic), found.freedom) == (published, freedom)
    assert found.corrected == (freedom == 1)


def test_tables_that_follow_from_table_1_give_the_published_statistics(for_each: Callable[..., None]) -> None:
    def check(accuracy: float, unseen_accuracy: float, published: float) -> None:
        (right,) = (k for k in range(621) if int(1000 * k / 620) == round(1000 * accuracy))
        unseen = round(40 * unseen_accuracy)
        table = [[right - unseen, unseen], [580 - (right - unseen), 40 - unseen]]
        assert cut(association(table).statistic) == published

    for_each(
        check,
        [
            (0.933, 0.600, 39.33),
            (0.946, 0.500, 74.16),
            (0.732, 0.400, 19.46),  # I_TA1: ESIM, DAM, CE
            (0.933, 0.575, 44.72),
            (0.929, 0.500, 59.17),
            (0.480, 0.175, 15.91),  # E_TA: ESIM, DAM, CE
        ],
    )


def test_pearsons_or_uncorrected_statistics_are_not_the_published_ones() -> None:
    assert round(association(TABLE_3, kind="Pearson").statistic, 2) == 160.02
    assert round(association(TABLE_3, yates=False).statistic, 2) == 77.9
    assert round(association(TABLE_4, kind="Pearson").statistic, 2) == 216.11


def test_table_3_has_a_small_expected_count_and_fishers_p_value() -> None:
    found = association(TABLE_3)
    assert found.smallest_expected == 33 * 40 / 620
    assert found.p == found.p_exact == pytest.approx(stats.fisher_exact(TABLE_3)[1])
    full = association(TABLE_2)
    assert full.p_exact is None
    assert full.p == full.p_asymptotic


# -- second opinions -------------------------------------------------------------------------------------


@given(tables, st.booleans(), st.sampled_from(["G", "Pearson"]))
def test_association_is_scipys(table: list[list[int]], yates: bool, kind: str) -> None:
    found = association(table, kind=kind, yates=yates)  # type: ignore[arg-type]
    theirs = stats.chi2_contingency(
        table, correction=yates, lambda_="log-likelihood" if kind == "G" else "pearson"
    )
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert found.freedom == theirs.dof
    assert found.p_asymptotic == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found.smallest_expected == pytest.approx(theirs.expected_freq.min())


@settings(max_examples=20)
@given(tables)
def test_pearsons_statistic_is_statsmodels(table: list[list[int]]) -> None:
    theirs = Table(np.array(table), shift_zeros=False).test_nominal_association()
    found = association(table, kind="Pearson", yates=False)
    assert (found.statistic, found.freedom) == (pytest.approx(theirs.statistic), theirs.df)


@given(two_by_two)
def test_homogeneity_is_independence_of_the_transposed_table(table: list[list[int]]) -> None:
    found, turned = association(table), association(np.transpose(table))
    assert found.statistic == pytest.approx(turned.statistic)
    assert found.p == pytest.approx(turned.p)


def test_the_rule_of_small_expected_counts() -> None:
    """Two by two: any below 5.  Larger: any below 1, or more than a fifth below 5 (Cochran 1954)."""
    assert too_small(np.array([[4.9, 9], [9, 9]]))
    assert not too_small(np.array([[5.0, 9], [9, 9]]))
    rows = np.full((2, 5), 9.0)
    rows[0, :2] = 1.0
    assert not too_small(rows)  # two of ten
    rows[1, 0] = 4.9
    assert too_small(rows)  # three of ten
    alone = np.full((2, 5), 9.0)
    alone[0, 0] = 0.9
    assert too_small(alone)


def test_the_p_value_says_where_it_is_from() -> None:
    assert association(TABLE_2).method == "asymptotic"
    assert association(TABLE_4).method == "exact"
    table_4 = association(TABLE_4)
    assert table_4.p_asymptotic == pytest.approx(stats.chi2.sf(101.2642, 6), rel=1e-4)  # 1.4e-19
    assert table_4.p == table_4.p_exact < 1e-19
    large = association(WITH_RARE_ROWS)
    assert (large.method, large.draws) == ("Monte Carlo", 99_999)
    assert association(WITH_RARE_ROWS, draws=200_000).p < large.p


# -- tables with empty rows, and none --------------------------------------------------------------------


def test_empty_rows_and_columns_are_dropped_and_reported() -> None:
    found = association([[567, 0, 20], [0, 0, 0], [13, 0, 20]])
    assert (found.dropped_rows, found.dropped_columns) == ((1,), (1,))
    assert found[:4] == association(TABLE_3)[:4]
    assert found.corrected


@pytest.mark.parametrize("table", [[[5, 7], [0, 0]], [[3, 0], [4, 0]], [[0, 0], [0, 0]]])
def test_a_table_of_one_row_tests_nothing(table: list[list[int]]) -> None:
    found = association(table)
    assert (found.statistic, found.freedom, found.p) == (0.0, 0, 1.0)
    assert isnan(odds_ratio(table).value)
    assert odds_ratio(table)[1:3] == (0.0, inf)
    assert isnan(cramers_v(table).value)
    assert cramers_v(table)[1:3] == (0.0, 1.0)


@pytest.mark.parametrize("wrong", [[[1, -1], [2, 3]], [[0.5, 1], [2, 3]], [[nan, 1], [2, 3]]])
def test_other_than_counts_is_refused(wrong: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="counts must be non-negative whole numbers"):
        association(wrong)


def test_other_than_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a two-dimensional array of numbers, not one of shape \(3,\)"):
        association([1, 2, 3])
    with pytest.raises(ValueError, match="unknown statistic 'chi'"):
        association(TABLE_2, kind="chi")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs a two-by-two table"):
        odds_ratio(TABLE_4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=30))
def test_cross_counts_counts_items(items: list[tuple[int, int]]) -> None:
    found = cross_counts([r for r, _ in items], [c for _, c in items], (4, 3))
    assert all(found[r, c] == items.count((r, c)) for r in range(4) for c in range(3))


def test_cross_counts_refuses_other_codes() -> None:
    with pytest.raises(ValueError, match="codes must be at least 0 and below 2"):
        cross_counts([0, 2], [0, 0], (2, 3))
    with pytest.raises(ValueError, match="2 row codes but 1 column codes"):
        cross_counts([0, 1], [0], (2, 3))


# -- effect sizes ----------------------------------------------------------------------------------------


def test_the_odds_ratio_is_agrestis() -> None:
    # Agresti, Categorical Data Analysis, section 2.2 and 3.1: aspirin and heart attacks, 1.83 (1.44, 2.33)
    found = odds_ratio([[189, 10845], [104, 10933]])
    assert [round(each, 2) for each in found[:3]] == [1.83, 1.44, 2.33]


@given(two_by_two, st.sampled_from([0.9, 0.95, 0.99]))
def test_the_odds_ratio_is_statsmodels(table: list[list[int]], confidence: float) -> None:
    found, theirs = odds_ratio(table, confidence), Table2x2(np.array(table))
    assert found.value == pytest.approx(theirs.oddsratio)
    assert found[1:3] == pytest.approx(theirs.oddsratio_confint(1 - confidence))


def test_an_empty_cell_adds_half_to_all() -> None:
    found = odds_ratio([[10, 0], [5, 5]])
    assert found.value == pytest.approx(10.5 * 5.5 / (0.5 * 5.5))
    half = stats.norm.ppf(0.975) * (1 / 10.5 + 1 / 0.5 + 1 / 5.5 + 1 / 5.5) ** 0.5
    assert found.high == pytest.approx(exp(log(found.value) + half))
    assert found.low == pytest.approx(exp(log(found.value) - half))


@given(tables)
def test_cramers_v_is_bergsmas_formula(table: list[list[int]]) -> None:
    found = cramers_v(table)
    n, (r, c) = int(np.sum(table)), np.shape(table)
    phi2 = (
        chisquare_effectsize(expected_counts(np.array(table)).ravel(), np.array(table).ravel(), cohen=True)
        ** 2
    )
    unbiased = max(0.0, phi2 - (r - 1) * (c - 1) / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    assert found.value == pytest.approx(min(1.0, unbiased / least) ** 0.5, abs=1e-6)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_cramers_v_of_nothing_and_of_everything() -> None:
    assert cramers_v([[50, 50], [30, 30]]).value == 0.0
    whole = cramers_v([[30, 0, 0], [0, 20, 0], [0, 0, 10]])
    assert whole[:3] == (pytest.approx(1.0),) * 3


@pytest.mark.parametrize("table", [TABLE_2, TABLE_3, [[440, 22], [140, 18]]])
def test_intervals_of_effects_hold_them_in_95_of_100(table: list[list[int]]) -> None:
    shares = np.array(table) / np.sum(table)
    true_v = (
        ((shares - shares.sum(1, keepdims=True) * shares.sum(0)) ** 2)
        / (shares.sum(1, keepdims=True) * shares.sum(0))
    ).sum() ** 0.5
    true_ratio = shares[0, 0] * shares[1, 1] / (shares[0, 1] * shares[1, 0])
    drawn = np.random.default_rng(0).multinomial(np.sum(table), shares.ravel(), size=300).reshape(-1, 2, 2)
    held_v = [found.low <= true_v <= found.high for found in map(cramers_v, drawn)]
    held_ratio = [found.low <= true_ratio <= found.high for found in map(odds_ratio, drawn)]
    assert 0.91 <= np.mean(held_v) <= 0.98  # the noncentral chi-square interval holds 0.71 at Table 3
    assert 0.92 <= np.mean(held_ratio) <= 0.98


# -- clusters --------------------------------------------------------------------------------------------


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


def test_the_odds_ratio_of_many_equal_clusters_is_that_of_a_sandwich() -> None:
    rng = np.random.default_rng(8)
    pairs = np.repeat(np.arange(300), 6)
    x = rng.random(1800) < rng.beta(1, 1, 300)[pairs]
    y = rng.random(1800) < np.clip(rng.beta(1, 1, 300)[pairs] * 0.6 + 0.3 * x, 0, 1)
    clusters = cross_counts(2 * pairs + x, y, (600, 2)).reshape(300, 2, 2)
    fitted = sm.Logit(y.astype(float), sm.add_constant(x.astype(float))).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": pairs}
    )
    found = odds_ratio(clusters.sum(axis=0), clusters=clusters)
    assert log(found.value) == pytest.approx(fitted.params[1])
    assert log(found.high / found.value) == pytest.approx(1.968 * fitted.bse[1], rel=0.02)


def test_intervals_of_clusters_are_not_narrower_than_woolfs() -> None:
    """Clusters that are all the same vary less than chance."""
    clusters = np.tile([[4, 2], [2, 4]], (20, 1, 1))
    table = clusters.sum(axis=0)
    found, alone = odds_ratio(table, clusters=clusters), odds_ratio(table)
    assert found[:3] == alone[:3]


def test_a_single_cluster_says_nothing_of_the_interval() -> None:
    table = [[20, 10], [10, 20]]
    assert odds_ratio(table, clusters=[table]) == (pytest.approx(4), 0.0, inf, 60, 1)
    assert cramers_v(table, clusters=[table])[1:] == (0.0, 1.0, 60, 1)


def test_an_interval_beyond_the_largest_number_ends_at_it() -> None:
    clusters = [[[10**6, 0], [0, 0]], [[0, 0], [0, 10**6]]]
    found = odds_ratio(np.sum(clusters, axis=0), clusters=clusters)
    assert found.low < 1 < found.value < found.high < inf


def test_clusters_of_single_items_are_independent_items() -> None:
    table = np.array([[12, 7, 3], [4, 9, 10]])
    cells = np.repeat(np.arange(6), table.ravel())
    clusters = np.eye(6, dtype=int)[cells].reshape(-1, 2, 3)
    found, alone = cramers_v(table, clusters=clusters), cramers_v(table)
    assert found.value == pytest.approx(alone.value, rel=0.05)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.05)


def test_items_in_pairs_count_half() -> None:
    half = np.array([[12, 7, 3], [4, 9, 10]])
    cells = np.repeat(np.arange(6), half.ravel())
    clusters = 2 * np.eye(6, dtype=int)[cells].reshape(-1, 2, 3)
    assert cramers_v(2 * half, clusters=clusters).value == pytest.approx(cramers_v(half).value, rel=0.05)


@pytest.mark.slow
def test_the_bias_of_v_grows_with_the_clusters() -> None:
    """Without association V is mostly 0, and the interval begins there; without clusters neither is so."""
    rng, pairs = np.random.default_rng(9), np.repeat(np.arange(40), 10)
    rows = (np.arange(40) % 4)[pairs]
    zero, begins, alone = 0, 0, 0
    for _ in range(100):
        shares = rng.dirichlet([1, 1, 1], 40)[pairs].cumsum(axis=1)
        columns = (rng.random(400)[:, None] > shares[:, :2]).sum(axis=1)
        clusters = cross_counts(4 * pairs + rows, columns, (160, 3)).reshape(40, 4, 3)
        found = cramers_v(clusters.sum(axis=0), clusters=clusters)
        zero, begins = zero + (found.value == 0), begins + (found.low == 0)
        alone += cramers_v(clusters.sum(axis=0)).low == 0
    assert zero > 45
    assert begins >= 90
    assert alone < 60


def test_one_class_has_no_v_in_clusters_either() -> None:
    assert isnan(cramers_v([[3, 4], [0, 0]], clusters=[[[3, 0], [0, 0]], [[0, 4], [0, 0]]]).value)


@pytest.mark.parametrize("clusters", [[[[1, 0], [0, 1]]], [[1, 2], [3, 4]], [[[1, 2, 0], [3, 4, 0]]]])
def test_clusters_must_add_up_to_the_table(clusters: ArrayLike) -> None:
    for estimate in (odds_ratio, cramers_v):
        with pytest.raises(ValueError, match="the tables of the clusters do not add up to the table"):
            estimate([[1, 2], [3, 4]], clusters=clusters)
