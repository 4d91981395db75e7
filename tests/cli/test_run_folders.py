"""Run folders on the command line: further test sets, and what only one of two runs has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app, run
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


def test_only_names_the_test_sets_to_run(sets: Path) -> None:
    files = ("base.tiny.parquet", "more.tiny.parquet")
    crossexam("run", "builtin/overlap", *files, "--only", "mo*", "-o", "run")
    assert list(read_run(sets / "run").datasets) == ["more.tiny"]
    with pytest.raises(CrossexamError, match=r"no test set is called 'moer.tiny'"):
        crossexam("run", "builtin/overlap", *files, "--only", "moer.tiny", "-o", "other")


def test_a_model_that_cannot_be_asked_for_now_ends_with_exit_code_4(
    sets: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (sets / "down.py").write_text(
        "import crossexam as cx, pathlib\n"
        "def ask(pairs):\n"
        "    if not pathlib.Path('up').exists():\n"
        "        raise cx.UnfinishedError('the server is down', where='py/down')\n"
        "    return [{'status': 'refused'} for pair in pairs]\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys, "argv", ["crossexam", "run", "py/down:ask", "base.tiny.parquet", "-o", "run"])
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 4
    message = capsys.readouterr().err
    assert "crossexam: py/down: the server is down; 1 of 1 distinct pairs are still to be asked" in message
    assert "  hint: nothing was answered yet: repeat the same command to resume" in message
    (sets / "up").touch()
    crossexam("run", "py/down:ask", "base.tiny.parquet", "-o", "run")
    assert read_run(sets / "run").outcomes_of("base.tiny").unanswered() == {"refused": 1}
    out, _ = crossexam("report", "run", "--max-unanswered", "1")
    assert "1 refused" in " ".join(out.split())
    with pytest.raises(CrossexamError, match="'refusd' is not a reason for a missing answer"):
        crossexam("run", "py/down:ask", "base.tiny.parquet", "-o", "run", "--again", "refusd")
    crossexam("run", "py/down:ask", "base.tiny.parquet", "-o", "run", "--again", "refused,cut")


def test_build_says_that_a_limit_does_not_count_for_word_problems(sets: Path) -> None:
    problems = Path(__file__).parents[1] / "data" / "corpora" / "aqua.json"
    (sets / "pairs.csv").write_text("premise,hypothesis,label\nA man sleeps.,A man rests.,entailment\n")
    options = ("--base", "pairs.csv", "--word-problems", str(problems), "-o")
    _, stderr = crossexam("build", "numerical_reasoning", *options, "limited", "--limit", "1")
    assert "--limit 1 does not apply to word problems" in " ".join(stderr.split())
    assert f"{problems} is used whole" in " ".join(stderr.split())
    stdout, stderr = crossexam("build", "numerical_reasoning", *options, "limited", "--limit", "1")
    assert "nothing was built" in stderr
    assert "written" not in stderr
    assert stdout == ""
    _, stderr = crossexam("build", "numerical_reasoning", *options, "whole")
    assert "does not apply" not in stderr
