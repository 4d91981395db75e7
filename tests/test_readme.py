"""What the README says is so: its tables and its construction; tests/docs runs its code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from crossexam.cli.main import app
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import Example
from crossexam.corpora.spec import iter_corpus

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
VERBS = {command.name for command in app.registered_commands}


def test_every_construction_is_in_the_table() -> None:
    for each in CONSTRUCTIONS.values():
        premise, hypothesis, label = each.illustration
        assert f"| `{each.name}` | {premise} | {hypothesis} | {label or '–'} |" in README


@pytest.mark.parametrize("place", ["README.md", "docs/command-line.md"])
def test_every_verb_is_described(place: str) -> None:
    text = (ROOT / place).read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"crossexam {verb}" in text


def test_its_construction_runs() -> None:
    (code,) = re.findall(r"```python\n(from crossexam.constructions.*?)```", README, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    example = Example("a", "P.", "It rains.", "neutral")
    (draft,) = names["shout"](example, None, None)
    item = draft.item(example, "shout.v1")
    assert (item.premise, item.hypothesis, item.label) == ("P.", "IT RAINS.", "neutral")


def test_the_built_in_corpus_is_what_the_docs_say() -> None:
    assert len(list(iter_corpus("builtin:demo"))) >= 300
