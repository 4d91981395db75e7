"""Installing a corpus in the data folder: download or copy it, verify it, unpack it, and move it into place.

Downloads resume after interruptions, and archives are not trusted.  ``DATA/.crossexam`` contains partial
downloads and ``hashes.json`` with the SHA-256 of all downloaded and installed files.  If the catalogue lists
no hash for a download, its form is checked, it may have so many bytes at most, the hash of the first one is
recorded with the word "unverified", and later downloads must match it.  A corpus whose installed files have
the recorded hashes is not downloaded again.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import read_json, sha256_of, sweep, write_json
from crossexam.core.locks import locked
from crossexam.core.places import home_expanded
from crossexam.core.progress import Progress, silent
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
_STAGING: Final = "staging-"
_WORTH_RETRYING: Final = frozenset({408, 416, 425, 429, 500, 502, 503, 504})


class _InterruptedError(Exception):
    """The transfer ended early; another attempt may resume it."""


@dataclass(frozen=True)
class Transfer:
    """The download of *url* to the partial file *part*; *size* is in bytes, None if unknown.

    *verifiable* means that a hash is checked afterwards, so the download may be resumed even if the server
    sends no validator that shows that the file is unchanged.  A file of unknown size may have *most* bytes.
    """

    url: str
    part: Path
    size: int | None
    verifiable: bool
    most: int = MOST_BYTES

    @property
    def have(self) -> int:
        """Bytes downloaded so far."""
        return self.part.stat().st_size if self.part.exists() else 0

    @property
    def note(self) -> Path:
        """The file next to the part that records the server's validator (ETag or date) of this version."""
        return self.part.with_name(self.part.name + ".json")

    def forget(self) -> None:
        """Remove the partial file."""
        self.part.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def download(
    transfer: Transfer,
    *,
    progress: Progress = silent,
    attempts: int = ATTEMPTS,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Download the file of *transfer* into its part, and return how many bytes this call received.

    A partial file is resumed (HTTP ``Range`` with ``If-Range``), by this call and by later ones; a server may
    also send everything again.  After *attempts* interruptions, raises CrossexamError and keeps the part.
    """
    received = 0
    for attempt in range(1, attempts + 1):
        try:
            for size in _pieces(transfer, progress):
                received += size
            return received
        except _InterruptedError as error:
            reason = str(error)
            if attempt < attempts:
                pause(2.0 ** (attempt - 1))
    raise CrossexamError(
        f"the download was interrupted{f' {attempts} times' if attempts > 1 else ''}: {reason}",
        where=transfer.url,
        hint=f"{transfer.have:,} bytes were kept, and the next attempt resumes from there;"
        " or download the file yourself and pass it with --from",
    )


def _pieces(transfer: Transfer, progress: Progress) -> Iterator[int]:
    """Yield the size of each piece written in one attempt; raises _InterruptedError if it ends early."""
    headers = {"Accept-Encoding": "identity", **_continuation(transfer)}
    have = transfer.have
    if transfer.size is not None and have == transfer.size:
        return  # complete: interrupted between the last byte and the check of the hash
    with _answer(transfer, headers) as response:
        continued = response.status_code == 206
        if continued and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            transfer.forget()
            raise _InterruptedError("the server did not resume at the requested byte")
        have = have if continued else 0
        total = _total(transfer, response, have)
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified")
        write_json(transfer.note, {"url": transfer.url, "validator": validator})
        with transfer.part.open("ab" if continued else "wb") as sink:
            for piece in response.iter_raw():
                have += sink.write(piece)
                _not_more(transfer, have)
                progress(f"download {transfer.url.rpartition('/')[2]}", have, total)
                yield len(piece)
        if total is not None and have < total:
            raise _InterruptedError(f"{have:,} of {total:,} bytes arrived")


@contextmanager
def _answer(transfer: Transfer, headers: dict[str, str]) -> Iterator[httpx2.Response]:
    import httpx2

    timeout = httpx2.Timeout(_SILENCE_SECONDS, connect=_CONNECT_SECONDS)
    try:
        with (
            httpx2.Client(follow_redirects=True, timeout=timeout) as client,
            client.stream("GET", transfer.url, headers=headers) as response,
        ):
            if response.status_code == 416:  # the part is longer than the file, so not a part of it
                transfer.forget()
            if response.status_code in _WORTH_RETRYING:
                raise _InterruptedError(f"the server returned {response.status_code}")
            if response.status_code not in {200, 206}:
                raise CrossexamError(
                    f"the server returned {response.status_code} {response.reason_phrase}",
                    where=transfer.url,
                    hint="download the file yourself and pass it with --from",
                )
            yield response
    except httpx2.TransportError as error:
        raise _InterruptedError(str(error) or type(error).__name__) from None
    except (httpx2.InvalidURL, httpx2.RequestError) as error:
        raise CrossexamError(str(error), where=transfer.url) from None


def _continuation(transfer: Transfer) -> dict[str, str]:
    """Return the headers that resume the partial file; remove a part that cannot be resumed."""
    if not transfer.have:
        return {}
    try:
        note = json.loads(transfer.note.read_text(encoding="utf-8"))
        url, validator = note["url"], note["validator"]
    except (OSError, ValueError, KeyError, TypeError):
        url = validator = None
    strong = isinstance(validator, str) and not validator.startswith("W/")
    if url != transfer.url or not (strong or transfer.verifiable):
        transfer.forget()
        return {}
    continuation = {"Range": f"bytes={transfer.have}-"}
    return continuation | {"If-Range": validator} if strong else continuation


def _total(transfer: Transfer, response: httpx2.Response, have: int) -> int | None:
    length = response.headers.get("Content-Length", "")
    total = have + int(length) if length.isdigit() else transfer.size
    if transfer.size is not None and total != transfer.size:
        transfer.forget()
        raise CrossexamError(
            f"the server offers a file of {total:,} bytes",
            where=transfer.url,
            wanted=f"{transfer.size:,} bytes, as in the catalogue",
            hint="nothing was installed; the file has changed since it was catalogued",
        )
    if total is not None:
        _not_too_large(transfer, total)
        check_room(transfer.part.parent, total - have)
    return total


def _not_too_large(transfer: Transfer, size: int) -> None:
    """Raise CrossexamError if *size* is more bytes than a file that nothing is known of may have."""
    if transfer.size is None and size > transfer.most:
        transfer.forget()
        raise CrossexamError(
            f"the file has {size:,} bytes or more, and the catalogue does not know how many it should have",
            where=transfer.url,
            wanted=f"{transfer.most:,} bytes at most",
            hint="if it is the right file, allow more with --max-size MEGABYTES",
        )


def _not_more(transfer: Transfer, have: int) -> None:
    _not_too_large(transfer, have)
    if transfer.size is not None and have > transfer.size:
        transfer.forget()
        raise CrossexamError(
            "the server sent more bytes than the file should have",
            where=transfer.url,
            wanted=f"{transfer.size:,} bytes",
        )


PRIVATE_FOLDER: Final = ".crossexam"
_DAMAGED: Final = "nothing was installed; the file is damaged, or its publisher has changed it"


def _maps_maps(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, dict) for each in value.values())


class Hashes:
    """SHA-256 of downloads by URL (or ``url#member``) and installed files by corpus, kept in *path*.

    ``unverified`` are the installed files whose hash no catalogue lists: it is that of the first fetch.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        known = read_json(path) if path.is_file() else {}
        self.downloads: dict[str, str] = known.get("downloads", {})
        self.installed: dict[str, dict[str, str]] = known.get("installed", {})
        self.unverified: dict[str, list[str]] = known.get("unverified", {})
        if not all(isinstance(each, dict) for each in (self.downloads, self.unverified)) or not _maps_maps(
            self.installed
        ):
            raise FormatError(
                "this is not the file of hashes that fetching writes",
                where=str(path),
                hint="restore it, or remove it: then nothing vouches for downloads that the catalogue has no "
                "hash of",
            )

    def save(self) -> None:
        """Write the file."""
        known = {"downloads": self.downloads, "installed": self.installed, "unverified": self.unverified}
        write_json(self._path, known)

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
    that a copy lacked, *unverified* those for which no hash in the catalogue vouches.
    """

    name: str
    folder: Path
    files: tuple[Path, ...]
    hashes: Mapping[str, str]
    received: int
    already: bool
    missing: tuple[str, ...]
    unverified: tuple[str, ...]
    licence: str
    citation: str
    homepage: str

    def summary(self) -> str:
        """Return what was done, the licence and the citation, for the terminal."""
        what = (
            f"is already installed and {'as it was first fetched' if self.unverified else 'verified'}"
            if self.already
            else f"installed ({self.received:,} bytes received)"
        )
        lines = [f"{self.name} {what}: {self.folder}", *(f"  {path.name}" for path in self.files)]
        if self.missing:
            lines.append(f"  not in the copy: {', '.join(self.missing)}")
        if self.unverified:
            lines.append(
                f"  unverified: {', '.join(self.unverified)}: the catalogue has no hash, so nothing vouches "
                "for the content; the SHA-256 was recorded, and a later fetch of anything else is refused"
            )
        return "\n".join([*lines, f"licence: {self.licence}", f"cite: {self.citation}"])


@dataclass
class _Job:
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
    def names(self) -> list[str]:
        return [name for item in self.entry.downloads for name in item.installs]

    @property
    def unverified(self) -> list[str]:
        return [name for item in self.entry.downloads if item.sha256 is None for name in item.installs]


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
    knows no size may have *max_size* bytes.  Raises CrossexamError.
    """
    known = shipped_catalog() if catalog is None else catalog
    name = known_name(name)
    to_fetch = {key: entry for key, entry in known.items() if entry.downloads}
    if name not in to_fetch:
        raise UnknownNameError("corpus to fetch", name, to_fetch)
    if source is not None and not home_expanded(source).exists():
        raise CrossexamError(
            "no such file or folder",
            where=str(source),
            wanted="an archive that was downloaded, one of its files, or a folder with them",
        )
    data = data_dir or data_folder()
    private = data / PRIVATE_FOLDER
    try:
        private.mkdir(parents=True, exist_ok=True)
        with locked(private / "lock", _busy(data)):
            hashes = Hashes(private / "hashes.json")
            job = _Job(to_fetch[name], data, hashes, progress, attempts, pause, max_size)
            return _install_verified(job, private, home_expanded(source) if source is not None else None)
    except OSError as error:
        what = error.strerror or str(error)
        raise CrossexamError(what, where=str(error.filename or data)) from None


def _install_verified(job: _Job, private: Path, source: Path | None) -> FetchResult:
    _sweep(private)
    if source is None and _in_place(job):
        return _result(job, already=True)
    if source is None and job.entry.by_hand:
        raise CrossexamError(
            f"{job.entry.name} cannot be fetched automatically: {job.entry.by_hand}",
            where=job.entry.homepage,
            hint=f"download it there, unpack it, and run crossexam fetch {job.entry.name} --from FOLDER",
        )
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=private) as folder:
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


def _sweep(private: Path) -> None:
    """Remove what processes left that were killed; this one holds the lock."""
    sweep(private)
    for stale in private.glob(f"{_STAGING}*"):
        shutil.rmtree(stale, ignore_errors=True)


def _from_network(job: _Job, item: Download, downloads: Path, staging: Path) -> Transfer:
    downloads.mkdir(exist_ok=True)
    part = downloads / f"{job.entry.name}-{item.file or item.url_name}.part"
    verifiable = item.sha256 is not None or item.url in job.hashes.downloads
    transfer = Transfer(item.url, part, item.size, verifiable, job.most)
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
                if item.sha256 is None:
                    check_form(found, installed_name(name), where=str(found))
                job.hashes.check(key, found, size=None, listed=None, where=str(found))
                shutil.copyfile(found, staging / installed_name(name))
    if not any(staging.iterdir()):
        archives = [] if job.entry.by_hand else [item.url_name for item in job.entry.downloads]
        names = [*archives, *(name for item in job.entry.downloads for name in item.installs)]
        wanted = " or ".join(dict.fromkeys(names))
        raise CrossexamError(f"no {job.entry.name} files were found", where=str(source), wanted=wanted)


def _unpack(job: _Job, item: Download, file: Path, staging: Path, *, where: str) -> None:
    """Check the downloaded *file* and put it, or its wanted members, into *staging*."""
    if item.sha256 is None and not item.members:
        check_form(file, item.file, where=where)
    job.hashes.check(item.url, file, size=item.size, listed=item.sha256, where=where)
    if not item.members:
        check_room(staging, file.stat().st_size)
        shutil.copyfile(file, staging / item.file)
        return
    limit = job.entry.unpacked_limit
    for path in unpack_zip(file, staging, item.members, limit=limit, progress=job.progress):
        if item.sha256 is None:
            check_form(path, path.name, where=f"{where}, {path.name}")
        job.hashes.note(f"{item.url}#{path.name}", path)


def _put_in_place(job: _Job, staging: Path) -> None:
    job.folder.mkdir(parents=True, exist_ok=True)
    installed = job.hashes.installed.setdefault(job.entry.name, {})
    for path in sorted(staging.iterdir()):
        installed[path.name] = sha256_of(path)
        path.replace(job.folder / path.name)
    job.hashes.unverified[job.entry.name] = [name for name in job.unverified if name in installed]
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
        unverified=tuple(name for name in present if name in job.unverified),
        licence=job.entry.licence,
        citation=job.entry.citation,
        homepage=job.entry.homepage,
    )


def _find(source: Path, name: str) -> Path | None:
    if source.is_file():
        return source if source.name == name else None
    return next((path for path in sorted(source.rglob(name)) if path.is_file()), None)


def _busy(data: Path) -> CrossexamError:
    return CrossexamError(
        "another crossexam fetch is using this data folder",
        where=str(data),
        hint="try again when it has finished",
    )
