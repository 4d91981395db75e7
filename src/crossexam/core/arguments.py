"""The arguments of the library's functions: checked where a user passes them, so that errors name them."""

from __future__ import annotations

import os
from collections.abc import Callable
from operator import index
from pathlib import Path
from typing import Any

from crossexam.core.errors import CrossexamError
from crossexam.core.output.escapes import quoted
from crossexam.core.places import work_path


def shown(value: object) -> str:
    """Return how an error shows *value*: itself if it is a text or a number, else its type.

    >>> shown(3.5), shown("snli:dev"), shown([1, 2]), shown(None)
    ('3.5', "'snli:dev'", 'a list', 'None')
    """
    if value is None or isinstance(value, str | int | float):
        return quoted(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeio' or name == 'ndarray' else 'a'} {name}"


def required(value: object, kind: type | tuple[type, ...], name: str, *, wanted: str) -> Any:
    """Return *value*, the argument *name*; raises CrossexamError, with what was *wanted*, unless a *kind*."""
    if isinstance(value, kind):
        return value
    raise CrossexamError(f"{name} is {shown(value)}", wanted=wanted)


def path_of(
    value: object,
    name: str,
    *,
    wanted: str = "a path",
    of: Callable[[str | os.PathLike[str]], Path] = work_path,
) -> Path:
    """Return *value*, the argument *name*, as a path; raises CrossexamError for anything but text or a path.

    The path *of* a URL is that of its work folder, in which what belongs there is made, or of its copy
    (:mod:`crossexam.core.places`).

    >>> path_of("runs/mine", "store").name
    'mine'
    """
    return of(required(value, (str, os.PathLike), name, wanted=wanted))


def whole_number(value: object, name: str, *, least: int | None = None) -> int:
    """Return *value*, the argument *name*, as an int; raises CrossexamError if it is none or under *least*.

    NumPy's integers are whole numbers, True and False are not.

    >>> whole_number(3, "limit", least=1)
    3
    """
    wanted = "a whole number" if least is None else f"a whole number, {least} or more"
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or (least is not None and number < least):
        raise CrossexamError(f"{name} is {shown(value)}", wanted=wanted)
    return number
