"""Exceptions of Python and of libraries that are about the user's files and packages, as errors to show."""

from __future__ import annotations

import errno
from typing import Final

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.files import disk_full, name_too_long, too_many_files

_SHOWN: Final = 300  # characters of what a library says
_OTHER: Final = "choose another path"
#: What a system says of a path, and the way out; of the others, its own words.
_OF_PATHS: Final[dict[int | None, tuple[str, str]]] = {
    errno.ENOENT: ("no such file or folder", "check the path"),
    errno.ENOTDIR: ("a part of this path is a file, not a folder", _OTHER),
    errno.EISDIR: ("this is a folder, not a file", "name a file in it"),
    errno.EACCES: ("permission denied", "choose another path, or have its permissions changed"),
    errno.EROFS: ("this disk can only be read", "write to another one"),
}
#: What libraries raise for files that are damaged, if the reader of a file did not say it better.
_DAMAGE: Final = frozenset(
    (
        "polars.ComputeError",
        "polars.PanicException",
        "pyo3_runtime.PanicException",
        "polars.SchemaError",
        "pyarrow.ArrowInvalid",
        "safetensors_rust.SafetensorError",
        "sqlite3.DatabaseError",
        "zipfile.BadZipFile",
        "zlib.error",
        "gzip.BadGzipFile",
    )
)
#: The optional dependency that brings a package, if whatever needs it did not look for it first.
_EXTRAS: Final = {
    **dict.fromkeys(("torch", "transformers", "safetensors", "accelerate"), "torch"),
    **dict.fromkeys(("sklearn", "sacrebleu", "ot"), "shallow"),
    **dict.fromkeys(("onnx", "onnxscript"), "onnx"),
    **dict.fromkeys(("starlette", "uvicorn"), "validate"),
    "fsspec": "remote",
    "ray": "ray",
    "spacy": "spacy",
}


def mistake_of(error: BaseException) -> CrossexamError | None:
    """Return the error to show for *error*, None if it is a fault of ours.

    >>> print(mistake_of(FileNotFoundError(errno.ENOENT, "No such file or directory", "nosuch.csv")))
    nosuch.csv: no such file or folder
      hint: check the path
    """
    if isinstance(error, CrossexamError):
        return too_many_files(error) or error
    of_system = (too_many_files, disk_full, name_too_long, _path_error)
    for kind in (*of_system, _encoding_error, _damage, _missing_package):
        if (found := kind(error)) is not None:
            return found
    return None


def _path_error(error: BaseException) -> CrossexamError | None:
    if not isinstance(error, OSError) or error.filename is None:
        return None
    what, hint = _OF_PATHS.get(error.errno, (error.strerror or str(error), _OTHER))
    return CrossexamError(what, where=str(error.filename), hint=hint)


def _encoding_error(error: BaseException) -> CrossexamError | None:
    """Return the error for the name of a file that is not UTF-8."""
    if not isinstance(error, UnicodeEncodeError) or not "\ud800" <= error.object[error.start] <= "\udfff":
        return None
    return CrossexamError(
        f"this name is not UTF-8: {error.object!r}"[:_SHOWN], hint="rename the file or folder, and try again"
    )


def _damage(error: BaseException) -> CrossexamError | None:
    if f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}" not in _DAMAGE:
        return None
    said = " ".join(str(error).split())[:_SHOWN]
    return CrossexamError(
        f"a file cannot be read: {said or type(error).__name__}",
        hint="one of the files that the command was given is damaged, or is not in the format that its name "
        "says; write or download it again",
    )


def _missing_package(error: BaseException) -> CrossexamError | None:
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    package = error.name.partition(".")[0]
    return MissingExtraError(package, _EXTRAS[package], "this command") if package in _EXTRAS else None
