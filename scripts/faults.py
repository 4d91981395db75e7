"""Measure the net of tests: put plausible faults into the source, one at a time, and run the nearest tests.

    python scripts/faults.py [--only PATTERN] [--jobs N] [--confirm]

The faults are rows of ``faults.toml``: a *name*, the *path* of a module, and the text there that is replaced
(*old*, which must occur exactly once) by *new*.  The nearest tests of a module are the file that mirrors its
path (``tests/stats/test_paired.py`` for ``stats/paired.py``); a row may name other files as *tests*, for a
module that has no such file, or whose figures are held where they are shown.  If these do not catch it, the
tests of its folder are run.  Everything happens in a temporary copy of the tree.

The table says for each fault which tests failed and how long they took.  The exit status is 1 if a fault is
not caught at all, or fewer than nine in ten by the nearest tests.  With ``--confirm``, the test that caught a
fault is run again without the fault, and must pass.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
ROWS = Path(__file__).with_suffix(".toml")
SOURCE = Path("src/crossexam")
#: The share of faults that the nearest tests must catch.
NEARBY = 0.9
_NOT_COPIED = shutil.ignore_patterns(
    ".*cache", ".git", "__pycache__", "site", "dist", ".venv", "node_modules"
)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """A fault: in the module at *path*, below ``src/crossexam``, *old* becomes *new*."""

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        return SOURCE / self.path

    @property
    def folder(self) -> str:
        """The folder of the tests of its folder."""
        return f"tests/{Path(self.path).parts[0]}"

    def nearest(self, root: Path = ROOT) -> tuple[str, ...]:
        """Return the nearest test files: those that it names, the mirror of its path, or the folder."""
        if self.tests:
            return self.tests
        inner, module = Path(self.path).parts[:-1], Path(self.path).stem
        for depth in range(len(inner), 0, -1):
            for name in (module, *inner[depth:]):
                mirror = Path("tests", *inner[:depth], f"test_{name}.py")
                if (root / mirror).is_file():
                    return (mirror.as_posix(),)
        return (self.folder,)

    def put_in(self, root: Path) -> None:
        """Put the fault into the tree at *root*; raises ValueError if its row is stale."""
        text = (root / self.file).read_text(encoding="utf-8")
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"{self.name}: {self.path} has the old text {count} times")
        write(root / self.file, text.replace(self.old, self.new))

    def take_out(self, root: Path) -> None:
        write(root / self.file, (ROOT / self.file).read_text(encoding="utf-8"))


def write(module: Path, text: str) -> None:
    """Write *text* to *module*, and remove what was compiled from it: its time may be the same."""
    module.write_text(text, encoding="utf-8")
    for compiled in (module.parent / "__pycache__").glob(f"{module.stem}.*.pyc"):
        compiled.unlink()


@dataclass(frozen=True)
class Found:
    """What became of a fault: the test that failed *nearby* or in the *folder*, and the time."""

    fault: Fault
    nearby: str
    folder: str
    seconds: float
    trouble: str = ""

    @property
    def is_caught(self) -> bool:
        return bool(self.nearby or self.folder) and not self.trouble


def faults() -> tuple[Fault, ...]:
    """Return the rows of ``faults.toml``; raises ValueError if two have one name."""
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))["fault"]
    found = tuple(Fault(**{**row, "tests": tuple(row.get("tests", ()))}) for row in rows)
    if len({fault.name for fault in found}) < len(found):
        raise ValueError("two faults have the same name")
    return found


def copy_of_tree(folder: Path) -> Path:
    """Copy the tree into *folder*, with a link to what lies beside it, and return its root."""
    root = folder / "tree"
    shutil.copytree(ROOT, root, ignore=_NOT_COPIED, symlinks=True)
    if (ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    return root


def run_tests(root: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Return the first test that fails, empty if none does, and what is wrong if the tests cannot be run."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no", *tests]
    settings = {
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": str(root / "src"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # none is needed, and they take a second to start
    }
    done = subprocess.run(
        command, cwd=root, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return "", ""
    failed = _FAILED.search(done.stdout)
    if done.returncode == 1 and failed:
        return failed[1], ""
    return "", (done.stdout + done.stderr).strip().splitlines()[-1]


def measured(fault: Fault, root: Path, *, confirm: bool) -> Found:
    """Return what becomes of *fault* in the copy of the tree at *root*, which is then as before."""
    start, folder, trouble = time.monotonic(), "", ""
    fault.put_in(root)
    try:
        nearby, trouble = run_tests(root, fault.nearest())
        if not nearby and not trouble and fault.nearest() != (fault.folder,):
            folder, trouble = run_tests(root, [fault.folder])
    finally:
        fault.take_out(root)
    caught = nearby or folder
    if confirm and caught and run_tests(root, [caught])[0]:
        trouble = f"{caught} fails without the fault"
    return Found(fault, nearby, folder, time.monotonic() - start, trouble)


def measure(chosen: Sequence[Fault], jobs: int, *, confirm: bool) -> Iterator[Found]:
    """Yield what becomes of each fault, in order, in *jobs* copies of the tree."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, ThreadPoolExecutor(jobs) as pool:
        trees: Queue[Path] = Queue()
        for number in range(jobs):
            place = Path(folder) / str(number)
            place.mkdir()
            trees.put(copy_of_tree(place))

        def one(fault: Fault) -> Found:
            root = trees.get()
            try:
                return measured(fault, root, confirm=confirm)
            finally:
                trees.put(root)

        yield from pool.map(one, chosen)


def line(found: Found) -> str:
    """Return the row of a fault in the table."""
    by = found.trouble or found.nearby or found.folder or "NOT CAUGHT"
    near, folder = ("yes" if each else "NO" for each in (found.nearby, found.nearby or found.folder))
    where = "error" if found.trouble else f"{near:7} {folder:6}"
    return f"{found.fault.name:50} {found.fault.path:36} {where:14} {found.seconds:6.1f} s  {by}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names or paths, with * and ?")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the tree that are tested at once")
    parser.add_argument("--confirm", action="store_true", help="see that the tests pass without the fault")
    given = parser.parse_args(arguments)
    chosen = [
        fault
        for fault in faults()
        if fnmatch.fnmatchcase(fault.name, given.only) or fnmatch.fnmatchcase(fault.path, given.only)
    ]
    if not chosen:
        parser.error(f"no fault is called {given.only}")
    print(f"{'fault':50} {'file':36} {'nearest folder':14} {'time':>8}  by")
    table = []
    for found in measure(chosen, given.jobs, confirm=given.confirm):
        print(line(found), flush=True)
        table.append(found)
    caught = [each for each in table if each.is_caught]
    nearby = [each for each in caught if each.nearby]
    seconds = sum(each.seconds for each in table)
    print(f"\n{len(table)} faults: {len(nearby)} caught by the nearest tests, {len(caught)} by those of the "
          f"folder; {seconds:.0f} s of tests")  # fmt: skip
    return 0 if len(caught) == len(table) and len(nearby) >= NEARBY * len(table) else 1


if __name__ == "__main__":
    sys.exit(main())
