"""Runs that are made for tests of gates: a base, a test set that is paired with it, and answers as wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, Gold
from crossexam.core.outcome import CODES, Outcomes

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]

MakeRun = Callable[..., Run]
ITEMS = 300


def suite(n: int = ITEMS) -> dict[str, Dataset]:
    """A base and a test set ``negation.dev`` over it, of *n* items in clusters of three."""
    base, items = [], []
    for k in range(n):
        label: Gold = LABELS[k % 3]
        info = {"cluster": f"c{k // 3}"}
        base.append(Example(f"b{k}", f"Premise {k // 3}.", f"Hypothesis {k}.", label, info=info))
        items.append(Example(f"n{k}", f"Premise {k // 3}.", f"Changed {k}.", label, base=f"b{k}", info=info))
    of_items = {"construction": "negation.v1", "part": "dev", "base_set": "base.dev", "keeps_label": True}
    return {
        "base.dev": Dataset("base.dev", tuple(base), {"construction": "base", "part": "dev"}),
        "negation.dev": Dataset("negation.dev", tuple(items), of_items),
    }


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
        return Run(model, of, rows, manifest, {}, outcomes)

    return make
