"""crossexam ls: what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.core.errors import UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

_KINDS: Final = ("corpora", "constructions", "suites", "models")


def ls(
    kind: Annotated[
        str | None, typer.Argument(help="corpora, constructions, suites or models.", metavar="[KIND]")
    ] = None,
) -> None:
    """List the corpora, constructions, suites and kinds of models that Crossexam knows."""
    from crossexam.cli.screen import show

    if kind is not None and kind not in _KINDS:
        raise UnknownNameError("list", kind, _KINDS)
    for each in [kind] if kind else _KINDS:
        show(_table(each))


def _table(kind: str) -> Table:
    from rich.table import Table

    from crossexam.constructions.table import CONSTRUCTIONS
    from crossexam.corpora.reading import list_corpora
    from crossexam.models.opening import MODELS
    from crossexam.suites.table import SUITES

    rows: dict[str, tuple[tuple[str, ...], list[tuple[str, ...]]]] = {
        "corpora": (
            ("name", "splits", "at hand", "what"),
            [
                (c.name, " ".join(c.splits), "yes" if c.installed else "no", c.description)
                for c in list_corpora()
            ],
        ),
        "constructions": (
            ("name", "class", "what it makes", "source"),
            [(c.versioned, c.test_class, c.summary, c.paper) for c in CONSTRUCTIONS.values()],
        ),
        "suites": (
            ("name", "what", "source"),
            [(s.name, s.summary, s.paper) for s in SUITES.values()],
        ),
        "models": (
            ("name", "what"),
            [(m.prefix, m.description) for m in MODELS.values()],
        ),
    }
    header, lines = rows[kind]
    table = Table(title=kind, title_justify="left")
    for column in header:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*line)
    return table
