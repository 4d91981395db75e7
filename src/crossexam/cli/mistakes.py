"""Exceptions of Python and of libraries that are about the user's files and packages, as errors to show."""

from __future__ import annotations

from typing import Final

from crossexam.core.errors import CrossexamError, MissingExtraError, exhausted, of_system

_SHOWN: Final = 300  # characters of what a library says
#: What libraries raise for files that are damaged, if the reader of a file did not say it better.
_DAMAGE: Final = frozenset(
    (
        "pyo3_runtime.PanicException",
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
    "ray": "ray",
    "spacy": "spacy",
}


def mistake_of(error: BaseException) -> CrossexamError | None:
    """Return the error to show for *error*, None if it is a bug of Crossexam."""
    if isinstance(error, CrossexamError):
        return exhausted(error) or error
    for kind in (of_system, _encoding_error, _damage, _missing_package):
        if (found := kind(error)) is not None:
            return found
    return None


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
