"""Chances of counts, against sums over all counts."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from crossexam.stats.chances import binomial_chances, improbable_count


def test_the_improbable_count_is_the_first_that_is_reached_so_rarely() -> None:
    for n, share, level in product((1, 2, 9, 300), (0.0, 0.01, 0.37, 0.95, 1.0), (1e-9, 0.013, 0.6)):
        reached = binomial_chances(n, share)[::-1].cumsum()[::-1]  # of 0, 1, ..., n or more
        found = improbable_count(n, share, level)
        assert found == np.count_nonzero(reached > level), (n, share, level)
        assert found > 0


@pytest.mark.parametrize("n", [40, 5000])
def test_chances_are_scipys(n: int) -> None:
    assert binomial_chances(n, 0.37) == pytest.approx(
        binom.pmf(np.arange(n + 1), n, 0.37), rel=1e-9, abs=1e-300
    )
