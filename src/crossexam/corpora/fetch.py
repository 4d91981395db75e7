"""Installing a corpus in the data folder: download or copy it, verify it, unpack it, and move it into place.

Downloads resume after interruptions, and archives are not trusted.  ``DATA/.crossexam`` contains partial
downloads and ``hashes.json`` with the SHA-256 of all downloaded and installed files.  If the catalogue lists
no hash for a download, its form is checked, it may have so many bytes at most, the hash of the first one is
recorded with the word "unverified", and later downloads must match it.  A corpus whose installed files have
the recorded hashes is not downloaded again.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.files import read_json, sha256_of, write_json, write_text, writing
from crossexam.core.locks import alone_in, sweep
from crossexam.core.places import home_expanded
from crossexam.core.progress import Progress, silent
from crossexam.core.sealed import converted
from crossexam.corpora.catalog import CatalogEntry, Download, installed_name, known_name
from crossexam.corpora.catalog import catalog as shipped_catalog
from crossexam.corpora.installed import data_folder
from crossexam.corpora.received import check_form, check_room, unpack_zip

if TYPE_CHECKING:
    import httpx2


ATTEMPTS: Final = 5
#: Of a download whose size the catalogue does not know; the largest there has a quarter of it.
MOST_BYTES: Final = 1_000_000_000
_CONNECT_SECONDS: Final = 20.0
_SILENCE_SECONDS: Final = 60.0  # without a byte, before an attempt counts as interrupted
_PRIVATE: Final = ".crossexam"
_HASHES: Final = "hashes.json"
_STAGING: Final = "staging-"
_PARTS: Final = "downloads"
_WORTH_RETRYING: Final = frozenset({408, 416, 425, 429, 500, 502, 503, 504})
_DAMAGED: Final = "nothing was installed; the file is damaged, or its publisher has changed it"


class Hashes(msgspec.Struct):
    """SHA-256 of downloads by URL (or ``url#member``) and installed files by corpus, as in ``hashes.json``.

    ``unverified`` are the installed files whose hash no catalogue lists: it is that of the first fetch.
    """

    downloads: dict[str, str] = {}
    installed: dict[str, dict[str, str]] = {}
    unverified: dict[str, list[str]] = {}

    @classmethod
    def read(cls, path: Path) -> Hashes:
        """Return those in *path*, none if there is no such file; raises FormatError."""
        hint = "restore it, or remove it: then nothing vouches for downloads without a hash in the catalogue"
        return converted(read_json(path) if path.is_file() else {}, cls, path, hint=hint)


@dataclass(frozen=True)
class FetchResult:
    """The outcome of an installation in *folder*: the SHA-256 of the files by name, the bytes *received*.

    *already* is true if everything was installed before and its hashes are right.
    """

    entry: CatalogEntry
    folder: Path
    hashes: Mapping[str, str]
    received: int
    already: bool

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the files that a copy lacked."""
        return tuple(name for name in self.entry.installs if name not in self.hashes)

    @property
    def unverified(self) -> tuple[str, ...]:
        """The names of the files for which no hash in the catalogue vouches."""
        return tuple(name for name in self.entry.unverified if name in self.hashes)

    def summary(self) -> str:
        """Return what was done, the licence and the citation, for the terminal."""
        what = (
            f"is already installed and {'as it was first fetched' if self.unverified else 'verified'}"
            if self.already
            else f"installed ({self.received:,} bytes received)"
        )
        lines = [f"{self.entry.name} {what}: {self.folder}", *(f"  {name}" for name in self.hashes)]
        if self.missing:
            lines.append(f"  not in the copy: {', '.join(self.missing)}")
        if self.unverified:
            lines.append(
                f"  unverified: {', '.join(self.unverified)}: the catalogue has no hash, so nothing vouches "
                "for the content; the SHA-256 was recorded, and a later fetch of anything else is refused"
            )
        return "\n".join([*lines, f"licence: {self.entry.licence}", f"cite: {self.entry.citation}"])


@dataclass
class _Job:
    """What is to be installed, and how; *received* counts the bytes of its downloads."""

    entry: CatalogEntry
    data: Path
    hashes: Hashes
    progress: Progress
    attempts: int
    pause: Callable[[float], None]
    most: int
    received: int = 0

    @property
    def folder(self) -> Path:
        return self.data / self.entry.name

    @property
    def hashes_path(self) -> Path:
        return self.data / _PRIVATE / _HASHES

    def check(
        self, key: str, file: Path, *, where: str, size: int | None = None, listed: str | None = None
    ) -> None:
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
        wanted = listed or self.hashes.downloads.get(key, actual)
        if actual != wanted:
            source = "in the catalogue" if listed else f"recorded in {self.hashes_path} at the first fetch"
            remedy = "" if listed else " (if you expected the change, remove its line from that file)"
            raise CrossexamError(
                f"the SHA-256 of the file is {actual}",
                where=where,
                wanted=f"{wanted}, as {source}",
                hint=_DAMAGED + remedy,
            )
        self.hashes.downloads[key] = actual

    def in_place(self) -> bool:
        """Return whether every file of the corpus is present with the hash it was installed with."""
        hashes = self.hashes.installed.get(self.entry.name, {})
        return all(
            (self.folder / name).is_file() and sha256_of(self.folder / name) == hashes.get(name)
            for name in self.entry.installs
        )

    def put_in_place(self, staging: Path) -> None:
        """Move what is in *staging* into the folder of the corpus, and write the hashes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        installed = self.hashes.installed.setdefault(self.entry.name, {})
        for path in sorted(staging.iterdir()):
            installed[path.name] = sha256_of(path)
            path.replace(self.folder / path.name)
        self.hashes.unverified[self.entry.name] = [n for n in self.entry.unverified if n in installed]
        write_json(self.hashes_path, msgspec.to_builtins(self.hashes))

    def result(self, *, already: bool) -> FetchResult:
        """Return what is in place."""
        installed = self.hashes.installed[self.entry.name]
        present = [n for n in self.entry.installs if n in installed and (self.folder / n).is_file()]
        hashes = {name: installed[name] for name in present}
        return FetchResult(self.entry, self.folder, hashes, self.received, already)


class _InterruptedError(Exception):
    """The transfer ended early; another attempt may resume it."""


@dataclass(frozen=True)
class _Transfer:
    """A download to the partial file *part*, which later attempts and later calls resume.

    Beside it is a note with the server's validator (ETag or date) of this version.  Without a validator, only
    a file of which the catalogue has a hash is resumed.
    """

    job: _Job
    item: Download
    part: Path

    @property
    def _note(self) -> Path:
        return self.part.with_name(f"{self.part.name}.note")

    def forget(self) -> None:
        """Remove the partial file."""
        self.part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def complete(self) -> None:
        """Download what the part lacks (HTTP ``Range`` with ``If-Range``; a server may send all anew).

        Raises CrossexamError after so many interruptions as the job has attempts, and keeps the part.
        """
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        attempts = Retrying(
            retry=retry_if_exception_type(_InterruptedError),
            stop=stop_after_attempt(self.job.attempts),
            wait=wait_exponential(),  # 1, 2, 4 ... seconds
            sleep=self.job.pause,
            reraise=True,
        )
        try:
            attempts(self._attempt)
        except _InterruptedError as error:
            times = f" {self.job.attempts} times" if self.job.attempts > 1 else ""
            raise CrossexamError(
                f"the download was interrupted{times}: {error}",
                where=self.item.url,
                hint=f"{self._have():,} bytes were kept, and the next attempt resumes from there;"
                " or download the file yourself and pass it with --from",
            ) from None

    def _have(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _attempt(self) -> None:
        import httpx2

        if self._have() == self.item.size:
            return  # complete: interrupted between the last byte and the check of the hash
        headers = {"Accept-Encoding": "identity", **self._continuation()}
        timeout = httpx2.Timeout(_SILENCE_SECONDS, connect=_CONNECT_SECONDS)
        try:
            with httpx2.stream(
                "GET", self.item.url, headers=headers, timeout=timeout, follow_redirects=True
            ) as response:
                self._check_status(response)
                self._receive(response)
        except httpx2.TransportError as error:
            raise _InterruptedError(str(error) or type(error).__name__) from None
        except (httpx2.InvalidURL, httpx2.RequestError) as error:
            raise CrossexamError(str(error), where=self.item.url) from None

    def _continuation(self) -> dict[str, str]:
        """Return the headers that resume the partial file; remove a part that cannot be resumed."""
        validator = self._note.read_bytes().decode("ascii", "ignore") if self._note.is_file() else ""
        if not validator and self.item.sha256 is None:
            self.forget()
        if not self._have():
            return {}
        unchanged = {"If-Range": validator} if validator else {}
        return {"Range": f"bytes={self._have()}-", **unchanged}

    def _check_status(self, response: httpx2.Response) -> None:
        if response.status_code == 416:  # the part is longer than the file, so not a part of it
            self.forget()
        if response.status_code in _WORTH_RETRYING:
            raise _InterruptedError(f"the server returned {response.status_code}")
        if response.status_code not in {200, 206}:
            raise CrossexamError(
                f"the server returned {response.status_code} {response.reason_phrase}",
                where=self.item.url,
                hint="download the file yourself and pass it with --from",
            )

    def _receive(self, response: httpx2.Response) -> None:
        """Append the answer to the part, or write it anew; raises _InterruptedError if it ends early."""
        continued, have = response.status_code == 206, self._have()
        if continued and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            self.forget()
            raise _InterruptedError("the server did not resume at the requested byte")
        have = have if continued else 0
        total = self._total(response, have)
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified") or ""
        write_text(self._note, "" if validator.startswith("W/") else validator)  # W/: of no certain bytes
        with self.part.open("ab" if continued else "wb") as sink:
            for piece in response.iter_raw():
                have += sink.write(piece)
                self.job.received += len(piece)
                self._check_bound(have)
                self.job.progress(f"download {self.item.url.rpartition('/')[2]}", have, total)
        if total is not None and have < total:
            raise _InterruptedError(f"{have:,} of {total:,} bytes arrived")

    def _total(self, response: httpx2.Response, have: int) -> int | None:
        """Return the bytes of the whole file, None if nobody says; raises CrossexamError if they differ."""
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else self.item.size
        if total is None:
            return None
        if self.item.size not in {None, total}:
            raise self._refused(
                f"the server offers a file of {total:,} bytes",
                wanted=f"{self.item.size:,} bytes, as in the catalogue",
                hint="nothing was installed; the file has changed since it was catalogued",
            )
        self._check_bound(total)
        check_room(self.part.parent, total - have)
        return total

    def _check_bound(self, size: int) -> None:
        """Raise CrossexamError if *size* is more bytes than the file has, or than an unknown one may have."""
        if self.item.size is None and size > self.job.most:
            raise self._refused(
                f"the file has {size:,} bytes or more, "
                "and the catalogue does not know how many it should have",
                wanted=f"{self.job.most:,} bytes at most",
                hint="if it is the right file, allow more with --max-size MEGABYTES",
            )
        if self.item.size is not None and size > self.item.size:
            raise self._refused(
                "the server sent more bytes than the file should have", wanted=f"{self.item.size:,} bytes"
            )

    def _refused(self, what: str, *, wanted: str, hint: str | None = None) -> CrossexamError:
        """Return an error about a file that is not the right one, of which nothing is kept."""
        self.forget()
        return CrossexamError(what, where=self.item.url, wanted=wanted, hint=hint)


def install_corpus(
    name: str,
    *,
    data_dir: Path | None = None,
    source: Path | str | None = None,
    progress: Progress = silent,
    catalog: Mapping[str, CatalogEntry] | None = None,
    attempts: int = ATTEMPTS,
    pause: Callable[[float], None] = time.sleep,
    max_size: int = MOST_BYTES,
) -> FetchResult:
    """Install the corpus *name* in the data folder, from the network or from the copy *source*.

    *source* is the archive, one of its files, or a folder with them; then nothing is downloaded.  The size
    and SHA-256 of every file are checked before any is put in place.  An interrupted download is tried
    *attempts* times; *pause* is called with the seconds to wait in between.  A file of which the catalogue
    knows no size may have *max_size* bytes.  Raises CrossexamError, and OSError for a path.
    """
    known = shipped_catalog() if catalog is None else catalog
    name = known_name(name)
    to_fetch = {key: entry for key, entry in known.items() if entry.downloads}
    if name not in to_fetch:
        raise UnknownNameError("corpus to fetch", name, to_fetch)
    copy = None if source is None else home_expanded(source)
    if copy is not None and not copy.exists():
        raise CrossexamError(
            "no such file or folder",
            where=str(source),
            wanted="an archive that was downloaded, one of its files, or a folder with them",
        )
    data = data_dir or data_folder()
    private = data / _PRIVATE
    busy = CrossexamError(
        "another crossexam fetch is using this data folder",
        where=str(data),
        hint="try again when it has finished",
    )
    with writing(data), alone_in(private, busy):
        _sweep(private)
        hashes = Hashes.read(private / _HASHES)
        job = _Job(to_fetch[name], data, hashes, progress, attempts, pause, max_size)
        return _installed(job, private, copy)


def _sweep(private: Path) -> None:
    """Remove what processes left that were killed; this one holds the lock."""
    sweep(private / _PARTS)
    for stale in private.glob(f"{_STAGING}*"):
        shutil.rmtree(stale, ignore_errors=True)


def _installed(job: _Job, private: Path, copy: Path | None) -> FetchResult:
    if copy is None and job.in_place():
        return job.result(already=True)
    if copy is None and job.entry.by_hand:
        raise CrossexamError(
            f"{job.entry.name} cannot be fetched automatically: {job.entry.by_hand}",
            where=job.entry.homepage,
            hint=f"download it there, unpack it, and run crossexam fetch {job.entry.name} --from FOLDER",
        )
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=private) as folder:
        staging = Path(folder)
        if copy is None:
            transfers = [_from_network(job, item, private, staging) for item in job.entry.downloads]
        else:
            transfers = []
            _from_copy(job, staging, copy)
        job.put_in_place(staging)
    for transfer in transfers:
        transfer.forget()
    return job.result(already=False)


def _from_network(job: _Job, item: Download, private: Path, staging: Path) -> _Transfer:
    downloads = private / _PARTS
    downloads.mkdir(exist_ok=True)
    part = downloads / f"{job.entry.name}-{item.file or item.url_name}.part"
    transfer = _Transfer(job, item, part)
    transfer.complete()
    try:
        _unpack(job, item, part, staging, where=item.url)
    except CrossexamError:
        transfer.forget()  # a file that failed its check cannot be resumed
        raise
    return transfer


def _from_copy(job: _Job, staging: Path, copy: Path) -> None:
    for item in job.entry.downloads:
        # by its name here, by its published folder and name, by its published name alone
        whole = _find(copy, *(() if item.members else (item.file, item.url_end)), item.url_name)
        if whole is not None:
            _unpack(job, item, whole, staging, where=str(whole))
            continue
        for member in item.members:  # the unpacked files of the archive
            found = _find(copy, member, installed_name(member))
            if found is not None:
                if item.sha256 is None:
                    check_form(found, installed_name(member), where=str(found))
                job.check(f"{item.url}#{installed_name(member)}", found, where=str(found))
                shutil.copyfile(found, staging / installed_name(member))
    if not any(staging.iterdir()):
        archives = [] if job.entry.by_hand else [item.url_name for item in job.entry.downloads]
        wanted = " or ".join(dict.fromkeys([*archives, *job.entry.installs]))
        raise CrossexamError(f"no {job.entry.name} files were found", where=str(copy), wanted=wanted)


def _find(copy: Path, *names: str) -> Path | None:
    """Return the first file in *copy*, or *copy* itself, that has one of *names*, tried in turn."""
    if copy.is_file():
        return copy if copy.name in names else None
    found = (path for name in names for path in sorted(copy.rglob(name)) if path.is_file())
    return next(found, None)


def _unpack(job: _Job, item: Download, file: Path, staging: Path, *, where: str) -> None:
    """Check the downloaded *file* and put it, or its wanted members, into *staging*."""
    if item.sha256 is None and not item.members:
        check_form(file, item.file, where=where)
    job.check(item.url, file, size=item.size, listed=item.sha256, where=where)
    if not item.members:
        check_room(staging, file.stat().st_size)
        shutil.copyfile(file, staging / item.file)
        return
    limit = job.entry.unpacked_limit
    for path in unpack_zip(file, staging, item.members, limit=limit, progress=job.progress):
        if item.sha256 is None:
            check_form(path, path.name, where=f"{where}, {path.name}")
        job.hashes.downloads[f"{item.url}#{path.name}"] = sha256_of(path)  # of a verified archive
