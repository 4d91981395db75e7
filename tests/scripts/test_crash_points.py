"""Commands killed at some of the points at which they change a file; all of them: scripts/crash_points.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forks of a process")
SCRIPT = Path(__file__).parents[2] / "scripts" / "crash_points.py"
#: Each verb with how many events lie between two at which it is killed.
EVERY = {
    "build": 11,
    "build-jsonl": 13,
    "build-cross-dataset": 13,
    "build-behaviour": 37,
    "subset-cs": 17,
    "run-builtin": 13,
    "run-again": 17,
    "train-bow": 13,
    "validate-sample": 7,
    "verdict": 9,
    "export-lm-eval": 23,
    "export-jsonl": 9,
    "compare": 3,
    "report-csv": 3,
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of every verb, by its name; one process imports what they need."""
    path = tmp_path_factory.mktemp("crash") / "results.json"
    given = [f"{verb}:{every}" for verb, every in EVERY.items()]
    done = subprocess.run(
        (sys.executable, str(SCRIPT), *given, "--seed", "4", "--json", str(path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert path.exists(), done.stderr
    return {each["verb"]: each for each in json.loads(path.read_text())}


@pytest.mark.slow
@pytest.mark.parametrize("verb", EVERY)
def test_a_killed_command_can_be_given_again(verb: str, results: dict[str, Any]) -> None:
    """It succeeds, leaves the same bytes as a command that nobody killed, and nothing else."""
    result = results[verb]
    assert result["killed"]
    assert result["problems"] == {}
