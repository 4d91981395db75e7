"""A training that is killed goes on to the same bytes, and several processes train as one."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

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
