"""What so many items could show of a share, and how many would settle the check."""

import numpy as np
import pytest
from scipy import stats

from crossexam.evaluation.quantities import Flags, share_of
from crossexam.gates.prospects import prospects_of
from crossexam.gates.rules import Limit
from crossexam.stats.estimate import exact_share
from made.gated import DEV, check_of
from made.runs import dataset, run_of


@pytest.mark.parametrize("side", ["above", "below"])
def test_prospects_of_a_model_that_gets_all_wrong_or_all_right(side: str) -> None:
    """The bound of the other side alone tells how many items there are: 60.

    0.9 to the power of 29 is the first that is below 0.05.
    """
    flags = np.full(60, side == "below")
    share = share_of(Flags(flags, flags, np.ones(60, dtype=bool), (np.arange(60),)), 0.05)
    limit = Limit(side, 0.1 if side == "above" else 0.9)  # type: ignore[arg-type]
    found = prospects_of(share, limit, 0.05)
    count = next(k for k in range(61) if stats.binom.sf(k - 1, 60, 0.9) <= 0.05)
    detectable = found.detectable if side == "below" else 1 - found.detectable  # type: ignore[operator]
    assert stats.binom.sf(count - 1, 60, detectable) == pytest.approx(0.8)
    assert found.items_needed == 29


@pytest.mark.parametrize(("right", "limit"), [(280, 0.95), (288, 0.95), (200, 0.7)])
def test_an_open_check_says_what_is_detectable_and_how_many_items_settle_it(right: int, limit: float) -> None:
    """With a power of four in five, and if the value stays as it is; some fewer items do not."""
    run = run_of({DEV: "E" * right + "N" * (300 - right)}, dataset(DEV, "E" * 300))
    found = check_of(run, {"measure": "accuracy", "min": limit})
    assert found.outcome == "open"
    shown = [exact_share(np.arange(300) < k).high < limit for k in range(301)]
    power = float(stats.binom.pmf(np.arange(301), 300, found.detectable) @ shown)
    assert power == pytest.approx(0.8, abs=0.005)
    side = "less" if right / 300 < limit else "greater"
    for factor, settled in ((0.85, False), (1.1, True)):
        n = round(found.items_needed * factor)
        p = stats.binomtest(round(right / 300 * n), n, limit, alternative=side).pvalue
        assert (p <= 0.025) == settled
