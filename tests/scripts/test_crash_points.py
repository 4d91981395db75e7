"""Every command killed at a point at which it changes a file; at all of them: scripts/crash_points.py."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crash_points import difference
from crash_verbs import VERBS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forks of a process")
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "crash_points.py"


def killed(verbs: list[str], folder: Path) -> dict[str, Any]:
    """Return what became of *verbs*, by name, each killed once; one process imports what they need."""
    path = folder / "results.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = [sys.executable, str(SCRIPT), *verbs, "--kills", "1", "--seed", "20261", "--json", str(path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment, cwd=folder)
    assert path.exists(), done.stderr
    return {each["verb"]: each for each in json.loads(path.read_text())}


@pytest.mark.slow
def test_a_killed_command_can_be_given_again(tmp_path: Path) -> None:
    """It succeeds, leaves the same bytes as a command that nobody killed, and nothing else."""
    for module in ("torch", "onnxscript"):
        pytest.importorskip(module)
    results = killed(list(VERBS), tmp_path)
    assert {name: len(each["killed"]) for name, each in results.items()} == dict.fromkeys(VERBS, 1)
    assert {name: each["problems"] for name, each in results.items() if each["problems"]} == {}


def test_what_differs_is_named() -> None:
    whole = {"a.json": {"rows": [1, 2]}, "b": b"1", "c": None}
    assert difference(whole, dict(whole)) == ""
    assert difference(whole, {"a.json": {"rows": [1, 3]}, "b": b"2", "d": b""}) == (
        "left behind: d; missing: c; different: a.json [rows] [1]: 3 instead of 2; different: b"
    )
