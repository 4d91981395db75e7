"""How long work tells of its progress without knowing who listens.

Garbage collection in loops that make millions of small objects and no cycles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol


class Progress(Protocol):
    """Called with the name of the stage, how much is done, and how much there is (None: unknown)."""

    def __call__(self, stage: str, done: int, total: int | None) -> None: ...


def silent(stage: str, done: int, total: int | None) -> None:
    """Show nothing."""


_SELDOM: Final = (100_000, 50, 100)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let Python look for garbage cycles seldom; what stood before is restored.

    Objects without cycles, ours, are freed as always.  A fifth of the time of a build was spent looking.

    >>> before = gc.get_threshold()
    >>> with seldom_collected():
    ...     gc.get_threshold() == before
    False
    >>> gc.get_threshold() == before
    True
    """
    before = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
