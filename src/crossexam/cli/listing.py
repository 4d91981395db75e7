"""crossexam ls: what there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from crossexam.core.errors import MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table


class _Listing(NamedTuple):
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def ls(
    kind: Annotated[
        str | None,
        typer.Argument(help="corpora, constructions, suites, models or recipes.", metavar="[KIND]"),
    ] = None,
) -> None:
    """List the corpora, constructions, suites, models and training recipes that Crossexam knows."""
    from crossexam.cli.screen import note, show

    if kind is not None and kind not in _LISTINGS:
        raise UnknownNameError("list", kind, _LISTINGS)
    for each in [kind] if kind else _LISTINGS:
        try:
            show(_table(each))
        except MissingExtraError as error:
            if kind:
                raise
            note(f"{each}: {error}")


def _table(kind: str) -> Table:
    from rich.table import Table

    listing = _LISTINGS[kind]()
    table = Table(title=kind, title_justify="left")
    for column in listing.header:
        table.add_column(column, overflow="fold")
    for line in listing.rows:
        table.add_row(*line)
    return table


def _corpora() -> _Listing:
    from crossexam.corpora.reading import list_corpora

    rows = [
        (c.name, " ".join(c.splits), "yes" if c.installed else "no", c.description) for c in list_corpora()
    ]
    return _Listing(("name", "splits", "at hand", "what"), rows)


def _constructions() -> _Listing:
    from crossexam.constructions.table import CONSTRUCTIONS

    rows = [(c.versioned, c.test_class, c.summary, c.paper) for c in CONSTRUCTIONS.values()]
    return _Listing(("name", "class", "what it makes", "source"), rows)


def _suites() -> _Listing:
    from crossexam.suites.table import SUITES

    return _Listing(("name", "what", "source"), [(s.name, s.summary, s.paper) for s in SUITES.values()])


def _models() -> _Listing:
    from crossexam.models.opening import MODELS

    return _Listing(("name", "what"), [(m.prefix, m.description) for m in MODELS.values()])


def _recipes() -> _Listing:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise MissingExtraError("torch", "torch", "the list of trainable models")
    from crossexam.zoo.table import ARCHITECTURES

    rows: list[tuple[str, ...]] = [
        (a.name, f"{a.parameters / 1e6:.2f} M", a.summary, a.paper) for a in ARCHITECTURES.values()
    ]
    rows.append(("hf/FOLDER", "", "any transformers encoder, fine-tuned", "Devlin et al. 2019"))
    return _Listing(("crossexam train NAME", "parameters", "what", "source"), rows)


_LISTINGS: Final[dict[str, Callable[[], _Listing]]] = {
    "corpora": _corpora,
    "constructions": _constructions,
    "suites": _suites,
    "models": _models,
    "recipes": _recipes,
}
