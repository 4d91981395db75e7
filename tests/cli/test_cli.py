"""The command line: what it prints, what it refuses, what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.cli.ls import _corpora
from crossexam.core.test_sets import read_suite

pytestmark = pytest.mark.usefixtures("folder")
Crossexam = Callable[..., Any]


def test_a_demo_of_one_model_and_what_follows_it(
    crossexam: Crossexam, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second demo uses the first; its suite passes the checks; its run gives reports of every form."""
    monkeypatch.setenv("NLTK_DATA", str(folder))
    monkeypatch.setattr("crossexam.cli.examine._DEMO_MODELS", ("builtin/overlap",))
    assert "antonymy" in crossexam("demo -o out").out
    assert "numerical_reasoning" in Path("out/report.html").read_text(encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in Path("out/suite").iterdir()}
    assert "already contains this suite" in crossexam("demo -o out").err
    assert before == {path: path.stat().st_mtime_ns for path in Path("out/suite").iterdir()}
    said = crossexam("check out/suite")
    assert "0 errors" in said.err
    assert "sentence met before" in said.out  # why examples gave no item
    base = next(Path("out/suite").glob("base.*"))  # numerical reasoning comes from no pair of it
    crossexam(f"check out/suite --base {base}")
    crossexam(f"report out {' '.join(f'-o x.{suffix}' for suffix in ('md', 'tex', 'csv', 'json'))}")


def test_check_fails(crossexam: Crossexam) -> None:
    Path("bad.jsonl").write_text(
        '{"id": "antonymy:a", "premise": "It is hot.", "hypothesis": "It is cold.", "label": "neutral",'
        ' "base": "a", "construction": "antonymy.v1", "source": "premise", "target": "premise",'
        ' "edits": [{"side": "hypothesis", "start": 6, "end": 9, "old": "hot", "new": "warm"}], "info": {}}\n'
    )
    said = crossexam("check bad.jsonl", 1)
    assert "E101" in said.out
    assert "E201" in said.out


def test_files_of_users_are_not_written_over(crossexam: Crossexam) -> None:
    Path("notes").mkdir()
    for path in (Path("notes/notes.txt"), Path("file")):
        path.write_text("mine")
    crossexam("build corpus --base builtin:demo[:20] -o suite")
    for line in (
        "run builtin/overlap suite -o notes",
        "run builtin/overlap suite -o file",
        "build negation --base builtin:demo -o file",
    ):
        assert line.split()[-1] in crossexam(line, 2).err
    assert Path("file").read_text() == Path("notes/notes.txt").read_text() == "mine"


def test_ls_corpora_tells_splits_apart_and_what_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, crossexam: Crossexam
) -> None:
    for name in ("SICK_train.txt", "MED.tsv"):
        Path(name).write_text("", encoding="utf-8")
    monkeypatch.setenv("CROSSEXAM_DATA", str(folder))
    rows = {row[0]: row[1:3] for row in _corpora().rows}
    assert rows["sick"] == ("train dev test all", "part")
    assert rows["med"] == ("test", "yes")
    assert rows["anli"] == ("r1_* r2_* r3_* with * = train dev test", "no")
    of_sick = crossexam("ls corpora sick").out
    assert "sick_hub_dev.parquet" in of_sick
    assert of_sick.count("SICK_train.txt") == 2  # looked for, and found
    assert of_sick.count("SICK.txt") == 1
    assert "'nosuch'" in crossexam("ls corpora nosuch", 2).err


def test_ls(crossexam: Crossexam) -> None:
    for kind, expected in {
        "corpora": "snli",
        "constructions": "antonymy.v3",
        "suites": "stress-tests",
        "models": "zoo/FOLDER of esim",
        "templates": "p3-can-we-infer",
        "recipes": "adagrad",
        "rules antonymy": "The soup was not hot.",
        "rules": "The nun may feed the cat.",
    }.items():
        assert expected in crossexam(f"ls {kind}").out
    assert crossexam("--version").out.strip()


def test_the_limit_of_a_subset_is_recorded(crossexam: Crossexam) -> None:
    crossexam("subset hard --model builtin/overlap --base builtin:demo --limit 30 -o subset")
    assert read_suite(Path("subset")).manifest["request"]["limit"] == 30
