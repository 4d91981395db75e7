"""Hints name only options that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from crossexam.cli.main import app
from crossexam.cli.model_flags import MODEL_FLAGS
from crossexam.suites.renamed import RENAMED_FLAGS
from crossexam.suites.short_forms import SHORT_FORMS

SOURCE = Path(__file__).resolve().parents[1] / "src" / "crossexam"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
_STYLE = re.compile(r"var\(--[a-z-]+\)|--[a-z-]+:")  # properties of CSS


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts in *path* that are constants outside docstrings, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def options_of(command: object) -> set[str]:
    """Return the options of *command* and of its subcommands."""
    found = {"--help"} | {name for each in command.params for name in each.opts}  # type: ignore[attr-defined]
    for each in getattr(command, "commands", {}).values():
        found |= options_of(each)
    return found


#: Options of other harnesses, in the commands that are shown for them.
ELSEWHERE = frozenset(
    "--model --tasks --include_path --log_samples --output_path --apply_chat_template --to --log --include "
    "--output --apply --custom-tasks --save-details --output-dir --log-dir".split()
)


@pytest.fixture(scope="module")
def known() -> set[str]:
    return (
        options_of(typer.main.get_command(app))
        | set(SHORT_FORMS)
        | set(MODEL_FLAGS)
        | ELSEWHERE
        | set(RENAMED_FLAGS)
    )


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix()
)
def test_options_in_messages_exist(path: Path, known: set[str]) -> None:
    named = [
        (line, option) for line, text in messages(path) for option in _OPTION.findall(_STYLE.sub("", text))
    ]
    assert [f"line {line}: {option}" for line, option in named if option not in known] == []
