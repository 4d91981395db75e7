"""Commands that are carried out in this process; their errors are raised."""

import shlex

from typer.testing import CliRunner, Result

from crossexam.cli.main import app


def invoke(*arguments: object) -> Result:
    """Carry out a command that succeeds, given as words or as one line."""
    words = [str(each) for each in arguments]
    if len(words) == 1:
        words = shlex.split(words[0])
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result
