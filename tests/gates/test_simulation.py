"""Gates over simulated runs with clustered items: rarely wrong, and as powerful as open checks say.

``bench/gate.py`` has the simulation, and bench/COVERAGE.md the figures of many more gates.
"""

from __future__ import annotations

from types import ModuleType

import pytest

from made.scripts import script


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return script("bench/gate.py")


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_few_gates_are_broken_without_a_loss_beyond_the_margin(bench: ModuleType, margin: float) -> None:
    """Nominal is at most 2.5 % of gates; of 100, more than 7 have a probability below 1 %."""
    design = bench.Design(40, 2, margin)
    losses = dict.fromkeys(design.datasets, margin)  # as large as it may be
    assert bench.false_alarms(design, 100, losses) <= 0.07


@pytest.mark.slow
def test_the_loss_that_would_be_shown_is_shown(bench: ModuleType) -> None:
    """Nominal is at least 80 %; of 100 gates, fewer than 70 have a probability below 1 %."""
    loss, found = bench.power(bench.Design(60, 1), 100)
    assert 0.1 < loss < 0.2
    assert found >= 0.7
