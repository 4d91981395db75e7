"""crossexam baseline and crossexam gate: exit codes, files, and that nothing is green by accident."""

import json
import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from made.commands import Crossexam, invoke

GOLD = {"sleeps": "entailment", "runs": "neutral", "sings": "contradiction"}
PAIRS = [
    (f"A man {verb} in the park {n}.", f"A person {verb} {n}.", label)
    for n in range(10)
    for verb, label in GOLD.items()
]
MODELS = f"""\
GOLD = {GOLD}
def good(pairs):
    return [next((label for word, label in GOLD.items() if word in h), "neutral") for _, h in pairs]
def bad(pairs):
    return ["entailment"] * len(pairs)
def silent(pairs):
    return [{{"status": "refused"}}] * len(pairs)
def some(pairs):
    return [{{"status": "refused"}} if "sings" in h else label for (_, h), label in zip(pairs, good(pairs))]
"""
RULE = '[[gate]]\nset = "negation.*"\nmeasure = "accuracy"\n'
AGAINST = f'{RULE}against = "baseline"\nmargin = 0.02\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gate")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        pl.DataFrame(PAIRS, schema=["premise", "hypothesis", "label"], orient="row").write_csv("pairs.csv")
        Path("gated_models.py").write_text(MODELS)
        for line in (
            "build negation --base pairs.csv -o suite",
            *(f"run py/gated_models:{name} suite -o {name}" for name in ("good", "bad", "silent", "some")),
            "baseline good -o baseline.parquet",
        ):
            invoke(line)
    return folder


@pytest.fixture(autouse=True)
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def rules(text: str) -> None:
    Path("crossexam.toml").write_text(text)


def test_a_run_that_is_as_good_passes_and_a_worse_one_does_not(crossexam: Crossexam) -> None:
    rules(f"{RULE}min = 0.6\n{AGAINST}")
    line = "--baseline baseline.parquet --junit g.xml --json g.json"
    printed = crossexam(f"gate good {line}")
    assert "The gate passes: py/gated_models:good against its baseline, 2 checks" in printed.out
    assert json.loads(Path("g.json").read_text())["passed"] is True
    assert len(ElementTree.parse("g.xml").findall(".//testcase")) == 2
    Path("crossexam.toml").rename("my.toml")
    crossexam(f"gate bad {line} --rules my.toml", 1)
    assert json.loads(Path("g.json").read_text())["exit_code"] == 1
    assert ElementTree.parse("g.xml").getroot().find(".//failure") is not None


def unread(line: str, *, errors: bool, **environment: str) -> int:
    """Return the exit code of a command whose reader has gone: that of its output, and of *errors* too."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "crossexam", *line.split()]
    stderr = writing if errors else subprocess.PIPE
    there = os.environ | environment
    done = subprocess.run(command, stdout=writing, stderr=stderr, text=True, check=False, env=there)
    os.close(writing)
    assert "Traceback" not in (done.stderr or "")
    return done.returncode


@pytest.mark.parametrize(("run", "code", "errors"), [("good", 0, True), ("bad", 1, False)])
def test_the_verdict_does_not_depend_on_who_reads_it(here: Path, run: str, code: int, errors: bool) -> None:
    """A reader such as head leaves before all is printed; rich would end the command with 1."""
    rules(AGAINST)
    line = f"gate {run} --baseline baseline.parquet --junit gate.xml --json gate.json"
    assert unread(line, errors=errors, GITHUB_STEP_SUMMARY=str(here / "summary.md")) == code
    assert json.loads((here / "gate.json").read_text("utf-8"))["exit_code"] == code
    assert len(ElementTree.parse(here / "gate.xml").findall(".//testcase")) == 1
    assert "The gate" in (here / "summary.md").read_text("utf-8")


def test_open_checks_leave_it_undecided_pass_or_fail(crossexam: Crossexam) -> None:
    rules(f"{RULE}min = 0.95\n")
    for option, code, says in (
        ("", 5, "is undecided: "),
        ("--open pass", 0, "is undecided, let through by --open pass: "),
        ("--open fail", 1, "fails: "),
    ):
        assert crossexam(f"gate good {option}", code).text.startswith(f"The gate {says}")


def test_what_cannot_be_judged_exits_with_2(crossexam: Crossexam) -> None:
    """Of the kinds in tests/gates: other sets, part of the items, and a damaged baseline."""
    rules(AGAINST)
    line = "--baseline baseline.parquet --junit g.xml"
    crossexam("run builtin/overlap suite/base.pairs.parquet -o new")
    assert "lacks negation.pairs" in crossexam(f"gate new {line}", 2).err
    crossexam("run builtin/overlap suite --limit 5 -o new --force")
    assert "over different items (5 with content" in crossexam(f"gate new {line}", 2).err
    data = Path("baseline.parquet").read_bytes()
    Path("baseline.parquet").write_bytes(data[:-200] + b"x" * 200)
    assert "baseline.parquet" in crossexam(f"gate good {line}", 2).err
    assert not Path("g.xml").exists()


def test_unanswered_items_over_the_limit_exit_with_2(crossexam: Crossexam) -> None:
    for text, model in product((f"{RULE}min = 0.5\n", AGAINST), ("silent", "some")):
        rules(text)
        assert "NOT JUDGED" in crossexam(f"gate {model} --baseline baseline.parquet --junit g.xml", 2).out
        assert ElementTree.parse("g.xml").find(".//failure[@type='not judged']") is not None


def test_the_level_is_handed_on_and_no_result_outlives_an_error(crossexam: Crossexam) -> None:
    rules(f"{RULE}min = 0.5\n")
    line, files = "gate good --json c.json --junit c.xml", (Path("c.json"), Path("c.xml"))
    crossexam(f"{line} --alpha 0.2")
    assert json.loads(files[0].read_text())["alpha"] == 0.2
    rules('[[gate]]\nset = "typo.*"\nmeasure = "accuracy"\nmin = 0.3\n')
    crossexam(line, 2)
    assert not any(map(Path.exists, files))
