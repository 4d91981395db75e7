"""What differs between two descriptions of the same thing, one line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_SHOWN: Final = 70  # characters of a value
_BEFORE: Final = 20  # of which this many precede the first difference
_ABSENT: Final = object()


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Return a line for each value that differs, with its name, its value *there* and its value *here*.

    Of long values, the part around the first difference is shown.

    >>> differences({"seed": 0, "options": {"a": {"b": 1}}}, {"seed": 1, "options": {}})
    ['options.a.b: 1 there, not set here', 'seed: 0 there, 1 here']
    """
    old, new = dict(_leaves(there)), dict(_leaves(here))
    lines = []
    for name in sorted({*old, *new}):
        one, other = (_text(values.get(name, _ABSENT)) for values in (old, new))
        if one != other:
            at = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            lines.append(f"{name}: {_around(one, at)} there, {_around(other, at)} here")
    return lines


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, each in value.items():
        if isinstance(each, Mapping):
            yield from _leaves(each, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", each


def _text(value: object) -> str:
    return "not set" if value is _ABSENT or value is None else json.dumps(value, ensure_ascii=False)


def _around(text: str, at: int) -> str:
    start = max(0, min(at - _BEFORE, len(text) - _SHOWN)) if len(text) > _SHOWN else 0
    part = text[start : start + _SHOWN]
    return f"{'...' if start else ''}{part}{'...' if start + _SHOWN < len(text) else ''}"
