"""A short version of bench/coverage.py: a few samples of its hardest designs, with a fixed seed."""

import sys
from collections.abc import Callable
from itertools import chain

import pytest

from crossexam.stats import losses
from made.scripts import ROOT, script

sys.path.append(str(ROOT / "bench"))  # for its topics; last, as there is a package of this name
BENCH = script("bench/coverage.py")
CELLS = {(cell.number, cell.design): cell for cell in chain.from_iterable(topic() for topic in BENCH.TOPICS)}
SAMPLES = 100


@pytest.mark.slow
def test_the_hardest_designs_are_nominal(each_case: Callable[..., None]) -> None:
    def check(number: str, design: str) -> None:
        cell = CELLS[number, design]
        assert BENCH.is_nominal(cell, BENCH.share_of(cell, SAMPLES), SAMPLES)

    each_case(check)


def test_a_fault_is_not_nominal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what errors would cost, the log loss of a strong model has the t interval alone."""
    monkeypatch.setattr(losses, "reach_of_errors", lambda *_: (0.0, 0.0))
    cell = CELLS["log loss", "50 items, 0.96 to 0.99, calibrated"]
    assert not BENCH.is_nominal(cell, BENCH.share_of(cell, SAMPLES), SAMPLES)
