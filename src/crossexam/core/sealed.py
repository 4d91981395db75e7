"""Manifests as files: JSON whose last entry is a checksum of all others; checksums of files and of rows.

What a manifest says is a struct of typed fields, in the order in which they are written.  A field that has a
default is written only if it has another value.  If there is a field ``facts``, the manifest is open: what is
in it is written in its place, and all that no other field has is read into it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from crossexam.core.errors import FormatError
from crossexam.core.files import read_json, sha256_of, write_json

#: The last entry of a manifest, which vouches for all others.
CHECKSUM: Final = "checksum"
#: The first entry of a manifest, which says that a checksum must be its last.
WRITTEN_BY: Final = "written_by"
#: The file of a suite, a run, a study or a trained model that describes the others, and is written last.
MANIFEST: Final = "manifest.json"
#: The entry of the manifest of a model: the SHA-256 of each of its files, by name.
FILES: Final = "files"
_FACTS: Final = "facts"
_ALGORITHM: Final = "blake2b:"

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


class ChangedError(FormatError):
    """A file that is not as it was written: it was changed by hand, or damaged."""


def write_manifest(path: Path, value: Mapping[str, Any] | msgspec.Struct) -> None:
    """Write *value* to *path* as JSON, with a checksum of it as the last entry and the writer as the first.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "manifest.json"
    >>> write_manifest(path, {"name": "mine", "rows": 3})
    >>> read_manifest(path)
    {'name': 'mine', 'rows': 3}
    """
    write_json(path, sealed({WRITTEN_BY: "crossexam", **as_json(value)}))


def as_json(value: Mapping[str, Any] | msgspec.Struct) -> dict[str, Any]:
    """Return *value* as it is written.

    >>> class Tiny(msgspec.Struct):
    ...     rows: int
    ...     facts: dict[str, str]
    >>> as_json(Tiny(3, {"colour": "red"}))
    {'rows': 3, 'colour': 'red'}
    """
    stated: dict[str, Any] = msgspec.to_builtins(value)
    if not isinstance(value, msgspec.Struct) or _FACTS not in stated:
        return stated
    parts = (each if name == _FACTS else {name: each} for name, each in stated.items())
    return {name: each for part in parts for name, each in part.items()}


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return *value* with a checksum of it as the last entry.

    >>> list(sealed({"name": "mine"}))
    ['name', 'checksum']
    """
    return {**value, CHECKSUM: _checksum_of(value)}


def read_manifest(path: Path, *, hint: str | None = None) -> dict[str, Any]:
    """Return what :func:`write_manifest` wrote to *path*, without the checksum and the writer.

    It is as it was written: nobody need check it again.  Raises ChangedError, with *hint* as the way out, if
    the checksum is of something else or was removed, and FormatError if the file is another one.
    """
    content = read_json(path, hint=hint)
    if not _is_sealed(content):
        raise FormatError(
            "Crossexam did not write this file: it has no checksum",
            where=str(path),
            wanted="the manifest as Crossexam wrote it",
            hint=hint,
        )
    content = unsealed(content, path, hint=hint)
    content.pop(WRITTEN_BY, None)
    return content


def typed(content: Mapping[str, Any], kind: type[S], where: Path | str, *, hint: str | None = None) -> S:
    """Return *content*, which is in *where*, as a *kind* of manifest; raises what :func:`converted` raises.

    >>> class Tiny(msgspec.Struct):
    ...     rows: int
    >>> typed({"rows": 3}, Tiny, Path("manifest.json"))
    Tiny(rows=3)
    """
    if _FACTS in kind.__struct_fields__:
        others = content.keys() - kind.__struct_encode_fields__
        facts = {name: value for name, value in content.items() if name in others}
        content = {**{name: value for name, value in content.items() if name not in others}, _FACTS: facts}
    return converted(content, kind, where, hint=hint)


def converted(value: object, kind: type[T], where: Path | str, *, hint: str | None = None) -> T:
    """Return *value*, which is in *where*, as a *kind*.

    Raises FormatError, with *hint* as the way out, if a field is missing or has another type.  A file whose
    checksum is right was then written by another version.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        what = f"this version of Crossexam does not write such a file: {error}"
        raise FormatError(what, where=str(where), hint=hint) from None


def unsealed(content: dict[str, Any], path: Path, *, hint: str | None = None) -> dict[str, Any]:
    """Return *content*, which is in *path*, without its checksum; raises ChangedError if that is wrong."""
    content = dict(content)
    stated = content.pop(CHECKSUM, None)
    if stated != _checksum_of(content):
        why = "its checksum is missing" if stated is None else "its checksum does not match its content"
        raise ChangedError(
            f"the file was changed by hand, or damaged, after it was written: {why}",
            where=str(path),
            wanted="the manifest as Crossexam wrote it",
            hint=f"undo the change; or {hint}" if hint else "undo the change, or restore the file",
        )
    return content


def _is_sealed(content: Mapping[str, Any]) -> bool:
    """Return whether *content* has the name or the value of a checksum, or the writer; damage spares one."""
    last = list(content.values())[-1] if content else None
    named = CHECKSUM in content or WRITTEN_BY in content
    return named or (isinstance(last, str) and last.startswith(_ALGORITHM))


def _checksum_of(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=False)
    return f"{_ALGORITHM}{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def hashes_of_files(folder: Path, *, without: Sequence[str] = ()) -> dict[str, str]:
    """Return the SHA-256 of each visible file in *folder*, by name, but for those *without*."""
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith("."))
    return {path.name: sha256_of(path) for path in files if path.name not in without}


def check_files(folder: Path, files: Mapping[str, str], *, hint: str) -> None:
    """Raise ChangedError if a file in *folder* is not the one whose SHA-256 its manifest has among *files*.

    A missing file is left to its reader.  The model that the package has states no files.
    """
    for name, known in files.items():
        path = folder / Path(name).name
        if path.is_file() and sha256_of(path) != known:
            raise ChangedError(
                "the file was changed by hand, or damaged, after it was written",
                where=str(path),
                wanted=f"the file whose SHA-256 is in {folder / 'manifest.json'}",
                hint=hint,
            )


def checksum_of_row(*values: object) -> bytes:
    """Return the checksum of the *values* of a row, whatever they have become: 8 bytes."""
    running = hashlib.blake2b(digest_size=8)
    running.update(repr([len(each) if isinstance(each, bytes) else repr(each) for each in values]).encode())
    for each in values:
        if isinstance(each, bytes):
            running.update(each)
    return running.digest()
