"""Which files of a checkpoint are read, and what is refused before anything is loaded."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from crossexam.models.checkpoint import load_checkpoint
from crossexam.models.table import open_model
from crossexam.training.pretrained import find_checkpoint
from crossexam.training.train import train_model
from made.cases import refused

PAIRS = [("A man sleeps.", "A man is awake.")]
DEVICE = {"device": "cpu", "label_order": ("entailment", "neutral", "contradiction")}


@pytest.fixture
def folder(tiny_checkpoint: Path, copied: Callable[..., Path]) -> Path:
    """A checkpoint to be changed."""
    return copied(tiny_checkpoint, "mine")


class Planted:
    """An object that writes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (exec, (f"open({str(self.mark)!r}, 'w').close()",))


def index(folder: Path, file: str) -> None:
    """Let an index of weights beside them name *file* for all of them."""
    table = {"metadata": {}, "weight_map": dict.fromkeys(load_file(folder / "model.safetensors"), file)}
    (folder / "model.safetensors.index.json").write_text(json.dumps(table), encoding="utf-8")


@pytest.mark.parametrize(
    "file",
    ["weights.bin", "../elsewhere.safetensors", "/etc/weights.safetensors", "sub/../../x.safetensors",
     "..\\x.safetensors", "model.safetensors.bin"],
)  # fmt: skip
def test_an_index_names_safetensors_in_the_folder_only(
    folder: Path, tmp_path: Path, file: str, request_of: Any
) -> None:
    index(folder, file)
    torch.save({"x": Planted(tmp_path / "ran")}, folder / "weights.bin")
    name = f"hf/{folder}"
    for said in (refused(open_model, name, DEVICE), refused(train_model, request_of(name))):
        assert "index.json: the index of weights names '" in said
        assert "wanted: safetensors files inside the folder" in said
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("file", ["model.safetensors", "shard.safetensors"])
def test_a_link_that_leaves_the_folder_is_refused(folder: Path, tmp_path: Path, file: str) -> None:
    if file == "shard.safetensors":
        index(folder, file)
    outside = (folder / "model.safetensors").rename(tmp_path / "outside.safetensors")
    (folder / file).symlink_to(outside)
    assert "a link to a file outside the checkpoint" in refused(open_model, f"hf/{folder}", DEVICE)


def test_a_link_within_the_cache_of_the_hub_is_read(folder: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "models--me--mine" / "snapshots" / "abc"
    blobs = tmp_path / "models--me--mine" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for path in folder.iterdir():
        (snapshot / path.name).symlink_to(Path(shutil.copy(path, blobs / f"{path.name}-blob")))
    assert open_model(f"hf/{snapshot}", DEVICE).key == open_model(f"hf/{folder}", DEVICE).key


def test_shards_in_subfolders_are_read_and_part_of_the_key(folder: Path) -> None:
    index(folder, "shards/one.safetensors")
    shard = folder / "shards" / "one.safetensors"
    shard.parent.mkdir()
    (folder / "model.safetensors").rename(shard)
    before = open_model(f"hf/{folder}", DEVICE)
    load_checkpoint(find_checkpoint(str(folder), None))
    weights = load_file(shard)
    weights["classifier.bias"] += 1
    save_file(weights, shard, metadata={"format": "pt"})
    assert open_model(f"hf/{folder}", DEVICE).key != before.key
    shard.unlink()
    said = refused(open_model, f"hf/{folder}", DEVICE)
    assert "names 'shards/one.safetensors', which does not exist" in said
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": 1}}', encoding="utf-8")
    assert "field 'weight_map' is missing" in refused(open_model, f"hf/{folder}", DEVICE)


def test_a_configuration_that_names_its_weights_an_adapter_and_pickled_weights_are_refused(
    folder: Path, tiny_checkpoint: Path, copied: Callable[..., Path]
) -> None:
    named = copied(tiny_checkpoint, "named", config={"transformers_weights": "weights.safetensors"})
    assert "names a weights file of its own" in refused(open_model, f"hf/{named}", DEVICE)
    adapter = folder / "adapter_config.json"
    adapter.write_text("{}", encoding="utf-8")
    assert "merge the adapter into its model, or remove" in refused(open_model, f"hf/{folder}", DEVICE)
    adapter.unlink()
    for file, message in (
        ("pytorch_model.bin", "no safetensors file; pickled weights are never read"),
        ("model.onnx", "no safetensors file, but an exported model (.onnx)\n  hint: onnx/"),
    ):
        (folder / "model.safetensors").rename(folder / file)
        assert message in refused(open_model, f"hf/{folder}", DEVICE)
        (folder / file).rename(folder / "model.safetensors")


@pytest.mark.slow
def test_a_zoo_folder_reads_its_own_weights_only(toy: Path, tmp_path: Path) -> None:
    torch.save({"x": Planted(tmp_path / "ran")}, toy / "weights.bin")
    index(toy, "weights.bin")
    assert open_model(f"zoo/{toy}", {"device": "cpu"}).predict(PAIRS).shape == (1, 3)
    assert not (tmp_path / "ran").exists()
