"""Roots against scipy, on functions that are smooth, steep, infinite, or that jump."""

from collections.abc import Callable
from math import atan, expm1, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from crossexam.stats.roots import crossing

#: Functions of the distance *d* from the root, rising from -1 to 1.
SHAPES: dict[str, Callable[[float], float]] = {
    "straight": lambda d: d,
    "exponential": lambda d: expm1(20 * d),
    "step": lambda d: atan(1e6 * d),
    "jump": lambda d: d + (1e150 if d > 0 else -1),
}


@given(st.sampled_from([*SHAPES]), st.floats(-0.9, 0.9), st.sampled_from([1e-5, 1e-9, 1e-13]))
def test_the_crossing_is_brents(shape: str, root: float, tolerance: float) -> None:
    found = crossing(lambda x: SHAPES[shape](x - root), -1.0, 1.0, tolerance)
    theirs = brentq(lambda x: SHAPES[shape](x - root), -1.0, 1.0, xtol=1e-14)
    assert abs(found - theirs) <= tolerance + 1e-13


def test_infinite_values_and_no_crossing() -> None:
    found = crossing(lambda x: -inf if x < 0 else inf if x > 0.9 else x - 0.25, -1.0, 1.0, 1e-12)
    assert found == pytest.approx(0.25, abs=1e-12)
    # without a crossing it is the end that is nearer
    assert crossing(lambda x: x + 5, -1.0, 1.0) == -1.0
    assert crossing(lambda x: x - 5, -1.0, 1.0) == 1.0
    assert crossing(lambda x: x, 0.5, 0.5) == 0.5
