"""The table of architectures: being in it is being listed, trained and tested."""

from __future__ import annotations

from typing import Final

from crossexam.core.errors import UnknownNameError
from crossexam.zoo.architecture import Architecture

# One import and one line an architecture, in the order of the studies.
_ALL: Final[tuple[Architecture, ...]] = ()

ARCHITECTURES: Final[dict[str, Architecture]] = {each.name: each for each in _ALL}


def architecture_named(name: str) -> Architecture:
    """Return the architecture called *name*; raises UnknownNameError with the nearest one."""
    if name not in ARCHITECTURES:
        raise UnknownNameError("architecture", name, ARCHITECTURES)
    return ARCHITECTURES[name]
