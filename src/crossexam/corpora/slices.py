"""Parts of a corpus by position: ``snli:dev[::2]`` is every second labelled example of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError

_SLICED: Final = re.compile(r"(.+)\[(\d*):(\d*)(?::(\d*))?\]")
_UNCLOSED: Final = re.compile(r".+\[[-\d:]*")


def sliced(spec: str) -> tuple[str, slice]:
    """Return *spec* without its ``[start:stop:step]``, and that as a slice of the labelled examples.

    A file whose name ends so is taken as it is.  Raises CrossexamError for a step of 0, and for a part with
    one bracket or with something else than numbers that are not negative.

    >>> sliced("snli:dev[1::2]")
    ('snli:dev', slice(1, None, 2))
    >>> sliced("snli:dev")
    ('snli:dev', slice(None, None, None))
    """
    found = _SLICED.fullmatch(spec)
    if Path(spec).exists():
        return spec, slice(None)
    if found is None:
        _not_almost(spec)
        return spec, slice(None)
    start, stop, step = (int(number) if number else None for number in found.groups()[1:])
    if step == 0:
        raise CrossexamError("a step of 0", where=spec, wanted="1 or more, as in [::2]")
    return found[1], slice(start, stop, step)


def _not_almost(spec: str) -> None:
    """Refuse what was meant as a part and is none; raises CrossexamError."""
    wanted = "[start:stop] or [start:stop:step], numbers from 0, as in snli:dev[:1000]"
    if _UNCLOSED.fullmatch(spec):
        raise CrossexamError("the closing bracket ']' of the part is missing", where=spec, wanted=f"{spec}]")
    if spec.endswith("]"):
        what = "is no part" if "[" in spec else "the opening bracket '[' of the part is missing"
        inside = f"'{spec[spec.rindex('[') :]}' " if "[" in spec else ""
        raise CrossexamError(f"{inside}{what}", where=spec, wanted=wanted)
