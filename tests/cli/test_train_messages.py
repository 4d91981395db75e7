"""What train says: hints that name options of other commands, and long fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError

ROWS = [
    ("A man sleeps.", "A man sleeps.", "entailment"),
    ("A man sleeps.", "A dog barks.", "neutral"),
    ("A man sleeps.", "No man sleeps.", "contradiction"),
] * 3
TRAIN = ("train", "bag-of-words", "--train", "{0}", "--dev", "{0}", "-o", "model")


def invoke(*arguments: str) -> None:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def write(path: Path, header: str, rows: list[tuple[str, str, str]]) -> None:
    lines = [header, *(f'"{p}","{h}",{label}' for p, h, label in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_hint_of_train_leads_to_a_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "mine.csv", "first,second,gold", ROWS)
    with pytest.raises(CrossexamError) as caught:
        invoke(*(piece.format("mine.csv") for piece in TRAIN))
    assert "--columns premise=A,hypothesis=B" in str(caught.value)
    columns = "premise=first,hypothesis=second,label=gold"
    invoke(*(piece.format("mine.csv") for piece in TRAIN), "--columns", columns)
    assert (tmp_path / "model" / "manifest.json").exists()


def test_fields_of_documents_are_read_and_endless_ones_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "long.csv",
        "premise,hypothesis,label",
        [("word " * 40_000, "It is long.", "neutral"), *ROWS],
    )
    invoke("build", "corpus", "--base", "long.csv", "-o", "suite")
    write(tmp_path / "endless.csv", "premise,hypothesis,label", [("x" * (16 * 2**20 + 1), "h", "neutral")])
    with pytest.raises(
        CrossexamError, match="a field is longer than 16,777,216 characters: is the quote at its end missing"
    ):
        invoke("build", "corpus", "--base", "endless.csv", "-o", "other")


def test_names_of_papers_are_trained_and_a_misspelt_one_is_answered_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    demo = ("--train", "builtin:demo", "--dev", "builtin:demo", "-o", "model", "--limit", "20")
    small = ("--epochs", "1", "--set", "width=4", "--set", "hidden=3")
    invoke("train", "CBOW", *demo, *small)
    assert '"architecture": "cbow"' in (tmp_path / "model" / "manifest.json").read_text()
    with pytest.raises(CrossexamError, match="did you mean 'diin'"):
        invoke("train", "DIIM", *demo)
