"""Support for loops that run for long: a callback for progress, and less garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol


class AtMost(int):
    """A number that is not known, but not larger than this.

    >>> f"20,000 of {AtMost(80_000):,}"
    '20,000 of at most 80,000'
    """

    def __format__(self, style: str) -> str:
        """Return the words that say so; the number is in *style*."""
        return f"at most {int(self):{style}}"


class Progress(Protocol):
    """A callback: the name of the stage, how much is done, and how much there is to do.

    That is None if it is unknown, and :class:`AtMost` if it is known that there is no more.
    """

    def __call__(self, stage: str, done: int, total: int | None) -> None: ...


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignore progress."""


#: A callback: a remark for the user, in one line.
Note = Callable[[str], None]


def unheard(text: str) -> None:
    """Ignore a note."""


_SELDOM: Final = (1_000_000, 50, 100)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let Python search for reference cycles less often inside the ``with``.

    For loops that create millions of small objects and no cycles: these objects are freed as always, by
    reference counting.  The search took a fifth of the time of a build.  What is left at the end counts as
    old at once, or all of it would be searched as soon as the thresholds are as before.

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
        gc.freeze()  # all objects are set aside ...
        gc.unfreeze()  # ... and back, among the oldest
        gc.set_threshold(*before)
