"""What trackers are given of the golden figures, under which names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest
from golden_runs import FIGURES, MODELS, SETS, runs

from crossexam.reports.report import Report
from crossexam.reports.tracking import track_report
from crossexam.training import trackers


def numbers_of(model: str, test_set: str) -> Iterator[tuple[str, float]]:
    """Yield what a tracker should have of a test set: accuracy and drop with their ends, or their bounds."""
    start = f"{model}|{test_set}"
    drop = "drop" if f"{start}|drop|" in FIGURES else "difference"
    for name, statistic in (("accuracy", "accuracy"), ("drop", drop)):
        figure = FIGURES.get(f"{start}|{statistic}|")
        if figure is None:
            continue
        if figure["value"] is None:
            for end in ("least", "most"):
                yield f"{test_set}/{name}_{end}", FIGURES[f"{start}|{statistic}_{end}|"]["value"]
        else:
            yield f"{test_set}/{name}", figure["value"]
        yield from ((f"{test_set}/{name}_{end}", figure[end]) for end in ("low", "high"))


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
    wrong = []
    for model, found in given.items():
        right = dict(pair for name in SETS for pair in numbers_of(model, name))
        names = trackers.legal_names(right, trackers.TRACKERS[tracker].illegal)
        held = {names[name]: value for name, value in right.items()}
        assert found.keys() == held.keys()
        wrong += [
            f"{model}, {name}: {found[name]} for {value}"
            for name, value in held.items()
            if not math.isclose(found[name], value, rel_tol=1e-7, abs_tol=1e-9)
        ]
    assert not wrong, "\n".join(wrong)
