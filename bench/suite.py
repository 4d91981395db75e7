"""The whole suite from a real corpus, read to written: CPU time, peak memory, and how the work is shared.

    CROSSEXAM_DATA=... python bench/suite.py [--workers N|auto] [--examples N | --million]

Each measurement runs in a fresh process, so that peak memory is its own.  With several processes, the CPU
time of each is shown, and the ratio of the sum to the busiest one: with a core for each process, the build
cannot be faster by more than this ratio.  *files* is a hash of the hashes of all test sets, the same for any
number of processes.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BASES = (("snli:dev", "aqua:dev"), ("multinli:dev_matched", "aqua:dev"))


class _Workers:
    """A progress callback that notes the CPU seconds and the peak memory (MiB) of each worker process."""

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        self.peaks: dict[int, float] = {}

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        for child in multiprocessing.active_children():
            with contextlib.suppress(OSError):  # it has just ended
                own = Path(f"/proc/{child.pid}")
                ticks = own.joinpath("stat").read_text().rpartition(")")[2].split()[11:13]
                self.seconds[child.pid or 0] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
                peak = re.search(r"VmHWM:\s+(\d+)", own.joinpath("status").read_text())
                self.peaks[child.pid or 0] = int(peak[1]) / 1024 if peak else 0.0


def build(base: str, problems: str | None, workers: str) -> None:
    """Build the stress tests of *base* into a temporary folder; print seconds and peak memory."""
    from crossexam.options.engines import engine_of
    from crossexam.options.groups import Where
    from crossexam.options.option import read_options
    from crossexam.suites.bases import base_from_spec
    from crossexam.suites.build import WORTHWHILE, build_to_folder
    from crossexam.suites.table import suite_request

    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        extra = [base_from_spec(problems)] if problems else []
        where = read_options(Where, {"workers": [workers]})
        engine = engine_of(where, usual="auto", worthwhile=WORTHWHILE)
        request = suite_request("stress-tests", [base_from_spec(base)], extra, engine=engine)
        others = _Workers()
        build_to_folder(request, Path(folder) / "suite", progress=others)
        manifest = json.loads((Path(folder) / "suite" / "manifest.json").read_text())
        rows = sum(entry["rows"] for entry in manifest["test_sets"].values())
        examples = next(iter(manifest["test_sets"].values()))["rows"]
        files = {name: entry["sha256"] for name, entry in manifest["test_sets"].items()}
        digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16]
        wall, own = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{examples} examples, {rows} rows: {wall:.1f} s wall, {own:.1f} s CPU, peak {peak:.0f} MiB")
        print(f"  files: {digest}, load {os.getloadavg()[0]:.1f}")
        if others.seconds:
            each = [own, *others.seconds.values()]
            peaks = ", ".join(f"{peak:.0f}" for peak in others.peaks.values())
            print(f"  workers: {', '.join(f'{s:.1f}' for s in each[1:])} s CPU, peaks {peaks} MiB")
            print(
                f"  all processes: {sum(each):.1f} s CPU, {sum(each) / max(each):.2f} times the busiest one"
            )


def _repeated(path: Path, examples: int) -> None:
    """Write so many records of the official form: SNLI dev again and again with new ids."""
    from crossexam.corpora.spec import CorpusSpec

    lines = [json.loads(line) for line in CorpusSpec.parse("snli:dev").path().open(encoding="utf-8")]
    lines = [line for line in lines if line["gold_label"] != "-"]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(examples):
            record = dict(lines[number % len(lines)])
            record["pairID"] = f"{number}-{record['pairID']}"
            stream.write(json.dumps(record) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="stream 1,000,000 examples instead")
    parser.add_argument("--examples", type=int, help="stream so many examples instead")
    parser.add_argument("--workers", default="1", help="processes that build (default: 1)")
    parser.add_argument("--inner", nargs=2, metavar=("BASE", "PROBLEMS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inner:
        base, problems = arguments.inner
        build(base, problems if problems != "-" else None, arguments.workers)
        return
    again = [sys.executable, __file__, "--workers", arguments.workers, "--inner"]
    examples = 1_000_000 if arguments.million else arguments.examples
    print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores, {platform.machine()}")
    for base, problems in () if examples else _BASES:
        print(base, end=": ", flush=True)
        subprocess.run([*again, base, problems], check=True)
    if examples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "repeated.jsonl"
            _repeated(path, examples)
            print("SNLI dev repeated", end=": ", flush=True)
            subprocess.run([*again, str(path), "-"], check=True)


if __name__ == "__main__":
    main()
