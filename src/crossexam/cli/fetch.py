"""crossexam fetch: download corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fetch(
    names: Annotated[
        list[str],
        typer.Argument(help="Names of corpora; crossexam ls corpora lists them.", metavar="NAME"),
    ],
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Use this local copy instead of downloading.", metavar="PATH"),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Data folder. Default: CROSSEXAM_DATA, else the platform's folder for user data.",
            metavar="DIR",
        ),
    ] = None,
) -> None:
    """Download corpora, verify their size and SHA-256, and unpack them. Interrupted downloads resume."""
    from crossexam.cli.console import note, progress_bar
    from crossexam.corpora.fetch import install_corpus

    for name in names:
        with progress_bar() as progress:
            result = install_corpus(name, data_dir=data, source=source, progress=progress)
        note(result.summary())
