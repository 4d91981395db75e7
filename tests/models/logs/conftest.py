"""Four items about which harnesses were asked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.runs.run import predict_suite


@pytest.fixture(scope="session")
def asked() -> Dataset:
    """A test set of four items."""
    items = (Example(f"negation:{k}", f"Ann has {k} cats.", "Ann has cats.", "neutral") for k in range(4))
    return Dataset("negation.dev", tuple(items), {"construction": "negation"})


@pytest.fixture
def run(asked: Dataset) -> Callable[..., Any]:
    """Return a function that takes the answers of a log, about these items if no others are given."""

    def answered(log: Path, tests: Any = asked, **options: Any) -> Any:
        return predict_suite(f"log/{log}", tests, options=options)

    return answered
