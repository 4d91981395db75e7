"""Unpacking an untrusted zip archive."""

from __future__ import annotations

import re
import stat
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError
from crossexam.core.progress import Progress, silent
from crossexam.corpora.catalog import installed_name

_CHUNK: Final = 1 << 20
_ESCAPES: Final = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)")


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
    ``..``), if a member is a link, missing or ambiguous, or if the members unpack to more than *limit* bytes.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            wanted = _wanted(opened, archive, members, limit)
            return [
                _extract(opened, info, into / installed_name(name), progress) for name, info in wanted.items()
            ]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
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
        if stat.S_ISLNK(info.external_attr >> 16):
            raise _unsafe(archive, f"'{info.filename}' is a link")
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
