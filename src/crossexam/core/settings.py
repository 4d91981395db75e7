"""``--set FIELD=VALUE``: change fields of frozen dataclasses from the command line.

The dataclasses, here called parts, have names: the configuration and the recipe of a training, the options of
a kind of model (``--set hf.dtype=bfloat16``), those of a construction (``--set antonymy.rules=released``).
``FIELD`` is enough if only one part has it, else ``PART.FIELD``.  Values are read by the type of the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from itertools import product
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from crossexam.core.arguments import shown
from crossexam.core.errors import CrossexamError, UnknownNameError

ALIASES: Final = {"lr": "learning_rate"}

_OPTION: Final = "--set"
_BOOLS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_WORDS: Final[dict[Any, tuple[str, str]]] = {  # one value, several
    bool: ("true or false", "true or false each"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
    Path: ("a path", "paths"),
    Mapping[str, Any]: ("a dict", "dicts"),
    NoneType: ("none", "none"),
}


@dataclass(frozen=True)
class Settings:
    """The parts whose fields can be set: frozen dataclasses by name; a part that is None has no fields."""

    parts: Mapping[str, Any]

    def with_values(self, values: Mapping[str, Any], *, where: str = _OPTION) -> Settings:
        """Return the settings changed by *values*, by ``field`` or ``part.field``; texts are parsed by type.

        The values of a part are set together, so that its ``__post_init__`` sees them all.  Raises
        UnknownNameError with the nearest field, and CrossexamError if a value has the wrong type, if
        ``__post_init__`` rejects it, or if two parts have the field.

        >>> @dataclass(frozen=True)
        ... class Recipe:
        ...     learning_rate: float = 0.1
        ...     clip: float | None = 5.0
        >>> Settings({"recipe": Recipe()}).with_values({"lr": "4e-4", "recipe.clip": "none"}).parts["recipe"]
        Recipe(learning_rate=0.0004, clip=None)
        """
        changes: dict[str, dict[str, Any]] = {}
        given: dict[str, list[str]] = {}
        for name, value in values.items():
            part, field = self.find(name)
            if field in changes.setdefault(part, {}):
                raise CrossexamError(f"'{field}' is given twice", where=where)
            flag = f"{where} " if where == _OPTION or part not in given else ""  # a model is named once
            given.setdefault(part, []).append(f"{flag}{name}={value}")
            kind = get_type_hints(type(self.parts[part]))[field]
            changes[part][field] = as_kind(value, kind, name, where=where)
        changed = {
            part: _replaced(self.parts[part], of_part, " ".join(given[part]))
            for part, of_part in changes.items()
        }
        return Settings({**self.parts, **changed})

    def find(self, name: str) -> tuple[str, str]:
        """Return the part and the field that *name* means.

        Raises UnknownNameError with the nearest field, and CrossexamError if two parts have it.
        """
        known = {
            part: [field.name for field in fields(each) if field.init]
            for part, each in self.parts.items()
            if each is not None
        }
        prefix, dot, rest = name.rpartition(".")
        field = ALIASES.get(rest, rest)
        parts = [part for part in ([prefix] if dot else known) if field in known.get(part, ())]
        if len(parts) > 1:
            raise CrossexamError(
                f"'{name}' is a setting of {' and of '.join(parts)}",
                where=_OPTION,
                hint=f"say which: {' or '.join(f'{part}.{field}' for part in parts)}",
            )
        if not parts:
            raise _unknown(name, known)
        return parts[0], field


def _unknown(name: str, known: Mapping[str, Sequence[str]]) -> CrossexamError:
    """Return the error for *name*, which is not among the fields *known* by part."""
    prefix, dot, field = name.rpartition(".")
    hint = None
    if not dot:
        names = {field for part in known for field in known[part]}
        names |= {alias for alias, field in ALIASES.items() if field in names}
    elif prefix in known:  # the prefix is right: it must not count when names are compared
        names = {f"{prefix}.{field}" for field in known[prefix]}
        near = get_close_matches(field, known[prefix], n=1)
        hint = f"did you mean '{prefix}.{near[0]}'?" if near else None
        if not names:
            hint = f"'{prefix}' has no settings"
        elif not near:
            hint = f"available: {', '.join(sorted(names))}"
    else:
        names = {f"{part}.{field}" for part in known for field in known[part]}
    return UnknownNameError("setting", name, names, where=_OPTION, hint=hint)


def _replaced(part: Any, values: Mapping[str, Any], where: str) -> Any:
    try:
        return replace(part, **values)
    except CrossexamError as error:
        raise CrossexamError(
            error.what, where=error.where or where, wanted=error.wanted, hint=error.hint
        ) from None
    except ValueError as error:
        raise CrossexamError(str(error), where=where) from None


def parse_value(text: str, kind: Any, name: str, *, where: str = _OPTION) -> Any:
    """Return *text* as a value of the type *kind* of the field *name*.

    Types are bool (true, yes, 1; false, no, 0), int, float, str, Path, None (none), Literal, tuples of these
    (``1,3`` or ``(1, 3)``) and unions.  Raises CrossexamError if *text* fits none of them.

    >>> parse_value("none", float | None, "clip"), parse_value("(1, 3)", tuple[int, ...], "widths")
    (None, (1, 3))
    >>> parse_value("yes", bool, "trees"), parse_value("auto", int | Literal["auto"], "batch_size")
    (True, 'auto')
    """
    for choice in sorted(_choices(kind), key=_generality):
        try:
            return _converted(text.strip(), choice)
        except ValueError:
            continue
    raise CrossexamError(f"'{name}' cannot be '{text}'", where=where, wanted=_described(kind))


def as_kind(value: Any, kind: Any, name: str, *, where: str = _OPTION) -> Any:
    """Return *value* as the type *kind* of the field *name*; a text is parsed by :func:`parse_value`.

    NumPy's numbers are numbers and lists are tuples; True and False are not.  Raises CrossexamError if
    *value* does not fit.

    >>> as_kind(3, float | None, "clip"), as_kind(["2", 3], tuple[int, ...], "widths")
    (3.0, (2, 3))
    """
    if isinstance(value, str):
        return parse_value(value, kind, name, where=where)
    for choice in _choices(kind):
        try:
            return _fitting(value, choice)
        except ValueError:
            continue
    raise CrossexamError(f"'{name}' cannot be {shown(value)}", where=where, wanted=_described(kind))


def _fitting(value: Any, kind: Any) -> Any:
    """Return *value*, which is not a text, as a *kind*, which is not a union; raises ValueError."""
    if get_origin(kind) is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(value)
        kinds = get_args(kind)
        kinds = (kinds[0],) * len(value) if kinds[-1] is Ellipsis else kinds
        return tuple(
            _converted(each, one) if isinstance(each, str) else _fitting(each, one)
            for each, one in zip(value, kinds, strict=True)
        )
    if get_origin(kind) is Literal:
        fits = any(value == choice and type(value) is type(choice) for choice in get_args(kind))
    elif get_origin(kind) is Mapping:
        fits = isinstance(value, Mapping)
    elif kind in (int, float):
        fits = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    else:
        fits = not isinstance(kind, type) or isinstance(value, PathLike if kind is Path else kind)
    if not fits:
        raise ValueError(value)
    return kind(value) if kind in (int, float, Path) else value


def _generality(kind: Any) -> int:
    """Return where *kind* is tried among others: "none" is also a text, and any text is a str."""
    return 0 if kind is NoneType else 2 if kind in (str, Path) else 1


def _choices(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _converted(text: str, kind: Any) -> Any:
    """Return *text* as a *kind*, which is not a union; raises ValueError."""
    if get_origin(kind) is Literal:
        return _spelt(text, {str(choice): choice for choice in get_args(kind)})
    if get_origin(kind) is tuple:
        return _tuple(text, get_args(kind))
    if kind is NoneType:
        return _spelt(text.lower(), {"none": None})
    if kind is bool:
        return _spelt(text.lower(), _BOOLS)
    if kind in (int, float, str, Path):
        value = kind(text)
        if value == value:  # a number, not NaN
            return value
    raise ValueError(text)


def _spelt(text: str, spellings: Mapping[str, Any]) -> Any:
    if text not in spellings:
        raise ValueError(text)
    return spellings[text]


def _tuple(text: str, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    inner = text.strip("()[] ").removesuffix(",")
    pieces = [piece.strip().strip("'\"") for piece in inner.split(",")] if inner else []
    if kinds[-1] is Ellipsis:
        kinds = (kinds[0],) * len(pieces)
    return tuple(_converted(piece, kind) for piece, kind in zip(pieces, kinds, strict=True))


def _described(kind: Any) -> str:
    """Return what a value of *kind* looks like.

    >>> _described(tuple[int, ...] | Literal["all"] | None), _described(tuple[str, str])
    ('whole numbers separated by commas or all or none', '2 texts separated by commas')
    """
    words = []
    for choice in _choices(kind):
        if get_origin(choice) is Literal:
            words.append(", ".join(map(str, get_args(choice))))
        elif get_origin(choice) is tuple:
            kinds = get_args(choice)
            count = "" if kinds[-1] is Ellipsis else f"{len(kinds)} "
            several = _WORDS[kinds[0]][1] if kinds[0] in _WORDS else "values"
            words.append(f"{count}{several} separated by commas")
        else:
            words.append(_WORDS[choice][0] if choice in _WORDS else str(getattr(choice, "__name__", choice)))
    return " or ".join(words)


def parse_assignments(pieces: Sequence[str], option: str) -> dict[str, str]:
    """Return VALUE by FIELD of ``FIELD=VALUE`` *pieces*; *option* is named in errors.

    Raises CrossexamError if a piece has another form or a field is given twice.

    >>> parse_assignments(["lr=1e-3", "hidden=50"], "--set")
    {'lr': '1e-3', 'hidden': '50'}
    """
    values: dict[str, str] = {}
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not (name and equals and value):
            raise CrossexamError(f"'{piece}' is not an assignment", where=option, wanted="FIELD=VALUE")
        if name in values:
            raise CrossexamError(f"'{name}' is given twice", where=option)
        values[name] = value
    return values


def grid(pieces: Sequence[str]) -> list[dict[str, str]]:
    """Return every combination of ``FIELD=VALUE,VALUE`` *pieces*, the last field varying fastest.

    >>> grid(["lr=1,2", "clip=5"])
    [{'lr': '1', 'clip': '5'}, {'lr': '2', 'clip': '5'}]
    """
    axes = parse_assignments(pieces, "--sweep")
    values = [[value.strip() for value in text.split(",")] for text in axes.values()]
    return [dict(zip(axes, chosen, strict=True)) for chosen in product(*values)]


def with_options(options: Any, values: Mapping[str, Any], name: str) -> Any:
    """Return *options*, a frozen dataclass, with *values* by field; texts are read as the field's type.

    *name* is whose options they are.  Raises UnknownNameError for a field that there is not, CrossexamError
    for a value that does not fit or if *options* is None.

    >>> from crossexam.zoo.architecture import Recipe
    >>> with_options(Recipe("adam", 0.1, 32, 3, source=""), {"epochs": "5"}, "recipe").epochs
    5
    """
    if not values:
        return options
    if options is None:
        raise CrossexamError(
            f"'{name}' has no options",
            where="--set",
            hint=f"leave out {name}.{next(iter(values))}; crossexam ls options lists all options",
        )
    kinds = get_type_hints(type(options))
    known = [each.name for each in fields(options)]
    changed = {}
    for field, value in values.items():
        if field not in known:
            raise UnknownNameError(f"option of {name}", field, known)
        changed[field] = _option_value(value, kinds[field], f"{name}.{field}")
    return replace(options, **changed)


def _option_value(value: Any, kind: Any, name: str) -> Any:
    """Return *value* as *kind*; a text is parsed, and several texts are a tuple's elements."""
    if get_origin(kind) is tuple and get_args(kind)[0] is str and isinstance(value, str):
        return (value,)
    return as_kind(value, kind, name)


def parse_option_settings(
    pieces: Sequence[str], *, example: str = "antonymy.rules=released"
) -> list[tuple[str, str, str]]:
    """Return (name, option, value) of each ``NAME.OPTION=VALUE``; raises CrossexamError.

    >>> parse_option_settings(["antonymy.indirect=true"])
    [('antonymy', 'indirect', 'true')]
    """
    settings = []
    for piece in pieces:
        target, equals, value = piece.partition("=")
        name, dot, option = target.strip().rpartition(".")
        if not (equals and dot and name and option and value.strip()):
            raise CrossexamError(
                f"'{piece}' is not a valid value for --set",
                wanted=f"NAME.OPTION=VALUE, as in {example}",
                hint="crossexam ls options lists the options",
            )
        settings.append((name, option, value.strip()))
    return settings
