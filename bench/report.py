"""The commands `report` and `compare` over millions of items: CPU seconds and peak memory.

    python bench/report.py FOLDER [--rows 10000000]

Each command is a fresh process with one thread.  The suite is that of ``bench/generated.py``, with two runs
of random predictions; they are written into FOLDER if they are not there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from columns import _HERE, _THREADS, write_run
from generated import write_suite

MODELS = ("first", "second")


def measured(*arguments: str) -> tuple[float, float]:
    """Run `crossexam` with *arguments*; return its CPU seconds and the peak memory in MB."""
    environment = {**os.environ, "PYTHONPATH": str(_HERE), **dict.fromkeys(_THREADS, "1")}
    command = [sys.executable, "-m", "crossexam", *arguments]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    given = parser.parse_args()
    suite = given.folder / f"suite-{given.rows}"
    if not suite.exists():
        write_suite(suite, given.rows)
    runs = [given.folder / f"{model}-{given.rows}" for model in MODELS]
    for seed, (model, run) in enumerate(zip(MODELS, runs, strict=True)):
        if not run.exists():
            write_run(suite, run, model, seed)
    first, second = map(str, runs)
    out = given.folder / "report"
    for arguments in (
        ("report", first, "-o", f"{out}.csv"),
        ("compare", first, second, "-o", f"{out}-compared.csv"),
        ("report", first, "-o", f"{out}.html"),
    ):
        seconds, peak = measured(*arguments)
        shown = " ".join(Path(word).name for word in arguments)
        print(f"{shown}: {seconds:.1f} s CPU, peak {peak:.0f} MB, load {os.getloadavg()[0]:.0f}", flush=True)


if __name__ == "__main__":
    main()
