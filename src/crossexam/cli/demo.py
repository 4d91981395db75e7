"""crossexam demo: the whole tool on the built-in corpus; no download, no torch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from crossexam.cli import options

_MODELS: Final = ("builtin/overlap", "builtin/alignment", "builtin/bag-of-words")


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for everything.", metavar="DIR")
    ] = Path("crossexam-demo"),
    force: options.Force = False,
) -> None:
    """Build every stress test from the built-in corpus, run three built-in models, write report.html."""
    from crossexam.cli.examine import examine

    examine(
        list(_MODELS),
        base=["builtin:demo"],
        output=output,
        word_problems=["builtin:word_problems"],
        tagger="parses",
        entities="auto",
        short_forms=["--tautology=green is not red"],
        force=force,
    )
