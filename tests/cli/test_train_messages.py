"""What train says: hints that name options of other commands, and long fields."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Crossexam = Callable[..., Any]
ROWS = [
    ("A man sleeps.", "A man sleeps.", "entailment"),
    ("A man sleeps.", "A dog barks.", "neutral"),
    ("A man sleeps.", "No man sleeps.", "contradiction"),
] * 3


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, header: str, *rows: tuple[str, str, str]) -> None:
    lines = [header, *(f'"{p}","{h}",{label}' for p, h, label in rows)]
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_hint_of_train_leads_to_a_training(crossexam: Crossexam) -> None:
    write("mine.csv", "first,second,gold", *ROWS)
    line = "train bag-of-words --train mine.csv --dev mine.csv -o model"
    assert "--columns premise=A,hypothesis=B" in crossexam(line, 2).err
    crossexam(f"{line} --columns premise=first,hypothesis=second,label=gold")
    assert Path("model/manifest.json").exists()


def test_fields_of_documents_are_read_and_endless_ones_are_told(crossexam: Crossexam) -> None:
    header = "premise,hypothesis,label"
    write("long.csv", header, ("word " * 40_000, "It is long.", "neutral"))
    crossexam("build corpus --base long.csv -o suite")
    write("endless.csv", header, ("x" * (16 * 2**20 + 1), "h", "neutral"))
    assert "16,777,216 characters" in crossexam("build corpus --base endless.csv -o other", 2).err


def test_names_of_papers_are_trained_and_a_misspelt_one_is_answered_with_the_nearest(
    crossexam: Crossexam,
) -> None:
    pytest.importorskip("torch")
    demo = "--train builtin:demo --dev builtin:demo -o model --limit 20"
    crossexam(f"train CBOW {demo} --epochs 1 --set width=4 --set hidden=3")
    assert '"architecture": "cbow"' in Path("model/manifest.json").read_text()
    assert "'diin'" in crossexam(f"train DIIM {demo}", 2).err
