"""Commands whose folders and files are at URLs, here in memory: what they print, and what is there then."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

pytestmark = pytest.mark.usefixtures("folder")
Crossexam = Callable[..., Any]
EXAMINE = "examine builtin/overlap --suite negation --base builtin:demo --limit 30 -o memory://b/out"


def test_examine_resumes_on_another_machine(
    memory: MemoryFileSystem, tmp_path: Path, crossexam: Crossexam
) -> None:
    crossexam(EXAMINE)
    first = {name: memory.cat_file(name) for name in memory.find("/b/out") if name.endswith(".parquet")}
    assert len(first) == 4
    shutil.rmtree(tmp_path / "cache")
    assert "memory://b/out/suite already contains this suite" in crossexam(EXAMINE).err
    assert {name: memory.cat_file(name) for name in first} == first
    for line in (
        "report memory://b/out/runs/builtin-overlap",
        "check memory://b/out",
        "baseline memory://b/out -o written.parquet",
    ):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        crossexam(line)
    crossexam(EXAMINE.replace("overlap", "majority"))
    runs = ", ".join(f"memory://b/out/runs/builtin-{name}" for name in ("majority", "overlap"))
    assert runs in crossexam("baseline memory://b/out -o written.parquet", status=2).err
