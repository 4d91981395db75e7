"""crossexam fetch: download corpora into the data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fetch(
    names: Annotated[list[str], typer.Argument(help="Corpora: see crossexam ls corpora.", metavar="NAME...")],
    source: Annotated[
        Path | None, typer.Option("--from", help="A copy on disk instead of the download.", metavar="PATH")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The data folder; default: CROSSEXAM_DATA, else the platform's.", metavar="DIR"),
    ] = None,
) -> None:
    """Download corpora, check size and SHA-256, unpack; an interrupted download goes on where it was."""
    from crossexam.cli.console import note, progress_bar
    from crossexam.corpora.fetch import install_corpus

    for name in names:
        with progress_bar() as progress:
            result = install_corpus(name, data_dir=data, source=source, progress=progress)
        note(result.summary())
