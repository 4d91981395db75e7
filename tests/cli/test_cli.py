"""The command line: what it prints, what it refuses, what it leaves behind."""

import shutil
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from crossexam.core.test_sets import read_suite
from made.corpora import write_pairs

pytestmark = pytest.mark.usefixtures("folder")
Crossexam = Callable[..., Any]


def test_a_demo_of_one_model_and_what_follows_it(
    crossexam: Crossexam, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(folder))
    monkeypatch.setattr("crossexam.cli.examine._DEMO_MODELS", ("builtin/overlap",))
    page, opened = Path("out/report.html"), list[str]()
    assert "antonymy" in crossexam("demo -o out").out
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url))  # None: there is no browser
    said = crossexam("demo -o out --open").err
    assert "already contains this suite" in said
    assert f"no browser was found; open {page} in one" in said
    assert opened == [page.absolute().as_uri()]
    base = next(Path("out/suite").glob("base.*"))  # numerical reasoning comes from no pair of it
    assert "0 errors" in crossexam(f"check out/suite --base {base}").err
    crossexam(f"report out {' '.join(f'-o x.{suffix}' for suffix in ('md', 'tex', 'csv', 'json'))}")


def test_ls(crossexam: Crossexam) -> None:
    for kind, expected in {
        "corpora": "snli",
        "corpora sick": "SICK_train.txt",
        "constructions": "antonymy.v4",
        "suites": "stress-tests",
        "models": "zoo/FOLDER of esim",
        "templates": "p3-can-we-infer",
        "recipes": "adagrad",
        "rules": "The nun may feed the cat.",
    }.items():
        assert expected in crossexam(f"ls {kind}").out
    assert crossexam("--version").out.strip()


# Names that no file system takes: shortened where we make them, one error where the user gave them

DEMO = "builtin:demo[:20]"


def test_a_suite_over_a_corpus_with_a_long_name(crossexam: Crossexam) -> None:
    files = [write_pairs(Path(), 245 * "x" + number, ("entailment", "neutral")) for number in "12"]
    bases = " ".join(f"--base {path}" for path in files)
    run, export = "run builtin/overlap suite -o run", "export lm-eval suite -o tasks"
    for line in (f"build negation {bases} -o suite", run, "report run", export, "validate sample suite -o v"):
        crossexam(line)
    assert len(list(Path("suite").glob("*.parquet"))) == 4  # two bases and their items
    assert len(list(Path("tasks").glob("*_chat.yaml"))) == 4


def test_a_long_output_is_written_or_refused_with_one_error(crossexam: Crossexam) -> None:
    crossexam(f"build negation --base {DEMO} -o suite")
    for name in ("overlap", "majority"):
        crossexam(f"run builtin/{name} suite -o {name}")
    for command, suffix in (
        (f"build negation --base {DEMO}", ""),
        ("run builtin/overlap suite", ""),
        ("report overlap", ".csv"),
        ("compare overlap majority", ".md"),
        ("export jsonl suite", ""),
        ("validate sample suite", ""),
        (f"train bag-of-words --train {DEMO} --dev {DEMO}", ""),
    ):
        longest, too_long = (f"{(size - len(suffix)) * 'n'}{suffix}" for size in (255, 256))
        crossexam(f"{command} -o {longest}")
        assert Path(longest).exists()
        error = crossexam(f"{command} -o {too_long}", 2).err
        assert f"{too_long}: a name of 256 bytes is too long" in error
        shutil.rmtree(longest) if Path(longest).is_dir() else Path(longest).unlink()


# Folders at URLs, here in memory

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
    for line in ("report memory://b/out/runs/builtin-overlap", "check memory://b/out"):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        crossexam(line)


def test_the_limit_of_a_subset_is_recorded(crossexam: Crossexam) -> None:
    crossexam("subset hard --model builtin/overlap --base builtin:demo --limit 30 -o subset")
    assert read_suite(Path("subset")).manifest.request["limit"] == 30
