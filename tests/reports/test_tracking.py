"""What trackers are given of the golden figures, under which names."""

from collections.abc import Iterator

import pytest
from golden_runs import MODELS, SETS, measured, runs

from crossexam.reports.results import results_of
from crossexam.reports.tracking import metrics_of


def numbers_of(model: str) -> Iterator[tuple[str, float]]:
    """Yield what a tracker should have: accuracy and drop of each test set with their ends, or bounds."""
    for test_set in SETS:
        for name, figure, bounds in measured(model, test_set):
            start = f"{test_set}/{name}"
            values = {f"{start}_{end}": bound["value"] for end, bound in bounds.items()}
            yield from (values or {start: figure["value"]}).items()
            yield from ((f"{start}_{end}", figure[end]) for end in ("low", "high"))


def test_trackers_have_the_golden_figures() -> None:
    found = metrics_of(results_of(runs()))
    assert tuple(found) == MODELS
    for model in MODELS:
        assert found[model] == pytest.approx(dict(numbers_of(model)), rel=1e-7, abs=1e-9), model
