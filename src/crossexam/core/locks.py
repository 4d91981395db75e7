"""Locks on files that the operating system releases when their process ends, and what relies on them."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from crossexam.core.errors import CrossexamError

#: How the names of unfinished files end.
TEMPORARY: Final = ".part"
#: In a folder that one process writes, if others must not.
FOLDER_LOCK: Final = ".lock"
_NO_FOLDER: Final = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS})
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
        else:
            if not _is_at(path, stream):  # another process has finished, and removed the file
                raise busy
        yield


@contextmanager
def waiting_for(path: Path) -> Iterator[None]:
    """Hold the lock on the file *path*, made if need be, inside the ``with``, as soon as nobody else does.

    On a file system without locks nobody waits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        with suppress(OSError):
            _wait_for_lock(stream)
        yield


@contextmanager
def locked_folder(folder: Path, busy: CrossexamError) -> Iterator[None]:
    """Hold the lock on *folder*, made if need be, inside the ``with``; raises *busy* as :func:`locked` does.

    Nothing of it is left there afterwards; if what is inside fails, as for a folder that is refused, a file
    that was there before stays.
    """
    path = folder / FOLDER_LOCK
    with ExitStack() as held:
        was_there = path.exists()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(path, busy))
            held.push(lambda kind, *_: _removed(path) if kind is None or not was_there else None)
        except OSError as error:  # a file, which the caller refuses, or a folder in which nobody can write
            if error.errno not in _NO_FOLDER:
                raise
        yield


def _removed(path: Path) -> None:
    with suppress(OSError):  # Windows removes no file that is open
        path.unlink()


def new_temporary(folder: Path, start: str) -> tuple[Path, IO[bytes]]:
    """Make an empty file in *folder* whose name has that *start*; return its path, and what holds its lock.

    The lock is held until that is closed, and tells the file from that of a killed process
    (:func:`remove_if_abandoned`).
    """
    while True:
        handle, name = tempfile.mkstemp(prefix=start, suffix=TEMPORARY, dir=folder)
        stream = os.fdopen(handle, "r+b")
        if sys.platform == "win32":  # there a lock would keep out the writer, too
            stream.close()
            return Path(name), stream
        try:
            _lock(stream)
        except OSError as error:
            if error.errno in _BUSY:  # somebody took it for abandoned
                stream.close()
                continue
        if _is_at(Path(name), stream):
            return Path(name), stream
        stream.close()


def remove_if_abandoned(path: Path) -> None:
    """Remove the file *path*, made by :func:`new_temporary`, unless a living process writes it.

    It is kept where that cannot be found out: on Windows, and on a file system without locks.
    """
    if sys.platform != "win32":
        with suppress(OSError), path.open("r+b") as stream:
            _lock(stream)
            path.unlink()


def _is_at(path: Path, stream: IO[bytes]) -> bool:
    """Return whether *stream* is of the file that *path* names now."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


class SharedLock:
    """A lock on the file *path* that several may hold at once, such as all who write into its folder.

    It is held until it is closed.  Folder and file are created if need be; who is alone when closing the lock
    removes the file.  On Windows, and on a file system without locks, everybody seems to be alone.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / ".lock"
    >>> one, other = SharedLock(file), SharedLock(file)
    >>> other.is_alone()
    False
    >>> one.is_alone()
    True
    >>> one.close(), other.close(), file.exists()
    (None, None, False)
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream = self._opened()

    def _opened(self) -> IO[bytes]:
        """Return the file with the lock on it; who holds it alone may remove file and folder meanwhile."""
        while True:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                stream = self._path.open("a+b")
            except FileNotFoundError:
                if self._path.is_symlink():  # to nowhere
                    raise
                continue
            with suppress(OSError):  # no locks here
                _lock_with_others(stream)
            if _is_at(self._path, stream):
                return stream
            stream.close()

    def is_alone(self) -> bool:
        """Return whether nobody else holds the lock; if so, others wait for it until it is closed.

        If not, it is held no more.
        """
        try:
            _lock(self._stream)
        except OSError as error:
            return error.errno not in _BUSY
        return True

    def close(self) -> None:
        """Release the lock."""
        if self.is_alone() and _is_at(self._path, self._stream):
            with suppress(OSError):  # Windows removes no file that is open
                self._path.unlink()
        self._stream.close()


if sys.platform == "win32":

    def _lock(stream: IO[bytes]) -> None:
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

    def _wait_for_lock(stream: IO[bytes]) -> None:
        import msvcrt

        while True:
            stream.seek(0)
            try:
                msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)  # gives up after ten seconds
            except OSError as error:
                if error.errno not in _BUSY:
                    raise
            else:
                return

    def _lock_with_others(stream: IO[bytes]) -> None:
        """Do nothing: there are only exclusive locks."""

else:

    def _lock(stream: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _wait_for_lock(stream: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX)

    def _lock_with_others(stream: IO[bytes]) -> None:
        """Wait until nobody holds the lock alone, and hold it together with others."""
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_SH)
