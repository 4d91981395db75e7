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
    max_size: Annotated[
        int,
        typer.Option(
            "--max-size",
            min=1,
            help="Most megabytes of a download of which the catalogue knows no size.",
            metavar="MEGABYTES",
        ),
    ] = 1000,
) -> None:
    """Download corpora, verify their size and SHA-256, and unpack them. Interrupted downloads resume.

    Files without a SHA-256 in the catalogue are unverified: their first SHA-256 is recorded, and held.
    """
    from crossexam.cli.console import note, progress_bar
    from crossexam.corpora.fetch import install_corpus

    for name in names:
        with progress_bar() as progress:
            result = install_corpus(
                name, data_dir=data, source=source, progress=progress, max_size=max_size * 1_000_000
            )
        note(result.summary())
