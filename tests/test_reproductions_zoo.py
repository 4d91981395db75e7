"""The rows of the zoo: what their results keep, and whether they come back when they are trained again."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from crossexam.cli.main import app
from made.scripts import ROOT, script

if not (ROOT / "reproductions").is_dir():
    pytest.skip("the reproductions are not beside the package", allow_module_level=True)

MACHINES = [{"processor": "Xeon", "instructions": "AVX2", "threads": 2}]


@pytest.fixture(scope="module")
def zoo() -> ModuleType:
    return script("reproductions/zoo/train.py")


def manifest(dev: float, test: float, weights: str) -> dict[str, Any]:
    return {
        "scores": {"dev_accuracy": dev, "best_epoch": 2},
        "curve": [{"seconds": 1.0}, {"seconds": 2.0}],
        "machines": MACHINES,
        "files": {"model.safetensors": weights, "config.json": "no weights"},
        "tests": {"snli:test": {"accuracy": test}, "/data/hard.jsonl": {"accuracy": 50.0}},
    }


def test_a_row_that_is_trained_again_says_by_how_much_it_differs(zoo: ModuleType) -> None:
    committed = zoo.seed_result(manifest(70.1234, 60.5, "ab"))
    assert committed == {
        "dev": 70.1234,
        "best_epoch": 2,
        "epochs": 2,
        "seconds": 2.0,
        "machines": MACHINES,
        "weights_sha256": "ab",
        "tests": {"snli:test": 60.5, "hard.jsonl": 50.0},
    }
    assert "same weights: yes" in zoo.compared(committed, committed)
    said = list(zoo.compared(committed, zoo.seed_result(manifest(69.8734, 61.0, "cd"))))
    assert "dev                          70.1234   69.8734     -0.2500" in said
    assert "snli:test                    60.5000   61.0000     +0.5000" in said
    assert "same weights: no" in said


def test_the_commands_of_committed_results_can_be_given_again(zoo: ModuleType) -> None:
    found = sorted((ROOT / "reproductions" / "zoo" / "results").glob("*.json"))
    assert found
    group: Any = typer.main.get_command(app)
    for path in found:
        committed = json.loads(path.read_text(encoding="utf-8"))
        words = zoo.first_seed(committed["command"], "here")
        assert words[-2:] == ["-o", "here"], path.name
        given = group.commands["train"].make_context("train", words[2:]).params
        assert given["seeds"] in (None, ["1"]), path.name
        assert {Path(spec).name for spec in given["test"]} == set(committed["seeds"][0]["tests"]), path.name
