"""The rows of the zoo: what their results keep, and whether they come back when they are trained again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from crossexam.cli.main import app
from crossexam.core.files import write_json
from made.scripts import ROOT, script

if not (ROOT / "reproductions").is_dir():
    pytest.skip("the reproductions are not beside the package", allow_module_level=True)

MACHINES = [{"processor": "Xeon", "instructions": "AVX2", "threads": 2}]
#: Checks rows with results in a folder that stands for that of the zoo.
Check = Callable[..., str]


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


@pytest.fixture
def check(
    zoo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Check:
    """Return what is printed of a row with *committed* results whose training gives *trained* now."""

    def of(committed: dict[str, Any], trained: dict[str, Any]) -> str:
        def carry_out(words: list[str], cwd: Path) -> None:
            assert words == "crossexam train cbow --dev snli:dev[::2] --seeds 1 -o check/snli/cbow".split()
            assert not (cwd / words[-1] / "manifest.json").exists()  # or a training would be found finished
            write_json(cwd / words[-1] / "manifest.json", trained)

        monkeypatch.setattr(zoo, "HERE", tmp_path)
        monkeypatch.setattr(zoo, "carry_out", carry_out)
        work = str(tmp_path / "work")
        monkeypatch.setattr(sys, "argv", ["train.py", "--work", work, "--check", "cbow", "lstm"])
        command = 'crossexam train cbow --dev "snli:dev[::2]" --seeds 3 -o snli/cbow'
        target = tmp_path / "results" / "cbow.snli.json"
        write_json(target, {"command": command, "seeds": [committed, {"dev": 0.0, "tests": {}}]})
        before = target.read_bytes()
        zoo.main()
        assert [path.read_bytes() for path in target.parent.iterdir()] == [before]
        return capsys.readouterr().out

    return of


def test_a_row_that_is_trained_again_says_by_how_much_it_differs(zoo: ModuleType, check: Check) -> None:
    trained = manifest(70.1234, 60.5, "ab")
    committed = zoo.seed_result(trained)
    assert committed == {
        "dev": 70.1234,
        "best_epoch": 2,
        "epochs": 2,
        "seconds": 2.0,
        "machines": MACHINES,
        "weights_sha256": "ab",
        "tests": {"snli:test": 60.5, "hard.jsonl": 50.0},
    }
    said = check(committed, trained)
    assert "dev                          70.1234   70.1234     +0.0000\n" in said
    assert "same weights: yes\n" in said
    assert "lstm.snli: no results to compare with\n" in said
    said = check(committed, manifest(69.8734, 61.0, "cd"))
    assert "dev                          70.1234   69.8734     -0.2500\n" in said
    assert "snli:test                    60.5000   61.0000     +0.5000\n" in said
    assert "same weights: no\n" in said


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
