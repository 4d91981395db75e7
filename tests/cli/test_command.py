"""What help shows of every command, and what a command costs before it begins."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import typer.main

from crossexam.cli.main import app


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the commands of *group*, and those below them, by what is typed for them."""
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, f"{name} ")
        else:
            yield path + name, each


ALL = dict(commands(typer.main.get_command(app)))


def test_help_shows_what_a_first_user_needs_and_one_example_that_works(for_each: Callable[..., None]) -> None:
    def check(name: str) -> None:
        command = ALL[name]
        flags = [each for each in command.params if each.param_type_name == "option"]
        assert 1 + sum(not each.hidden for each in flags) <= 15  # and --help
        assert all(each.hidden is False for each in flags if each.required)
        (example,) = re.findall(r"^Example: crossexam (.*)$", command.help, flags=re.MULTILINE)
        words = shlex.split(example)
        verb = name.split()
        assert words[: len(verb)] == verb
        given = command.make_context(name, words[len(verb) :]).params
        assert not [each.name for each in command.params if each.required and not given[each.name]]

    for_each(check, [(name,) for name in ALL])


def loaded_by(*arguments: str) -> set[str]:
    """Return the modules that a command has imported when it ends."""
    code = "import sys\nfrom crossexam.cli.main import run\n"
    code += "try: run()\nfinally: print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=False).stderr.split())


def test_help_imports_no_command_and_nothing_heavy() -> None:
    for arguments in (("--help",), ("examine", "--help"), ("train", "--help-all")):
        loaded = loaded_by(*arguments)
        assert "crossexam.cli.command" in loaded
        assert not loaded & {"numpy", "polars", "pyarrow", "scipy", "pydantic", "crossexam.core.dataset"}
        assert not {name for name in loaded if re.match(r"crossexam\.cli\.(?!main|command|console)", name)}
    # One that is refused imports what it needs only.
    assert not loaded_by("card", "nosuch") & {"pydantic", "torch", "scipy.stats", "pandas"}
