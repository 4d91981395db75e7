"""The choice of a headline: at which confidence and level each of the drops is tested."""

import pytest

from crossexam.core.estimate import Estimate
from crossexam.evaluation.candidates import HeadlineChoice


@pytest.mark.parametrize(("low", "is_significant"), [(0.001, True), (0.0, False)])
def test_a_drop_is_tested_at_its_share_of_the_level(low: float, is_significant: bool) -> None:
    """The interval that is shown is adjusted to 95 %, even if the level is stricter."""
    asked = list[float]()

    def at(confidence: float) -> Estimate:
        asked.append(confidence)
        return Estimate(0.1, low, 0.3, 50, 50)

    found = HeadlineChoice(4, alpha=0.01).candidate(at, 0.0025)
    assert asked == pytest.approx([1 - 0.05 / 4, 1 - 0.01 / 4])
    assert (found.p_value, found.is_significant) == (0.01, is_significant)
    assert not HeadlineChoice(4, alpha=0.01).candidate(at, 0.0026).is_significant
