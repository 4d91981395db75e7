"""Fill the disk under every command that writes, and show that it says so and resumes.

``python scripts/full_disk.py`` mounts a tmpfs too small for what a command writes (so it needs to be run as
root, on Linux), runs the command, makes the tmpfs larger and runs the same command again.  A row is good if
the first exit code is 2 with one error about the space, and the second 0.  The exit code is 1 if one is not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

DEMO: Final = "builtin:demo[:60]"
#: Commands, as they write into the folder ``full``, and how many KB it has at first.
COMMANDS: Final = {
    "build": ("build negation --base builtin:demo -o full/suite", 24),
    "build jsonl": ("build negation --base builtin:demo -o full/suite --format jsonl", 40),
    "run": ("run builtin/overlap suite -o full/run", 32),
    "run, store": ("run builtin/overlap suite -o full/run", 8),
    "report": ("report run -o full/page.html", 40),
    "examine": (f"examine builtin/overlap --suite negation --base {DEMO} -o full/x", 24),
    "validate sample": ("validate sample suite -o full/study --per-set 40", 16),
    "train": (f"train bag-of-words --train {DEMO} --dev {DEMO} -o full/model", 8),
}
WORDS: Final = ("no space left on the device", "disk I/O error: probably no space is left", "file too large")


class Row(NamedTuple):
    """What a *command* did with *size* KB: its exit *codes* before and after there was space, and *said*."""

    command: str
    size: int
    codes: tuple[int, int]
    said: str

    @property
    def is_good(self) -> bool:
        """Whether it was one error about the space, and the same command then finished."""
        return self.codes == (2, 0) and any(words in self.said for words in WORDS)


def crossexam(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of Crossexam in *folder*."""
    line = [sys.executable, "-m", "crossexam", *arguments]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def tried(name: str, folder: Path) -> Row:
    """Run the command *name* on a full disk in *folder*, then on one with space."""
    line, size = COMMANDS[name]
    full = folder / "full"
    full.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(full)], check=True)
    try:
        first = crossexam(line.split(), folder)
        subprocess.run(["mount", "-o", "remount,size=64m", str(full)], check=True)
        second = crossexam(line.split(), folder)
    finally:
        subprocess.run(["umount", str(full)], check=True)
        full.rmdir()
    said = first.stderr.strip().splitlines()
    errors = [text for text in said if text.startswith("crossexam: ")] or said[-1:]
    return Row(name, size, (first.returncode, second.returncode), " / ".join(errors))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--command", action="append", choices=COMMANDS, help="only this one; repeatable")
    names = parser.parse_args().command or list(COMMANDS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for line in (f"build negation --base {DEMO} -o suite", "run builtin/overlap suite -o run"):
            crossexam(line.split(), folder).check_returncode()
        rows = []
        for name in names:
            rows.append(tried(name, folder))
            row = rows[-1]
            print(
                f"{row.command:16} {row.size:4} KB  {row.codes[0]} -> {row.codes[1]}  {row.said}", flush=True
            )
    return 0 if all(row.is_good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
