"""A slice of the fuzzing: hundreds of damaged files of every kind, each read as before or refused clearly."""

import pytest
from fuzz_readers import READERS

from made.scripts import run_script

#: Models that have to be trained first, or libraries that take long to import.
LEFT_OUT = {"bag of words", "zoo model", "checkpoint", "sheets of judges"}
INPUTS = 300


@pytest.mark.slow
def test_no_damage_is_a_defect() -> None:
    names = [part for name in READERS if name not in LEFT_OUT for part in ("--reader", name)]
    done = run_script("fuzz.py", "--inputs", str(INPUTS), "--seed", "2026", *names)
    assert done.returncode == 0, done.stdout + done.stderr
    (total,) = (line for line in done.stdout.splitlines() if line.startswith("all "))
    assert sum(map(int, total.split()[1:])) == INPUTS
