"""crossexam ls: list corpora, constructions, their rules, suites, options, models, templates and recipes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from crossexam.cli.console import note, show, table_of
from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError
from crossexam.options.data import Ls

if TYPE_CHECKING:
    from dataclasses import Field


class _Listing(NamedTuple):
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


#: So many names of each kind are listed beside it.
_MOST_NAMED: Final = 8


def ls(options: Ls) -> None:
    """List what is available."""
    if options.kind == _RULES:
        _list_rules(options.name)
        return
    if options.kind is not None and options.kind not in _LISTINGS:
        raise UnknownNameError("list", options.kind, [*_LISTINGS, _RULES])
    if options.kind == _CORPORA and options.name is not None:
        _list_files(options.name)
        return
    if options.name is not None:
        raise CrossexamError(
            f"{options.kind} are not listed by name",
            where=f"crossexam ls {options.kind} {options.name}",
            hint=f"crossexam ls {options.kind}",
        )
    if options.kind is None:
        _list_kinds()
        return
    listing = _LISTINGS[options.kind]()
    show(table_of(options.kind, listing.header, listing.rows))


def _list_kinds() -> None:
    """List the kinds, with the first names of each."""
    rows = []
    for kind, listing in _LISTINGS.items():
        try:
            names = list(dict.fromkeys(str(row[0]) for row in listing().rows))
        except MissingExtraError as error:
            note(f"{kind}: {error}")
            continue
        more = [f"{len(names) - _MOST_NAMED:,} more"] if len(names) > _MOST_NAMED else []
        rows.append((kind, ", ".join([*names[:_MOST_NAMED], *more])))
    show(table_of("crossexam ls KIND", ("kind", "names"), rows))


def _list_rules(construction: str | None) -> None:
    """List the rules of *construction*, or of all that have a table of them."""
    from crossexam.constructions.rules.table import TABLES, rules_of

    for name in [construction] if construction else TABLES:
        rows = [(rule.reason, rule.rejects, rule.keeps, rule.why) for rule in rules_of(name)]
        show(table_of(f"rules of {name}", ("reason", "rejects", "keeps", "why"), rows))


def _corpora() -> _Listing:
    from crossexam.corpora.installed import list_corpora

    rows = [
        (
            c.name,
            _short(c.splits),
            "part" if c.installed and not all(c.files.values()) else "yes" if c.installed else "no",
            c.description,
        )
        for c in list_corpora()
    ]
    return _Listing(("name", "splits", "installed", "what"), rows)


def _list_files(corpus: str) -> None:
    """List the splits of *corpus*, with the files that each may be in and the one that is installed."""
    from crossexam.corpora.catalog import catalog
    from crossexam.corpora.installed import data_folder, find_split
    from crossexam.corpora.spec import known_corpus

    corpus = known_corpus(corpus)
    folder = data_folder()
    rows = []
    for name, split in catalog()[corpus].splits.items():
        found = find_split(corpus, name, folder)
        if found is not None and found.is_relative_to(folder):
            found = found.relative_to(folder)
        rows.append((name, ", ".join(split.files), str(found or "")))
    show(table_of(f"files of {corpus} in {folder}", ("split", "one of", "installed"), rows))


def _short(splits: Sequence[str]) -> str:
    """Return the names of the splits, with prefixes and suffixes apart if all combinations of them exist."""
    parts = [split.rpartition("_") for split in splits]
    begins, ends = (dict.fromkeys(part[side] for part in parts) for side in (0, 2))
    if len(splits) < 6 or len(begins) * len(ends) != len(splits):
        return " ".join(splits)
    return f"{' '.join(f'{begin}_*' for begin in begins)} with * = {' '.join(ends)}"


def _constructions() -> _Listing:
    from crossexam.constructions.table import CONSTRUCTIONS

    rows = [
        (c.versioned, c.test_class, c.summary, ", ".join(c.known_rules), c.paper)
        for c in CONSTRUCTIONS.values()
    ]
    return _Listing(("name", "class", "items", "rules", "source"), rows)


def _suites() -> _Listing:
    from crossexam.suites.table import SUITES

    return _Listing(("name", "what", "source"), [(s.name, s.summary, s.paper) for s in SUITES.values()])


def _options() -> _Listing:
    """Return all options of suites, constructions and kinds of models, with type and default."""
    from dataclasses import fields

    from crossexam.models.table import MODELS
    from crossexam.options.short_forms import SHORT_FORMS
    from crossexam.suites.table import with_own_options

    short = {
        f"{name}.{option}": form.flag for form in SHORT_FORMS.values() for name, option, _ in form.settings
    }
    owners = {**with_own_options(), **{kind.name: kind.options for kind in MODELS.values()}}
    rows = [
        (
            f"{name}.{field.name}",
            _type_of(options, field),
            str(field.default),
            short.get(f"{name}.{field.name}", ""),
        )
        for name, options in owners.items()
        for field in fields(options)
    ]
    return _Listing(("--set", "type", "default", "short form"), rows)


def _type_of(options: Any, field: Field[Any]) -> str:
    """Return the type of *field* as it is written, or the values that it can have."""
    kind = None if isinstance(options, type) else get_type_hints(type(options))[field.name]
    return ", ".join(map(str, get_args(kind))) if get_origin(kind) is Literal else str(field.type)


def _models() -> _Listing:
    from crossexam.models.table import MODELS

    return _Listing(("name", "what"), [row for kind in MODELS.values() for row in kind.listed()])


def _templates() -> _Listing:
    from crossexam.models.prompts.table import templates

    rows = [
        (each.name, str(each.version), " / ".join(each.labels.values()), each.source)
        for each in templates().values()
    ]
    return _Listing(("name", "version", "labels", "source"), rows)


def _recipes() -> _Listing:
    header = ("crossexam train NAME", "parameters", "optimiser", "rate", "batch", "epochs", "source")
    return _Listing(header, [*(_neural() if _has_torch() else [_without_torch()]), *_shallow()])


def _neural() -> list[tuple[str, ...]]:
    from crossexam.zoo.table import ARCHITECTURES

    rows: list[tuple[str, ...]] = [
        (
            a.name,
            f"{a.parameters / 1e6:.2f} M",
            a.recipe.optimizer,
            f"{a.recipe.learning_rate:g}",
            str(a.recipe.batch_size),
            str(a.recipe.epochs),
            a.recipe.source,
        )
        for a in ARCHITECTURES.values()
    ]
    return [*rows, _fine_tuning()]


def _shallow() -> list[tuple[str, ...]]:
    """Return a row per shallow model, which is trained without epochs."""
    from crossexam.shallow.table import SHALLOW

    return [
        (f"{model.name} ({model.alias})" if model.alias else model.name, *model.recipe, model.source)
        for model in SHALLOW.values()
    ]


def _fine_tuning() -> tuple[str, ...]:
    from crossexam.training import transformer

    recipe = transformer.RECIPE
    return (
        "hf/FOLDER",
        "its own",
        recipe.optimizer,
        f"{recipe.learning_rate:g}",
        str(recipe.batch_size),
        str(recipe.epochs),
        recipe.source,
    )


def _without_torch() -> tuple[str, ...]:
    from crossexam.core.errors import how_to_install

    return ("architectures, hf/FOLDER", *[""] * 5, f"extra torch: {how_to_install('torch')}")


def _has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None


#: Listed only if it is asked for, as it is long.
_RULES: Final = "rules"
_CORPORA: Final = "corpora"
_LISTINGS: Final[dict[str, Callable[[], _Listing]]] = {
    _CORPORA: _corpora,
    "constructions": _constructions,
    "suites": _suites,
    "options": _options,
    "models": _models,
    "templates": _templates,
    "recipes": _recipes,
}
