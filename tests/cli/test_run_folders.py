"""Run folders on the command line: further test sets, what only one of two runs has, and examinations."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app, run
from crossexam.core.errors import CrossexamError, FormatError, UnfinishedError
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


EXAMINE = "examine {} --base pairs.csv --suite negation -o {}"
RULES = '[[gate]]\nset = "*"\nmeasure = "unanswered"\nmax = 0.0\n'
#: Commands that take a run: here the folder that examine wrote for one model.
TAKE_A_RUN = (
    "report {}",
    "compare {} run",
    "compare run {}",
    "baseline {} -o written.parquet",
    "gate {}",
    "validate sample --errors {} -o study",
)


@pytest.fixture
def examined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with what examine wrote for one model and for two, and a run."""
    monkeypatch.chdir(tmp_path)
    labels = {"sleeps": "entailment", "runs": "neutral", "sings": "contradiction"}
    rows = [f"A man {verb} in the park.,A man {verb}.,{label}" for verb, label in labels.items()]
    Path("pairs.csv").write_text("\n".join(["premise,hypothesis,label", *rows]), encoding="utf-8")
    Path("crossexam.toml").write_text(RULES, encoding="utf-8")
    crossexam(*EXAMINE.format("builtin/majority", "one").split())
    crossexam(*EXAMINE.format("builtin/majority builtin/overlap", "two").split())
    crossexam("run", "builtin/overlap", "one/suite", "-o", "run")
    return tmp_path


@pytest.mark.parametrize("line", TAKE_A_RUN)
def test_the_folder_of_an_examination_of_one_model_is_its_run(examined: Path, line: str) -> None:
    crossexam(*line.replace("{}", "one").split())


@pytest.mark.parametrize(
    "line",
    [
        *TAKE_A_RUN[1:],
        "report run one --relative-to {}",
        "report run --temperature-from {}",
        "report run --threshold dev:{}",
    ],
)
def test_the_runs_of_an_examination_of_several_models_are_named(examined: Path, line: str) -> None:
    named = "name one: two/runs/builtin-majority, two/runs/builtin-overlap"
    with pytest.raises(CrossexamError, match=named) as caught:
        crossexam(*line.replace("{}", "two").split())
    assert (caught.value.what, caught.value.where) == ("this is a folder of several runs", "two")


def test_a_report_takes_all_runs_of_an_examination(examined: Path) -> None:
    crossexam("report", "two", "-o", "report.json")
    written = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in written["models"]] == ["builtin/majority", "builtin/overlap"]


def test_the_library_takes_the_folder_of_an_examination(examined: Path) -> None:
    assert cx.load_run("one").model == "builtin/majority"
    with pytest.raises(CrossexamError, match="folder of several runs"):
        cx.load_run(examined / "two")


def test_an_examination_that_was_stopped_has_a_run_that_is_not_finished(examined: Path) -> None:
    stopped = Path("one/runs/builtin-majority")
    (stopped / "manifest.json").rename(stopped / "store.sqlite")
    with pytest.raises(UnfinishedError, match="one/runs/builtin-majority: the run is not finished"):
        crossexam("gate", "one")
    stopped = Path("two/runs/builtin-overlap")
    (stopped / "manifest.json").rename(stopped / "store.sqlite")
    with pytest.raises(FormatError, match="folder of several runs"):  # not the one that is finished
        crossexam("gate", "two")


def test_a_folder_without_runs_is_none(examined: Path) -> None:
    Path("empty").mkdir()
    for folder in ("empty", "nosuch"):
        with pytest.raises(FormatError, match=f"{folder}: "):
            crossexam("gate", folder)


def test_the_suite_of_an_examination_is_found_in_its_folder(sets: Path) -> None:
    crossexam("examine", "builtin/overlap", "--base", "builtin:demo", "--limit", "4", "-o", "out")
    found, suite = (cx.load_suite(sets / name) for name in ("out", "out/suite"))
    assert list(found.datasets) == list(suite.datasets)
    for command in (
        ("check",),
        ("card",),
        ("export", "csv", "-o", "pairs"),
        ("run", "builtin/majority", "-o", "run"),
    ):
        crossexam(*command, "out")
    assert read_run(sets / "run").datasets.keys() == suite.datasets.keys()
    assert {path.name for path in (sets / "out").iterdir()} == {"report.html", "runs", "suite"}
    assert (sets / "out" / "suite" / "README.md").is_file()
