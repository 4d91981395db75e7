"""Locks on files that the operating system releases when their process ends, and what relies on them."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.files import writing

_FOLDER_LOCK: Final = ".lock"
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


@contextmanager
def new_folder(folder: Path, *, purpose: str) -> Iterator[Path]:
    """Provide a folder beside *folder* that gets its name on success, and is removed on failure.

    What a killed process left there is removed first.  *folder* must not exist or be empty.  Raises
    CrossexamError if another process is there for the same *purpose* ("exporting"), or the disk is full.
    """
    staging = folder.parent / f".{folder.name}.part"
    with writing(folder):
        staging.mkdir(parents=True, exist_ok=True)
    busy = CrossexamError(f"another process is {purpose} into it", where=str(folder))
    with locked(staging / _FOLDER_LOCK, busy), writing(folder):
        try:
            for path in staging.iterdir():
                if path.name != _FOLDER_LOCK:
                    path.unlink()
            yield staging
            (staging / _FOLDER_LOCK).unlink()
            if folder.is_dir():
                folder.rmdir()
            staging.replace(folder)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise


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
            if self._is_at_path(stream):
                return stream
            stream.close()

    def _is_at_path(self, stream: IO[bytes]) -> bool:
        try:
            return os.path.samestat(os.fstat(stream.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

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
        if self.is_alone() and self._is_at_path(self._stream):
            with suppress(OSError):  # Windows removes no file that is open
                self._path.unlink()
        self._stream.close()


if sys.platform == "win32":

    def _lock(stream: IO[bytes]) -> None:
        import msvcrt

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

    def _lock_with_others(stream: IO[bytes]) -> None:
        """Do nothing: there are only exclusive locks."""

else:

    def _lock(stream: IO[bytes]) -> None:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _lock_with_others(stream: IO[bytes]) -> None:
        """Wait until nobody holds the lock alone, and hold it together with others."""
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_SH)
