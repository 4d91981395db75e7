"""What is built if a tagger or parser is not installed, and what the package alone builds."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, FormatError, MissingResourceError, how_to_install
from crossexam.suites.table import suite_named

CSV = """premise,hypothesis,label
"A tall man in a red shirt sold 12 apples to his old friend.",A short man sold fruit.,neutral
The hot soup was served by three young women.,The soup was cold.,contradiction
Maria bought 350 marbles for her happy daughter.,Maria bought marbles.,entailment
"""
REASON = "the weights of NLTK's part-of-speech tagger are not installed"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A CSV file on a machine where nothing was ever downloaded."""
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setenv("CROSSEXAM_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "mine.csv"
    path.write_text(CSV, encoding="utf-8")
    return str(path)


def test_the_package_alone_builds_all_stress_tests_from_a_csv(corpus: str) -> None:
    with warnings.catch_warnings(action="error"):
        suite = cx.build("stress-tests", corpus)
    wanted = {f"{name}.mine" for name in ("base", *suite_named("stress-tests").constructions)}
    assert {data.name for data in suite if len(data)} == wanted
    assert "|annotator:builtin-perceptron-" in suite["antonymy.mine"].manifest["signature"]


@pytest.mark.parametrize(
    ("suite", "chosen", "said"),
    [
        ("stress-tests", ("--tagger", "nltk"), REASON),
        ("antonymy", ("--tagger", "nltk"), REASON),
        ("stress-tests", ("--tagger", "spacy:nope"), "'nope'"),
        ("stress-tests", ("--entities", "spacy:nope"), "'nope'"),
        ("compositionality", ("--parser", "spacy:nope"), "'nope'"),
        ("compositionality", ("--tagger", "spacy:nope"), "'nope'"),
    ],
)
@pytest.mark.parametrize("command", ["build", "examine"])
def test_what_was_chosen_and_is_not_installed_is_an_error_before_anything_is_built(
    corpus: str, tmp_path: Path, command: str, suite: str, chosen: tuple[str, str], said: str
) -> None:
    """There is a pipeline 'nope' neither with spaCy nor without."""
    folder = tmp_path / "out"
    what = [suite] if command == "build" else ["builtin/overlap", "--suite", suite]
    line = [command, *what, "--base", corpus, "-o", str(folder), *chosen]
    with pytest.raises(MissingResourceError, match=said):
        CliRunner().invoke(app, line, catch_exceptions=False)
    assert not folder.exists()


def test_no_example_is_read_before(corpus: str) -> None:
    with Path(corpus).open("a", encoding="utf-8") as stream:
        stream.write("a line with one field\n")
    with pytest.raises(FormatError, match="1 fields"):
        cx.build("stress-tests", corpus, tagger="builtin")
    with pytest.raises(MissingResourceError, match=REASON):
        cx.build("stress-tests", corpus, tagger="nltk")


def test_a_package_that_a_chosen_part_needs_is_named(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingResourceError) as caught:
        cx.build("stress-tests", corpus, tagger="spacy:en_core_web_sm")
    assert "'en_core_web_sm' needs the package 'spacy', which is not installed" in str(caught.value)
    assert how_to_install("spacy") in str(caught.value)


def test_what_a_suite_does_not_use_need_not_be_there(corpus: str) -> None:
    assert "negation.mine" in cx.build("negation", corpus, tagger="nltk").datasets


def test_a_wrong_tagger_is_an_error_for_the_whole_suite(corpus: str) -> None:
    with pytest.raises(CrossexamError, match="no tagger is called 'nltkk'"):
        cx.build("stress-tests", corpus, tagger="nltkk")
