"""A full disk: one error that names the path, exit 2, and a command that can be repeated."""

import errno
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.files import writing
from made.cases import for_each
from made.commands import Crossexam

FULL = OSError(errno.ENOSPC, "No space left on device")
HINT = "  hint: free some space, or write to another disk; then repeat the command\n"
DEMO = "builtin:demo[:40]"
#: What each command has written when the disk is full, by the command.
COMMANDS = {
    f"build negation --base {DEMO} -o full/s": "full/s/",
    "run builtin/overlap suite -o full/r": "full/r/predictions/base.builtin_demo_40",
    "report run -o full/page.html": "full/page.html",
    f"examine builtin/overlap --suite negation --base {DEMO} -o full/x": "full/x/suite/",
    "validate sample suite -o full/v": "full/.v.part/manifest.json",
    f"train bag-of-words --train {DEMO} --dev {DEMO} -o full/bow": "full/bow/",
}


@pytest.fixture
def place(folder: Path, crossexam: Crossexam) -> Path:
    crossexam(f"build negation --base {DEMO} -o suite")
    crossexam("run builtin/overlap suite -o run")
    return folder


@pytest.mark.usefixtures("place")
def test_a_full_disk_is_one_error(crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if "full" in Path(target).parts:
            raise FULL
        return replace(self, target)

    def check(line: str, path: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", full)
            error = crossexam(line, 2).err
        assert error.startswith(f"crossexam: {path}")
        assert error.endswith(f": no space left on the device\n{HINT}")
        assert error.count("\n") == 2
        crossexam(line)

    for_each(check, COMMANDS.items())


def test_libraries_say_it_in_their_ways(tmp_path: Path) -> None:
    full = "no space left on the device"
    rows = [
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "disk quota exceeded"),
        (RuntimeError("I/O error: No space left on device (os error 28)"), full),  # in Rust
        (sqlite3.OperationalError("database or disk is full"), full),
        (sqlite3.OperationalError("disk I/O error"), "disk I/O error: probably no space is left"),
    ]
    for error, what in rows:
        with pytest.raises(CrossexamError) as caught, writing(tmp_path / "a"):
            raise error
        assert str(caught.value) == f"{tmp_path / 'a'}: {what}\n{HINT.rstrip()}"


def test_what_nothing_names_is_still_one_error_and_told_where_no_log_can_be_written(
    failing: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failing(FULL) == f"crossexam: no space left on the device\n{HINT}"
    monkeypatch.setattr("tempfile.NamedTemporaryFile", Mock(side_effect=FULL))
    assert "Traceback" in failing(ZeroDivisionError("oops"), 3)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of resources are POSIX")
@pytest.mark.slow
def test_files_that_may_not_grow(place: Path) -> None:
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))\n"
    code += "from crossexam.cli.main import run\nrun()"
    for line in COMMANDS:
        if line.split()[0] in {"build", "run", "report", "train"}:
            shutil.rmtree(place / "full", ignore_errors=True)
            command = [sys.executable, "-c", code, *line.split()]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 2, done.stderr
            assert done.stderr.startswith("crossexam: full/")
            assert done.stderr.endswith(HINT)
