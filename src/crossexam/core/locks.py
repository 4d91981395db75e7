"""Locks on files that the operating system releases when their process ends, however it ends."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from crossexam.core.errors import CrossexamError

_BUSY: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})


@contextmanager
def locked(path: Path, busy: CrossexamError) -> Iterator[None]:
    """Hold the lock on the file *path* inside the ``with``; raises *busy* if another process holds it.

    The file is created if need be, and stays: what is locked is the open file, so a file that a killed
    process left behind locks nothing.  A file system without locks gets a warning.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / ".lock"
    >>> with locked(file, CrossexamError("in use")), locked(file, CrossexamError("in use")):
    ...     pass
    Traceback (most recent call last):
    ...
    crossexam.core.errors.CrossexamError: in use
    """
    with path.open("a+b") as stream:
        try:
            _lock(stream)
        except OSError as error:
            if error.errno in _BUSY:
                raise busy from None
            warnings.warn(
                f"{path.parent} cannot be locked ({error.strerror}): two processes must not write there",
                stacklevel=3,
            )
        yield


if sys.platform == "win32":

    def _lock(stream: IO[bytes]) -> None:
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

else:

    def _lock(stream: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
