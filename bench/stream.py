"""Run a model that costs nothing over generated items: CPU, memory, and when the first batch is asked.

    python bench/stream.py FOLDER [--rows 1000000] [--again]

Each run is a fresh process, so that peak memory is its own: a first run, the same command again, and again
without the predictions of the run, so that all answers are looked up in the store.  ``--again`` leaves out
the first run, if FOLDER has it.  The suite is that of ``bench/generated.py``; it is written into FOLDER if it
is not there.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Pair = tuple[str, str]


class Watched:
    """A model that costs nothing; it notes when it is asked for the first time."""

    name, key = "costs-nothing", "costs-nothing.v1"

    def __init__(self) -> None:
        self.details: dict[str, Any] = {}
        self.first: tuple[float, float] | None = None
        self.asked = 0

    def predict(self, pairs: Sequence[Pair]) -> Any:
        """Return the same probabilities for every pair."""
        import numpy as np

        self.first = self.first or (time.process_time(), time.perf_counter())
        self.asked += len(pairs)
        return np.tile([0.25, 0.5, 0.25], (len(pairs), 1))


def run(suite: Path, folder: Path) -> None:
    """Run the model over *suite* into *folder*; print what it cost, as JSON."""
    start = time.perf_counter()
    from crossexam.core.test_sets import read_suite
    from crossexam.runs.folder import run_into_folder

    model = Watched()
    answers = run_into_folder(model, read_suite(suite), folder)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "CPU s": round(usage.ru_utime + usage.ru_stime, 1),
        "wall s": round(time.perf_counter() - start, 1),
        "peak MB": round(usage.ru_maxrss / 1000),
        "first batch, CPU s": model.first and round(model.first[0], 2),
        "first batch, wall s": model.first and round(model.first[1] - start, 2),
        "asked": model.asked,
        **{name: getattr(answers.manifest, name) for name in ("distinct_pairs", "pairs_from_store")},
    }
    print(json.dumps(figures), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--inner", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    suite, folder = given.folder / f"suite-{given.rows}", given.folder / f"run-{given.rows}"
    if given.inner:
        run(suite, folder)
        return
    if not suite.exists():
        from generated import write_suite

        write_suite(suite, given.rows)
    names = ["first run", "again", "again, from the store"]
    if given.again:
        names.remove("first run")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    for name in names:
        if "store" in name:
            (folder / "manifest.json").unlink()
        command = [sys.executable, __file__, str(given.folder), "--rows", str(given.rows), "--inner", "x"]
        print(f"{given.rows:,} items, {name}:", end=" ", flush=True)
        subprocess.run(command, check=True)
    store = (folder / "store.sqlite").stat().st_size
    print(f"the store: {store / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
