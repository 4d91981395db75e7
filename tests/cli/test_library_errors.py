"""Exceptions of libraries, of users' functions and of names: exit 2 and one error, never exit 3."""

from __future__ import annotations

import os
import sqlite3
import sys
import zipfile
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from crossexam.cli import main
from crossexam.core.errors import how_to_install
from crossexam.core.example import Example
from crossexam.core.places import home_expanded
from crossexam.core.test_sets import write_test_set
from crossexam.models import table


def invoke(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the command line in this process and return its exit code."""
    monkeypatch.setattr("sys.argv", ["crossexam", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main.run()
    return int(stopped.value.code or 0)


def raising(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


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


@pytest.mark.parametrize(
    "error",
    [
        _panic(),
        sqlite3.DatabaseError("file is not a database"),
        zipfile.BadZipFile("Bad CRC-32"),
        zlib.error("Error -3 while decompressing data"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_a_library_says_of_a_file_is_one_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    monkeypatch.setattr(main, "app", raising(error))
    assert invoke(["ls"], monkeypatch) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"crossexam: a file cannot be read: {error}\n  hint: one of the files")
    assert said.count("\n") == 2


def test_other_exceptions_are_still_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(main, "app", raising(ZeroDivisionError("oops \udcff")))
    assert invoke(["ls", "\udcff"], monkeypatch) == 3  # the log can hold names that are not UTF-8
    assert "internal error: ZeroDivisionError: oops" in capsys.readouterr().err
    (log,) = tmp_path.glob("crossexam-*.log")
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
    code = invoke(["build", "corpus", "--base", *line], monkeypatch)
    said = capsys.readouterr().err
    assert code in (0, 2)
    assert "internal error" not in said
    if code:
        assert "hint: rename the file or folder" in said


@pytest.mark.parametrize("kind", ["bow", "hf", "zoo", "onnx", "lm"])
def test_a_home_folder_that_there_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tiny: str, kind: str
) -> None:
    assert home_expanded("~nosuchuser/x") == Path("~nosuchuser/x")
    line = ["run", f"{kind}/~nosuchuser/x", tiny, "-o", "out"]
    assert invoke(line, monkeypatch) == 2
    said = capsys.readouterr().err
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
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    tiny: str,
    function: str,
    what: str,
) -> None:
    (tmp_path / "raises_everything.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    line = ["run", f"py/raises_everything:{function}", tiny, "-o", "out"]
    assert invoke(line, monkeypatch) == 2
    assert f"the function raised {what} (raises_everything.py, line" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["hf/{}", "mean/builtin/overlap,hf/{}"])
def test_a_missing_package_is_told_before_anything_is_built(
    tmp_path: Path,
    tiny_checkpoint: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    model: str,
) -> None:
    monkeypatch.setattr(table, "find_spec", lambda name: None if name == "torch" else find_spec(name))
    name = model.format(tiny_checkpoint)
    command = [
        "examine",
        name,
        "--suite",
        "negation",
        "--base",
        "builtin:demo[:9]",
        "-o",
        str(tmp_path / "x"),
    ]
    assert invoke(command, monkeypatch) == 2
    error = capsys.readouterr().err
    assert "needs the package 'torch', which is not installed" in error
    assert f"hint: {how_to_install('torch')}" in error
    assert not (tmp_path / "x").exists()


def test_training_without_torch_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from crossexam.cli import train

    monkeypatch.setattr(train, "find_spec", lambda name: None)
    line = ["train", "cbow", "--train", "builtin:demo", "--dev", "builtin:demo", "-o", str(tmp_path / "x")]
    assert invoke(line, monkeypatch) == 2
    error = capsys.readouterr().err
    assert "training cbow needs the package 'torch', which is not installed" in error
    assert f"hint: {how_to_install('torch')}" in error
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("module", "code", "said"),
    [
        ("sklearn.tree", 2, "this command needs the package 'sklearn', which is not installed"),
        ("crossexam.nosuch", 3, "internal error: ModuleNotFoundError"),
    ],
)
def test_a_package_that_was_not_looked_for_first(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: str,
    code: int,
    said: str,
) -> None:
    def fail() -> None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(main, "app", fail)
    assert invoke([], monkeypatch) == code
    assert said in capsys.readouterr().err
