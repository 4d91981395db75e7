"""crossexam card: describe a suite for the hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.core.places import here_path


def card(
    suite: Annotated[
        Path, typer.Argument(parser=here_path, help="Suite: a folder of this machine.", metavar="DIR")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace a README.md in the folder.")] = False,
    with_permission: Annotated[
        bool,
        typer.Option(
            "--with-permission",
            help="Write the card though a licence forbids changed text, as its owners permit it.",
        ),
    ] = False,
) -> None:
    """Write a dataset card into the folder of a suite, which the Hugging Face hub and datasets then read."""
    from crossexam.cli.console import note, written
    from crossexam.core.errors import CrossexamError
    from crossexam.core.files import write_text
    from crossexam.core.test_sets import read_suite, suite_folder
    from crossexam.interop.card import CARD, dataset_card, refuse_forbidden_changes, sources_of

    if not suite.is_dir():
        raise CrossexamError("not a folder", where=str(suite), wanted="a folder that crossexam build wrote")
    suite = suite_folder(suite)
    target = suite / CARD
    if target.exists() and not force:
        raise CrossexamError("there is a README.md already", where=str(suite), hint="--force replaces it")
    found = read_suite(suite)
    sources = sources_of(found)
    if not with_permission:
        refuse_forbidden_changes(found, sources)
    write_text(target, dataset_card(found))
    for warning in sources.warnings:
        note(f"warning: before you share this: {warning}")
    written(target)
