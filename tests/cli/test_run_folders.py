"""Run folders on the command line: further test sets, and what only one of two runs has."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.runs.saved import read_run


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two test sets."""
    monkeypatch.chdir(tmp_path)
    examples = (Example("1", "A man sleeps.", "A man sleeps.", "entailment"),)
    for name in ("base.tiny", "more.tiny"):
        write_test_set(tmp_path / f"{name}.parquet", examples)
    return tmp_path


def crossexam(*arguments: str) -> tuple[str, str]:
    """Return what a command prints on standard output and standard error."""
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def test_a_second_suite_is_added_and_said(sets: Path) -> None:
    crossexam("run", "builtin/overlap", "base.tiny.parquet", "-o", "run")
    _, stderr = crossexam("run", "builtin/overlap", "more.tiny.parquet", "-o", "run")
    assert "run already had these test sets of the model, which are kept: base.tiny" in stderr
    assert list(read_run(sets / "run").datasets) == ["base.tiny", "more.tiny"]
    _, again = crossexam("run", "builtin/overlap", "more.tiny.parquet", "-o", "run", "--force")
    assert "kept" not in again
    assert list(read_run(sets / "run").datasets) == ["more.tiny"]


def test_sets_that_only_one_run_has_are_named(sets: Path) -> None:
    crossexam("run", "builtin/overlap", "base.tiny.parquet", "more.tiny.parquet", "-o", "a")
    crossexam("run", "builtin/majority", "base.tiny.parquet", "-o", "b")
    line = r"only the first run \(builtin/overlap\) has: more.tiny"
    for output in ([], ["-o", "c.csv"]):
        with pytest.raises(CrossexamError, match=line):
            crossexam("compare", "a", "b", *output)
    _, stderr = crossexam("compare", "a", "b", "--common")
    assert stderr == "left out: only the first run (builtin/overlap) has: more.tiny\n"
    crossexam("compare", "a", "b", "--common", "-o", "c.csv")
    assert "more.tiny" not in (sets / "c.csv").read_text(encoding="utf-8")
