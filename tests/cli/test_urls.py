"""Commands whose folders and files are at URLs, here in memory: what they print, and what is there then."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from crossexam.cli.main import run

BUILD = "build negation --base builtin:demo --limit 30 -o memory://b/suite"


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryFileSystem]:
    monkeypatch.setenv("CROSSEXAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield MemoryFileSystem()
    MemoryFileSystem.store.clear()


def crossexam(line: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code of a command, in this process."""
    monkeypatch.setattr(sys, "argv", ["crossexam", *line.split()])
    try:
        run()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_a_study_at_urls_from_its_suite_to_its_report(
    memory: MemoryFileSystem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [
        BUILD,
        "run builtin/overlap memory://b/suite -o memory://b/runs/overlap",
        "run builtin/majority memory://b/suite -o memory://b/runs/majority",
        "check memory://b/suite",
        "compare memory://b/runs/overlap memory://b/runs/majority -o memory://b/compare.md",
        "report memory://b/runs/overlap memory://b/runs/majority -o memory://b/report.html",
    ]
    for line in lines:
        assert crossexam(line, monkeypatch) == 0, line
        said = capsys.readouterr().err
        assert "memory://b/" in said or line.startswith("check"), said
        assert str(tmp_path) not in said
        shutil.rmtree(tmp_path / "cache")  # as if each command ran on another machine
    assert {Path(name).name for name in memory.ls("/b", detail=False)} == {
        "compare.md",
        "report.html",
        "runs",
        "suite",
    }
    assert sorted(tmp_path.iterdir()) == []


def test_examine_resumes_on_another_machine(
    memory: MemoryFileSystem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    examine = "examine builtin/overlap --suite negation --base builtin:demo --limit 30 -o memory://b/out"
    assert crossexam(examine, monkeypatch) == 0
    first = {name: memory.cat_file(name) for name in memory.find("/b/out") if name.endswith(".parquet")}
    assert len(first) == 4
    shutil.rmtree(tmp_path / "cache")
    capsys.readouterr()
    assert crossexam(examine, monkeypatch) == 0
    assert "memory://b/out/suite already contains this suite" in capsys.readouterr().err
    assert {name: memory.cat_file(name) for name in first} == first
    assert crossexam("report memory://b/out/runs/builtin-overlap", monkeypatch) == 0
    shutil.rmtree(tmp_path / "cache")
    assert crossexam("check memory://b/out", monkeypatch) == 0


# fmt: off
MISTAKES = {
    "build negation --base builtin:demo -o s3://": "s3://: this URL does not name a folder or file",
    "build negation --base builtin:demo --limit 4 -o memory://b/suite":
        "the folder memory://b/suite contains a suite built from different input or options",
    "run builtin/overlap memory://b/nothing -o out": "memory://b/nothing: there is no manifest.json",
    "run builtin/overlap memory://b/suite -o memory://b/suite":
        "memory://b/suite: this is not the folder of a run",
    "report memory://b/suite": "memory://b/suite/manifest.json: this is the folder of a suite, not of a run",
    "check nonsense://b/suite": "nonsense://b/suite/manifest.json: 'nonsense' is not a protocol of fsspec",
    "train cbow --train builtin:demo -o memory://b/model":
        "memory://b/model: this command does not write to or read from a URL here",
}
# fmt: on


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_names_the_url_and_leaves_nothing(
    line: str, memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crossexam(BUILD, monkeypatch) == 0
    there = set(memory.find("/b"))
    capsys.readouterr()
    assert crossexam(line, monkeypatch) == 2
    assert capsys.readouterr().err.startswith(f"crossexam: {MISTAKES[line]}")
    assert set(memory.find("/b")) == there
    assert not Path("memory:").exists()


def test_the_run_of_an_examination_at_a_url(
    memory: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "examine builtin/overlap --suite negation --base builtin:demo --limit 30 -o memory://b/out"
    assert crossexam(line, monkeypatch) == 0
    assert crossexam("baseline memory://b/out -o written.parquet", monkeypatch) == 0
    assert crossexam(line.replace("overlap", "majority"), monkeypatch) == 0
    capsys.readouterr()
    assert crossexam("baseline memory://b/out -o written.parquet", monkeypatch) == 2
    runs = ", ".join(f"memory://b/out/runs/builtin-{name}" for name in ("majority", "overlap"))
    assert f"hint: name one: {runs}" in capsys.readouterr().err
