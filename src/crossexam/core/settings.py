"""``--set FIELD=VALUE``: fields of a configuration, of a recipe and of a debiasing method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from types import NoneType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from crossexam.core.errors import CrossexamError, UnknownNameError

ALIASES: Final = {"lr": "learning_rate"}


@dataclass(frozen=True)
class Settings:
    """What fields can be set on: plain frozen dataclasses by the name of their part, or None."""

    parts: Mapping[str, Any]

    def with_values(self, values: Mapping[str, Any], *, where: str = "--set") -> Settings:
        """Return the settings with *values* (by field or ``part.field``); texts are parsed by type.

        Raises UnknownNameError with the nearest field, CrossexamError where a value does not fit or a
        field is in two parts.

        >>> from crossexam.zoo.architecture import Recipe
        >>> settings = Settings({"recipe": Recipe("adam", 0.1, 32, 3, source="")})
        >>> settings.with_values({"lr": "4e-4"}).parts["recipe"].learning_rate
        0.0004
        """
        parts = dict(self.parts)
        for name, value in values.items():
            part, field = self._find(name)
            if isinstance(value, str):
                value = parse_value(value, get_type_hints(type(parts[part]))[field], name, where=where)
            parts[part] = replace(parts[part], **{field: value})
        return Settings(parts)

    def _find(self, name: str) -> tuple[str, str]:
        """Return the part and the field that *name* means."""
        known = {
            part: [field.name for field in fields(each)]
            for part, each in self.parts.items()
            if each is not None
        }
        prefix, dot, rest = name.partition(".")
        wanted = ALIASES.get(rest if dot else name, rest if dot else name)
        within = [prefix] if dot else list(known)
        found = [part for part in within if wanted in known.get(part, ())]
        if len(found) > 1:
            raise CrossexamError(
                f"'{name}' is a field of {' and of '.join(found)}",
                where="--set",
                hint=f"say which: {' or '.join(f'{part}.{wanted}' for part in found)}",
            )
        if not found:
            names = {*ALIASES, *(field for part in known for field in known[part])}
            error = UnknownNameError("setting", name, names)
            raise UnknownNameError("setting", name, names, hint=f"{error.hint} (--set)")
        return found[0], wanted


def parse_value(text: str, kind: Any, name: str, *, where: str = "--set") -> Any:
    """Return *text* as a value of the type *kind*; raises CrossexamError.

    >>> parse_value("none", float | None, "clip"), parse_value("(1, 3)", tuple[int, ...], "widths")
    (None, (1, 3))
    """
    for choice in _choices(kind):
        try:
            return _converted(text.strip(), choice)
        except ValueError:
            continue
    raise CrossexamError(f"'{name}' cannot be '{text}'", where=where, wanted=_described(kind))


def _choices(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) is Union or type(kind).__name__ == "UnionType":
        return get_args(kind)
    return (kind,)


def _converted(text: str, kind: Any) -> Any:
    if kind is NoneType:
        if text.lower() == "none":
            return None
    elif get_origin(kind) is Literal:
        if text in get_args(kind):
            return text
    elif kind is bool:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
    elif kind in (int, float):
        return kind(text)
    elif kind is str:
        return text
    elif kind == tuple[str, ...]:
        return tuple(piece.strip() for piece in text.strip("()[] ").split(","))
    elif get_origin(kind) is tuple:
        items = json.loads(f"[{text.strip('()[] ')}]")
        element = get_args(kind)[0]
        return tuple(_converted(str(item), element) for item in items)
    raise ValueError(text)


def _described(kind: Any) -> str:
    names = []
    for choice in _choices(kind):
        literal = get_origin(choice) is Literal
        names.append(
            ", ".join(get_args(choice))
            if literal
            else "none"
            if choice is NoneType
            else str(getattr(choice, "__name__", choice))
        )
    return " or ".join(names)


def parse_assignments(pieces: Sequence[str], option: str) -> dict[str, str]:
    """Return FIELD by VALUE of ``FIELD=VALUE`` *pieces*; raises CrossexamError.

    >>> parse_assignments(["lr=1e-3", "hidden=50"], "--set")
    {'lr': '1e-3', 'hidden': '50'}
    """
    found: dict[str, str] = {}
    for piece in pieces:
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not (name and equals and value):
            raise CrossexamError(f"{option} has '{piece}'", wanted="FIELD=VALUE, as in lr=0.0004")
        if name in found:
            raise CrossexamError(f"{option} has '{name}' twice")
        found[name] = value
    return found


def grid(pieces: Sequence[str]) -> list[dict[str, str]]:
    """Return every combination of ``FIELD=VALUE,VALUE`` *pieces*, the last field varying fastest.

    >>> grid(["lr=1,2", "clip=5"])
    [{'lr': '1', 'clip': '5'}, {'lr': '2', 'clip': '5'}]
    """
    axes = parse_assignments(pieces, "--sweep")
    values = [[value.strip() for value in text.split(",")] for text in axes.values()]
    return [dict(zip(axes, chosen, strict=True)) for chosen in product(*values)]
