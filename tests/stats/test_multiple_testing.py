"""Corrections for multiple testing against statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from crossexam.stats.multiple_testing import bonferroni, holm, holm_of_planned

p_values = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=12)


@pytest.mark.slow
@settings(max_examples=20)
@given(p_values)
def test_corrections_are_those_of_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert bonferroni(p) == pytest.approx(multipletests(p, method="bonferroni")[1], abs=1e-12)


def test_holms_steps() -> None:
    # (4 x .005, 3 x .01, 2 x .03, and .03 again, since it may not fall below)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []
    with pytest.raises(ValueError, match="p-values must be"):
        holm([0.5, float("nan")])


def test_planned_tests_count_whether_they_were_made_or_not() -> None:
    """As if those that were not had found nothing, so that the others are corrected for them."""
    assert holm_of_planned([0.01, None, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06)]
    assert holm_of_planned([None, 0.02, None, None]) == [None, pytest.approx(0.08), None, None]
    assert holm_of_planned([None]) == [None]
