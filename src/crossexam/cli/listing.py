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
    from crossexam.models.builtin import SUMMARIES
    from crossexam.models.opening import MODELS

    rows = list(SUMMARIES.items())
    rows += [(m.prefix, m.description) for kind, m in MODELS.items() if kind not in ("builtin", "zoo")]
    if _has_torch():
        from crossexam.zoo.table import ARCHITECTURES

        rows += [(f"zoo/FOLDER of {a.name}", f"{a.summary} ({a.paper})") for a in ARCHITECTURES.values()]
    else:
        rows.append((MODELS["zoo"].prefix, f"{MODELS['zoo'].description} (extra torch)"))
    return _Listing(("name", "what"), rows)


def _recipes() -> _Listing:
    if not _has_torch():
        raise MissingExtraError("torch", "torch", "the list of trainable models")
    from crossexam.zoo.table import ARCHITECTURES

    rows: list[tuple[str, ...]] = [
        (a.name, f"{a.parameters / 1e6:.2f} M", a.recipe.optimizer, f"{a.recipe.learning_rate:g}",
         str(a.recipe.batch_size), str(a.recipe.epochs), a.recipe.source)
        for a in ARCHITECTURES.values()
    ]  # fmt: skip
    header = ("crossexam train NAME", "parameters", "optimiser", "rate", "batch", "epochs", "source")
    return _Listing(header, [*rows, _fine_tuning()])


def _fine_tuning() -> tuple[str, ...]:
    from crossexam.training import pretrained

    recipe = pretrained.RECIPE
    return ("hf/FOLDER", "its own", recipe.optimizer, f"{recipe.learning_rate:g}", str(recipe.batch_size),
            str(recipe.epochs), recipe.source)  # fmt: skip


def _has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None


_LISTINGS: Final[dict[str, Callable[[], _Listing]]] = {
    "corpora": _corpora,
    "constructions": _constructions,
    "suites": _suites,
    "models": _models,
    "recipes": _recipes,
}
