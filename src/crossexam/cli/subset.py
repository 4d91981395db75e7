"""crossexam subset: select the examples of a corpus that a shallow model misclassifies."""

from __future__ import annotations

from typing import Final

from crossexam.cli.build import build_and_show, requested
from crossexam.cli.questions import with_answers
from crossexam.core.errors import UnknownNameError
from crossexam.core.settings import parse_option_settings
from crossexam.options.build import Subset
from crossexam.suites.table import SUITES

_SUFFIX: Final = "-subsets"


def subset(options: Subset) -> None:
    """Write the examples of a corpus that mislead a shallow model."""
    name = options.kind + _SUFFIX
    if name not in SUITES:
        known = [each.removesuffix(_SUFFIX) for each in SUITES if each.endswith(_SUFFIX)]
        raise UnknownNameError("kind of subset", options.kind, known)

    def select(answered: Subset) -> None:
        request = requested(name, answered, parse_option_settings(answered.settings))
        build_and_show(request, answered.output, force=answered.force)

    with_answers(options, select)
