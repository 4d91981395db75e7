"""A Ray cluster of three nodes on this machine: what is lost when nodes and the driver are killed.

    python bench/ray_cluster.py [--items 2000000] [--seed 0] [--keep FOLDER] [--undisturbed]

A suite of that many items (a generated base, and its negation test set) is built and then answered by a
function that costs little and counts what it is asked: by three processes of this machine, by a cluster, and
by a cluster of which a random node is killed five times, and the driver twice.  Killed nodes are replaced,
killed drivers are started again with the same command.  The content hashes must be those of the processes of
this machine.

CPU seconds are those of all processes that the command has set to work, sampled from /proc: the driver, the
actors, and Ray's own processes, which run before it and are counted from its start.  They are also shown by
kind of process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from generated import base_columns, premises

NODES: Final = 3
NODE: Final = {"num_cpus": 1, "object_store_memory": 100 * 2**20}
#: What is killed while the suite is built, and while it is answered.
KILLED: Final = {"build": ("node", "driver", "node"), "run": ("node", "driver", "node", "node")}
#: Kinds of processes, by what is in their command line; others are the driver or start with it.
_PROCESSES: Final = {
    "actors": ("ray::", "default_worker"),
    "raylet and GCS": ("/raylet/raylet", "/gcs/gcs_server", "plasma_store"),
    "Ray's agents": ("dashboard", "runtime_env", "log_monitor", "monitor.py"),
    "workers": ("multiprocessing",),
}
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_SAMPLING_SECONDS: Final = 0.2
_POLLING_SECONDS: Final = 0.02
_MODEL: Final = """
import os

ASKED = os.environ.get("CROSSEXAM_DATA")  # the one folder of the environment that reaches the workers


def answer(pairs):
    with open(os.path.join(ASKED, "asked"), "a") as file:
        file.write(f"{len(pairs)}\\n")
    sums = [sum(map(ord, premise + hypothesis)) for premise, hypothesis in pairs]
    return [[0.5, 0.25, 0.25] if each % 2 else [0.25, 0.5, 0.25] for each in sums]
"""


class CpuMeter:
    """The CPU seconds that this process's descendants use while it is open, but for those of this process."""

    def __enter__(self) -> CpuMeter:
        self._first, self._last = _cpu_of_descendants(), dict[int, float]()
        self._kinds: dict[int, str] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._start = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = time.monotonic() - self._start
        self._ended.set()
        self._thread.join()
        self._look()
        self.by_kind = Counter[str]()
        for pid, used in self._last.items():
            self.by_kind[self._kinds[pid]] += used - self._first.get(pid, 0)
        self.seconds = self.by_kind.total()

    def __str__(self) -> str:
        return ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in self.by_kind.most_common())

    def _sample(self) -> None:
        while not self._ended.wait(_SAMPLING_SECONDS):
            self._look()

    def _look(self) -> None:
        found = _cpu_of_descendants()
        self._last |= found
        for pid in found:
            if self._kinds.get(pid, "driver") == "driver":  # it may have been forked, and become another
                self._kinds[pid] = _kind_of(pid)


def _cpu_of_descendants() -> dict[int, float]:
    """Return the CPU seconds of each descendant of this process."""
    parents, used = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            used[int(entry.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: used[pid] for pid in found - {os.getpid()}}


def _kind_of(pid: int) -> str:
    """Return what process *pid* is, a key of _PROCESSES, or the driver."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        line = ""
    return next((kind for kind, parts in _PROCESSES.items() if any(p in line for p in parts)), "driver")


def _wait_for(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait so many *seconds*, or until the process has ended."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


class Nodes:
    """A Ray cluster whose driver is elsewhere: a head without CPUs, and NODES nodes of one CPU each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {**NODE, "num_cpus": 0, "include_dashboard": False}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self._nodes: list[Any] = [self._cluster.add_node(**NODE) for _ in range(NODES)]

    @property
    def engine(self) -> str:
        return f"ray:{self._cluster.address}"

    def kill_one(self, rng: random.Random) -> None:
        """Kill the processes of a node, as a lost machine would end them, and add another node."""
        self._cluster.remove_node(self._nodes.pop(rng.randrange(NODES)), allow_graceful=False)
        self._nodes.append(self._cluster.add_node(**NODE))

    def shutdown(self) -> None:
        self._cluster.shutdown()


@contextmanager
def cluster() -> Iterator[Nodes]:
    nodes = Nodes()
    try:
        yield nodes
    finally:
        nodes.shutdown()


class Work:
    """The two commands, in a folder of their own."""

    def __init__(self, folder: Path, base: Path, engine: str) -> None:
        self.folder, self.name = folder, folder.name
        folder.mkdir()
        (folder / "asked").touch()
        (folder / "counting.py").write_text(_MODEL)
        engine_options = ["--engine", engine, "--workers", str(NODES)]
        self.commands = {
            "build": ["build", "negation", "--base", str(base), "-o", "suite", *engine_options],
            "run": ["run", "py/counting:answer", "suite", "-o", "run", *engine_options],
        }

    def start(self, name: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "crossexam", *self.commands[name]]
        environment = {**os.environ, "CROSSEXAM_DATA": str(self.folder)}
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=log, stderr=log)

    def measured(self, name: str) -> CpuMeter:
        """Carry out a command, undisturbed."""
        with CpuMeter() as meter:
            self._finished(self.start(name))
        return meter

    def disturbed(self, name: str, nodes: Nodes, items: int, seconds: float, rng: random.Random) -> None:
        """Carry out a command and kill nodes and the command itself.

        A build takes so many *seconds*; a run is disturbed while the model is asked, after random numbers of
        *items*.
        """
        driver = self.start(name)
        after = sorted(rng.uniform(0.05, 0.9) for _ in KILLED[name])
        for victim, share, last in zip(KILLED[name], after, [0.0, *after], strict=False):
            if name == "build":
                _wait_for(driver, rng.uniform(0.5, 1.0) * (share - last) * seconds)
            else:
                self._wait_for_pairs(driver, int(share * items))
            state = (
                "the command had ended before"
                if driver.poll() is not None
                else f"{self.asked():,} asked when"
            )
            print(f"  {name}: {state} a {victim} was killed", flush=True)
            if victim == "node":
                nodes.kill_one(rng)
            else:
                driver.kill()
                driver.wait()
                driver = self.start(name)
        self._finished(driver)

    def _wait_for_pairs(self, driver: subprocess.Popen[bytes], count: int) -> None:
        while self.asked() < count and driver.poll() is None:
            time.sleep(_POLLING_SECONDS)

    def asked(self) -> int:
        """Return how many pairs the function was asked about."""
        return sum(map(int, (self.folder / "asked").read_text().split()))

    def _finished(self, process: subprocess.Popen[bytes]) -> None:
        if process.wait():
            raise SystemExit((self.folder / "log").read_text())

    def hashes(self) -> dict[str, str]:
        """Return the hashes of the test sets and of the files of predictions."""
        suite, run = (
            json.loads((self.folder / name / "manifest.json").read_text()) for name in ("suite", "run")
        )
        built = {name: entry["content_hash"] for name, entry in suite["test_sets"].items()}
        return built | {f"run {name}": entry["sha256"] for name, entry in run["test_sets"].items()}

    def asked_twice(self) -> tuple[int, int]:
        """Return how many pairs were asked more often than once, and how many there are."""
        manifest = json.loads((self.folder / "run" / "manifest.json").read_text())
        return self.asked() - manifest["distinct_pairs"], manifest["distinct_pairs"]


def write_base(path: Path, rows: int) -> None:
    """Write a base of so many *rows* as JSON lines."""
    rng, given = random.Random(0), premises(400)
    labels = ("entailment", "neutral", "contradiction")
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, rows, 50_000):
            columns = base_columns(start, min(rows, start + 50_000), given, rng)
            for p, h, label in zip(columns["premise"], columns["hypothesis"], columns["label"], strict=True):
                file.write(json.dumps({"premise": p, "hypothesis": h, "label": labels[label]}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--undisturbed", action="store_true", help="kill nothing")
    parser.add_argument("--keep", type=Path, help="write everything into this folder, and keep it")
    arguments = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rng = None if arguments.undisturbed else random.Random(arguments.seed)
        compare(folder, arguments.items, rng)


def compare(folder: Path, items: int, rng: random.Random | None) -> None:
    """Measure processes and a cluster, and, with an *rng*, a cluster that is disturbed."""
    base = folder / "base.jsonl"
    write_base(base, items // 2)
    print(f"{items:,} items, load {os.getloadavg()[0]:.1f}", flush=True)
    local = Work(folder / "local", base, "local")
    alone = {name: local.measured(name) for name in local.commands}
    with cluster() as nodes:
        undisturbed = Work(folder / "ray", base, nodes.engine)
        on_ray = {name: undisturbed.measured(name) for name in undisturbed.commands}
        for name, meter in on_ray.items():
            own = alone[name]
            print(
                f"{name}: local {own.seconds:.1f} CPU s, {own.wall:.1f} s; ray {meter.seconds:.1f} CPU s, "
                f"{meter.wall:.1f} s; {meter.seconds / own.seconds - 1:+.0%} CPU, "
                f"{meter.wall / own.wall - 1:+.0%} wall",
                f"  local: {own}",
                f"  ray: {meter}",
                sep="\n",
                flush=True,
            )
        works = [undisturbed]
        if rng is not None:
            works.append(Work(folder / "disturbed", base, nodes.engine))
            for name in works[1].commands:
                works[1].disturbed(name, nodes, items, on_ray[name].wall, rng)
    for work in works:
        twice, distinct = work.asked_twice()
        same = "the same hashes as local" if work.hashes() == local.hashes() else "OTHER HASHES THAN LOCAL"
        print(f"{work.name}: {same}; {twice:,} of {distinct:,} pairs asked twice")


if __name__ == "__main__":
    main()
