"""Every command killed at a point at which it changes a file; at all of them: scripts/crash_points.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from crash_verbs import VERBS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forks of a process")
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "crash_points.py"


@pytest.mark.slow
def test_a_killed_command_can_be_given_again(tmp_path: Path) -> None:
    """It succeeds, leaves the same bytes as a command that nobody killed, and nothing else."""
    for module in ("torch", "onnxscript"):
        pytest.importorskip(module)
    path = tmp_path / "results.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = [sys.executable, str(SCRIPT), *VERBS, "--kills", "1", "--seed", "20261", "--json", str(path)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert path.exists(), done.stderr
    results = json.loads(path.read_text())
    assert {each["verb"]: len(each["killed"]) for each in results} == dict.fromkeys(VERBS, 1)
    assert [problem for each in results for problem in each["problems"]] == []
