"""Tests whose cases are rows of tables."""

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import Any

PLAIN = Parameter.POSITIONAL_OR_KEYWORD


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
