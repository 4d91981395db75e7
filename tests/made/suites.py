"""Suites in folders, of any test sets, and two test sets that most tests of runs ask about."""

from pathlib import Path
from typing import Any

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.sealed import write_manifest
from crossexam.core.test_sets import write_test_set

SLEEP = Example("1", "A man sleeps.", "A man sleeps.", "entailment")
NEVER = Example("2", "A man sleeps.", "A man never sleeps.", "contradiction")
DOG = Example("3", "A man sleeps.", "A dog sleeps.", "neutral")
RAIN = Example("4", "It rains.", "It is wet.", None)
BASE = Dataset("base.tiny", (SLEEP, NEVER, DOG))
MORE = Dataset("more.tiny", (DOG, RAIN))


def write_suite(folder: Path, *sets: Dataset, suffix: str = "parquet", **facts: Any) -> Path:
    """Write a suite of these test sets; the entries of all have *facts*."""
    entries = {}
    for each in sets:
        path = folder / f"{each.name}.{suffix}"
        write_test_set(path, each.examples, file_format=suffix)
        known = {"rows": len(each), "content_hash": each.content_hash(), "sha256": sha256_of(path)}
        entries[each.name] = {"file": path.name, **each.manifest, **known, **facts}
    about = {"format": 1, "name": folder.name, "paper": "", "signature": folder.name, "request": {}}
    write_manifest(folder / "manifest.json", {**about, "test_sets": entries})
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """What each file in *folder* has."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
