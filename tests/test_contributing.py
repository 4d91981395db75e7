"""CONTRIBUTING and ARCHITECTURE name files and tables that exist, and their code runs."""

from __future__ import annotations

import random
import re
from importlib import import_module
from pathlib import Path

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.construction import Construction, Draft, Outcome, Rejection, Resources
from crossexam.core.example import Edit, Example
from crossexam.core.manifest import TestSetEntry
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import SuiteKind, SuiteRequest, SuiteWriter, build_in_memory

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("CONTRIBUTING.md", "ARCHITECTURE.md")
PLACEHOLDER = re.compile(r"NAME|DIR|FILE")


def _paths(document: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|bench|scripts|reproductions)/[\w./-]*)`", text)
    in_commands = re.findall(r"(?<![\w/])(tests/[\w./]+)", text)
    return sorted({path for path in (*named, *in_commands) if not PLACEHOLDER.search(path)})


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_exists(document: str) -> None:
    paths = _paths(document)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path.rstrip("/.")).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_table_exists(document: str) -> None:
    """``TABLE`` (`path`) is a table of that module."""
    text = (ROOT / document).read_text(encoding="utf-8")
    tables = re.findall(r"`([A-Z_]{4,})`\s+\(`src/(crossexam/[\w/]+)\.py`\)", text)
    assert tables
    for table, path in tables:
        assert len(getattr(import_module(path.replace("/", ".")), table)) > 1, table


def _code(start: str) -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (block,) = (each for each in blocks if each.lstrip().startswith(start))
    indent = len(block) - len(block.lstrip())
    return "\n".join(line[indent:] for line in block.splitlines())


def test_the_example_of_a_construction_runs() -> None:
    names = {
        "Example": Example, "Resources": Resources, "random": random, "Outcome": Outcome,
        "Iterator": object, "Rejection": Rejection, "Draft": Draft, "Edit": Edit,
    }  # fmt: skip
    exec("from __future__ import annotations\n" + _code("def shout"), names)
    shout = Construction(
        "shout", 1, names["shout"], "noise", "capitals", "", ("It rains.", "IT RAINS.", "entailment")
    )
    (item,), _ = apply_construction(shout, [Example("a", "P.", "It rains.", "neutral")])
    assert (item.hypothesis, item.label, item.id) == ("IT RAINS.", "neutral", "shout:a")


def test_the_example_of_a_suite_runs() -> None:
    names = {"SuiteRequest": SuiteRequest, "SuiteWriter": SuiteWriter, "TestSetEntry": TestSetEntry}
    exec("from __future__ import annotations\n" + _code("def build_mine"), names)
    kind = SuiteKind("mine", "", "", names["build_mine"])
    suite = build_in_memory(SuiteRequest(kind, [base_from_spec("builtin:demo", limit=3)]))
    assert len(suite["base.builtin_demo"]) == 3
