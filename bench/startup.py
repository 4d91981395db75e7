"""How long the command line takes to say what it can do.

    python bench/startup.py

The median of eleven runs of ``crossexam --help``, beside ``python -c pass`` in the same minute.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

_RUNS = 11


def median(command: list[str]) -> float:
    """Return the median wall seconds of *command*."""
    seconds = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    print(f"python -c pass: {median([sys.executable, '-c', 'pass']):.3f} s")
    print(f"import crossexam: {median([sys.executable, '-c', 'import crossexam']):.3f} s")
    print(f"crossexam --help: {median([sys.executable, '-m', 'crossexam', '--help']):.3f} s")


if __name__ == "__main__":
    main()
