"""The training loop: schedules, optimisers, stopping, and going on after a kill."""

import copy
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.training import optimizers
from crossexam.training.devices import Device
from crossexam.training.loop import Epoch, LoopSettings, Trainer
from crossexam.training.objective import Objective
from crossexam.training.pipeline import LabelledBatch, ModelOutput
from crossexam.training.request import Status
from crossexam.training.scoring import Score
from crossexam.zoo.architecture import Recipe
from crossexam.zoo.layers import WordEmbedding

_RECIPE = Recipe("adam", 0.1, 2, 4, source="", patience=9)


def _read(model: nn.Module, inputs: torch.Tensor) -> ModelOutput:
    return ModelOutput(model(inputs), inputs)


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
    objective = Objective(nn.Sequential(nn.Dropout(0.3), nn.Linear(2, 3)), _read)
    given = iter(accuracies)

    def score(model: nn.Module) -> dict[str, Score]:
        assert not model.training  # dropout is for training alone
        accuracy = next(given)
        each = accuracy if isinstance(accuracy, tuple) else (accuracy,)
        return {f"dev {k}": Score(value, 1.0) for k, value in enumerate(each)}

    loop_settings = LoopSettings(recipe, 5, Device("cpu"), **settings)
    return Trainer(objective, lambda epoch: Epoch(_BATCHES, _collate), score, loop_settings)


def test_rates_within_an_epoch() -> None:
    assert optimizers.step_factor("constant", 10_000, 20_000) == 1
    assert optimizers.step_factor("decay", 250, 1) == pytest.approx(0.999**2)
    warming = [optimizers.step_factor("linear-warmup", step, 100) for step in (0, 9, 55, 99)]
    assert warming == pytest.approx([0.1, 1, 45 / 90, 1 / 90])


def test_rates_between_epochs() -> None:
    # Two epochs in a row did not fall below .9: .95 and .92; then .91 and .99; then .98 and .97.
    losses = [1.0, 0.9, 0.95, 0.92, 0.91, 0.99, 0.98, 0.97]
    for schedule, accuracies, rates in (
        ("constant", [50, 40, 60], [1, 1, 1]),
        ("halve-every-two", [50, 60, 40, 70], [1, 0.5, 0.5, 0.25]),
        ("halve-on-miss", [50, 50, 60, 55], [1, 0.5, 0.5, 0.25]),
        ("halve-and-restore", [50, 40, 60, 55], [1, 0.5, 0.5, 0.25]),
        ("infersent", [50, 40, 60], [0.99, 0.99**2 / 5, 0.99**3 / 5]),
        ("plateau", [50] * 8, [1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.2]),
    ):
        recipe = replace(_RECIPE, schedule=schedule, factor=0.5, plateau_patience=1, minimum_rate=0.2)
        rate, found = 1.0, []
        for epoch in range(1, len(rates) + 1):
            rate = optimizers.after_epoch(recipe, rate, accuracies[:epoch], losses[:epoch]).rate
            found.append(rate)
        assert found == pytest.approx(rates)


def test_training_stops_when_patience_ends() -> None:
    recipe = replace(_RECIPE, patience=2)
    decide = [optimizers.after_epoch(recipe, 1, a, [1] * len(a)).stop for a in ([50], [50, 40], [50, 40, 50])]
    assert decide == [False, False, True]
    assert optimizers.after_epoch(replace(recipe, schedule="infersent"), 4e-5, [50, 40], [1, 1]).stop


def test_decay_is_for_matrices_and_not_for_words() -> None:
    model = nn.ModuleDict({"words": WordEmbedding(5, 3), "layer": nn.Linear(3, 3)})
    optimizer = optimizers.make_optimizer(model, replace(_RECIPE, weight_decay=0.1))
    decayed = [p for group in optimizer.param_groups if group["weight_decay"] for p in group["params"]]
    assert len(decayed) == 1
    assert decayed[0] is model["layer"].weight  # type: ignore[union-attr]


def test_adadelta_over_the_touched_rows_of_a_table_is_torchs_to_rounding() -> None:
    def trained(optimizer_of: Callable[[nn.Module], torch.optim.Optimizer]) -> list[nn.Parameter]:
        torch.manual_seed(0)
        model = nn.Sequential(WordEmbedding(50, 4), nn.Flatten(), nn.Linear(16, 2))
        optimizer = optimizer_of(model)
        for _ in range(100):
            words = (50 * torch.rand(3, 4) ** 4).long()  # the first words far more often
            optimizer.zero_grad()
            model(words).square().sum().backward()
            optimizer.step()
        return list(model.parameters())

    recipe = replace(_RECIPE, optimizer="adadelta", learning_rate=1.0)
    touched = trained(lambda model: optimizers.make_optimizer(model, recipe))
    plain = trained(lambda model: torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.95))
    for here, there in zip(touched, plain, strict=True):
        torch.testing.assert_close(here, there, atol=1e-6, rtol=1e-4)


def test_the_moving_average_on_hand_computed_numbers() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 0.0)
    average = optimizers.MovingAverage(model, 0.999)
    nn.init.constant_(model.weight, 11.0)
    average.update(model)  # decay (1 + 1) / (10 + 1): 0 * 2/11 + 11 * 9/11 = 9
    assert average.values["weight"].item() == pytest.approx(9.0)
    average.swap(model)
    assert (model.weight.item(), average.values["weight"].item()) == pytest.approx((9.0, 11.0))


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


def test_a_device_or_a_precision_that_is_not_here_is_named(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    assert "the device 'cuda:77' is not available" in refused(Device, "cuda:77")
    assert "no precision" in refused(Device, "cpu", "float8")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True})
    assert "no instructions for training in bfloat16" in refused(Device, "cpu", "bfloat16")


# Killed and gone on, and several processes

#: What each script begins with: it kills itself at a given step, and has the data of 60 examples.
_KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from crossexam.core.settings import grid
from crossexam.training.data import load_data, parse_augmentations
from crossexam.training.request import TrainingRequest
from crossexam.training.several import train_grid
from crossexam.training.train import train_model

torch.set_num_threads(1)
folder, kill_at = Path(sys.argv[1]), int(sys.argv[2])
steps = 0
def watch(status):
    global steps
    steps += 1
    if steps == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
data = load_data("builtin:demo", "builtin:demo[::3]", limit=60)
small = {"width": "6", "hidden": "5", "batch_size": "8"}
"""

_TRAININGS = """
small["epochs"] = "3"
train_model(TrainingRequest("cbow", data, folder / "a", seed=3, snapshot_steps=3, watch=watch, device="cpu",
      values={**small, "schedule": "halve-and-restore", "optimizer": "adagrad", "clip": "1"},
      debias="learned-mixin-h"))
train_model(TrainingRequest("lstm", data, folder / "b", seed=4, snapshot_steps=4, watch=watch, device="cpu",
      shuffle_words=True, augmentations=parse_augmentations("spelling_error_adjacent_swap:20"),
      values={**small, "optimizer": "adadelta", "moving_average": "0.9"}))
"""

_SWEEP = """
small["epochs"] = "2"
train_grid(TrainingRequest("cbow", data, folder, snapshot_steps=3, watch=watch, device="cpu", values=small,
      debias="weighting"), grid(["smooth=0.1,1"]), [0])
"""

_FINE_TUNING = """
values = {"batch_size": "8", "epochs": "2", "lr": "0.001"}
train_model(TrainingRequest("hf/" + sys.argv[3], data, folder / "a", values=values, snapshot_steps=2,
      watch=watch, device="cpu"))
"""

_SHARED = """
values = {**small, "epochs": "2", "config.dropout": "0"}
print(train_model(TrainingRequest("cbow", data, folder, values=values, device="cpu")).manifest.processes)
"""


def _start(script: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    given = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    command = [sys.executable, "-c", _KILLED + script, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, text=True, env=given, stdout=pipe, stderr=pipe)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "kills", "names"),
    [
        (_TRAININGS, (29, 17, 23), ("a", "b")),
        (_SWEEP, (5, 29, 60, 15), ("smooth=0.1", "smooth=1")),
        (_FINE_TUNING, (7,), ("a",)),
    ],
    ids=["trainings", "a sweep with a shared biased model", "fine-tuning"],
)
def test_a_killed_training_ends_with_the_same_bytes(
    script: str, kills: Sequence[int], names: Sequence[str], tiny_checkpoint: Path, tmp_path: Path
) -> None:
    def run(folder: str, kill_at: int) -> int:
        process = _start(script, tmp_path / folder, kill_at, tiny_checkpoint)
        process.communicate()
        return process.returncode

    def manifest_and_weights(folder: Path) -> tuple[object, ...]:
        manifest = json.loads((folder / "manifest.json").read_text())
        curve = [{k: v for k, v in r.items() if "second" not in k} for r in manifest["curve"]]
        return curve, manifest.get("bias"), (folder / "model.safetensors").read_bytes()

    assert run("whole", 0) == 0
    assert [run("killed", steps) for steps in kills] == [-signal.SIGKILL] * len(kills)
    assert run("killed", 0) == 0
    for name in names:
        whole, gone_on = (manifest_and_weights(tmp_path / way / name) for way in ("whole", "killed"))
        assert whole == gone_on
    assert not list((tmp_path / "killed").rglob("unfinished"))


@pytest.mark.slow
def test_two_processes_train_as_one(tmp_path: Path) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": f"{port}"}
    shared["ACCELERATE_USE_CPU"] = "true"
    two = [_start(_SHARED, tmp_path / "two", 0, RANK=rank, LOCAL_RANK=rank, **shared) for rank in ("0", "1")]
    told = [process.communicate() for process in [*two, _start(_SHARED, tmp_path / "one", 0)]]
    assert [out.strip() for out, _ in told] == ["2", "2", "1"], told
    one, both = (load_file(tmp_path / folder / "model.safetensors") for folder in ("one", "two"))
    assert all(torch.allclose(one[name], both[name], atol=1e-6) for name in one)
