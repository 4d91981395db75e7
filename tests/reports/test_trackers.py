"""Experiment trackers: names, errors, and MLflow, W&B and TensorBoard themselves where installed."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import MissingExtraError
from crossexam.training import trackers
from crossexam.training.trackers import (
    TRACKERS,
    OpenRun,
    TrackedRun,
    checked_tracker,
    legal_names,
    open_run,
    track_runs,
)
from made.cases import refused


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


def test_names_are_made_legal_and_stay_different() -> None:
    illegal = re.compile(r"[^\w/]")
    names = ["a.b/accuracy", "a-b/accuracy", "a_b/accuracy", "c"]
    legal = ["a_b/accuracy", "a_b/accuracy_2", "a_b/accuracy_3", "c"]
    assert list(legal_names(names, illegal).values()) == legal


def test_a_tracker_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(checked_tracker, "tensorboard", files=True)
    assert "no tracker of reports is called 'tensorboard'" in said
    monkeypatch.setattr(trackers, "find_spec", lambda name: None)
    said = refused(MissingExtraError, checked_tracker, "mlflow")
    assert "--track mlflow needs the package 'mlflow'" in said


def test_a_tracker_that_fails_is_one_error(
    tracked: list[TrackedRun], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> Any:
        raise ConnectionError("no server at example.org\nand a long explanation")

    def trains() -> None:
        with open_run("json", "m", {}, tmp_path) as run:
            run.log({"loss": 1.0}, 3)

    for opens in (fail, lambda *_: nullcontext(OpenRun("here", fail, fail))):
        broken = replace(TRACKERS["mlflow"], open=opens)
        monkeypatch.setattr(trackers, "TRACKERS", {"json": broken})  # a package that is there
        for said in (refused(track_runs, "json", tracked), refused(trains)):
            assert said.startswith("--track json: json failed: no server at example.org\n")
            assert "explanation" not in said
    with pytest.raises(ValueError, match="mine"), open_run("json", "m", {}, tmp_path):  # not the tracker's
        raise ValueError("mine")


def log_epochs(name: str, folder: Path) -> str:
    """Log two epochs of a training, whose dev sets have names that no tracker takes as they are."""
    with open_run(name, "out", {"epochs": 2, "clip": None}, folder) as run:
        for epoch in (1, 2):
            run.log({"train_loss": 1 / epoch, "dev/x.jsonl[:5]": 50.0 + epoch}, 10 * epoch)
    return run.place


@pytest.mark.slow
def test_mlflow_has_the_runs(
    tracked: list[TrackedRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mlflow", reason="extra mlflow")
    server = f"sqlite:///{tmp_path}/mlflow.db"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    places = track_runs("mlflow", tracked)

    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=server)
    names = ("negation.x _proposed_/accuracy", "negation.x _proposed_/accuracy_2")
    for given, place in zip(tracked, places, strict=True):
        run = client.get_run(place.removeprefix("run "))
        assert (run.info.run_name, run.data.params) == (given.name, given.parameters)
        assert run.data.metrics == dict(zip(names, (0.75, 0.5), strict=True))
        files = [each.path for each in client.list_artifacts(run.info.run_id, "report")]
        assert files == ["report/report.html", "report/report.json"]
    run_id = log_epochs("mlflow", tmp_path).removeprefix("run ")
    values = client.get_metric_history(run_id, "dev/x.jsonl__5_")
    assert [(each.step, each.value) for each in values] == [(10, 51.0), (20, 52.0)]


@pytest.mark.slow
def test_wandb_has_the_runs_without_a_network(
    tracked: list[TrackedRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wandb", reason="extra wandb")
    monkeypatch.chdir(tmp_path)
    for name in ("WANDB_MODE", "WANDB_PROJECT", "WANDB_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    places = [*track_runs("wandb", tracked), log_epochs("wandb", tmp_path)]
    import wandb

    wandb.teardown()  # else its service may still be writing
    logs = [next((tmp_path / each.removeprefix("wandb sync ")).glob("*.wandb")) for each in places]
    for given, log in zip(tracked, logs, strict=False):
        assert "offline-run" in log.parent.name
        for text in (given.name, "k" * 32, "negation_x__proposed_/accuracy", "report.html"):
            assert text.encode() in log.read_bytes(), text
    assert b"dev/x_jsonl__5_" in logs[-1].read_bytes()


@pytest.mark.slow
def test_tensorboard_has_the_epochs(tmp_path: Path) -> None:
    for package in ("tensorboard", "torch"):
        pytest.importorskip(package, reason="extra tensorboard")
    place = log_epochs("tensorboard", tmp_path)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(place).Reload()
    assert [(each.step, each.value) for each in events.Scalars("dev/x.jsonl[:5]")] == [(10, 51), (20, 52)]
