"""Places elsewhere: folders and files at a URL (``s3://bucket/suite``), each with a path on this machine.

SQLite and locks need a file system of this machine, and so do the libraries that read Parquet by columns.
Therefore a place has two paths in the cache folder: a *work folder*, in which a command makes what it then
copies to the place (:mod:`crossexam.core.transfers`), and a *copy*, which is read.  Both have the structure
of the URL, so that the path tells the place, and a path relative to another one means the same there.

The cache folder is ``CROSSEXAM_CACHE``, or else the platform's folder for caches (``XDG_CACHE_HOME``).
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote, unquote

from crossexam.core.errors import CrossexamError

_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
#: What pathlib makes of a URL.
_COLLAPSED: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/[^/].*", re.DOTALL)
Use = Literal["work", "copies"]
#: The name of the folder for an empty segment, as before the first slash of ``file:///tmp``.
_EMPTY: Final = "%"
#: What segments of a path may have besides letters, digits and ``_.-~`` without being quoted.
_KEPT: Final = "="


def home_expanded(path: str | Path) -> Path:
    """Return *path* with the home folder for ``~``, and as it is if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def cache_folder() -> Path:
    """Return where Crossexam keeps what it can make or fetch again."""
    named = os.environ.get("CROSSEXAM_CACHE")
    if named:
        return home_expanded(named).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("crossexam")


def is_url(text: str) -> bool:
    """Return whether *text* names a place elsewhere.

    >>> is_url("s3://bucket/suite"), is_url("out/suite"), is_url("C://suite")
    (True, False, False)
    """
    return _URL.fullmatch(text) is not None


def work_path(text: str | os.PathLike[str]) -> Path:
    """Return the path in which what belongs at *text* is made: the same, or the work folder of a URL.

    Raises CrossexamError for a URL that is none of a folder or file.

    >>> work_path("out/suite").as_posix()
    'out/suite'
    """
    return _path(text, "work")


def copy_path(text: str | os.PathLike[str]) -> Path:
    """Return the path from which *text* is read: the same, or that of the copy of what is at a URL.

    Raises CrossexamError for a URL that is none of a folder or file.

    >>> url_of(copy_path("s3://bucket/a suite/"))
    's3://bucket/a suite'
    """
    return _path(text, "copies")


def here_path(text: str | os.PathLike[str]) -> Path:
    """Return *text* as a path of this machine; raises CrossexamError for a URL."""
    if is_url(str(text)):
        raise CrossexamError(
            "this command does not write to or read from a URL here",
            where=str(text),
            wanted="a path on this machine",
            hint="build, run, examine, report, compare and check take URLs; docs/scale.md says which",
        )
    return Path(text)


def _path(text: str | os.PathLike[str], use: Use) -> Path:
    name = os.fspath(text)
    match = _URL.fullmatch(name)
    if match is None:
        if not isinstance(text, str) and _COLLAPSED.fullmatch(name) and not Path(name).exists():
            raise CrossexamError(
                "a URL was given as a path of this machine, which loses a slash",
                where=name,
                wanted="the URL as a text, such as 's3://bucket/suite'",
            )
        return Path(text)
    segments = match[2].rstrip("/").split("/")
    if not any(segments) or {".", ".."} & set(segments) or "" in segments[1:]:
        raise CrossexamError(
            "this URL does not name a folder or file", where=name, wanted="s3://bucket/suite"
        )
    return _root(use).joinpath(match[1].lower(), *(quote(each, safe=_KEPT) or _EMPTY for each in segments))


def _root(use: Use) -> Path:
    return cache_folder() / "places" / use


def _parts(path: Path) -> tuple[Use, tuple[str, ...]] | None:
    """Return what a path is for, and its protocol and segments; None if it belongs to no place."""
    absolute = Path(os.path.normpath(path.absolute()))
    uses: tuple[Use, Use] = ("work", "copies")
    for use in uses:
        if absolute.is_relative_to(_root(use)):
            parts = absolute.relative_to(_root(use)).parts
            return (use, parts) if len(parts) > 1 else None
    return None


def url_of(path: Path) -> str | None:
    """Return the URL whose work folder or copy *path* is or is in; None if it belongs to no place."""
    found = _parts(path)
    if found is None:
        return None
    protocol, *segments = found[1]
    return f"{protocol}://{'/'.join('' if each == _EMPTY else unquote(each) for each in segments)}"


def is_copy(path: Path) -> bool:
    """Return whether *path* is in the copy of a place."""
    found = _parts(path)
    return found is not None and found[0] == "copies"


def relative_url(url: str, folder: str) -> str | None:
    """Return *url* relative to the URL of a *folder*; None if they have different protocols.

    >>> relative_url("s3://b/suite/a.parquet", "s3://b/runs/mine")
    '../../suite/a.parquet'
    """
    protocol, _, path = url.partition("://")
    of_folder, _, folder = folder.partition("://")
    return posixpath.relpath(f"/{path}", f"/{folder}") if protocol == of_folder else None


def with_urls(text: str) -> str:
    """Return *text* with the URLs of the places whose paths on this machine it has.

    >>> with_urls(f"written: {work_path('s3://bucket/suite')}")
    'written: s3://bucket/suite'
    """
    roots = "|".join(re.escape(f"{_root(use)}{os.sep}") for use in ("work", "copies"))
    return re.sub(rf"(?:{roots})[\w.~%=+{re.escape(os.sep)}-]+", _url_of_match, text)


def _url_of_match(found: re.Match[str]) -> str:
    return url_of(Path(found[0])) or found[0]
