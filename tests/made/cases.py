"""Cases that are rows of tables, and calls that are refused."""

import traceback
from collections.abc import Callable, Iterable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError

PLAIN = Parameter.POSITIONAL_OR_KEYWORD


class Refusal(str):
    """What an error says."""

    def has(self, *texts: str) -> bool:
        """Whether it says all of these."""
        return all(text in self for text in texts)


def refused(call: Callable[..., object], *arguments: Any, **named: Any) -> Refusal:
    """Return what the error says with which a call is refused; a kind of error may precede the call."""
    kind: Any = CrossexamError
    if isinstance(call, type) and issubclass(call, Exception):
        kind, call, *arguments = call, *arguments
    with pytest.raises(kind) as caught:
        call(*arguments, **named)
    return Refusal(caught.value)


def for_each(check: Callable[..., None], rows: Iterable[Any]) -> None:
    """Check every row of a table in one test, which fails with all rows for which the check fails."""
    table, wrong = list(rows), []
    assert table, "the table has no rows"
    for row in table:
        try:
            check(*row) if isinstance(row, tuple) else check(row)
        except (Exception, pytest.fail.Exception) as error:
            *_, frame = traceback.extract_tb(error.__traceback__, limit=2)  # of the check
            wrong.append(f"{row!r}\n    line {frame.lineno}: {type(error).__name__}: {error}")
    if wrong:
        pytest.fail(f"{len(wrong)} of {len(table)} rows:\n" + "\n".join(wrong), pytrace=False)


def each_row(check: Callable[..., None]) -> Callable[..., None]:
    """Make the check of a row a test of all rows of the table of its name, which ``each_case`` reads.

    The cells of the row are its arguments; those after an asterisk are fixtures.
    """

    @wraps(check)
    def test(each_case: Callable[..., None], **fixtures: Any) -> None:
        each_case(partial(check, **fixtures))

    named = [each for each in signature(check).parameters.values() if each.kind is Parameter.KEYWORD_ONLY]
    of_test = [Parameter("each_case", PLAIN), *(each.replace(kind=PLAIN) for each in named)]
    vars(test)["__signature__"] = Signature(of_test)
    return test
