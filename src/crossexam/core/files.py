"""Reading and writing files; a file, or a folder, is written completely or not at all."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.locks import FOLDER_LOCK, TEMPORARY, locked, new_temporary, remove_if_abandoned
from crossexam.core.output.escapes import json_text

#: Why a disk takes no more; libraries that are not written in Python say it in words only.
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_IN_WORDS: Final = re.compile(r"no space left|disk is full|disk I/O error|os error 28\b", re.IGNORECASE)

#: No more files can be opened, by this process or on this machine; SQLite does not say so.
_MANY: Final = frozenset({errno.EMFILE, errno.ENFILE})
_MANY_IN_WORDS: Final = re.compile(r"too many open files|os error (?:23|24)\b", re.IGNORECASE)
_RAISE: Final = "raise the limit with `ulimit -n NUMBER` in the same shell, then repeat the command"

_LONGEST_NAME: Final = 255  # bytes, on most file systems
_LONGEST_STEM: Final = 180  # bytes of a name that we make, to which hash and suffixes are added


def disk_full(error: BaseException, path: Path | str | None = None) -> CrossexamError | None:
    """Return the error to show if *error* says that a disk is full; *path* is what was being written.

    >>> print(disk_full(OSError(errno.ENOSPC, "No space left on device"), "out/report.html"))
    out/report.html: no space left on the device
      hint: free some space, or write to another disk; then repeat the command
    """
    code = getattr(error, "errno", None)
    if code not in _FULL and not _FULL_IN_WORDS.search(str(error)):
        return None
    what = "no space left on the device" if code in (None, errno.ENOSPC) else os.strerror(code).lower()
    if "disk I/O error" in str(error):  # how SQLite says that it cannot make its files larger
        what = "disk I/O error: probably no space is left"
    where = path or getattr(error, "filename", None)
    return CrossexamError(
        what,
        where=None if where is None else str(where),
        hint="free some space, or write to another disk; then repeat the command",
    )


def too_many_files(error: BaseException, path: Path | str | None = None) -> CrossexamError | None:
    """Return the error to show if *error*, or what led to it, says that no more files can be opened.

    *path* is what was being read or written.  Libraries often take a file that they cannot open for damaged.

    >>> error = OSError(errno.EMFILE, "Too many open files", "suite/base.parquet")
    >>> str(too_many_files(error)).splitlines()[0]
    'suite/base.parquet: too many files are open'
    """
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        in_words = not isinstance(cause, CrossexamError) and _MANY_IN_WORDS.search(str(cause))
        if in_words or getattr(cause, "errno", None) in _MANY:
            where = path or getattr(cause, "filename", None) or getattr(error, "where", None)
            return CrossexamError(
                "too many files are open",
                where=None if where is None else str(where),
                wanted=_limit(),
                hint=_RAISE,
            )
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return None


def _limit() -> str | None:
    """Return in words how many files this process may open; None where that cannot be found out."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == highest:
        return f"no more than the limit, which is {most:,} files and which only an administrator can raise"
    at_most = "any number" if highest == resource.RLIM_INFINITY else f"{highest:,}"
    return f"no more than the limit, which is {most:,} files and can be raised to {at_most}"


def name_too_long(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* says that a name is longer than the file system takes.

    >>> error = OSError(errno.ENAMETOOLONG, "File name too long", 300 * "x" + ".csv")
    >>> str(name_too_long(error)).splitlines()[1]
    '  wanted: names of at most 255 bytes'
    """
    if not isinstance(error, OSError) or error.errno != errno.ENAMETOOLONG or error.filename is None:
        return None
    parts = Path(os.fsdecode(error.filename)).parts
    for number, part in enumerate(parts, 1):
        if (length := len(os.fsencode(part))) > _LONGEST_NAME:
            return CrossexamError(
                f"a name of {length:,} bytes is too long",
                where=str(Path(*parts[:number])),
                wanted=f"names of at most {_LONGEST_NAME} bytes",
                hint="choose a shorter name",
            )
    return CrossexamError(
        "the path is too long", where=str(Path(*parts)), hint="choose a shorter path, or work in its folder"
    )


def shortened(name: str, *, mark: str = "~") -> str:
    """Return *name*, or if it is long its beginning with *mark* and a hash of it; suffixes can be added.

    Different names remain different, and a name always becomes the same one.

    >>> shortened("base.dev"), shortened("base." + 300 * "x")[-16:], len(shortened("base." + 300 * "x"))
    ('base.dev', 'xxx~28a81c800cb4', 193)
    """
    encoded = name.encode("utf-8", "surrogatepass")
    if len(encoded) <= _LONGEST_STEM:
        return name
    start = encoded[:_LONGEST_STEM].decode("utf-8", "ignore")
    return f"{start}{mark}{hashlib.sha256(encoded).hexdigest()[:12]}"


def _check_name(path: Path) -> None:
    """Raise CrossexamError if the name of *path* is too long, which a temporary name may not be."""
    try:
        path.lstat()
    except OSError as error:
        if (too_long := name_too_long(error)) is not None:
            raise too_long from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise CrossexamError that names *path* if the disk gets full inside the ``with``."""
    try:
        yield
    except CrossexamError:
        raise
    except Exception as error:
        full = disk_full(error, path)
        if full is None:
            raise
        raise full from error


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
        sweep(path.parent, of=path.name)
        temporary, held = new_temporary(path.parent, _temporary_start(path.name))
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


def _temporary_start(name: str) -> str:
    return f".{shortened(name)}."


@contextmanager
def empty_or_kept(folder: Path) -> Iterator[None]:
    """Remove *folder* after an error in the ``with`` if it is new and nothing was written into it."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        for path in new:
            with suppress(OSError):  # not there, or not empty
                path.rmdir()
        raise


def sweep(*folders: Path, of: str | None = None) -> None:
    """Remove the temporary files that :func:`finished_or_absent` left in *folders* when it was killed.

    *of* is the name of the file that was to be written, by default any.  What a living process writes stays.
    """
    start = "." if of is None else _temporary_start(of)
    for folder in folders:
        with suppress(FileNotFoundError, NotADirectoryError):
            for name in os.listdir(folder):  # noqa: PTH208  (a folder may have many files)
                # The second start is that of what was written to a temporary file in turn.
                if name.startswith((start, f".{start}")) and name.endswith(TEMPORARY):
                    remove_if_abandoned(folder / name)


@contextmanager
def new_folder(folder: Path, *, purpose: str) -> Iterator[Path]:
    """Provide a folder beside *folder* that gets its name on success, and is removed on failure.

    What a killed process left there is removed first.  *folder* must not exist or be empty.  Raises
    CrossexamError if another process is there for the same *purpose* ("exporting"), if the disk is full, or
    if the name is too long.
    """
    _check_name(folder)
    staging = folder.parent / f".{shortened(folder.name)}{TEMPORARY}"
    with writing(folder):
        staging.mkdir(parents=True, exist_ok=True)
    busy = CrossexamError(f"another process is {purpose} into it", where=str(folder))
    with locked(staging / FOLDER_LOCK, busy), writing(folder):
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
