"""Paired differences and McNemar's tests against published examples, scipy and enumeration."""

import numpy as np
import pytest
from figure_formulas import intervals as formulas
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossexam.stats.bootstrap import bootstrap_interval
from crossexam.stats.clusters import normal_quantile
from crossexam.stats.paired import (
    clustered_mcnemar,
    discordant,
    mcnemar,
    paired_difference,
    relative_difference,
)
from made.cases import refused


def test_tango_is_the_published_interval() -> None:
    """Fagerland et al. 2014, Statistics in Medicine 33:2850, for Bentur et al. 2009 and Cavo et al. 2012."""
    # both are right, only the first, only the second, neither
    for table, low, high in (((1, 1, 7, 12), -0.517, -0.026), ((59, 6, 16, 80), -0.1240, -0.0054)):
        found = paired_difference(np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table))
        assert found.value == (table[1] - table[2]) / sum(table)
        assert (found.low, found.high) == pytest.approx((low, high), abs=6e-4)


@given(st.integers(0, 300), st.integers(1, 300))
def test_mcnemar_is_scipys_binomial_test(b: int, c: int) -> None:
    found = mcnemar(b, c)
    assert found.p_exact == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-9)
    # Fagerland et al. 2013: less the point probability; half of it where b = c
    point = stats.binom.pmf(b, b + c, 0.5)
    mid = found.p_exact - (point if b != c else point / 2)
    assert found.p_mid == pytest.approx(mid, rel=1e-9, abs=1e-300)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=9))
def test_clustered_mcnemar_is_the_sum_over_all_sign_flips(sums: list[tuple[int, int]]) -> None:
    rows = [(lost > 0, lost < 0, k) for k, (lost, _) in enumerate(sums) for _ in range(abs(lost))]
    rows += [(True, True, k) for k, (_, both) in enumerate(sums) for _ in range(both)]
    before, after, codes = np.array(rows, dtype=int).reshape(-1, 3).T
    found = clustered_mcnemar(before, after, codes)
    expected = formulas.flipped(before > 0, after > 0, [codes]) if rows else (1.0, 1.0)
    assert (found.p_exact, found.p_mid) == pytest.approx(expected)


def test_a_relative_difference_is_the_bootstraps_and_over_the_same_clusters_that_of_one_set() -> None:
    rng = np.random.default_rng(6)
    codes = np.repeat(np.arange(200), 3)
    hard = rng.random(200)[codes]
    one, base = hard + rng.normal(0, 0.2, 600) < 0.66, rng.random(600) < 0.6
    once, same, apart = (
        relative_difference([(one, base, codes + k * offset) for k in range(count)])
        for count, offset in ((1, 0), (2, 0), (2, 1000))
    )
    assert same[:3] == pytest.approx(once[:3])
    rows = np.column_stack([one, base]).astype(float)
    value, low, high = bootstrap_interval(rows, lambda s: s[:, 0] / s[:, 1] - 1, codes, name="x")
    near = [pytest.approx(end, abs=0.1 * (high - low)) for end in (low, high)]
    assert once[:3] == (pytest.approx(value), *near)
    assert (apart.high - apart.low) / (once.high - once.low) == pytest.approx(1 / np.sqrt(2), rel=0.01)
    assert (same.clusters, apart.clusters) == (200, 400)


def test_a_relative_difference_from_nothing_is_unknown() -> None:
    for pairs in ([], [([1, 0], [0, 0], None)]):
        found = relative_difference(pairs)
        assert (str(found.value), found.low, found.high) == ("nan", -1.0, float("inf"))


def test_pairs_that_do_not_differ_or_are_not_there() -> None:
    found = paired_difference([True, False] * 20, [True, False] * 20)
    z = normal_quantile(0.95)
    assert found.value == 0.0
    assert found.high == pytest.approx(z**2 / (40 + z**2))  # |n d| = z sqrt(n d(1-d)), solved for d
    assert found.low == pytest.approx(-found.high)
    assert paired_difference([], [])[1:] == (-1.0, 1.0, 0, 0)
    said = refused(ValueError, discordant, [True, True], [True, True, False])
    assert "2 base items for 3 stressed ones" in said
    assert "b = -1, c = 2" in refused(ValueError, mcnemar, -1, 2)
    assert mcnemar(0, 0) == (0, 0, 1.0, 1.0)
