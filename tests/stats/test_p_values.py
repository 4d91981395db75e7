"""One-sided p-values by inversion of intervals, what gates need of differences, and corrections.

Corrections for multiple testing are compared with statsmodels.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from crossexam.core.estimate import Estimate
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import LEAST_P, bonferroni, holm, holm_of_planned, one_sided_p
from crossexam.stats.paired import difference_of_drops, paired_difference

p_values = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=12)
CODES = np.repeat(np.arange(40), 3)


def answers(seed: int, share: float = 0.7) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    return rng.random(120) < np.repeat(rng.beta(share * 4, (1 - share) * 4, 40), 3)


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize("p", [0.2, 0.025, 0.001])
def test_the_interval_at_the_confidence_of_p_touches_the_threshold(side: str, p: float) -> None:
    at = partial(share_correct, answers(1), CODES)
    estimate = at(1 - 2 * p)
    threshold = estimate.low if side == "above" else estimate.high
    assert one_sided_p(at, threshold, side) == pytest.approx(p, rel=1e-6)  # type: ignore[arg-type]


def test_it_is_the_score_test_of_independent_items() -> None:
    right = np.arange(200) < 150
    z = (0.75 - 0.68) / np.sqrt(0.68 * 0.32 / 200)
    found = one_sided_p(partial(share_correct, right, None), 0.68, "above")
    assert found == pytest.approx(norm.sf(z), rel=1e-6)


def test_it_is_at_most_half_of_alpha_if_and_only_if_the_interval_is_on_the_side() -> None:
    for seed in range(30):
        at = partial(paired_difference, answers(seed), answers(seed + 100, 0.6), CODES)
        shown = one_sided_p(at, 0.0, "above") <= 0.025
        assert shown == (at(0.95).low > 0.0)


def test_the_threshold_is_on_the_side_only_if_inclusive() -> None:
    def at(_: float) -> Estimate:
        return Estimate(0.5, 0.5, 0.5, 1, 1)

    assert one_sided_p(at, 0.5, "above") == 1.0
    assert one_sided_p(at, 0.5, "above", inclusive=True) == LEAST_P
    assert one_sided_p(at, 0.4, "above") == LEAST_P
    right = partial(share_correct, answers(2), CODES)  # an estimate on the other side shows nothing
    assert one_sided_p(right, 0.9, "above") == one_sided_p(right, 0.1, "below") == 1.0


def test_the_interval_of_a_difference_of_drops_is_that_of_a_paired_mean_if_many_differ() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.random(4000) < share for share in (0.9, 0.6, 0.8, 0.7)]
    changes = arrays[0] * 1.0 - arrays[1] - arrays[2] + arrays[3]
    half = 1.96 * changes.std(ddof=1) / np.sqrt(4000)
    found = difference_of_drops((arrays[0], arrays[1]), (arrays[2], arrays[3]))
    assert found.value == pytest.approx(changes.mean())
    assert found.high - found.value == pytest.approx(half, rel=0.03)
    assert found.value - found.low == pytest.approx(half, rel=0.03)
    same = np.ones(50, bool), np.arange(50) < 40  # equal changes still have an interval
    found = difference_of_drops(same, same)
    assert found[:3] == pytest.approx((0, -0.1427, 0.1427), abs=1e-3)


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
    # tests that were planned but not made count, as if they had found nothing
    assert holm_of_planned([0.01, None, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06)]
    assert holm_of_planned([None, 0.02, None, None]) == [None, pytest.approx(0.08), None, None]
    assert holm_of_planned([None]) == [None]
    with pytest.raises(ValueError, match="p-values must be"):
        holm([0.5, float("nan")])
