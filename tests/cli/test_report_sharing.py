"""crossexam report: model cards and trackers, with a tracker of our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import Example
from crossexam.core.labels import Gold
from crossexam.core.test_sets import write_test_set
from crossexam.interop import trackers
from crossexam.interop.trackers import TrackedRun
from crossexam.reports.tracking import suite_hash
from crossexam.runs.saved import read_run

Crossexam = Callable[..., Any]


@pytest.fixture
def runs(folder: Path, crossexam: Crossexam) -> Path:
    """The working folder, with two runs over a test set of four items."""
    labels: tuple[Gold, ...] = ("entailment", "entailment", "entailment", "neutral")
    examples = [Example(str(k), "A man sleeps.", f"He sleeps {k}.", label) for k, label in enumerate(labels)]
    write_test_set(folder / "base.tiny.parquet", examples)
    for model in ("overlap", "neutral"):
        crossexam(f"run builtin/{model} base.tiny.parquet -o {model}")
    return folder


def test_a_report_is_tracked_with_numbers_parameters_and_files(
    runs: Path, crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[TrackedRun] = []
    files: list[list[str]] = []

    def keep(tracked: Sequence[TrackedRun]) -> list[str]:
        given.extend(tracked)
        files.extend(sorted(path.name for path in each.folder.iterdir()) for each in tracked)
        return [f"place {number}" for number, _ in enumerate(tracked)]

    monkeypatch.setattr(trackers, "REPORT_TRACKERS", {"json": keep})  # a package that is there
    said = crossexam("report neutral overlap -o x.md --track json --track json")
    assert [line for line in said.err.splitlines() if line.startswith("json")] == [
        "json: builtin/neutral: place 0",
        "json: builtin/overlap: place 1",
    ]
    assert files == [["report.html", "report.json"]] * 2
    first = given[0]
    assert first.metrics["base.tiny/accuracy"] == 0.25
    assert first.metrics["base.tiny/accuracy_low"] < 0.25 < first.metrics["base.tiny/accuracy_high"]
    run = read_run(runs / "neutral")
    assert first.parameters["model"] == "builtin/neutral"
    assert first.parameters["model_key"] == run.manifest["model_key"]
    assert first.parameters["suite"] == suite_hash(run) == given[1].parameters["suite"]


def test_a_report_is_written_in_several_formats_or_in_none(runs: Path, crossexam: Crossexam) -> None:
    crossexam("report neutral -o a.csv -o b.md")
    assert all((runs / name).stat().st_size for name in ("a.csv", "b.md"))
    assert "'.xyz'" in crossexam("report neutral -o c.csv -o d.xyz", 2).err
    assert not (runs / "c.csv").exists()
    assert "'mlflwo'" in crossexam("report nowhere --track mlflwo", 2).err  # before anything is read
