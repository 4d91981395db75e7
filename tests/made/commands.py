"""Commands that are carried out in this process; their errors are raised."""

import shlex
from collections.abc import Callable
from typing import Any

from typer.testing import CliRunner, Result

from crossexam.cli.main import app

#: The fixture ``crossexam``, which carries out a command line as from a shell.
Crossexam = Callable[..., Any]


def invoke(*arguments: object) -> Result:
    """Carry out a command that succeeds, given as words or as one line."""
    words = [str(each) for each in arguments]
    if len(words) == 1:
        words = shlex.split(words[0])
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result
