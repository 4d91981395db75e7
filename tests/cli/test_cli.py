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


def test_a_hint_of_train_leads_to_a_training(crossexam: Crossexam) -> None:
    labels = ["entailment", "neutral", "contradiction"] * 3
    rows = [f"A man sleeps.,A man {n} sleeps.,{label}" for n, label in enumerate(labels)]
    Path("mine.csv").write_text("\n".join(["first,second,gold", *rows]), encoding="utf-8")
    line = "train bag-of-words --train mine.csv --dev mine.csv -o model"
    assert "--columns premise=A,hypothesis=B" in crossexam(line, 2).err
    crossexam(f"{line} --columns premise=first,hypothesis=second,label=gold")
    assert Path("model/manifest.json").exists()


def test_fields_of_documents_are_read_and_endless_ones_are_told(crossexam: Crossexam) -> None:
    for name, premise in (("long", "word " * 40_000), ("endless", "x" * (16 * 2**20 + 1))):
        text = f"premise,hypothesis,label\n{premise},It is long.,neutral\n"
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    crossexam("build corpus --base long.csv -o suite")
    assert "16,777,216 characters" in crossexam("build corpus --base endless.csv -o other", 2).err


def test_names_of_papers_are_trained_and_a_misspelt_one_is_answered_with_the_nearest(
    crossexam: Crossexam,
) -> None:
    pytest.importorskip("torch")
    demo = "--train builtin:demo --dev builtin:demo -o model --limit 20"
    crossexam(f"train CBOW {demo} --epochs 1 --set width=4 --set hidden=3")
    assert '"architecture": "cbow"' in Path("model/manifest.json").read_text()
    assert "'diin'" in crossexam(f"train DIIM {demo}", 2).err
