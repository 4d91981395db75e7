"""crossexam train for models that are fitted in one go: refusing other options, showing the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.shallow.fitting import FitRequest, FittedFolder, ShallowModel


def shallow_names() -> list[str]:
    """Return the names and aliases of the shallow models.

    >>> shallow_names()
    ['bag-of-words', 'hypothesis-fasttext', 'hom', 'random-forest', 'rf']
    """
    from crossexam.shallow.table import SHALLOW

    return [name for model in SHALLOW.values() for name in (model.name, model.alias) if name]


def refuse_options(model: ShallowModel, given: Mapping[str, Any]) -> None:
    """Raise CrossexamError if *given* has a value for an option that *model* does not take."""
    for option, value in given.items():
        if value and option not in model.takes:
            settable = ", ".join(field.name for part in model.settings.values() for field in fields(part))
            raise CrossexamError(
                f"{option} does nothing for {model.name}, which is fitted in one go",
                hint=f"leave out {option}; --set takes {settable}",
            )


def fit_and_show(model: ShallowModel, request: FitRequest) -> None:
    """Fit *model*, then print a line of scores."""
    from dataclasses import replace

    from crossexam.cli.console import progress_bar, show, written
    from crossexam.shallow.fitting import fit_once

    with progress_bar() as progress:
        fitted = fit_once(model, replace(request, progress=progress))
    show(_result(model, request, fitted))
    written(request.folder)


def _result(model: ShallowModel, request: FitRequest, fitted: FittedFolder) -> Table:
    from rich.table import Table

    manifest = fitted.manifest
    table = Table(title=f"{model.name} on {request.dev}", title_justify="left")
    columns = model.columns(manifest)
    for column in ("model", *columns, "dev accuracy", "dev loss", *request.tests):
        table.add_column(column, justify="left" if column == "model" else "right")
    scores = manifest["scores"]
    table.add_row(
        f"{model.prefix}/{fitted.folder}",
        *columns.values(),
        f"{scores['dev_accuracy']:.1f} %",
        f"{scores['dev_loss']:.3f}",
        *(f"{manifest['tests'][spec]['accuracy']:.1f} %" for spec in request.tests),
    )
    return table
