"""Check what ``python -m build`` made: that wheel and sdist have what the repository has, and nothing else.

    python -m build && python scripts/check_distribution.py dist

Prints the sizes, and each problem on a line; ends with 1 if there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Collection
from email import message_from_string
from email.message import Message
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Megabytes (of 1,000,000 bytes) that a wheel may have; the model in the package is most of it.
LARGEST = 45


def project() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def tracked() -> set[str]:
    """Return the files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split("\0") if name}


def differences(kind: str, found: Collection[str], wanted: Collection[str]) -> list[str]:
    """Return a line for each file that *found* has in excess of *wanted*, or lacks."""
    stray = [f"{kind}: {name} does not belong there" for name in sorted(set(found) - set(wanted))]
    return stray + [f"{kind}: {name} is missing" for name in sorted(set(wanted) - set(found))]


def metadata_problems(kind: str, metadata: Message, config: dict[str, Any]) -> list[str]:
    """Return what *metadata* says otherwise than the table ``project`` of pyproject.toml."""
    stated = config["project"]
    low, high = map(int, re.findall(r"3\.(\d+)", stated["requires-python"]))
    versions = {f"Programming Language :: Python :: 3.{minor}" for minor in range(low, high)}
    named = {line for line in metadata.get_all("Classifier", []) if re.search(r":: 3\.\d+$", line)}
    problems = differences(f"{kind}, versions of Python", named, versions)
    problems += differences(
        f"{kind}, extras", metadata.get_all("Provides-Extra", []), stated["optional-dependencies"]
    )
    problems += differences(
        f"{kind}, licences", metadata.get_all("License-File", []), stated["license-files"]
    )
    if metadata["Version"] != stated["version"]:
        problems.append(f"{kind}: version {metadata['Version']} instead of {stated['version']}")
    return problems


def wheel_problems(path: Path, files: Collection[str], config: dict[str, Any]) -> list[str]:
    """Return the problems of a wheel; *files* are those of the repository."""
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        (described,) = (name for name in names if fnmatch(name, "*.dist-info/METADATA"))
        metadata = message_from_string(archive.read(described).decode("utf-8"))
    folder = described.rpartition("/")[0]
    package = {name.removeprefix("src/") for name in files if name.startswith("src/crossexam/")}
    licences = {f"{folder}/licenses/{name}" for name in config["project"]["license-files"]}
    added = {f"{folder}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    problems = differences("wheel", names, package | licences | added)
    size = path.stat().st_size / 1e6
    print(f"{path.name}: {size:.1f} MB, {len(names)} files")
    if size > LARGEST:
        problems.append(f"wheel: {size:.1f} MB, more than {LARGEST}")
    return problems + metadata_problems("wheel", metadata, config)


def sdist_problems(path: Path, files: Collection[str], config: dict[str, Any]) -> list[str]:
    """Return the problems of a source distribution; *files* are those of the repository."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
        content = archive.extractfile(f"{path.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert content is not None
        metadata = message_from_string(content.read().decode("utf-8"))
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(names)} files")
    problems = differences("sdist", names, {*files, "PKG-INFO"})
    return problems + metadata_problems("sdist", metadata, config)


def main(folder: Path) -> int:
    """Check the wheel and the sdist in *folder*."""
    config, files = project(), tracked()
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    problems = wheel_problems(wheel, files, config) + sdist_problems(sdist, files, config)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
