"""Copying suites, runs and single files to and from URLs, by fsspec.

The manifest of a folder is copied last, so that a reader sees a complete suite or run, or nothing.  When a
folder is read, the SHA-256 of each file in the local copy is compared with the manifest, and files that
differ are fetched again.  For a path on this machine, every function does nothing.

While a command writes to a work folder, the file ``.unpublished`` in this folder holds a token and the hash
of the manifest that the place had when the command began.  The place has a copy of it, ``.unfinished``, which
says that the files there are incomplete, and which command is writing them.  If the command or the copying is
interrupted, both files remain: a suite that is already built then need not be built again, unless the place
has changed since.  A run is resumed from its store of predictions, which remains in the work folder.

``fsspec.generic.rsync`` is not used: it is experimental, regards files of the same size as equal, and copies
in no particular order.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final
from uuid import uuid4

from crossexam.core.errors import (
    CrossexamError,
    FormatError,
    MissingResourceError,
    exhausted,
)
from crossexam.core.files import finished_or_absent, sha256_of
from crossexam.core.places import copy_path, is_copy, url_of

_MANIFEST: Final = "manifest.json"
#: At the place while files are copied there, so that what an interruption leaves is known as such.
_UNFINISHED: Final = ".unfinished"
_UNPUBLISHED: Final = ".unpublished"
#: File systems on which a reader sees a file while it is written; on others it appears when it is whole.
_WRITE_IN_PLACE: Final = frozenset({"file", "local", "sftp", "ssh", "smb", "ftp", "hdfs"})
#: Fields of the entries of suites and runs that name a file, and those that have its SHA-256.
_FILES: Final = {"file": "sha256", "predictions": "sha256", "items": "items_sha256"}


@dataclass(frozen=True)
class _Place:
    """A folder or file at *url*: its file system and its *path* there."""

    url: str
    system: Any
    path: str

    @classmethod
    def at(cls, url: str) -> _Place:
        """Return the place at *url*, without asking for it; raises CrossexamError for an unknown protocol."""
        import fsspec

        with _reaching(url):
            system, path = fsspec.core.url_to_fs(url)
            system.invalidate_cache()
        return cls(url, system, str(path))

    def __truediv__(self, name: str) -> _Place:
        return _Place(f"{self.url}/{name}", self.system, f"{self.path.rstrip('/')}/{name}")

    def is_file(self) -> bool:
        with _reaching(self.url):
            return bool(self.system.isfile(self.path))

    def read(self) -> bytes | None:
        """Return the bytes of the file, None if there is none."""
        try:
            with _reaching(self.url):
                found: bytes = self.system.cat_file(self.path)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        return found

    def names(self) -> set[str]:
        """Return the names of what is in the folder; none if there is no such folder."""
        try:
            with _reaching(self.url):
                self.system.invalidate_cache()
                found = self.system.ls(self.path, detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return set()
        return {PurePosixPath(each).name for each in found} - {PurePosixPath(self.path).name}

    def state(self) -> str:
        """Return what is different once the file has changed."""
        with _reaching(self.url):
            return str(self.system.ukey(self.path))

    def get(self, path: Path) -> None:
        """Copy the file to *path* on this machine; raises FileNotFoundError if there is none."""
        with finished_or_absent(path) as temporary, _reaching(self.url):
            self.system.get_file(self.path, str(temporary))

    def put(self, path: Path) -> None:
        """Copy the file *path* of this machine here, completely or not at all."""
        protocols = self.system.protocol
        protocols = {protocols} if isinstance(protocols, str) else set(protocols)
        with _reaching(self.url, may_be_absent=False):
            if protocols & _WRITE_IN_PLACE:
                self.system.makedirs(self.path.rpartition("/")[0], exist_ok=True)
                self.system.put_file(str(path), f"{self.path}.part")
                self.system.mv(f"{self.path}.part", self.path)
            else:
                self.system.put_file(str(path), self.path)

    def remove(self) -> None:
        """Remove the file if there is one."""
        with suppress(FileNotFoundError), _reaching(self.url):
            self.system.rm_file(self.path)


@contextmanager
def _reaching(url: str, *, may_be_absent: bool = True) -> Iterator[None]:
    """Raise CrossexamError for what a file system raises in the ``with``, except for what *may_be_absent*."""
    try:
        yield
    except CrossexamError:
        raise
    except ImportError as error:
        raise MissingResourceError(
            f"the package for {url.partition('://')[0]}:// is not installed",
            hint=" ".join(str(error).split()),
        ) from None
    except Exception as error:  # each protocol has errors of its own
        if may_be_absent and isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError):
            raise
        raise exhausted(error, url) or _unreachable(url, error) from error


def _unreachable(url: str, error: Exception) -> CrossexamError:
    """Return the error that says why a place cannot be read or written."""
    said = " ".join(str(error).split())[:200] or type(error).__name__
    hint: str | None = None
    if "Protocol not known" in said:
        what = f"'{url.partition('://')[0]}' is not a protocol of fsspec"
        wanted = "a URL such as s3://, gs://, hf:// or file://, or a path of this machine"
    elif getattr(error, "errno", None) == errno.EROFS or isinstance(error, NotImplementedError):
        what, wanted, hint = "this place is read-only", "a place that can be written", "choose another"
    elif isinstance(error, PermissionError) or re.search("403|AccessDenied|Forbidden", said):
        what = f"permission denied: {said}"
        wanted = "the right to read, and for results also to write and delete"
        hint = "check the credentials that the package for this protocol finds"
    else:
        what = f"this place cannot be reached: {type(error).__name__}: {said}"
        wanted = "a place that exists and that this machine can reach with its credentials"
        hint = "check the address, the network and the credentials; then repeat the command"
    return CrossexamError(what, where=url, wanted=wanted, hint=hint)


def _listed(text: bytes | None) -> dict[str, str | None]:
    """Return the files that the manifest *text* of a suite or run lists, with their SHA-256 if known."""
    files: dict[str, str | None] = {}
    try:
        entries = list(json.loads(text or b"{}")["test_sets"].values())
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return files  # the reader of the manifest says what is wrong
    for entry in entries:
        for field, digest in _FILES.items() if isinstance(entry, dict) else ():
            name = entry.get(field)
            elsewhere = field == "items" and not entry.get(digest)
            if isinstance(name, str) and not elsewhere and _is_inside(name):
                files[name] = entry.get(digest)
    return files


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def fetch(path: Path) -> None:
    """Bring the suite, run or test set at *path* here, if it is that of a place.

    Files that are here as the manifest has them are kept.  Raises CrossexamError if there is none, or if the
    place cannot be reached or changes meanwhile.
    """
    url = url_of(path)
    if url is None:
        return
    place = _Place.at(url)
    if not is_copy(path):  # a work folder: its manifest is that of the place, or newer
        manifest = path / _MANIFEST
        _fetch_listed(place, path, manifest.read_bytes() if manifest.exists() else None)
        return
    text = (place / _MANIFEST).read()
    if text is None:
        if not place.is_file():
            raise FormatError(
                f"there is no {_MANIFEST}: nothing is here, or it was not copied completely",
                where=url,
                wanted="a suite or run that a command wrote to this URL, or a test set",
                hint="repeat the command that writes it, with the same -o",
            )
        fetch_file(path)
        return
    if not (path / _MANIFEST).exists() or (path / _MANIFEST).read_bytes() != text:
        (path / _MANIFEST).unlink(missing_ok=True)
    _fetch_listed(place, path, text)
    if (place / _MANIFEST).read() != text:
        raise CrossexamError("this place was changed while it was read", where=url, hint="repeat the command")
    _write(path / _MANIFEST, text)


def has_file(path: Path) -> bool:
    """Return whether there is a file at *path*, or at the place whose copy it is."""
    url = url_of(path)
    return path.is_file() if url is None or not is_copy(path) else _Place.at(url).is_file()


def names_at(folder: Path) -> set[str]:
    """Return the names of what is in *folder*, or at the place whose copy it is; none without a folder."""
    url = url_of(folder)
    if url is not None and is_copy(folder):
        return _Place.at(url).names()
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def _fetch_listed(place: _Place, folder: Path, text: bytes | None) -> None:
    """Bring the files that the manifest *text* lists into *folder*, unless they are there as it has them."""
    for name, digest in _listed(text).items():
        if not _is_whole(folder / name, digest):
            with suppress(FileNotFoundError):  # the reader of the suite or run says what is missing
                (place / name).get(folder / name)


def _is_whole(path: Path, digest: str | None) -> bool:
    return digest is not None and path.is_file() and sha256_of(path) == digest


def fetch_file(path: Path, digest: str | None = None) -> Path:
    """Return where the file *path* is on this machine; if it is that of a place, it is brought here.

    A file that is here with the SHA-256 *digest* is kept, and without one a copy whose original has not
    changed.  If there is no such file, *path* does not exist.
    """
    url = url_of(path)
    if url is None or _is_whole(path, digest):
        return path
    path, place = copy_path(url), _Place.at(url)
    if _is_whole(path, digest) or not place.is_file():
        return path
    beside = path.with_name(f".{path.name}.state")
    with suppress(FileNotFoundError):
        state = place.state()
        if not (path.is_file() and beside.exists() and beside.read_text() == state):
            place.get(path)
            _write(beside, state.encode())
        manifest = (_Place.at(url.rpartition("/")[0]) / _MANIFEST).read()
        if manifest is not None:  # it has what is known of the test set
            _write(path.with_name(_MANIFEST), manifest)
    return path


def _write(path: Path, data: bytes) -> None:
    with finished_or_absent(path) as temporary:
        temporary.write_bytes(data)


def is_unpublished(folder: Path) -> bool:
    """Return whether *folder* is a work folder with a manifest that was never copied to its place."""
    manifest = folder / _MANIFEST
    return manifest.exists() and _began_with(folder) not in {None, _hash(manifest.read_bytes())}


def _began_with(folder: Path) -> str | None:
    """Return the hash of the manifest that was at the place when a command began that has not ended."""
    marker = folder / _UNPUBLISHED
    return marker.read_text().partition("\n")[0] if marker.exists() else None


def _hash(text: bytes | None) -> str:
    return "" if text is None else hashlib.sha256(text).hexdigest()


@contextmanager
def copied_to_place(folder: Path, *, resumes: bool = False, force: bool = False) -> Iterator[None]:
    """Copy the suite or run that is made in *folder* in the ``with`` to its place, if it is a work folder.

    The folder must be locked (:func:`crossexam.core.locks.alone_in`).

    At the start *folder* has the manifest of what is at the place, or, if the command *resumes* it, what it
    had finished when copying was interrupted (:func:`is_unpublished`).  Raises CrossexamError if the place
    has anything but a suite or run, unless *force*; at once if it cannot be written; and if something else
    was written there meanwhile.
    """
    url = url_of(folder)
    if url is None:
        yield
        return
    place = _Place.at(url)
    earlier = _begun(place, folder, resumes=resumes, force=force)
    claim = _Claim(replace(place / _UNFINISHED, url=url), folder / _UNPUBLISHED)
    claim.at_place.put(claim.here)
    try:
        yield
    except BaseException:
        with suppress(CrossexamError):
            if earlier is not None or place.names() <= {_UNFINISHED}:
                claim.give_up()
        raise
    _copy(place, folder, earlier, claim)
    claim.give_up()
    claim.here.unlink()


@dataclass(frozen=True)
class _Claim:
    """The claim of a command to copy to a place: the file *at_place* is as the one *here*.

    A command that begins later takes the place over, by writing its own.  The one before notices before it
    copies its next file, and ends with an error, so that at most one file is written by it afterwards.
    """

    at_place: _Place
    here: Path

    def is_held(self) -> bool:
        return self.at_place.read() == self.here.read_bytes()

    def check(self) -> None:
        """Raise CrossexamError if another command has claimed the place."""
        if not self.is_held():
            raise CrossexamError(
                "another command has begun to write to this place since this one began",
                where=self.at_place.url,
                wanted="one command at a time that writes to a place",
                hint="choose another -o, or wait for the other command and repeat this one",
            )

    def give_up(self) -> None:
        """Remove the claim, unless another command has taken the place over."""
        if self.is_held():
            self.at_place.remove()


def _begun(place: _Place, folder: Path, *, resumes: bool, force: bool) -> bytes | None:
    """Prepare *folder* for a command, and return the manifest that is at the place."""
    earlier = (place / _MANIFEST).read()
    if earlier is None:
        if place.is_file():
            raise CrossexamError("this is a file", where=place.url, wanted="a folder")
        names = place.names()
        if names and _UNFINISHED not in names and not force:
            raise CrossexamError(
                f"the folder {place.url} is not empty",
                hint="choose another -o, or remove what is there; build also has --force",
            )
    manifest = folder / _MANIFEST
    if not (resumes and _began_with(folder) == _hash(earlier) and manifest.exists()):
        manifest.unlink(missing_ok=True)
        if earlier is not None:
            _write(manifest, earlier)
        _write(folder / _UNPUBLISHED, f"{_hash(earlier)}\n{uuid4().hex}\n".encode())
    return earlier


def _copy(place: _Place, folder: Path, earlier: bytes | None, claim: _Claim) -> None:
    """Copy what is new in *folder* to its place, the manifest last; remove what is no longer listed.

    Raises CrossexamError if another command writes there.
    """
    text = (folder / _MANIFEST).read_bytes()
    if text == earlier:
        return
    if (place / _MANIFEST).read() != earlier:
        raise CrossexamError(
            "another command has written to this place since this one began",
            where=place.url,
            hint="choose another -o, or repeat the command to add to what is there now",
        )
    claim.check()
    old, new = _listed(earlier), _listed(text)
    if any(name in old and old[name] != digest for name, digest in new.items()):
        (place / _MANIFEST).remove()  # whoever reads would find files of both
    for name in [*new, *_extras(folder, new), _MANIFEST]:
        if new.get(name) is None or old.get(name) != new[name]:
            claim.check()
            (place / name).put(folder / name)
    for name in old.keys() - new.keys():
        (place / name).remove()


def _extras(folder: Path, listed: Collection[str]) -> list[str]:
    """Return the JSON files in *folder* that a manifest does not list, such as splits."""
    found = [*folder.glob("*.json"), *(each for each in folder.glob("*/*.json") if not _is_in_nested(each))]
    names = {path.relative_to(folder).as_posix() for path in found}
    return sorted(name for name in names - {*listed, _MANIFEST} if not name.startswith("."))


def _is_in_nested(path: Path) -> bool:
    """Return whether the folder of *path* is itself the work folder of a suite or run."""
    return any((path.parent / name).exists() for name in (_MANIFEST, _UNPUBLISHED))


def put_file(path: Path) -> None:
    """Copy the file *path* of a work folder to its place."""
    if (url := url_of(path)) is not None:
        _Place.at(url).put(path)


def remove_there(folder: Path, is_old: Callable[[str], bool]) -> None:
    """Remove those files in the place of *folder* that are not in it and whose names are old."""
    if (url := url_of(folder)) is not None:
        place = _Place.at(url)
        for name in sorted(place.names()):
            if is_old(name) and not (folder / name).exists():
                (place / name).remove()
