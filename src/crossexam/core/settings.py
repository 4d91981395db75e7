"""Options: fields of frozen dataclasses, whose values are read by their types, from a text or as they are.

The dataclasses with ``--set FIELD=VALUE``, here called parts, have names: the configuration and the recipe
of a training, the options of a kind of model (``--set hf.dtype=bfloat16``), those of a construction
(``--set antonymy.rules=released``).  ``FIELD`` is enough if only one part has it, else ``PART.FIELD``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from crossexam.core.arguments import shown
from crossexam.core.errors import CrossexamError, UnknownNameError

ALIASES: Final = {"lr": "learning_rate"}

_OPTION: Final = "--set"
#: The texts that stand for the values of a type that has few, in small letters.
_SPELT: Final[Mapping[Any, Mapping[str, Any]]] = {
    bool: {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False},
    NoneType: {"none": None},
}
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
    if known.get(prefix):
        return UnknownNameError(f"option of {prefix}", field, known[prefix], where=_OPTION)
    if dot:
        names = {f"{part}.{field}" for part in known for field in known[part]}
    else:
        names = {field for part in known for field in known[part]}
        names |= {alias for alias, field in ALIASES.items() if field in names}
    hint = f"'{prefix}' has no options" if prefix in known else None
    return UnknownNameError("setting", name, names, where=_OPTION, hint=hint)


def _replaced(part: Any, values: Mapping[str, Any], where: str) -> Any:
    try:
        return replace(part, **values)
    except CrossexamError as error:
        raise error.placed(error.where or where) from None
    except ValueError as error:
        raise CrossexamError(str(error), where=where) from None


class Within(NamedTuple):
    """The least and the most that a whole number may be: ``Annotated[int, Within(1)]``."""

    least: int
    most: int | None = None

    def __call__(self, value: int) -> int:
        """Return *value*; raises ValueError if it is less or more."""
        if value < self.least or (self.most is not None and value > self.most):
            raise ValueError(value)
        return value

    def __str__(self) -> str:
        if self.most is not None:
            return f"a whole number from {self.least} to {self.most}"
        return f"a whole number above {self.least - 1}" if self.least else "a whole number, 0 or more"


def as_kind(value: Any, kind: Any, name: str, *, where: str = _OPTION) -> Any:
    """Return *value* as the type *kind* of the field *name*; raises CrossexamError if it does not fit.

    A text is read by :func:`fitting`.

    >>> as_kind("none", float | None, "clip"), as_kind("(1, 3)", tuple[int, ...], "widths")
    (None, (1, 3))
    """
    try:
        return fitting(value, kind)
    except ValueError:
        what = f"'{name}' cannot be {shown(value)}"
    raise CrossexamError(what, where=where, wanted=described(kind))


def fitting(value: Any, kind: Any, *, reads_texts: bool = True) -> Any:
    """Return *value* as a *kind*: a type, or several in a union; raises ValueError if it does not fit.

    Types are bool, int, float, str, Path, Mapping, None, Literal and tuples.  NumPy's numbers are numbers and
    lists are tuples; True, False and NaN are not numbers.  In ``Annotated``, functions change the
    value or raise ValueError.  Unless *reads_texts* is False, a text stands for a value of another type:
    true, yes, 1; false, no, 0; none; ``1,3`` or ``(1, 3)``.

    >>> fitting("yes", bool), fitting("auto", int | Literal["auto"]), fitting(["2", 3], tuple[int, ...])
    (True, 'auto', (2, 3))
    """
    for choice in sorted(choices(kind), key=_generality):
        try:
            return _fitting(value, choice, reads_texts)
        except ValueError:
            continue
    raise ValueError(value)


def _fitting(value: Any, kind: Any, reads_texts: bool) -> Any:
    """Return *value* as a *kind*, which is not a union; raises ValueError."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        if not (parts[0] is Path and isinstance(value, str) and reads_texts):  # a function may read a URL
            value = _fitting(value, parts[0], reads_texts)
        for function in parts[1:]:
            value = function(value)
        return value
    if origin is tuple:
        pieces = _pieces(value, reads_texts)
        kinds = (parts[0],) * len(pieces) if parts[-1] is Ellipsis else parts
        return tuple(_fitting(*each, reads_texts) for each in zip(pieces, kinds, strict=True))
    if isinstance(value, str) and reads_texts:
        return _read(value, kind)
    if origin is Literal:
        fits = any(value == choice and type(value) is type(choice) for choice in parts)
    elif kind in (int, float):
        fits = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    else:
        fits = isinstance(value, PathLike if kind is Path else origin or kind)
    if not fits:
        raise ValueError(value)
    return kind(value) if kind in (int, float, Path) else value


def _generality(kind: Any) -> int:
    """Return where *kind* is tried among others: "none" is also a text, and any text is a str."""
    return 0 if kind is NoneType else 2 if kind in (str, Path) else 1


def choices(kind: Any) -> tuple[Any, ...]:
    """Return the types of which a value of *kind* has one: those of a union, or *kind* itself.

    >>> choices(int | None), choices(int)
    ((<class 'int'>, <class 'NoneType'>), (<class 'int'>,))
    """
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _read(text: str, kind: Any) -> Any:
    """Return the value of *kind*, which is neither a union nor a tuple, that *text* stands for."""
    spelt: Mapping[str, Any] = {}
    if get_origin(kind) is Literal:
        spelt = {str(choice): choice for choice in get_args(kind)}
    elif kind in _SPELT:
        spelt, text = _SPELT[kind], text.lower()
    elif kind in (int, float, str, Path) and (value := kind(text)) == value:  # a number, not NaN
        return value
    if text not in spelt:
        raise ValueError(text)
    return spelt[text]


def _pieces(value: Any, reads_texts: bool) -> Sequence[Any]:
    """Return the elements of a list, or the pieces of a text between commas; raises ValueError."""
    if isinstance(value, str) and reads_texts:
        inner = value.strip("()[] ").removesuffix(",")
        return [piece.strip().strip("'\"") for piece in inner.split(",")] if inner else []
    if not isinstance(value, list | tuple):
        raise ValueError(value)
    return value


def described(kind: Any) -> str:
    """Return what a value of *kind* looks like.

    >>> described(tuple[int, ...] | Literal["all"] | None), described(tuple[str, str])
    ('whole numbers separated by commas or all or none', '2 texts separated by commas')
    """
    return " or ".join(map(_described, choices(kind)))


def _described(kind: Any) -> str:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return ", ".join(map(str, parts))
    if origin is tuple:
        count = "" if parts[-1] is Ellipsis else f"{len(parts)} "
        several = _WORDS[parts[0]][1] if parts[0] in _WORDS else "values"
        return f"{count}{several} separated by commas"
    if origin is Annotated:
        return next((str(each) for each in parts if isinstance(each, Within)), _described(parts[0]))
    return _WORDS[kind][0] if kind in _WORDS else str(getattr(kind, "__name__", kind))


def set_once(settings: Iterable[tuple[str, Any, str]]) -> dict[str, Any]:
    """Return the values by target of *settings*: (target, value, the flag by which it is set).

    Raises CrossexamError if a target is set twice, by one flag or by two.

    >>> set_once([("recipe.epochs", "2", "--set"), ("recipe.lr", "1e-3", "--set")])
    {'recipe.epochs': '2', 'recipe.lr': '1e-3'}
    >>> set_once([("antonymy.indirect", "true", "--set"), ("antonymy.indirect", True, "--indirect")])
    Traceback (most recent call last):
    crossexam.core.errors.CrossexamError: 'antonymy.indirect' is set by both --set and --indirect
      hint: leave out one of them
    """
    values: dict[str, Any] = {}
    flags: dict[str, str] = {}
    for target, value, flag in settings:
        earlier = flags.setdefault(target, flag)
        if target in values and earlier == flag:
            raise CrossexamError(f"'{target}' is given twice", where=flag)
        if target in values:
            raise CrossexamError(
                f"'{target}' is set by both {earlier} and {flag}", hint="leave out one of them"
            )
        values[target] = value
    return values


def parse_assignments(pieces: Sequence[str], option: str) -> dict[str, str]:
    """Return VALUE by FIELD of ``FIELD=VALUE`` *pieces*; *option* is named in errors.

    Raises CrossexamError if a piece has another form or a field is given twice.

    >>> parse_assignments(["lr=1e-3", "hidden=50"], "--set")
    {'lr': '1e-3', 'hidden': '50'}
    """
    settings = []
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not (name and equals and value):
            raise CrossexamError(f"'{piece}' is not an assignment", where=option, wanted="FIELD=VALUE")
        settings.append((name, value, option))
    return set_once(settings)


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

    A text for several texts is one of them, commas included.  *name* is whose options they are.  Raises
    UnknownNameError for a field that there is not, CrossexamError for a value that does not fit or if
    *options* is None.

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
    stated = {}
    for field, value in values.items():
        whole = isinstance(value, str) and kinds.get(field) == tuple[str, ...]
        stated[f"{name}.{field}"] = (value,) if whole else value
    return Settings({name: options}).with_values(stated).parts[name]


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
