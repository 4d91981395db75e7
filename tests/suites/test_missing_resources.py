"""What is built if a tagger or parser is not installed, and what the package alone builds."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, MissingResourceError
from crossexam.core.files import read_json
from crossexam.suites.table import suite_named

CSV = """premise,hypothesis,label
"A tall man in a red shirt sold 12 apples to his old friend.",A short man sold fruit.,neutral
The hot soup was served by three young women.,The soup was cold.,contradiction
Maria bought 350 marbles for her happy daughter.,Maria bought marbles.,entailment
"""
NEED_TAGS = [
    "antonymy",
    "numerical_reasoning",
    "spelling_error_mixed_content_word",
    "spelling_error_mixed_function_word",
    "spelling_error_content_word",
    "spelling_error_function_word",
]
REASON = "the weights of NLTK's part-of-speech tagger are not installed"

pytestmark = pytest.mark.filterwarnings("ignore:.* was not built:UserWarning")  # those not matched


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


def test_a_suite_without_tagger_has_the_other_test_sets_and_says_why(corpus: str, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    arguments = ["build", "stress-tests", "--base", corpus, "-o", str(folder), "--tagger", "nltk"]
    for shown in (len(NEED_TAGS), 0):  # the second finds the suite, shows no yield, and still warns
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
        assert f"warning: not built: {', '.join(NEED_TAGS)}: {REASON}\n  hint: python -m nltk" in done.stderr
        assert done.stdout.count(f"not built: {REASON}") == shown
    assert "already contains this suite" in done.stderr
    manifest = read_json(folder / "manifest.json")
    assert manifest["not_built"] == dict.fromkeys(NEED_TAGS, REASON)
    assert f"|without:{'+'.join(NEED_TAGS)}|" in manifest["signature"]
    assert sorted(name.partition(".")[0] for name in manifest["test_sets"]) == [
        "base",
        "length_mismatch",
        "negation",
        "spelling_error_adjacent_swap",
        "spelling_error_keyboard_swap",
        "word_overlap",
    ]


def test_an_incomplete_suite_is_not_taken_for_the_whole(
    corpus: str, tmp_path: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nltk

    folder = tmp_path / "suite"
    with pytest.warns(UserWarning, match="antonymy was not built"):
        cx.build("stress-tests", corpus, tagger="nltk", folder=folder)
    monkeypatch.setattr(nltk.data, "path", [str(shared_data / "nltk_data")])  # installed in the meantime
    with pytest.raises(CrossexamError, match="contains a suite built"):
        cx.build("stress-tests", corpus, tagger="nltk", folder=folder)


def test_word_problems_are_not_read_for_nothing(corpus: str, tmp_path: Path) -> None:
    problems = tmp_path / "broken.jsonl"
    problems.write_text('{"question": "How many?"}\n{"no question\n', encoding="utf-8")
    with pytest.warns(UserWarning, match=f"numerical_reasoning was not built: {REASON}"):
        suite = cx.build("stress-tests", corpus, word_problems=problems, tagger="nltk")
    assert "negation.mine" in suite.datasets


def test_a_construction_named_alone_is_an_error(corpus: str, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    arguments = ["build", "antonymy", "--base", corpus, "-o", str(folder), "--tagger", "nltk"]
    with pytest.raises(MissingResourceError, match=REASON):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert not folder.exists()


def test_compositionality_without_parser_has_its_subsets(corpus: str) -> None:
    pytest.importorskip("spacy")
    with pytest.warns(UserWarning, match="was not built: there is no spaCy pipeline 'nope'") as caught:
        suite = cx.build("compositionality", corpus, parser="spacy:nope")
    assert [str(warning.message).partition(" ")[0] for warning in caught] == ["so_swap", "add_amod"]
    assert "cs_0_5.mine" in suite.datasets


def test_examine_goes_on_without_what_is_missing(corpus: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    done = CliRunner().invoke(
        app, ["examine", "builtin/overlap", "--base", corpus, "-o", str(output), "--tagger", "nltk"]
    )
    assert done.exit_code == 0, done.output
    assert "warning: not built: antonymy" in done.stderr
    assert "negation.mine" in done.stdout
    assert (output / "report.html").is_file()


def test_a_wrong_tagger_is_an_error_for_the_whole_suite(corpus: str) -> None:
    with pytest.raises(CrossexamError, match="no tagger is called 'nltkk'"):
        cx.build("stress-tests", corpus, tagger="nltkk")
