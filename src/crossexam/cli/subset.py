"""crossexam subset: select the examples of a corpus that a shallow model misclassifies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.cli import options
from crossexam.core.places import work_path


def subset(
    kind: Annotated[
        str,
        typer.Argument(
            help="cs: examples that mislead a bag-of-words model. hard: those that a hypothesis-only model "
            "misclassifies.",
            metavar="cs|hard",
        ),
    ],
    base: options.BaseSpecs,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", parser=work_path, help="Folder for the test sets, or a URL.", metavar="DIR"
        ),
    ],
    settings: options.Settings = None,
    short_forms: options.ShortForms = None,
    limit: options.Limit = None,
    columns: options.Columns = None,
    labels: options.Labels = None,
    skip_bad: options.SkipBad = False,
    allow_loss: options.AllowLoss = False,
    force: options.Force = False,
) -> None:
    """Write the examples of a corpus that mislead a shallow model, and the whole corpus, as test sets.

    Equivalent to crossexam build cs-subsets and crossexam build hard-subsets.
    """
    from crossexam.cli.build import build_and_show, requested
    from crossexam.core.errors import UnknownNameError
    from crossexam.core.settings import parse_option_settings
    from crossexam.suites.table import SUITES

    suffix = "-subsets"
    if kind + suffix not in SUITES:
        known = [name.removesuffix(suffix) for name in SUITES if name.endswith(suffix)]
        raise UnknownNameError("kind of subset", kind, known)
    request = requested(
        kind + suffix,
        base,
        settings=parse_option_settings(settings or ()),
        short_forms=short_forms,
        reading=options.reading_options(columns, labels, skip_bad, allow_loss),
        limit=limit,
    )
    build_and_show(request, output, force=force)
