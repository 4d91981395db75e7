"""What trackers are given of the golden figures, under which names."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest
from golden_runs import MODELS, SETS, measured, runs

from crossexam.reports.report import Report
from crossexam.reports.tracking import track_report
from crossexam.training import trackers


def numbers_of(model: str) -> Iterator[tuple[str, float]]:
    """Yield what a tracker should have: accuracy and drop of each test set with their ends, or bounds."""
    for test_set in SETS:
        for name, figure, bounds in measured(model, test_set):
            start = f"{test_set}/{name}"
            values = {f"{start}_{end}": bound["value"] for end, bound in bounds.items()}
            yield from (values or {start: figure["value"]}).items()
            yield from ((f"{start}_{end}", figure[end]) for end in ("low", "high"))


def fake_of(found: dict[str, dict[str, float]]) -> Any:
    """MLflow and W&B as far as they are used: keeps in *found* the metrics of each run."""
    fake = MagicMock()

    def start(run_name: str, nested: bool) -> Any:
        fake.log_metrics.side_effect = lambda metrics, step: found.update({run_name: dict(metrics)})
        return MagicMock()

    def init(name: str, **_: Any) -> Any:
        return MagicMock(summary=found.setdefault(name, {}), dir="a/b", url="")

    fake.start_run.side_effect, fake.init.side_effect = start, init
    return fake


@pytest.mark.parametrize("tracker", ["mlflow", "wandb"])
def test_trackers_have_the_golden_figures(tracker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, dict[str, float]] = {}
    fake = fake_of(given)
    monkeypatch.setattr(Report, "save", lambda self, path: path.write_text("", encoding="utf-8"))
    monkeypatch.setattr(trackers, "find_spec", lambda name: name)
    monkeypatch.setattr(trackers, "import_module", lambda name: fake)
    track_report(Report(runs()), tracker)
    assert tuple(given) == MODELS
    for model, found in given.items():
        right = dict(numbers_of(model))
        names = trackers.legal_names(right, trackers.TRACKERS[tracker].illegal)
        held = {names[name]: value for name, value in right.items()}
        assert found == pytest.approx(held, rel=1e-7, abs=1e-9), model
