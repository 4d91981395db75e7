"""Reports in experiment trackers: names, errors, and MLflow and W&B themselves where installed."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.core.errors import MissingExtraError
from crossexam.interop import trackers
from crossexam.interop.trackers import REPORT_TRACKERS, TrackedRun, legal_names, track_runs


@pytest.fixture
def tracked(tmp_path: Path) -> list[TrackedRun]:
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "report.html").write_text("<p>page</p>")
    (folder / "report.json").write_text("{}")
    metrics = {"negation.x (proposed)/accuracy": 0.75, "negation.x [proposed]/accuracy": 0.5}
    return [
        TrackedRun(name, metrics, {"model": name, "model_key": "k" * 32, "suite": "0123456789abcdef"}, folder)
        for name in ("hf/one", "hf/two")
    ]


def needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: extra {package}")


def test_names_are_made_legal_and_stay_different() -> None:
    illegal = re.compile(r"[^\w/]")
    names = ["a.b/accuracy", "a-b/accuracy", "a_b/accuracy", "c"]
    legal = ["a_b/accuracy", "a_b/accuracy_2", "a_b/accuracy_3", "c"]
    assert list(legal_names(names, illegal).values()) == legal


def test_a_tracker_that_cannot_take_the_report_is_one_error(
    tracked: list[TrackedRun], monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    def fails(runs: object) -> list[str]:
        raise ConnectionError("no server at example.org\nand a long explanation")

    assert "no tracker of reports is called 'mlfow'" in refused(track_runs, "mlfow", tracked)
    with monkeypatch.context() as patched:
        patched.setattr(importlib.util, "find_spec", lambda name: None)
        for name in REPORT_TRACKERS:
            said = refused(MissingExtraError, track_runs, name, tracked)
            assert f"--track {name} needs the package '{name}'" in said
    monkeypatch.setattr(trackers, "REPORT_TRACKERS", {"json": fails})  # a package that is there
    said = refused(track_runs, "json", tracked)
    assert said.startswith("--track json: json did not take the report: no server")
    assert "explanation" not in said


@pytest.mark.slow
def test_mlflow_has_the_runs(
    tracked: list[TrackedRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mlflow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    places = track_runs("mlflow", tracked)

    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/mlflow.db")
    for given, place in zip(tracked, places, strict=True):
        run = client.get_run(place.removeprefix("run "))
        assert run.info.run_name == given.name
        assert run.info.status == "FINISHED"
        assert run.data.params == given.parameters
        names = ("negation.x _proposed_/accuracy", "negation.x _proposed_/accuracy_2")
        assert run.data.metrics == dict(zip(names, (0.75, 0.5), strict=True))
        files = [each.path for each in client.list_artifacts(run.info.run_id, "report")]
        assert files == ["report/report.html", "report/report.json"]


@pytest.mark.slow
def test_wandb_has_the_runs_without_a_network(
    tracked: list[TrackedRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("wandb")
    monkeypatch.chdir(tmp_path)
    for name in ("WANDB_MODE", "WANDB_PROJECT", "WANDB_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    places = track_runs("wandb", tracked)
    for given, place in zip(tracked, places, strict=True):
        folder = tmp_path / Path(place.removeprefix("wandb sync "))
        assert folder.parent.name == "wandb"
        assert "offline-run" in folder.name
        (record,) = [path.read_bytes() for path in folder.glob("*.wandb")]
        key = given.parameters["model_key"]
        for text in (given.name, key, "negation_x__proposed_/accuracy", "report.html"):
            assert text.encode() in record, text
