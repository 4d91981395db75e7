"""Reading and writing files; a file, or a folder, is written completely or not at all."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError, exhausted, name_too_long
from crossexam.core.locks import FOLDER_LOCK, TEMPORARY, alone_in, new_temporary, sweep
from crossexam.core.output.escapes import json_text
from crossexam.core.output.file_names import shortened


def _check_name(path: Path) -> None:
    """Raise CrossexamError if the name of *path* is too long, which a temporary name may not be."""
    try:
        path.lstat()
    except OSError as error:
        if (too_long := name_too_long(error)) is not None:
            raise too_long from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise CrossexamError that names *path* if the disk gets full inside the ``with``, or files too many."""
    try:
        yield
    except CrossexamError:
        raise
    except Exception as error:
        if (found := exhausted(error, path)) is None:
            raise
        raise found from error


@contextmanager
def finished_or_absent(path: Path, *, lock: bool = True) -> Iterator[Path]:
    """Provide a temporary path in the folder of *path*; rename it to *path* on success, remove it on failure.

    What a killed process left there in its place is removed first.  The *lock* on the temporary file, which
    tells others that it is being written, takes an open file; under a lock on the folder it is not needed.
    Raises CrossexamError if the disk is full, or the name too long for it.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with finished_or_absent(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('whole', 1)
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_name(path)
        start = f".{shortened(path.name)}."
        sweep(path.parent, start=start)
        temporary, held = new_temporary(path.parent, start)
        if not lock:
            held.close()
        try:
            yield temporary
            temporary.chmod(0o644)  # mkstemp creates files that only their owner can read
            temporary.replace(path)
        except BaseException:
            with suppress(FileNotFoundError):
                temporary.unlink()
            raise
        finally:
            held.close()


@contextmanager
def new_folder(folder: Path, *, purpose: str) -> Iterator[Path]:
    """Provide a folder beside *folder* that gets its name on success, and is removed on failure.

    What a killed process left there is removed first.  *folder* must not exist or be empty.  Raises
    CrossexamError if another process is there for the same *purpose* ("exporting"), if the disk is full, or
    if the name is too long.
    """
    _check_name(folder)
    staging = folder.parent / f".{shortened(folder.name)}{TEMPORARY}"
    busy = CrossexamError(f"another process is {purpose} into it", where=str(folder))
    with writing(folder), alone_in(staging, busy):
        try:
            for path in staging.iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name != FOLDER_LOCK:
                    path.unlink()
            yield staging
            (staging / FOLDER_LOCK).unlink()
            if folder.is_dir():
                folder.rmdir()
            staging.replace(folder)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Write *text* to *path*, completely or not at all."""
    with finished_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write *value* to *path* as indented JSON, its keys in the given order."""
    write_text(path, json_text(value, indent=1, allow_nan=True) + "\n")


def keep(path: Path) -> None:
    """Have the file *path* and its name on the disk, and not only on their way there, when this returns.

    What is renamed or removed afterwards then cannot outlive it, even if the power fails.
    """
    for each in (path, path.parent) if os.name == "posix" else (path,):  # elsewhere no folder can be opened
        handle = os.open(each, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_json(path: Path, *, hint: str | None = None) -> dict[str, Any]:
    """Return the JSON object in *path*; raises FormatError with *hint* if the file is anything else."""
    if path.exists() and not path.is_file():
        raise FormatError("not a regular file", where=str(path), wanted="a JSON file", hint=hint)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {json_problem(error)}", where=str(path), hint=hint) from None
    if not isinstance(value, dict):
        raise FormatError("not a JSON object", where=str(path), wanted="{...}", hint=hint)
    return value


def json_problem(error: ValueError | RecursionError) -> str:
    """Return why a file that made the module json raise *error* is not JSON.

    >>> json_problem(RecursionError("maximum recursion depth exceeded"))
    'arrays or objects are nested too deeply'
    """
    if isinstance(error, RecursionError):
        return "arrays or objects are nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x} at position {error.start} is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return str(error) if error.doc.strip() else "the file is empty"
    return "a number has too many digits"  # what int() refuses


def read_utf8(path: Path) -> str:
    """Return the text of *path*; raises FormatError that names the first byte which is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(json_problem(error), where=str(path), wanted="text in UTF-8") from None


def archive_errors() -> tuple[type[Exception], ...]:
    """Return what zipfile, gzip and numpy's readers of archives raise for files that are damaged."""
    import struct
    import tokenize
    import zipfile
    import zlib

    return (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        ArithmeticError,
        EOFError,
        MemoryError,
        RuntimeError,
        SyntaxError,
        struct.error,
        tokenize.TokenError,
        zipfile.BadZipFile,
        zlib.error,
    )


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the file's bytes as 64 hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


#: The longest field of a CSV file in characters: a long document, not a file whose quote is never closed.
LONGEST_FIELD: Final = 16 * 2**20


def allow_long_fields() -> None:
    """Let the module csv read fields of up to LONGEST_FIELD characters, instead of 131,072."""
    csv.field_size_limit(LONGEST_FIELD)


def csv_problem(error: csv.Error) -> str:
    """Return what *error* of the module csv says, in words for somebody who wrote the file.

    >>> csv_problem(csv.Error("field larger than field limit (16777216)"))
    'a field is longer than 16,777,216 characters: is the quote at its end missing?'
    """
    if "larger than field limit" in str(error):
        return f"a field is longer than {LONGEST_FIELD:,} characters: is the quote at its end missing?"
    return str(error)
