"""Files as they arrived from elsewhere: of the form that their name promises, and archives unpacked safely.

A server that is out of order answers with a page for people, and says that all is well.  What the catalogue
has no hash of is therefore looked at before it is installed.
"""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError, FormatError, exhausted
from crossexam.core.files import archive_errors
from crossexam.core.progress import Progress, silent
from crossexam.core.stored.parquet import PARQUET
from crossexam.corpora.catalog import installed_name
from crossexam.corpora.records import BOM, XML, foreign_format

_HEAD: Final = 65_536  # bytes that are looked at
# fmt: off
#: How the texts of some suffixes begin, and what is said of one that does not.
_BEGINNINGS: Final[tuple[tuple[tuple[str, ...], bytes, str], ...]] = (
    ((".json",),                rb"\s*[{[]",      "it does not begin with '{' or '['"),
    ((".jsonl",),               rb"\s*{",         "it does not begin with '{'"),
    ((".xml",),                 rb"\s*<",         "it does not begin with '<'"),
    ((".csv", ".tsv", ".txt"),  rb"(?!\s*[{<])",  "no table or list of sentences"),
    ((".csv",),                 rb"[^\n]*,",      "its first line has no columns"),
    ((".tsv",),                 rb"[^\n]*\t",     "its first line has no columns"),
)
# fmt: on
_TEXTS: Final = frozenset(suffix for suffixes, _, _ in _BEGINNINGS for suffix in suffixes)


def check_form(file: Path, name: str, *, where: str) -> None:
    """Raise FormatError unless *file* looks like what its *name* promises; *where* says where it is from."""
    suffix = Path(name).suffix.lower()
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
        stream.seek(-min(len(PARQUET), len(head)), 2)
        tail = stream.read()
    problem = None
    if not head.strip():
        problem = "the file is empty"
    elif suffix == ".parquet" and not (head.startswith(PARQUET) and tail == PARQUET):
        problem = "it is not Parquet, or is incomplete"
    elif suffix in _TEXTS:
        problem = _problem_of_text(head.removeprefix(BOM), suffix)
    if problem is not None:
        raise FormatError(
            f"this is not the file {name}: {problem}",
            where=where,
            wanted=f"a file with the content that '{suffix}' promises",
            hint="nothing was installed; open the address in a browser, or pass a copy with --from",
        )


def _problem_of_text(head: bytes, suffix: str) -> str | None:
    """Return what *head*, the start of a file of text, is instead of what *suffix* says; None if nothing."""
    foreign = foreign_format(head)
    if foreign is not None and (foreign.what, suffix) != (XML, ".xml"):
        return foreign.what
    if b"\0" in head:
        return "not text"
    said = (
        what for suffixes, begins, what in _BEGINNINGS if suffix in suffixes and not re.match(begins, head)
    )
    return next(said, None)


def check_room(folder: Path, needed: int) -> None:
    """Raise CrossexamError if the disk with *folder* has less than *needed* bytes."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise CrossexamError(
            f"{needed:,} bytes are needed, and {free:,} are free",
            where=str(folder),
            hint="free some space, or choose another data folder (--data DIR, or CROSSEXAM_DATA)",
        )


_CHUNK: Final = 1 << 20
_ESCAPES: Final = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)")
_REGULAR: Final = frozenset({0, stat.S_IFREG})  # 0: made where files have no such mode
#: Text is compressed to a tenth, repetitive tables to a fiftieth; a bomb to a thousandth.
_MOST_RATIO: Final = 200
_SMALL: Final = 10_000  # bytes, below which the ratio says nothing


def unpack_zip(
    archive: Path,
    into: Path,
    members: Collection[str],
    *,
    limit: int,
    progress: Progress = silent,
) -> list[Path]:
    """Write the *members* of *archive*, found by the ends of their paths, into the folder *into*.

    A member given with its folder (``R1/dev.jsonl``) is written as ``R1_dev.jsonl``.  Nothing else is
    written.  Raises CrossexamError, and writes nothing, if any path leaves the archive (absolute, a drive,
    ``..``), if a member is a link or a device, missing or ambiguous, or if the members unpack to more than
    *limit* bytes, to more than there is room for, or to over 200 times their size.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            wanted = _wanted(opened, archive, members, limit)
            check_room(into, sum(info.file_size for info in wanted.values()))
            return [
                _extract(opened, info, into / installed_name(name), progress) for name, info in wanted.items()
            ]
    except archive_errors() as error:
        if (full := exhausted(error, into)) is not None:
            raise full from None
        raise CrossexamError(
            f"the archive cannot be unpacked: {error}", where=str(archive), wanted="a complete zip archive"
        ) from None


def _wanted(
    opened: zipfile.ZipFile, archive: Path, members: Collection[str], limit: int
) -> dict[str, zipfile.ZipInfo]:
    wanted: dict[str, zipfile.ZipInfo] = {}
    for info in opened.infolist():
        if _ESCAPES.search(info.filename):
            raise _unsafe(archive, f"the path '{info.filename}' leaves the archive's folder")
        name = next((member for member in members if f"/{info.filename}".endswith(f"/{member}")), None)
        if name is None:
            continue
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in _REGULAR:
            what = "a link" if kind == stat.S_IFLNK else "no regular file"
            raise _unsafe(archive, f"'{info.filename}' is {what}")
        if info.file_size > _MOST_RATIO * max(info.compress_size, _SMALL):
            raise _unsafe(archive, f"'{info.filename}' unpacks to over {_MOST_RATIO} times its size")
        if name in wanted:
            raise _unsafe(archive, f"it has two files '{name}'")
        wanted[name] = info
    missing = [name for name in members if name not in wanted]
    if missing:
        raise CrossexamError(f"'{missing[0]}' is not in the archive", where=str(archive))
    total = sum(info.file_size for info in wanted.values())
    if total > limit:
        raise _unsafe(archive, f"it unpacks to {total:,} bytes, more than the {limit:,} expected at most")
    return {name: wanted[name] for name in members}


def _extract(opened: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, progress: Progress) -> Path:
    # zipfile reads no more bytes than file_size and checks their CRC, so the limit above holds
    done = 0
    with opened.open(info) as source, target.open("xb") as sink:
        while chunk := source.read(_CHUNK):
            done += sink.write(chunk)
            progress(f"unpack {target.name}", done, info.file_size)
    return target


def _unsafe(archive: Path, why: str) -> CrossexamError:
    return CrossexamError(
        f"the archive is not safe to unpack: {why}", where=str(archive), hint="nothing was unpacked"
    )
