"""Exceptions of libraries, of users' functions and of names: exit 2 and one error, never exit 3."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from crossexam.cli import main
from crossexam.core.errors import CrossexamError, FormatError, exhausted, how_to_install
from crossexam.core.example import Example
from crossexam.core.places import home_expanded
from crossexam.core.test_sets import read_suite, write_test_set
from crossexam.models import table

Crossexam = Callable[..., Any]
MANY = OSError(errno.EMFILE, "Too many open files", "suite/base.parquet")


@pytest.fixture
def failing(crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that lets a command raise an error, and returns what is printed of it."""

    def carry_out(error: BaseException, status: int = 2, line: str = "ls") -> str:
        def fail(**how: Any) -> None:
            raise error

        monkeypatch.setattr(main, "app", fail)
        return str(crossexam(line, status).err)

    return carry_out


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A test set of one item, in the working folder."""
    monkeypatch.chdir(tmp_path)
    write_test_set(tmp_path / "tiny.parquet", [Example("a", "It rains.", "It is wet.", "neutral")])
    return "tiny.parquet"


def _panic() -> BaseException:
    """Return what polars raises when it panics, which is none of Exception."""
    kind = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    error: BaseException = kind("called `Result::unwrap()` on an `Err` value")
    return error


def test_what_a_library_says_of_a_file_is_one_error(
    failing: Callable[..., str], for_each: Callable[..., None]
) -> None:
    def check(error: BaseException) -> None:
        what, hint = failing(error).splitlines()
        assert what.endswith(str(error))
        assert hint.startswith("  hint: ")

    errors = [
        _panic(),
        sqlite3.DatabaseError("file is not a database"),
        zipfile.BadZipFile("Bad CRC-32"),
        zlib.error("Error -3 while decompressing data"),
    ]
    for_each(check, errors)


def test_other_exceptions_are_still_ours(
    failing: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # the log can hold names that are not UTF-8
    said = failing(ZeroDivisionError("oops \udcff"), 3, "ls \udcff")
    assert "internal error: ZeroDivisionError: oops" in said
    (log,) = tmp_path.glob("crossexam-*.log")
    assert str(log) in said
    assert "Traceback" in log.read_text("utf-8")
    assert "arguments: ls \\udcff" in log.read_text("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file systems refuse such names")
@pytest.mark.parametrize("where", ["base", "output"])
def test_names_that_are_not_utf8(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"b\xffd.jsonl")
    row = '{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n'
    (tmp_path / name).write_text(row, encoding="utf-8")
    line = {"base": [name, "-o", "out"], "output": ["builtin:demo[:9]", "-o", os.fsdecode(b"o\xff")]}[where]
    monkeypatch.setattr("sys.argv", ["crossexam", "build", "corpus", "--base", *line])
    with pytest.raises(SystemExit) as stopped:
        main.run()
    said = capsys.readouterr().err
    assert stopped.value.code in (None, 0, 2)
    assert "internal error" not in said
    assert not stopped.value.code or "hint: rename" in said


@pytest.mark.parametrize("kind", ["bow", "hf", "zoo", "onnx", "lm"])
def test_a_home_folder_that_there_is_not(crossexam: Crossexam, tiny: str, kind: str) -> None:
    assert home_expanded("~nosuchuser/x") == Path("~nosuchuser/x")
    said = crossexam(f"run {kind}/~nosuchuser/x {tiny} -o out", 2).err
    assert "~nosuchuser/x" in said
    assert "internal error" not in said


FUNCTIONS = """
import sys

class Own(BaseException):
    pass

def leaves(pairs):
    sys.exit(7)

def own(pairs):
    raise Own("stop")
"""


@pytest.mark.parametrize(("function", "what"), [("leaves", "SystemExit: 7"), ("own", "Own: stop")])
def test_whatever_a_function_raises_is_an_error_of_the_function(
    crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny: str, function: str, what: str
) -> None:
    (tmp_path / "raises_everything.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    said = crossexam(f"run py/raises_everything:{function} {tiny} -o out", 2).err
    assert f"{what} (raises_everything.py, line" in said


@pytest.mark.parametrize(
    ("module", "line"),
    [
        (table, "examine hf/{0} --suite negation --base builtin:demo[:9] -o {1}"),
        (table, "examine mean/builtin/overlap,hf/{0} --suite negation --base builtin:demo[:9] -o {1}"),
        ("train", "train cbow --train builtin:demo --dev builtin:demo -o {1}"),
    ],
)
def test_a_missing_package_is_told_before_anything_is_built(
    crossexam: Crossexam,
    tmp_path: Path,
    tiny_checkpoint: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    line: str,
) -> None:
    from crossexam.cli import train

    patched = train if module == "train" else module
    monkeypatch.setattr(patched, "find_spec", lambda name: None if name == "torch" else find_spec(name))
    error = crossexam(line.format(tiny_checkpoint, tmp_path / "x"), 2).err
    assert "'torch'" in error
    assert f"hint: {how_to_install('torch')}" in error
    assert not (tmp_path / "x").exists()


def test_a_package_that_was_not_looked_for_first(failing: Callable[..., str]) -> None:
    missing = {name: ModuleNotFoundError(name, name=name) for name in ("sklearn.tree", "crossexam.nosuch")}
    assert "'sklearn'" in failing(missing["sklearn.tree"])
    assert "internal error: ModuleNotFoundError" in failing(missing["crossexam.nosuch"], 3)


# Too many open files: whichever library met them


@contextmanager
def no_more_files() -> Iterator[None]:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def test_too_many_open_files_say_the_limit_and_the_way_out(
    failing: Callable[..., str], for_each: Callable[..., None]
) -> None:
    by_another = FormatError("the file is damaged", where="suite/base.parquet")
    by_another.__context__ = MANY
    in_system = OSError(errno.ENFILE, "Too many open files in system", "suite/base.parquet")

    def check(error: Exception) -> None:
        what, wanted, hint = failing(error).splitlines()
        assert what == "crossexam: suite/base.parquet: too many files are open"
        assert f"{resource.getrlimit(resource.RLIMIT_NOFILE)[0]:,} files" in wanted
        assert "`ulimit -n NUMBER`" in hint

    for_each(check, [MANY, in_system, by_another])


def test_a_file_that_cannot_be_opened_is_not_called_damaged(
    tmp_path: Path, crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    crossexam("build negation --base builtin:demo[:40] -o suite")
    examples = read_suite(Path("suite")).datasets["negation.builtin_demo_40"].examples
    with pytest.raises(CrossexamError, match="too many files") as caught, no_more_files():
        examples[0]
    assert "damaged" not in str(caught.value)


def test_what_only_quotes_it_is_not_taken_for_it() -> None:
    assert exhausted(FormatError("no label is called 'Too many open files'")) is None
    assert exhausted(ValueError("os error 240")) is None
    assert exhausted(OSError(errno.ENOENT, "No such file or directory")) is None
