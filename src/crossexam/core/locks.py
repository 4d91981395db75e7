"""Locks on files that the operating system releases when their process ends, and what relies on them.

A folder that one process at a time may write has one lock (:func:`alone_in`).  A file gets its name when it
is complete, in whatever folder; until then it is locked itself (:func:`new_temporary`).  What has a temporary
name and no lock is garbage (:func:`sweep`).  On a file system without locks nothing is garbage.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from crossexam.core.errors import CrossexamError

#: How the names of unfinished files end.
TEMPORARY: Final = ".part"
#: The file in a folder that is locked while the folder is.
FOLDER_LOCK: Final = ".lock"
_NO_FOLDER: Final = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS})
_BUSY: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})


@contextmanager
def alone_in(folder: Path, busy: CrossexamError, *, if_possible: bool = False) -> Iterator[None]:
    """Hold the lock on *folder*, made if need be, inside the ``with``; raises *busy* if another process does.

    What killed processes left unfinished is removed first.  Of the lock nothing is left afterwards.  If what
    is inside fails, as for a folder that is refused, a lock that was there before stays, and a folder that is
    new and empty does not.  A file system without locks gets a warning.  Raises OSError for a file, and for a
    folder in which nobody can write, unless the lock is only wanted *if_possible*.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with alone_in(folder, CrossexamError("in use")), alone_in(folder, CrossexamError("in use")):
    ...     pass
    Traceback (most recent call last):
    ...
    crossexam.core.errors.CrossexamError: in use
    >>> list(folder.iterdir())
    []
    """
    with _empty_or_kept(folder), ExitStack() as held:
        try:
            lock, is_new = _lock_of(folder, _lock_or_warn)
            stream = held.enter_context(lock)
            held.push(lambda kind, *_: _remove(stream) if kind is None or is_new else None)
        except BlockingIOError:
            raise busy from None
        except OSError as error:
            if not if_possible or error.errno not in _NO_FOLDER:
                raise
        sweep(folder)
        yield


@contextmanager
def _empty_or_kept(folder: Path) -> Iterator[None]:
    """Remove *folder* after an error in the ``with`` if it is new and nothing was written into it."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        for path in new:
            with suppress(OSError):  # not there, or not empty
                path.rmdir()
        raise


@contextmanager
def waiting_for(folder: Path) -> Iterator[None]:
    """Hold the lock on *folder*, made if need be, inside the ``with``, as soon as nobody else does.

    The file that is locked stays.  On a file system without locks nobody waits.
    """
    stream, _ = _lock_of(folder, _wait_for_lock)
    with stream:
        yield


def new_temporary(folder: Path, start: str) -> tuple[Path, IO[bytes]]:
    """Make an empty file in *folder* whose name has that *start*; return its path, and what holds its lock.

    The lock is held until that is closed, and tells the file from that of a killed process (:func:`sweep`).
    """

    def made() -> IO[bytes]:
        handle, name = tempfile.mkstemp(prefix=start, suffix=TEMPORARY, dir=folder)
        return open(name, "r+b", opener=lambda *_: handle)

    if sys.platform == "win32":  # there a lock would keep out the writer, too
        with made() as stream:
            return Path(stream.name), stream
    stream = _opened(made, _wait_for_lock)  # somebody may take it for abandoned before it is locked
    return Path(stream.name), stream


def sweep(*folders: Path, start: str = ".") -> None:
    """Remove from *folders* the files made by :func:`new_temporary` that no living process writes.

    They are kept where that cannot be found out: on Windows, and on a file system without locks.
    """
    for folder in folders:
        with suppress(FileNotFoundError, NotADirectoryError):
            for name in os.listdir(folder):  # noqa: PTH208  (a folder may have many files)
                if name.startswith(start) and name.endswith(TEMPORARY) and sys.platform != "win32":
                    path = folder / name
                    with suppress(OSError), path.open("r+b") as stream:
                        _lock(stream)
                        path.unlink()


def _opened(make: Callable[[], IO[bytes]], lock: Callable[[IO[bytes]], None]) -> IO[bytes]:
    """Return the file that *make* opens, with the *lock* on it; raises BlockingIOError if that is taken.

    Who held the lock before may have removed the file, which is then made anew.
    """
    while True:
        stream = make()
        try:
            lock(stream)
        except OSError as error:  # of others, there are no locks here
            if error.errno in _BUSY:
                stream.close()
                raise BlockingIOError(error.errno, "locked by another process", stream.name) from None
        if _is_at(stream):
            return stream
        stream.close()


def _lock_of(folder: Path, lock: Callable[[IO[bytes]], None]) -> tuple[IO[bytes], bool]:
    """Return the file that is locked for *folder*, made if need be, and whether it is new.

    It has the *lock* on it.
    """
    is_new = False

    def made() -> IO[bytes]:
        nonlocal is_new
        path = folder / FOLDER_LOCK
        while True:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                is_new = not os.path.lexists(path)
                return path.open("x+b" if is_new else "r+b")
            except FileExistsError:  # somebody else has made it meanwhile
                continue
            except FileNotFoundError:  # somebody has removed it, or the folder, meanwhile
                if path.is_symlink():  # to nowhere
                    raise

    return _opened(made, lock), is_new


def _is_at(stream: IO[bytes]) -> bool:
    """Return whether *stream* is of the file that its name names now."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.stat(stream.name))  # noqa: PTH116
    except FileNotFoundError:
        return False


def _remove(stream: IO[bytes]) -> None:
    """Remove the file of *stream*, which nobody else has locked, unless it is gone."""
    if _is_at(stream):
        with suppress(OSError):  # Windows removes no file that is open
            Path(stream.name).unlink()


class SharedLock:
    """A lock on *folder*, made if need be, that several may hold at once, such as all who write into it.

    It is held until it is closed; who is alone then leaves nothing of it.  On Windows, and on a file system
    without locks, everybody seems to be alone.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> one, other = SharedLock(folder), SharedLock(folder)
    >>> other.is_alone()
    False
    >>> one.is_alone()
    True
    >>> one.close(), other.close(), list(folder.iterdir())
    (None, None, [])
    """

    def __init__(self, folder: Path) -> None:
        self._stream, _ = _lock_of(folder, _lock_with_others)

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
        if self.is_alone():
            _remove(self._stream)
        self._stream.close()


def _lock_or_warn(stream: IO[bytes]) -> None:
    try:
        _lock(stream)
    except OSError as error:
        if error.errno in _BUSY:
            raise
        folder = Path(stream.name).parent
        warnings.warn(
            f"{folder} cannot be locked ({error.strerror}): two processes must not write there", stacklevel=5
        )


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
