"""The lemminflect package, imported without spaCy.

Where spaCy is installed, ``import lemminflect`` imports it in order to add methods to its tokens, which
nothing here uses and which takes two seconds.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_LOCK = threading.Lock()


class _NoSpacy:
    """A finder that tells one thread that there is no spaCy."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise for spaCy in the thread that made this; leave all else to the finders behind it."""
        if name == "spacy" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def lemminflect() -> Any:
    """Return the package; spaCy is not imported for it, and can be before, after and meanwhile."""
    with _LOCK:
        return _imported()


@cache
def _imported() -> Any:
    guard = _NoSpacy()
    sys.meta_path.insert(0, guard)
    try:
        return importlib.import_module("lemminflect")
    except NameError:
        # Another thread began to import spaCy after the guard had denied it and before lemminflect
        # looked whether it is there; now it is, and the guard is not asked.
        return importlib.import_module("lemminflect")
    finally:
        sys.meta_path.remove(guard)
