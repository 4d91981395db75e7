"""crossexam train bag-of-words: which options it takes, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.training.bag_of_words_training import Request, Trained


def refuse_options(given: Mapping[str, Any]) -> None:
    """Raise CrossexamError for an option that *given* has a value of: there is nothing to do with it."""
    for option, value in given.items():
        if value:
            raise CrossexamError(
                f"{option} does nothing for bag-of-words, which is fitted in one go and without chance",
                hint=f"leave out {option}; what can be set: --set c=0.1 --set min_count=2 --set pairs=false",
            )


def fit_and_show(request: Request) -> None:
    """Fit the model, then print a line of scores."""
    from dataclasses import replace

    from crossexam.cli.screen import progress_bar, show, written
    from crossexam.training.bag_of_words_training import train_bag_of_words

    with progress_bar() as progress:
        trained = train_bag_of_words(replace(request, progress=progress))
    show(_result(request, trained))
    written(request.folder)


def _result(request: Request, trained: Trained) -> Table:
    from rich.table import Table

    manifest = trained.manifest
    table = Table(title=f"bag-of-words on {request.dev}", title_justify="left")
    for column in ("model", "features", "iterations", "dev accuracy", "dev loss", *request.tests):
        table.add_column(column, justify="left" if column == "model" else "right")
    scores = manifest["scores"]
    table.add_row(
        f"bow/{trained.folder}",
        f"{sum(manifest['features'].values()):,}",
        f"{manifest['iterations']:,}" + ("" if manifest["converged"] else " (not converged)"),
        f"{scores['dev_accuracy']:.1f} %",
        f"{scores['dev_loss']:.3f}",
        *(f"{manifest['tests'][spec]['accuracy']:.1f} %" for spec in request.tests),
    )
    return table
