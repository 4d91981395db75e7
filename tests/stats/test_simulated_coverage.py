"""A short version of bench/coverage.py: a few samples of its hardest designs, with a fixed seed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest

from crossexam.stats import losses
from made.scripts import ROOT, script

sys.path.append(str(ROOT / "bench"))  # for its topics; last, as there is a package of this name
BENCH = script("bench/coverage.py")
CELLS = {(cell.number, cell.design): cell for cell in chain.from_iterable(topic() for topic in BENCH.TOPICS)}
SAMPLES = 100

#: Simulations of one kind each, whose designs take longer together.
SLOW = [
    *("accuracy 50%", "accuracy 80%", "accuracy 95%", "balanced accuracy", "sensitivity to templates"),
    *("drop 80% to 70%", "drop 80% to 80%", "difference of two drops", "difference in balanced accuracy"),
    *("unpaired drop 80% to 70%", "unpaired drop 95% to 60%", "spread over templates", "consistency bars"),
    *("McNemar's test by cluster", "McNemar's test, mid-p", "p of unseen pairs", "p of insensitivity"),
    *("odds ratio", "Cramér's V", "Fleiss' kappa", "Krippendorff's alpha", "Cohen's kappa"),
    *("all ranks, test set", "all ranks, mean of 2 sets", "difference in ECE", "ECE", "ROC AUC"),
    *("Brier score", "log loss", "Brier score, rare large losses", "AURC"),
    *("accuracy at 80 %", "coverage at 5 % risk"),
]


@pytest.mark.slow
def test_the_hardest_designs_are_nominal(each_case: Callable[..., None]) -> None:
    def check(number: str, design: str) -> None:
        cell = CELLS[number, design]
        assert BENCH.is_nominal(cell, BENCH.share_of(cell, SAMPLES), SAMPLES)

    each_case(check)


@pytest.mark.slow
@pytest.mark.parametrize("number", SLOW)
def test_the_designs_of_a_statistic_are_nominal(number: str) -> None:
    """Every fourth of them; bench/coverage.py has all, with more samples."""
    cells = [cell for (each, _), cell in CELLS.items() if each == number][::4]
    found = {cell.design: BENCH.simulated(cell, SAMPLES) for cell in cells}
    assert found
    assert [design for design, each in found.items() if not each.is_nominal] == []


def test_a_fault_is_not_nominal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what errors would cost, the log loss of a strong model has the t interval alone."""
    monkeypatch.setattr(losses, "reach_of_errors", lambda *_: (0.0, 0.0))
    cell = CELLS["log loss", "50 items, 0.96 to 0.99, calibrated"]
    assert not BENCH.is_nominal(cell, BENCH.share_of(cell, SAMPLES), SAMPLES)


def test_what_is_nominal() -> None:
    shares = {"coverage": (0.94, 0.85), "level": (0.05, 0.2), "gate": (0.02, 0.12), "power": (0.8, 0.5)}
    assert set(BENCH.NOMINAL) == {cell.kind for cell in CELLS.values()} == set(shares)
    for cell in CELLS.values():
        inside, outside = shares[cell.kind]
        assert BENCH.is_nominal(cell, inside, 1000)
        assert not BENCH.is_nominal(cell, outside, 1000)
    assert len(CELLS) == sum(1 for topic in BENCH.TOPICS for _ in topic()), "a cell is there twice"


@pytest.mark.parametrize(("again", "is_nominal"), [(0.95, True), (0.5, False)])
def test_what_is_outside_is_simulated_again(again: float, is_nominal: bool) -> None:
    """A share that is outside by chance is not marked; of as many cells as there are, some are."""
    drawn = 0

    def hit(rng: np.random.Generator) -> bool:
        nonlocal drawn
        drawn += 1
        return bool(rng.random() < (0.5 if drawn <= 100 else again))

    found = BENCH.simulated(BENCH.Cell("coverage", "accuracy", "few", hit), 100)
    assert found.is_nominal == is_nominal
    assert found.share == pytest.approx(again, abs=0.1)
    assert drawn == 100 + 25 * 100
