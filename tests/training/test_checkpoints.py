"""Folders of trained models: what their key depends on, and what is no whole model."""

import json
import shutil
from pathlib import Path
from typing import Any

from crossexam.core.sealed import FILES, read_manifest, write_manifest
from crossexam.models.table import open_model
from made.cases import refused


def test_the_key_changes_with_the_weights_and_not_with_the_manifest(trained: Any, toy: Path) -> None:
    key = open_model(f"zoo/{trained().folder}").key
    changed = {**read_manifest(toy / "manifest.json"), "device": "another", "files": {}}
    write_manifest(toy / "manifest.json", changed)
    assert open_model(f"zoo/{toy}").key == key
    content = bytearray((toy / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (toy / "model.safetensors").write_bytes(content)
    assert open_model(f"zoo/{toy}").key != key


def test_a_configuration_that_cannot_be_read_is_told(toy: Path) -> None:
    config = json.loads((toy / "config.json").read_text())
    manifest = read_manifest(toy / "manifest.json")
    write_manifest(toy / "manifest.json", {**manifest, FILES: {}})  # as if another version had written it
    for change, message in (
        ({"format": 2}, "format 2: this version"),
        ({"novel": 1}, "fields novel: this version"),
        ({"kind": "other"}, "not a zoo model"),
        ({"config": {**config["config"], "heads": 2}}, "unknown or missing fields: heads"),
    ):
        (toy / "config.json").write_text(json.dumps({**config, **change}))
        assert message in refused(open_model, f"zoo/{toy}")


def test_a_folder_without_a_whole_model_is_refused(toy: Path) -> None:
    (toy.parent / "begun" / "unfinished").mkdir(parents=True)
    for seed in ("seed-3", "seed-4"):
        shutil.copytree(toy, toy.parent / "several" / seed)
    for other, message in (
        ("several", "it holds 2 models: seed-3, seed-4"),
        ("absent", "the folder does not exist"),
        ("begun", "training did not finish"),
    ):
        assert message in refused(open_model, f"zoo/{toy.parent / other}")
    (toy / "model.safetensors").unlink()
    assert "the file does not exist" in refused(lambda: open_model(f"zoo/{toy}").predict([("a", "b")]))
    (toy / "config.json").unlink()
    assert "no trained model here" in refused(open_model, f"zoo/{toy}")
