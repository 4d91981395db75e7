"""Runs that are made for tests of gates: a base, a test set that is paired with it, and answers as wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.manifest import RunManifest
from made.gated import MakeRun, suite
from made.runs import run_of


@pytest.fixture(scope="session")
def datasets() -> dict[str, Dataset]:
    return suite()


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
        said = {}
        for name, dataset in of.items():
            flags = np.asarray((right or {}).get(name, np.ones(len(dataset), dtype=bool)))
            said[name] = ["ENC"[label] for label in (dataset.labels() + ~flags) % 3]
            for row in (unanswered or {}).get(name, ()):
                said[name][row] = "?"
        whole = {name: "".join(letters) for name, letters in said.items()}
        return replace(run_of(whole, model=model, sure=sure), datasets=of, manifest=RunManifest(**manifest))

    return make
