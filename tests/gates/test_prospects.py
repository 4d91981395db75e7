"""What so many items could show, where the interval of a share is cut off."""

import numpy as np
import pytest
from scipy import stats

from crossexam.evaluation.quantities import Flags, share_of
from crossexam.gates.prospects import prospects_of
from crossexam.gates.rules import Limit


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
