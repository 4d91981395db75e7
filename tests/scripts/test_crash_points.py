"""Every command killed at a point at which it changes a file; at all of them: scripts/crash_points.py."""

import json
import os
from pathlib import Path

import pytest
from crash_verbs import VERBS

from made.scripts import run_script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forks of a process")


@pytest.mark.slow
def test_a_killed_command_can_be_given_again(tmp_path: Path) -> None:
    """It succeeds, leaves the same bytes as a command that nobody killed, and nothing else."""
    for module in ("torch", "onnxscript"):
        pytest.importorskip(module)
    path = tmp_path / "results.json"
    words = [*VERBS, "--kills", "1", "--seed", "20261", "--json", str(path)]
    done = run_script("crash_points.py", *words, cwd=tmp_path)
    assert path.exists(), done.stderr
    results = json.loads(path.read_text())
    assert {each["verb"]: len(each["killed"]) for each in results} == dict.fromkeys(VERBS, 1)
    assert [problem for each in results for problem in each["problems"]] == []
