"""Minimum detectable drops and associations against formulas and statsmodels."""

from math import isnan

import pytest
from figure_formulas import intervals as formulas
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import GofChisquarePower

from crossexam.stats.power import minimum_detectable_association, minimum_detectable_drop
from made.cases import refused


@pytest.mark.parametrize(("n", "share"), [(300, 0.1), (9842, 0.05), (1000, 0.0), (3, 0.5)])
def test_the_detectable_drop_is_the_root_of_connors_formula(n: int, share: float) -> None:
    """Where nothing disagrees, a drop must make its own discordance; of three pairs there is none."""
    found = minimum_detectable_drop(n, share)
    assert found == pytest.approx(formulas.detectable(n, share, 0.05), nan_ok=True)
    assert not found <= minimum_detectable_drop(n, share, power=0.5)


@given(st.integers(10, 5000), st.integers(1, 14), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_least_effect_has_the_power(n: int, freedom: int, power: float) -> None:
    """That of statsmodels."""
    effect, theirs = minimum_detectable_association(n, freedom, 0.01, power), GofChisquarePower().power
    if isnan(effect):
        assert freedom == 1
        assert theirs(1.0, n, 0.01, n_bins=2) < power
    else:
        assert theirs(effect, n, 0.01, n_bins=freedom + 1) == pytest.approx(power, abs=1e-6)


def test_power_of_nothing_and_what_is_refused() -> None:
    assert isnan(minimum_detectable_association(0))
    assert isnan(minimum_detectable_association(7))  # (1.96 + 0.84)^2 = 7.85 items at w = 1
    assert minimum_detectable_association(8) < 1
    for says, call, *given_ in (
        ("discordant share is 1.5", minimum_detectable_drop, 10, 1.5),
        ("alpha is 5", minimum_detectable_association, 100, 1, 5),
        ("0 degrees of freedom", minimum_detectable_association, 100, 0),
    ):
        assert says in refused(ValueError, call, *given_)
