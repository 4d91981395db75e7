"""A short version of bench/coverage.py: a few samples of its hardest designs, with a fixed seed."""

from __future__ import annotations

import importlib.util
import sys
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

from crossexam.stats import losses


def _bench() -> ModuleType:
    path = Path(__file__).parents[2] / "bench" / "coverage.py"
    spec = importlib.util.spec_from_file_location("bench_coverage", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_coverage"] = module
    spec.loader.exec_module(module)
    return module


BENCH = _bench()
CELLS = {(cell.number, cell.design): cell for cell in chain.from_iterable(topic() for topic in BENCH.TOPICS)}
SAMPLES = 100

#: Designs in which an interval, a test or a gate was not nominal before it allowed for them.
HARD = [
    ("accuracy 99%", "100 items"),
    ("accuracy 80%", "999 items, 100 Zipf clusters, ICC 1"),
    ("mean of 3 sets, 99%", "30 items each"),
    ("drop 99% to 98%", "50 items"),
    ("unpaired drop 95% to 60%", "1,500 items, 3 a cluster, ICC 0.5"),
    ("McNemar, large clusters favour one", "100 clusters, 5% of 20, 50% of them won"),
    ("accuracy 50%, antonymy", "688 items, 30 word pairs, variance of pairs 60%"),
    ("ECE", "50 items, 0.985 to 0.998, calibrated"),
    ("ECE", "100 items, 0.995 to 0.9999, twice the errors"),
    ("class-wise ECE", "100 items, 0.96 to 0.99, twice the errors"),
    ("Brier score", "50 items, 0.96 to 0.99, calibrated"),
    ("log loss", "300 items, 0.985 to 0.998, calibrated"),
    ("AURC", "100 items, 0.5 to 0.99, calibrated"),
    ("Brier score, rare large losses", "100 items"),
    ("kappa 0.97", "50 items"),
    ("share at its limit of 0.1%, broken, any of 50", "50 items"),
    ("share at its limit of 1.0%, broken, any of 1", "300 items"),
    ("ECE at its limit, broken", "50 items, 0.96 to 0.99"),
    ("ECE, detectable with 30 checks", "300 items, limit 5 %"),
]


@pytest.mark.parametrize(("number", "design"), HARD)
def test_the_hardest_designs_are_nominal(number: str, design: str) -> None:
    cell = CELLS[number, design]
    assert BENCH.is_nominal(cell, BENCH.share_of(cell, SAMPLES), SAMPLES)


def test_a_fault_is_not_nominal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what errors would cost, the log loss of a strong model has the t interval alone."""
    monkeypatch.setattr(losses, "reach_of_errors", lambda *_: (0.0, 0.0))
    cell = CELLS["log loss", "50 items, 0.96 to 0.99, calibrated"]
    assert not BENCH.is_nominal(cell, BENCH.share_of(cell, SAMPLES), SAMPLES)


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [("coverage", 0.94, 0.85), ("level", 0.05, 0.2), ("gate", 0.02, 0.12), ("power", 0.8, 0.5)],
)
def test_what_is_nominal(kind: str, inside: float, outside: float) -> None:
    cell = next(cell for cell in CELLS.values() if cell.kind == kind)
    assert BENCH.is_nominal(cell, inside, 1000)
    assert not BENCH.is_nominal(cell, outside, 1000)
    assert set(BENCH.NOMINAL) == {cell.kind for cell in CELLS.values()}


def test_a_row_of_ranges_names_what_is_not_nominal() -> None:
    one, other = (BENCH.Cell("coverage", "accuracy", design, None) for design in ("few", "many"))
    assert [*BENCH.ranges([(one, 0.5), (other, 0.95)], 100)] == [
        ("accuracy", "coverage", "2", "50.0 to 95.0", "few")
    ]
