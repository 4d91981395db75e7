"""Runs that are made for tests of gates: a base, a test set that is paired with it, and answers as wanted."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import CODES, Outcomes

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

from gated import MakeRun, suite


@pytest.fixture(scope="session")
def datasets() -> dict[str, Dataset]:
    return suite()


def rows_of(dataset: Dataset, right: Sequence[bool] | np.ndarray[Any, Any], sure: float = 0.8) -> Any:
    """Probabilities that are right where *right* says so, and else on the next label."""
    winners = (dataset.labels() + ~np.asarray(right, dtype=bool)) % 3
    rows = np.full((len(dataset), 3), (1 - sure) / 2)
    rows[np.arange(len(dataset)), winners] = sure
    return rows


@pytest.fixture(scope="session")
def make_run(datasets: dict[str, Dataset]) -> MakeRun:
    """Return a function that makes a run from which items are right, by test set; all of the others are."""

    def make(
        right: Mapping[str, Any] | None = None,
        unanswered: Mapping[str, Sequence[int]] | None = None,
        *,
        of: Mapping[str, Dataset] = datasets,
        model: str = "mine",
        sure: float = 0.8,
        **manifest: Any,
    ) -> Run:
        rows, outcomes = {}, {}
        for name, dataset in of.items():
            flags = (right or {}).get(name, np.ones(len(dataset), dtype=bool))
            rows[name] = rows_of(dataset, flags, sure)
            missing = list((unanswered or {}).get(name, ()))
            if missing:
                codes = np.zeros(len(dataset), dtype=np.int8)
                codes[missing] = CODES["refused"]
                rows[name][missing] = np.nan
                outcomes[name] = Outcomes(codes, np.full(len(dataset), np.nan))
        return Run(model, of, rows, RunManifest(**manifest), {}, outcomes)

    return make
