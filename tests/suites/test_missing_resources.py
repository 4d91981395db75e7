"""What is built if a tagger or parser is not installed, and what the package alone builds."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app
from crossexam.core.errors import MissingResourceError, how_to_install
from crossexam.suites.table import suite_named

CSV = """premise,hypothesis,label
"A tall man in a red shirt sold 12 apples to his old friend.",A short man sold fruit.,neutral
The hot soup was served by three young women.,The soup was cold.,contradiction
Maria bought 350 marbles for her happy daughter.,Maria bought marbles.,entailment
"""
REASON = "the weights of NLTK's part-of-speech tagger are not installed"


@pytest.fixture
def corpus(data: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A CSV file on a machine where nothing was ever downloaded."""
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    (data / "mine.csv").write_text(CSV, encoding="utf-8")
    return str(data / "mine.csv")


def test_the_package_alone_builds_all_stress_tests_from_a_csv(corpus: str) -> None:
    with warnings.catch_warnings(action="error"):
        suite = cx.build("stress-tests", corpus)
    wanted = {f"{name}.mine" for name in ("base", *suite_named("stress-tests").constructions)}
    assert {data.name for data in suite if len(data)} == wanted
    assert "|tagger:builtin-perceptron-" in suite["antonymy.mine"].manifest["signature"]


def test_what_was_chosen_and_is_not_installed_is_an_error_before_anything_is_built(
    corpus: str, tmp_path: Path, for_each: Callable[..., None], refused: Callable[..., str]
) -> None:
    """There is a pipeline 'nope' neither with spaCy nor without."""
    folder = tmp_path / "out"
    with Path(corpus).open("a", encoding="utf-8") as stream:
        stream.write("a line with one field\n")  # which is not read

    def check(suite: str, option: str, value: str, said: str) -> None:
        for command in (["build", suite], ["examine", "builtin/overlap", "--suite", suite]):
            line = [*command, "--base", corpus, "-o", str(folder), option, value]
            with pytest.raises(MissingResourceError, match=said):
                CliRunner().invoke(app, line, catch_exceptions=False)
            assert not folder.exists()

    for_each(
        check,
        [
            ("stress-tests", "--tagger", "nltk", REASON),
            ("antonymy", "--tagger", "nltk", REASON),
            ("stress-tests", "--tagger", "spacy:nope", "'nope'"),
            ("stress-tests", "--entities", "spacy:nope", "'nope'"),
            ("compositionality", "--parser", "spacy:nope", "'nope'"),
            ("compositionality", "--tagger", "spacy:nope", "'nope'"),
        ],
    )
    assert "1 fields" in refused(cx.build, "stress-tests", corpus, tagger="builtin")


def test_a_package_that_a_chosen_part_needs_is_named(
    corpus: str, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    for package, tagger in (("spacy", "spacy:en_core_web_sm"), ("nltk", "nltk")):
        monkeypatch.setitem(sys.modules, package, None)
        said = refused(cx.build, "stress-tests", corpus, tagger=tagger)
        assert f"needs the package '{package}', which is not installed" in said
        assert how_to_install(package) in said


def test_what_a_suite_does_not_use_need_not_be_there(corpus: str, refused: Callable[..., str]) -> None:
    assert "negation.mine" in cx.build("negation", corpus, tagger="nltk").datasets
    assert "no tagger is called 'nltkk'" in refused(cx.build, "stress-tests", corpus, tagger="nltkk")
