"""Reading a run, scoring it and reporting on it: CPU seconds and peak memory, each in a fresh process.

    python bench/columns.py [--rows 165000 2000000] [--run RUN ...] [--against SRC] [--repeat 3]

``--rows`` generates suites of so many items (bench/generated.py) and a run over each with random
predictions; ``--run`` measures a run that is there.  ``--against`` is the folder ``src`` of another version,
which is measured in turns with this one; on a busy machine, the ratio of their CPU seconds is what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_HERE: Final = Path(__file__).resolve().parents[1] / "src"


def score(folder: Path) -> None:
    """Read the run in *folder* and score its items."""
    from crossexam.evaluation.scores import score_run
    from crossexam.runs.saved import read_run

    run = read_run(folder)
    score_run(run)


def report(folder: Path) -> None:
    """Read the run in *folder*, compute all measures and make the page."""
    from crossexam.reports.report import make_report
    from crossexam.runs.saved import read_run

    made = make_report(read_run(folder))
    _ = made.results
    made.text(".html")


TASKS: Final = {"read and score": score, "read and report": report}


def measured(task: str, folder: Path) -> None:
    """Do *task* in this process; print its CPU seconds and the peak memory in MiB."""
    start = time.process_time()
    TASKS[task](folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([time.process_time() - start, peak]))


def in_process(task: str, folder: Path, source: Path) -> tuple[float, float]:
    """Return CPU seconds and peak MiB of *task* in a fresh process, with the package in *source*."""
    environment = {**os.environ, "PYTHONPATH": str(source), **dict.fromkeys(_THREADS, "1")}
    command = [sys.executable, __file__, "--inner", task, str(folder)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def write_run(suite: Path, folder: Path, model: str = "random", seed: int = 0) -> None:
    """Write a run of *model* over all test sets of *suite* into *folder*, with random predictions."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from crossexam.core.files import sha256_of
    from crossexam.core.labels import LABELS
    from crossexam.core.sealed import write_manifest

    manifest = json.loads((suite / "manifest.json").read_text())
    rng, entries = np.random.default_rng(seed), dict[str, Any]()
    (folder / "predictions").mkdir(parents=True)
    for name, entry in manifest["test_sets"].items():
        items = pq.read_table(suite / entry["file"], columns=["id", "label"])
        shares = rng.dirichlet([1, 1, 1], len(items))
        columns = {f"p_{label}": shares[:, k] for k, label in enumerate(LABELS)}
        place = folder / "predictions" / f"{name}.parquet"
        pq.write_table(pa.table({"id": items["id"], **columns}), place, compression="zstd")
        entries[name] = {
            "rows": len(items),
            "of_rows": len(items),
            "content_hash": entry["content_hash"],
            "predictions": f"predictions/{name}.parquet",
            "sha256": sha256_of(place),
            "items": "",
            "items_path": str((suite / entry["file"]).absolute()),
            "dataset": entry,
        }
    write_manifest(folder / "manifest.json", {"model": model, "model_key": model, "test_sets": entries})


def compare(folder: Path, sources: list[Path], repeat: int) -> None:
    """Measure every task on the run in *folder* with each of *sources* in turns, and print the medians."""
    for task in TASKS:
        figures = [[in_process(task, folder, source) for source in sources] for _ in range(repeat)]
        medians = []
        for number, source in enumerate(sources):
            seconds, peak = (statistics.median(turn[number][k] for turn in figures) for k in (0, 1))
            medians.append(seconds)
            which = "this version" if source == _HERE else f"{source}"
            print(f"{folder.name}, {task}, {which}: {seconds:.2f} s CPU, peak {peak:.0f} MiB", flush=True)
        if len(medians) > 1:
            print(f"{folder.name}, {task}: {medians[1] / medians[0]:.2f} times less CPU", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", default=[165_000, 2_000_000])
    parser.add_argument("--run", type=Path, nargs="*", default=[])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--inner", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inner:
        measured(given.inner[0], Path(given.inner[1]))
        return
    from generated import write_suite

    sources = [_HERE, *([given.against.absolute()] if given.against else [])]
    print(f"load {os.getloadavg()[0]:.1f}")
    for run in given.run:
        compare(run, sources, given.repeat)
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as name:
            run = Path(name) / f"{rows:,} generated items"
            write_suite(Path(name) / "suite", rows)
            write_run(Path(name) / "suite", run)
            compare(run, sources, given.repeat)


if __name__ == "__main__":
    main()
