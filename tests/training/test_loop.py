"""The training loop: its steps, which weights it keeps, when it stops, and what it resumes."""

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.training.devices import Device
from crossexam.training.loop import Epoch, LoopSettings, Trainer
from crossexam.training.objective import Objective
from crossexam.training.pipeline import LabelledBatch, ModelOutput
from crossexam.training.request import Status
from crossexam.training.scoring import Score
from crossexam.zoo.architecture import Recipe

_RECIPE = Recipe("adam", 0.1, 2, 4, source="", patience=9)


_INPUTS = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.2], [0.3, 0.9], [0.7, 0.1]])
_LABELS = torch.tensor([0, 1, 2, 1, 0, 1])
_BATCHES = [[0, 1], [2, 3], [4, 5]]


def _collate(rows: object) -> LabelledBatch:
    return LabelledBatch(_INPUTS[list(rows)], _LABELS[list(rows)])  # type: ignore[call-overload]


def _trainer(
    recipe: Recipe, accuracies: Sequence[float | tuple[float, float]] = (50, 50, 50, 50), **settings: Any
) -> Trainer:
    """A training that is scored by *accuracies*, on one development set or on two."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Dropout(0.3), nn.Linear(2, 3))
    objective = Objective(model, lambda model, inputs: ModelOutput(model(inputs), inputs))
    given = iter(accuracies)

    def score(model: nn.Module) -> dict[str, Score]:
        assert not model.training  # dropout is for training alone
        accuracy = next(given)
        each = accuracy if isinstance(accuracy, tuple) else (accuracy,)
        return {f"dev {k}": Score(value, 1.0) for k, value in enumerate(each)}

    loop_settings = LoopSettings(recipe, 5, Device("cpu"), **settings)
    return Trainer(objective, lambda epoch: Epoch(_BATCHES, _collate), score, loop_settings)


def test_weights_that_halve_and_restore_begins_epochs_with_and_that_are_kept_are_the_best(
    tmp_path: Path,
) -> None:
    seen: list[Status] = []
    recipe = replace(_RECIPE, schedule="halve-and-restore", learning_rate=1.0)
    trainer = _trainer(recipe, [50, 70, 60, 65], folder=tmp_path, watch=seen.append)
    _dropout, layer = trainer.objective.model
    at_start: list[torch.Tensor] = []

    def epoch_of(epoch: int) -> Epoch:
        at_start.append(layer.weight.detach().clone())
        return Epoch(_BATCHES, _collate)

    trainer._epoch_of = epoch_of  # type: ignore[method-assign]
    assert [record["rate"] for record in trainer.run()] == [1.0, 1.0, 1.0, 0.5]
    after_second = at_start[2]
    assert torch.equal(at_start[3], after_second)
    assert torch.equal(layer.weight, after_second)
    assert [status.done for status in seen if status.scores is None][:3] == [2, 4, 6]
    assert all(status.examples_per_second > 0 <= status.seconds_left for status in seen)


def test_of_several_dev_sets_the_mean_decides_when_to_stop_and_which_weights_are_kept(tmp_path: Path) -> None:
    parts = [(90.0, 10.0), (60.0, 60.0), (10.0, 90.0), (20.0, 80.0)]  # means of 50, 60, 50, 50
    recipe = replace(_RECIPE, patience=2, epochs=9)
    whole = _trainer(recipe, parts, folder=tmp_path / "whole", metrics=tmp_path / "m.jsonl")
    curve = whole.run()
    assert [record["dev_accuracy"] for record in curve] == [50, 60, 50, 50]
    metrics = (tmp_path / "m.jsonl").read_text()
    assert [json.loads(line)["dev"] for line in metrics.splitlines()] == [record["dev"] for record in curve]
    _trainer(replace(recipe, epochs=2), parts, folder=tmp_path / "begun").run()
    resumed = _trainer(recipe, parts[2:], folder=tmp_path / "begun")
    assert [record["dev"] for record in resumed.run()] == [record["dev"] for record in curve]
    best, again = (each.objective.model.state_dict() for each in (whole, resumed))
    assert all(torch.equal(again[name], best[name]) for name in best)
    (tmp_path / "m.jsonl").write_text(metrics.splitlines(keepends=True)[0])  # killed before all was written
    _trainer(recipe, [], folder=tmp_path / "whole", metrics=tmp_path / "m.jsonl").run()
    assert (tmp_path / "m.jsonl").read_text() == metrics


@pytest.mark.parametrize("clip", [None, 0.01])
def test_steps_are_along_the_mean_gradients_of_their_batches(clip: float | None) -> None:
    recipe = replace(_RECIPE, optimizer="sgd", learning_rate=0.5, epochs=2, clip=clip)
    trainer = _trainer(recipe, [50, 60])
    drop, layer = trainer.objective.model
    drop.p = 0.0
    plain = copy.deepcopy(layer)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.5)
    for record in trainer.run():
        losses = []
        for rows in _BATCHES:
            loss = nn.functional.cross_entropy(plain(_INPUTS[rows]), _LABELS[rows])
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(plain.parameters(), clip)
            optimizer.step()
        assert record["train_loss"] == pytest.approx(sum(losses) / 3, abs=2e-6)
    torch.testing.assert_close(layer.weight, plain.weight)
    torch.testing.assert_close(layer.bias, plain.bias)


def test_a_loss_that_is_no_number_is_told() -> None:
    trainer = _trainer(_RECIPE)
    for weight in trainer.objective.parameters():
        nn.init.constant_(weight, float("nan"))
    with pytest.raises(CrossexamError, match=r"the loss is nan at step 1 \(epoch 1, learning rate 0.1\)"):
        trainer.run()


def test_a_snapshot_of_another_training_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    _trainer(_RECIPE, folder=tmp_path, fingerprint={"seed": 1}).run()
    with pytest.raises(CrossexamError, match="another training run:\n    seed: 1 there, 2 here\n"):
        _trainer(_RECIPE, folder=tmp_path, fingerprint={"seed": 2}).run()
    (tmp_path / "snapshot.safetensors").write_bytes(b"nonsense")
    with pytest.raises(FormatError, match="not a safetensors file"):
        _trainer(_RECIPE, folder=tmp_path).run()
