"""Minimum detectable drops and associations against published figures, statsmodels and simulation."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import pytest
from figure_formulas import intervals as formulas
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import GofChisquarePower

from crossexam.stats.association import association
from crossexam.stats.power import (
    MOST_TABLES,
    association_power,
    minimum_detectable_association,
    minimum_detectable_difference,
    minimum_detectable_drop,
    power_of_two_groups,
)


@pytest.mark.parametrize(
    ("n", "share"), [(1000, 0.2), (300, 0.1), (9842, 0.05), (150, 0.4), (1000, 0.0), (3, 0.5)]
)
def test_the_detectable_drop_is_the_root_of_connors_formula(n: int, share: float) -> None:
    """Where nothing disagrees, a drop must make its own discordance; of three pairs there is none."""
    found = minimum_detectable_drop(n, share)
    assert found == pytest.approx(formulas.detectable(n, share, 0.05), nan_ok=True)
    assert not found <= minimum_detectable_drop(n, share, power=0.5)


# Associations and two groups


@given(st.floats(0, 0.9), st.integers(5, 2000), st.integers(1, 14), st.sampled_from([0.05, 0.01, 1e-4]))
def test_power_is_statsmodels(effect: float, n: int, freedom: int, alpha: float) -> None:
    theirs = GofChisquarePower().power(effect, n, alpha, n_bins=freedom + 1)
    assert association_power(effect, n, freedom, alpha) == pytest.approx(theirs, abs=1e-8)


@given(st.integers(10, 5000), st.integers(1, 14), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_least_effect_has_the_power(n: int, freedom: int, power: float) -> None:
    effect = minimum_detectable_association(n, freedom, 0.01, power)
    if isnan(effect):
        assert freedom == 1
        assert association_power(1.0, n, 1, 0.01) < power
    else:
        assert association_power(effect, n, freedom, 0.01) == pytest.approx(power, abs=1e-6)


SHARES = st.floats(0, 1).filter(lambda share: share == 0 or share > 1e-300)  # SciPy overflows below


@settings(max_examples=15)
@given(st.integers(1, 14), st.integers(1, 10), SHARES, SHARES)
def test_the_power_of_two_groups_is_the_sum_over_all_tables(
    n_first: int, n_second: int, first: float, second: float
) -> None:
    whole = sum(
        stats.binom.pmf(a, n_first, first) * stats.binom.pmf(b, n_second, second)
        for a in range(n_first + 1)
        for b in range(n_second + 1)
        if association([[a, b], [n_first - a, n_second - b]]).p < 0.05
    )
    assert power_of_two_groups(n_first, n_second, first, second) == pytest.approx(whole, abs=1e-9)


def test_full_cells_are_decided_by_g_as_in_association() -> None:
    # all tables with 3 of 4 right, where no expected count is small
    first, second = 60, 30
    power = power_of_two_groups(first, second, 0.75, 0.4)
    whole = sum(
        stats.binom.pmf(a, first, 0.75) * stats.binom.pmf(b, second, 0.4)
        for a in range(first // 2, first + 1)
        for b in range(second + 1)
        if association([[a, b], [first - a, second - b]]).p < 0.05
    )
    assert power == pytest.approx(whole, abs=1e-3)


def test_forty_unseen_pairs_find_large_differences_only() -> None:
    # DAM on I_TA1: 0.98 of seen pairs; on I_TH the groups are larger
    drop = minimum_detectable_difference(580, 40, 0.97)
    assert power_of_two_groups(580, 40, 0.97, 0.97 - drop) == pytest.approx(0.8, abs=1e-3)
    assert power_of_two_groups(580, 40, 0.97, 0.97 - drop + 0.01) < 0.8
    assert 0.11 < drop < 0.12
    assert minimum_detectable_difference(580, 40, 0.97, 1e-4) > 0.2
    assert isnan(minimum_detectable_difference(5, 2, 0.8))
    assert isnan(minimum_detectable_difference(580, 0, 0.8))
    # large groups go by the chi-square distribution, and agree
    exact, near = (minimum_detectable_difference(1200, n, 0.8) for n in (MOST_TABLES // 1201 - 1, 832))
    assert exact == pytest.approx(near, abs=5e-4)
    assert power_of_two_groups(3000, 1000, 0.0, 0.0) == pytest.approx(0.05)
    # a share that is nearly 0 is 0
    assert power_of_two_groups(1, 2, 0.0, 1.1125369292536007e-308) == power_of_two_groups(1, 2, 0.0, 0.0)


def test_power_of_nothing_and_what_is_refused(refused: Callable[..., str]) -> None:
    assert association_power(0.0, 100) == pytest.approx(0.05)
    assert isnan(minimum_detectable_association(0))
    assert isnan(minimum_detectable_association(7))  # (1.96 + 0.84)^2 = 7.85 items at w = 1
    assert minimum_detectable_association(8) < 1
    for says, call, *given_ in (
        ("discordant share is 1.5", minimum_detectable_drop, 10, 1.5),
        ("alpha is 5", association_power, 0.3, 100, 1, 5),
        ("0 degrees of freedom", minimum_detectable_association, 100, 0),
        ("an effect of -1", association_power, -1, 100),
        ("the share is 97; it must", minimum_detectable_difference, 580, 40, 97),
        ("the share is 1.5; it must", power_of_two_groups, 580, 40, 1.5, 0.5),
        ("groups of 0 and 40 items", power_of_two_groups, 0, 40, 0.5, 0.5),
    ):
        assert says in refused(ValueError, call, *given_)
