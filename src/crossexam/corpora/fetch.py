"""Installing a corpus in the data folder: download it or take a copy, verify it, then put it in place.

``DATA/.crossexam`` holds partial downloads and ``hashes.json``, the SHA-256 of every file downloaded and
installed.  If the catalogue lists no hash for a download, the first one seen is recorded and later
downloads must match it.  A corpus whose installed files have the recorded hashes is not downloaded again.
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
_DAMAGED: Final = "nothing was installed; the file is damaged, or its publisher has changed it"


class Hashes:
    """SHA-256 of downloads by URL (or ``url#member``) and installed files by corpus, kept in *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = read_json(path) if path.is_file() else {}
        self.downloads: dict[str, str] = known.get("downloads", {})
        self.installed: dict[str, dict[str, str]] = known.get("installed", {})

    def save(self) -> None:
        """Write the file."""
        write_json(self._path, {"downloads": self.downloads, "installed": self.installed})

    def note(self, key: str, file: Path) -> None:
        """Record the hash of *file*, which came from a verified archive."""
        self.downloads[key] = sha256_of(file)

    def check(self, key: str, file: Path, *, size: int | None, listed: str | None, where: str) -> None:
        """Compare *file* with its *size* and *listed* hash, else with the hash recorded for *key*.

        If there is neither hash, record the file's.  Raises CrossexamError if they differ.
        """
        actual_size = file.stat().st_size
        if size is not None and actual_size != size:
            raise CrossexamError(
                f"the file has {actual_size:,} bytes",
                where=where,
                wanted=f"{size:,} bytes, as in the catalogue",
                hint=_DAMAGED,
            )
        actual = sha256_of(file)
        wanted = listed or self.downloads.get(key, actual)
        if actual != wanted:
            source = "in the catalogue" if listed else f"recorded in {self._path} at the first fetch"
            remedy = "" if listed else " (if you expected the change, remove its line from that file)"
            raise CrossexamError(
                f"the SHA-256 of the file is {actual}",
                where=where,
                wanted=f"{wanted}, as {source}",
                hint=_DAMAGED + remedy,
            )
        self.downloads[key] = actual


@dataclass(frozen=True)
class FetchResult:
    """The outcome of an installation: the *files* in place, their SHA-256 by name, the bytes *received*.

    *already* is true if everything was installed before and its hashes are right; *missing* names the files
    that a copy lacked.
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
        """Return what was done, the licence and the citation, for the terminal."""
        what = (
            "is already installed and verified"
            if self.already
            else f"installed ({self.received:,} bytes received)"
        )
        lines = [f"{self.name} {what}: {self.folder}", *(f"  {path.name}" for path in self.files)]
        if self.missing:
            lines.append(f"  not in the copy: {', '.join(self.missing)}")
        return "\n".join([*lines, f"licence: {self.licence}", f"cite: {self.citation}"])


@dataclass
class _Job:
    entry: CatalogEntry
    data: Path
    hashes: Hashes
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


def install_corpus(
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

    *source* is the archive, one of its files, or a folder with them; then nothing is downloaded.  The size
    and SHA-256 of every file are checked before any is put in place.  An interrupted download is tried
    *attempts* times; *pause* is called with the seconds to wait in between.  Raises CrossexamError.
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
        with _locked(private):
            hashes = Hashes(private / "hashes.json")
            job = _Job(to_fetch[name], data, hashes, progress, attempts, pause)
            return _install_verified(job, private, Path(source).expanduser() if source is not None else None)
    except OSError as error:
        what = error.strerror or str(error)
        raise CrossexamError(what, where=str(error.filename or data)) from None


def _install_verified(job: _Job, private: Path, source: Path | None) -> FetchResult:
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
        _put_in_place(job, staging)
    for transfer in transfers:
        transfer.forget()
    return _result(job, already=False)


def _from_network(job: _Job, item: Download, downloads: Path, staging: Path) -> Transfer:
    downloads.mkdir(exist_ok=True)
    part = downloads / f"{job.entry.name}-{item.file or item.url_name}.part"
    verifiable = item.sha256 is not None or item.url in job.hashes.downloads
    transfer = Transfer(item.url, part, item.size, verifiable)
    job.received += download(transfer, progress=job.progress, attempts=job.attempts, pause=job.pause)
    try:
        _unpack(job, item, part, staging, where=item.url)
    except CrossexamError:
        transfer.forget()  # a file that failed its check cannot be resumed
        raise
    return transfer


def _from_copy(job: _Job, staging: Path, source: Path) -> None:
    for item in job.entry.downloads:
        # by its name here, by its published folder and name, by its published name alone
        names_of_copy = (item.url_name,) if item.members else (item.file, item.url_end, item.url_name)
        whole = next((path for name in names_of_copy if (path := _find(source, name)) is not None), None)
        if whole is not None:
            _unpack(job, item, whole, staging, where=str(whole))
            continue
        for name in item.members:  # the unpacked files of the archive
            found = _find(source, name) or _find(source, installed_name(name))
            if found is not None:
                key = f"{item.url}#{installed_name(name)}"
                job.hashes.check(key, found, size=None, listed=None, where=str(found))
                shutil.copyfile(found, staging / installed_name(name))
    if not any(staging.iterdir()):
        names = [name for item in job.entry.downloads for name in (item.url_name, *item.installs)]
        wanted = " or ".join(dict.fromkeys(names))
        raise CrossexamError(f"no file of {job.entry.name} was found", where=str(source), wanted=wanted)


def _unpack(job: _Job, item: Download, file: Path, staging: Path, *, where: str) -> None:
    """Check the downloaded *file* and put it, or its wanted members, into *staging*."""
    job.hashes.check(item.url, file, size=item.size, listed=item.sha256, where=where)
    if not item.members:
        shutil.copyfile(file, staging / item.file)
        return
    limit = job.entry.unpacked_limit
    for path in unpack_zip(file, staging, item.members, limit=limit, progress=job.progress):
        job.hashes.note(f"{item.url}#{path.name}", path)


def _put_in_place(job: _Job, staging: Path) -> None:
    job.folder.mkdir(parents=True, exist_ok=True)
    installed = job.hashes.installed.setdefault(job.entry.name, {})
    for path in sorted(staging.iterdir()):
        installed[path.name] = sha256_of(path)
        path.replace(job.folder / path.name)
    job.hashes.save()


def _in_place(job: _Job) -> bool:
    """Return whether every file of the corpus is present with the hash it was installed with."""
    hashes = job.hashes.installed.get(job.entry.name, {})
    return all(
        (job.folder / name).is_file() and sha256_of(job.folder / name) == hashes.get(name)
        for name in job.names
    )


def _result(job: _Job, *, already: bool) -> FetchResult:
    installed = job.hashes.installed[job.entry.name]
    present = [name for name in job.names if name in installed and (job.folder / name).is_file()]
    return FetchResult(
        name=job.entry.name,
        folder=job.folder,
        files=tuple(job.folder / name for name in present),
        hashes={name: installed[name] for name in present},
        received=job.received,
        already=already,
        missing=tuple(name for name in job.names if name not in present),
        licence=job.entry.licence,
        citation=job.entry.citation,
        homepage=job.entry.homepage,
    )


def _find(source: Path, name: str) -> Path | None:
    if source.is_file():
        return source if source.name == name else None
    return next((path for path in sorted(source.rglob(name)) if path.is_file()), None)


@contextmanager
def _locked(private: Path) -> Iterator[None]:
    """Lock the data folder against a second fetch, if the platform has file locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (private / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CrossexamError(
                "another crossexam fetch is using this data folder",
                where=str(private.parent),
                hint="try again when it has finished",
            ) from None
        yield
