"""A slice of the fuzzing: hundreds of damaged files of every kind, each read as before or refused clearly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_readers import READERS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "fuzz.py"

#: Models that have to be trained first, or libraries that take long to import.
LEFT_OUT = {"bag of words", "zoo model", "checkpoint", "sheets of judges"}
INPUTS = 300


@pytest.mark.slow
def test_no_damage_is_a_defect() -> None:
    names = [part for name in READERS if name not in LEFT_OUT for part in ("--reader", name)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = [sys.executable, str(SCRIPT), "--inputs", str(INPUTS), "--seed", "2026", *names]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (total,) = (line for line in done.stdout.splitlines() if line.startswith("all "))
    assert sum(map(int, total.split()[1:])) == INPUTS
