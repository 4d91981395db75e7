"""crossexam subset: select the examples of a corpus that a shallow model misclassifies."""

from __future__ import annotations

from crossexam.cli.build import build_and_show, requested
from crossexam.cli.questions import with_answers
from crossexam.core.settings import parse_option_settings
from crossexam.options.build import Subset


def subset(options: Subset) -> None:
    """Write the examples of a corpus that mislead a shallow model."""

    def select(answered: Subset) -> None:
        request = requested(f"{answered.kind}-subsets", answered, parse_option_settings(answered.settings))
        build_and_show(request, answered.output, force=answered.force)

    with_answers(options, select)
