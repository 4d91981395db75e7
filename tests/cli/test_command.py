"""What help shows of every command."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import typer.main

from crossexam.cli.main import app
from made.cases import for_each


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the commands of *group*, and those below them, by what is typed for them."""
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, f"{name} ")
        else:
            yield path + name, each


ALL = dict(commands(typer.main.get_command(app)))


def test_help_shows_what_a_first_user_needs_and_one_example_that_works() -> None:
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
