"""Reports in experiment trackers: names, errors, and MLflow and W&B themselves where installed."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError
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
    assert list(legal_names(names, illegal).values()) == [
        "a_b/accuracy",
        "a_b/accuracy_2",
        "a_b/accuracy_3",
        "c",
    ]


def test_another_name_is_an_error(tracked: list[TrackedRun]) -> None:
    with pytest.raises(UnknownNameError, match="no tracker of reports is called 'mlfow'"):
        track_runs("mlfow", tracked)


def test_a_package_that_is_missing_is_an_error(
    tracked: list[TrackedRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for name in REPORT_TRACKERS:
        with pytest.raises(MissingExtraError, match=f"--track {name} needs the package '{name}'"):
            track_runs(name, tracked)


def test_what_a_tracker_raises_is_one_error(
    tracked: list[TrackedRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(runs: object) -> list[str]:
        raise ConnectionError("no server at example.org\nand a long explanation")

    monkeypatch.setattr(trackers, "REPORT_TRACKERS", {"json": fails})  # a package that is there
    with pytest.raises(CrossexamError, match="json did not take the report: no server") as told:
        track_runs("json", tracked)
    assert "explanation" not in str(told.value)
    assert told.value.where == "--track json"


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
        assert run.data.metrics == {
            "negation.x _proposed_/accuracy": 0.75,
            "negation.x _proposed_/accuracy_2": 0.5,
        }
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
        records = [path.read_bytes() for path in folder.glob("*.wandb")]
        assert len(records) == 1
        for text in (
            given.name,
            given.parameters["model_key"],
            "negation_x _proposed_/accuracy",
            "report.html",
        ):
            assert text.replace(" ", "_").encode() in records[0], text
