"""One-sided p-values by inversion of intervals, differences of drops, and corrections against statsmodels."""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from crossexam.core.estimate import Estimate
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import LEAST_P, bonferroni, holm, holm_of_planned, one_sided_p
from crossexam.stats.paired import difference_of_drops

RNG = np.random.default_rng(1)
#: The interval of a share of items in clusters of three, at a confidence.
SHARE = partial(share_correct, RNG.random(120) < np.repeat(RNG.beta(2.8, 1.2, 40), 3), np.arange(120) // 3)


def test_the_interval_at_the_confidence_of_p_touches_the_threshold() -> None:
    for p in (0.2, 0.025, 0.001):
        _, low, high, *_ = SHARE(1 - 2 * p)
        assert one_sided_p(SHARE, low, "above") == pytest.approx(p, rel=1e-6)
        assert one_sided_p(SHARE, high, "below") == pytest.approx(p, rel=1e-6)


def test_the_threshold_is_on_the_side_only_if_inclusive() -> None:
    def at(_: float) -> Estimate:
        return Estimate(0.5, 0.5, 0.5, 1, 1)

    assert one_sided_p(at, 0.5, "above") == 1.0
    assert one_sided_p(at, 0.5, "above", inclusive=True) == LEAST_P
    assert one_sided_p(at, 0.4, "above") == LEAST_P
    # an estimate on the other side shows nothing
    assert one_sided_p(SHARE, 0.9, "above") == one_sided_p(SHARE, 0.1, "below") == 1.0


def test_the_interval_of_a_difference_of_drops_is_that_of_a_paired_mean_if_many_differ() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.random(4000) < share for share in (0.9, 0.6, 0.8, 0.7)]
    changes = arrays[0] * 1.0 - arrays[1] - arrays[2] + arrays[3]
    half = 1.96 * changes.std(ddof=1) / np.sqrt(4000)
    found = difference_of_drops((arrays[0], arrays[1]), (arrays[2], arrays[3]))
    assert found.value == pytest.approx(changes.mean())
    assert (found.high - found.value, found.value - found.low) == pytest.approx((half, half), rel=0.03)
    same = np.ones(50, bool), np.arange(50) < 40  # equal changes still have an interval
    assert difference_of_drops(same, same)[:3] == pytest.approx((0, -0.1427, 0.1427), abs=1e-3)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_are_those_of_statsmodels(p: list[float]) -> None:
    with patch("gc.collect"):  # which statsmodels calls each time: a second where much is loaded
        theirs = {method: multipletests(p, method=method)[1] for method in ("holm", "bonferroni")}
    assert holm(p) == pytest.approx(theirs["holm"], abs=1e-12)
    assert bonferroni(p) == pytest.approx(theirs["bonferroni"], abs=1e-12)


def test_tests_that_were_planned_but_not_made_count_as_if_they_had_found_nothing() -> None:
    assert holm_of_planned([0.01, None, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06)]
    assert holm_of_planned([None]) == [None]
    assert holm([]).tolist() == []
    with pytest.raises(ValueError, match="p-values must be"):
        holm([0.5, float("nan")])
