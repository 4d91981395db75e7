"""crossexam report: one report in several files, and in trackers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.training import trackers
from crossexam.training.trackers import OpenRun
from made.commands import Crossexam


@pytest.fixture
def runs(sets: Path, crossexam: Crossexam) -> Path:
    for model in ("overlap", "neutral"):
        crossexam(f"run builtin/{model} base.tiny.parquet -o {model}")
    return sets


def test_a_report_is_tracked_with_its_files(
    runs: Path, crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers: tests/reports/test_tracking.py."""
    given: list[Any] = []

    @contextmanager
    def keep(name: str, parameters: Any, folder: Path) -> Iterator[OpenRun]:
        def add(folder: Path) -> None:
            given.append((parameters["model"], sorted(path.name for path in folder.iterdir())))

        yield OpenRun("place", lambda metrics, step: None, add)

    kept = replace(trackers.TRACKERS["mlflow"], open=keep)
    monkeypatch.setattr(trackers, "TRACKERS", {"json": kept})  # a package that is there
    said = crossexam("report neutral overlap -o x.md --track json --track json")
    assert "json: builtin/overlap: place" in said.err
    files = ["report.html", "report.json"]
    assert given == [(f"builtin/{name}", files) for name in ("neutral", "overlap")]


def test_a_report_is_written_in_several_formats_or_in_none(runs: Path, crossexam: Crossexam) -> None:
    crossexam("report neutral -o a.csv -o b.md")
    assert all((runs / name).stat().st_size for name in ("a.csv", "b.md"))
    assert "'.xyz'" in crossexam("report neutral -o c.csv -o d.xyz", 2).err
    assert not (runs / "c.csv").exists()
    assert "'mlflwo'" in crossexam("report nowhere --track mlflwo", 2).err  # before anything is read
