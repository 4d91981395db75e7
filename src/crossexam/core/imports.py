"""Objects by the text ``module:name``, for tables whose lines are loaded when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(path: str) -> Any:
    """Return the object that ``module:name`` stands for.

    >>> imported("crossexam.core.labels:LABELS")
    ('entailment', 'neutral', 'contradiction')
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
