"""Documents name what exists, and the code of CONTRIBUTING runs."""

import random
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from crossexam.cli.main import VERBS
from crossexam.constructions.apply import apply_construction
from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.entry import Construction
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import Edit, Example
from crossexam.core.test_sets import read_suite
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import build_to_folder
from crossexam.suites.plan import SuiteKind, SuiteRequest
from made.cases import for_each

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("CONTRIBUTING.md", "ARCHITECTURE.md")
PLACEHOLDER = re.compile(r"NAME|DIR|FILE")


def _paths(document: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|bench|scripts|reproductions)/[\w./-]*)`", text)
    in_commands = re.findall(r"(?<![\w/])(tests/[\w./]+)", text)
    return sorted({path for path in (*named, *in_commands) if not PLACEHOLDER.search(path)})


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_and_table_exists(document: str) -> None:
    """``TABLE`` (`path`) is a table of that module."""
    paths = _paths(document)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path.rstrip("/.")).exists()] == []
    text = (ROOT / document).read_text(encoding="utf-8")
    tables = re.findall(r"`([A-Z_]{4,})`\s+\(`src/(crossexam/[\w/]+)\.py`\)", text)
    assert tables
    for table, path in tables:
        assert len(getattr(import_module(path.replace("/", ".")), table)) > 1, table


def test_what_documents_say_of_a_test_names_one() -> None:
    def check(file: str, name: str) -> None:
        assert not name or f"def {name}(" in (ROOT / file).read_text("utf-8")

    documents = [ROOT / "docs/reliability.md", *ROOT.glob("reproductions/*/*.md")]
    text = "\n".join(path.read_text("utf-8") for path in documents)
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) > 20
    for_each(check, named)


def _code(start: str) -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (block,) = (each for each in blocks if each.lstrip().startswith(start))
    indent = len(block) - len(block.lstrip())
    return "\n".join(line[indent:] for line in block.splitlines())


def test_the_example_of_a_construction_runs() -> None:
    names = {"random": random, "Rejection": Rejection, "Draft": Draft, "Edit": Edit}
    exec("from __future__ import annotations\n" + _code("def shout"), names)
    illustration = ("It rains.", "IT RAINS.", "entailment")
    shout = Construction("shout", 1, names["shout"], "noise", "capitals", "", illustration)
    (item,), _ = apply_construction(shout, [Example("a", "P.", "It rains.", "neutral")])
    assert (item.hypothesis, item.label, item.id) == ("IT RAINS.", "neutral", "shout:a")


def test_the_example_of_a_suite_runs(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + _code("from dataclasses import replace"), names)
    kind = SuiteKind("mine", "", "", names["plan_mine"])
    for seed in (0, 1):  # on which nothing depends
        request = SuiteRequest(kind, [base_from_spec("builtin:demo", limit=3)], seed=seed)
        assert build_to_folder(request, tmp_path / "one").written == (seed == 0)
    suite = read_suite(tmp_path / "one")
    assert str(suite["base.builtin_demo"].entry.signature).startswith("corpus:builtin:demo@")


def test_every_construction_is_named_and_the_items_shown_are_what_it_makes() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "studies").glob("*.md"))
    for each in CONSTRUCTIONS.values():
        assert f"`{each.name}`" in pages
        found = re.findall(
            rf"^\| `{each.name}` \| (.+) \| (.+) \| (entailment|neutral|contradiction) \|$", pages, re.M
        )
        assert found in ([], [each.illustration])


def test_every_verb_is_described() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"crossexam {verb}" not in text] == []
