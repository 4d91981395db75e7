"""Fetching a corpus into the data folder: downloaded or from a copy, verified, then put in place.

Bookkeeping is in ``DATA/.crossexam``: parts of downloads, and ``hashes.json`` with the SHA-256 of what
was downloaded and installed.  A corpus whose files have the hashes recorded is not downloaded again.

The hashes of what was downloaded and installed: the first seen is recorded and held after.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.files import read_json, sha256_of, write_json
from crossexam.core.progress import Progress, silent
from crossexam.corpora.catalog import CatalogEntry, Download, installed_name
from crossexam.corpora.catalog import catalog as shipped_catalog
from crossexam.corpora.download import ATTEMPTS, Transfer, download
from crossexam.corpora.installed import data_folder
from crossexam.corpora.split_files import CORPUS_ALIASES
from crossexam.corpora.unpack import unpack_zip

PRIVATE_FOLDER: Final = ".crossexam"


@dataclass(frozen=True)
class FetchResult:
    """What a fetch did: the *files* in place, their SHA-256 by name, the bytes *received* now.

    *already* says that all was there and verified; *missing* names files that a copy did not have.
    """

    name: str
    folder: Path
    files: tuple[Path, ...]
    hashes: Mapping[str, str]
    received: int
    already: bool
    missing: tuple[str, ...]
    licence: str
    citation: str
    homepage: str

    def summary(self) -> str:
        """Return what was done, and the licence and whom to cite, for the terminal."""
        what = (
            "is there already, verified" if self.already else f"installed ({self.received:,} bytes received)"
        )
        lines = [f"{self.name} {what}: {self.folder}", *(f"  {path.name}" for path in self.files)]
        if self.missing:
            lines.append(f"  the copy did not have: {', '.join(self.missing)}")
        return "\n".join([*lines, f"licence: {self.licence}", f"cite: {self.citation}"])


@dataclass
class _Job:
    entry: CatalogEntry
    data: Path
    ledger: Ledger
    progress: Progress
    attempts: int
    pause: Callable[[float], None]
    received: int = 0

    @property
    def folder(self) -> Path:
        return self.data / self.entry.name

    @property
    def names(self) -> list[str]:
        return [name for item in self.entry.downloads for name in item.installs]


def fetch(
    name: str,
    *,
    data_dir: Path | None = None,
    source: Path | str | None = None,
    progress: Progress = silent,
    catalog: Mapping[str, CatalogEntry] | None = None,
    attempts: int = ATTEMPTS,
    pause: Callable[[float], None] = time.sleep,
) -> FetchResult:
    """Install the corpus *name* in the data folder, from the network or from the copy *source*.

    *source* is the archive or one of its files, or a folder that holds them; nothing is downloaded then.
    Every file is checked (size, SHA-256) before anything is put in place.  A cut download is tried
    *attempts* times, with *pause* (seconds) between.  Raises CrossexamError.
    """
    known = shipped_catalog() if catalog is None else catalog
    name = CORPUS_ALIASES.get(name, name)
    to_fetch = {key: entry for key, entry in known.items() if entry.downloads}
    if name not in to_fetch:
        raise UnknownNameError("corpus to fetch", name, to_fetch)
    data = data_dir or data_folder()
    private = data / PRIVATE_FOLDER
    try:
        private.mkdir(parents=True, exist_ok=True)
        with _alone(private):
            ledger = Ledger(private / "hashes.json")
            job = _Job(to_fetch[name], data, ledger, progress, attempts, pause)
            return _fetch(job, private, Path(source).expanduser() if source is not None else None)
    except OSError as error:
        what = error.strerror or str(error)
        raise CrossexamError(what, where=str(error.filename or data)) from None


def _fetch(job: _Job, private: Path, source: Path | None) -> FetchResult:
    if source is None and _in_place(job):
        return _result(job, already=True)
    if source is not None and not source.exists():
        raise CrossexamError("no such file or folder", where=str(source))
    with tempfile.TemporaryDirectory(prefix="staging-", dir=private) as folder:
        staging = Path(folder)
        if source is None:
            transfers = [
                _from_network(job, item, private / "downloads", staging) for item in job.entry.downloads
            ]
        else:
            transfers = []
            _from_copy(job, staging, source)
        _install(job, staging)
    for transfer in transfers:
        transfer.forget()
    return _result(job, already=False)


def _from_network(job: _Job, item: Download, downloads: Path, staging: Path) -> Transfer:
    downloads.mkdir(exist_ok=True)
    part = downloads / f"{job.entry.name}-{item.file or item.url_name}.part"
    verifiable = item.sha256 is not None or item.url in job.ledger.downloads
    transfer = Transfer(item.url, part, item.size, verifiable)
    job.received += download(transfer, progress=job.progress, attempts=job.attempts, pause=job.pause)
    try:
        _unfold(job, item, part, staging, where=item.url)
    except CrossexamError:
        transfer.forget()  # what failed its check is not worth continuing
        raise
    return transfer


def _from_copy(job: _Job, staging: Path, source: Path) -> None:
    for item in job.entry.downloads:
        # a file by the name it has here, by its folder and name there, by its name alone
        called = (item.url_name,) if item.members else (item.file, item.url_end, item.url_name)
        whole = next((found for name in called if (found := _find(source, name)) is not None), None)
        if whole is not None:
            _unfold(job, item, whole, staging, where=str(whole))
            continue
        for name in item.members:  # the archive's files, unpacked by somebody
            found = _find(source, name) or _find(source, installed_name(name))
            if found is not None:
                key = f"{item.url}#{installed_name(name)}"
                job.ledger.check(key, found, size=None, listed=None, where=str(found))
                shutil.copyfile(found, staging / installed_name(name))
    if not any(staging.iterdir()):
        names = [name for item in job.entry.downloads for name in (item.url_name, *item.installs)]
        wanted = " or ".join(dict.fromkeys(names))
        raise CrossexamError(f"nothing of {job.entry.name} is there", where=str(source), wanted=wanted)


def _unfold(job: _Job, item: Download, file: Path, staging: Path, *, where: str) -> None:
    """Check the downloaded *file* and put what is wanted of it into *staging*."""
    job.ledger.check(item.url, file, size=item.size, listed=item.sha256, where=where)
    if not item.members:
        shutil.copyfile(file, staging / item.file)
        return
    limit = job.entry.unpacked_limit
    for path in unpack_zip(file, staging, item.members, limit=limit, progress=job.progress):
        job.ledger.note(f"{item.url}#{path.name}", path)


def _install(job: _Job, staging: Path) -> None:
    job.folder.mkdir(parents=True, exist_ok=True)
    installed = job.ledger.installed.setdefault(job.entry.name, {})
    for path in sorted(staging.iterdir()):
        installed[path.name] = sha256_of(path)
        path.replace(job.folder / path.name)
    job.ledger.save()


def _in_place(job: _Job) -> bool:
    """Return whether every file of the corpus is there with the hash it was installed with."""
    hashes = job.ledger.installed.get(job.entry.name, {})
    return all(
        (job.folder / name).is_file() and sha256_of(job.folder / name) == hashes.get(name)
        for name in job.names
    )


def _result(job: _Job, *, already: bool) -> FetchResult:
    installed = job.ledger.installed[job.entry.name]
    there = [name for name in job.names if name in installed and (job.folder / name).is_file()]
    return FetchResult(
        name=job.entry.name,
        folder=job.folder,
        files=tuple(job.folder / name for name in there),
        hashes={name: installed[name] for name in there},
        received=job.received,
        already=already,
        missing=tuple(name for name in job.names if name not in there),
        licence=job.entry.licence,
        citation=job.entry.citation,
        homepage=job.entry.homepage,
    )


def _find(source: Path, name: str) -> Path | None:
    if source.is_file():
        return source if source.name == name else None
    return next((path for path in sorted(source.rglob(name)) if path.is_file()), None)


@contextmanager
def _alone(private: Path) -> Iterator[None]:
    """Hold the data folder for one fetch at a time, where the platform has file locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (private / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CrossexamError("another fetch is at work there", where=str(private.parent)) from None
        yield


_DAMAGED: Final = "nothing was installed; the file is damaged or was changed by its publisher"


class Ledger:
    """SHA-256 by url (or ``url#member``), and of the installed files by corpus; kept in the JSON *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = read_json(path) if path.is_file() else {}
        self.downloads: dict[str, str] = known.get("downloads", {})
        self.installed: dict[str, dict[str, str]] = known.get("installed", {})

    def save(self) -> None:
        """Write the ledger."""
        write_json(self._path, {"downloads": self.downloads, "installed": self.installed})

    def note(self, key: str, file: Path) -> None:
        """Record the hash of *file*, which something else vouches for."""
        self.downloads[key] = sha256_of(file)

    def check(self, key: str, file: Path, *, size: int | None, listed: str | None, where: str) -> None:
        """Compare *file* with its *size* and hash in the catalogue, else with the hash recorded for *key*.

        Where there is neither, records the hash.  Raises CrossexamError where they differ.
        """
        found_size = file.stat().st_size
        if size is not None and found_size != size:
            raise CrossexamError(
                f"the file has {found_size:,} bytes",
                where=where,
                wanted=f"{size:,} bytes, as in the catalogue",
                hint=_DAMAGED,
            )
        found = sha256_of(file)
        wanted = listed or self.downloads.get(key, found)
        if found != wanted:
            source = "in the catalogue" if listed else f"recorded in {self._path} at the first fetch"
            mend = "" if listed else " (if you know why, remove its line from that file)"
            raise CrossexamError(
                f"the file has the SHA-256 {found}",
                where=where,
                wanted=f"{wanted}, as {source}",
                hint=_DAMAGED + mend,
            )
        self.downloads[key] = found
