"""What the installed core weighs: each package that ``pip install crossexam-nli`` brings, without extras.

    python bench/installed_size.py

The files that each distribution lists as its own, compiled ones included, in this environment.
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def megabytes(of: Distribution) -> float:
    """Return what the files of a distribution take, in units of 10^6 bytes."""
    paths = [Path(str(of.locate_file(file))) for file in of.files or ()]
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6


def closure(name: str, found: dict[str, float]) -> dict[str, float]:
    """Add the size of the distribution *name* and of all that it needs without extras to *found*."""
    of = distribution(name)
    found[re.sub(r"[-_.]+", "-", name).lower()] = megabytes(of)
    for line in of.requires or ():
        needed = Requirement(line)
        wanted = needed.marker is None or needed.marker.evaluate({"extra": ""})
        if wanted and re.sub(r"[-_.]+", "-", needed.name).lower() not in found:
            closure(needed.name, found)
    return found


def main() -> None:
    found = closure("crossexam-nli", {})
    for name, size in sorted(found.items(), key=lambda each: -each[1]):
        print(f"{size:8.1f} MB  {name}")
    print(f"{sum(found.values()):8.1f} MB  in all")


if __name__ == "__main__":
    main()
