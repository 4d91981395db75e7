"""Shares: their p-values are binomial tails, so that checks keep their level near 0 and 1, too."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from crossexam.stats.estimate import share_correct
from crossexam.stats.unpaired import difference
from made.gated import check_of
from made.runs import dataset, run_of

NAME = "base.dev"


def first(right: int, n: int) -> Any:
    return np.arange(n) < right


@pytest.mark.parametrize(("right", "n", "limit"), [(97, 100, 0.99), (280, 300, 0.9), (0, 20, 0.5)])
def test_p_values_are_binomial_tails(right: int, n: int, limit: float) -> None:
    run = run_of({NAME: "E" * right + "N" * (n - right)}, dataset(NAME, "E" * n))
    check = check_of(run, {"set": NAME, "measure": "accuracy", "min": limit})
    less, more = (binomtest(right, n, limit, alternative=side).pvalue for side in ("less", "greater"))
    assert check.p_broken == pytest.approx(less if less < 0.5 else 1, rel=1e-4)
    assert check.p_holds == pytest.approx(more if more < 0.5 else 1, rel=1e-4)
    assert check.value == share_correct(first(right, n))  # the interval that is shown is that of the report


def test_the_p_value_of_an_unpaired_drop_is_from_exact_intervals() -> None:
    """Newcombe's bound, made of limits of Clopper and Pearson, touches the limit at 1 - 2p."""
    base, other = dataset(NAME, "E" * 100), dataset("other.dev", "E" * 100, NAME, paired=False)
    said = {NAME: "E" * 99 + "N", other.name: "N" * 15 + "E" * 85}
    check = check_of(run_of(said, base, other), {"set": "other.*", "measure": "drop", "max": 0.05})
    assert check.value == difference(first(99, 100), first(85, 100), range(100), range(99, -1, -1))
    low_of_base, high_of_set = beta.ppf(check.p_broken, 99, 2), beta.isf(check.p_broken, 86, 15)
    distances = np.array([0.99 - low_of_base, high_of_set - 0.85])
    # the correlation by the premises that the two share; a quarter of a wrong item shrinks it
    x, y = first(99, 100) - 0.99, first(85, 100)[::-1] - 0.85
    r = x @ y / np.sqrt((x @ x + 0.25) * (y @ y + 0.25))
    distance = np.sqrt(distances @ distances - 2 * r * distances.prod())
    assert 0.14 - distance == pytest.approx(0.05, abs=1e-4)
