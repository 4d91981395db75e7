"""Exceptions of libraries and mistakes about files and names: exit 2 and one error, never exit 3."""

import os
import shutil
import sys
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from crossexam.cli import train
from crossexam.core.errors import how_to_install
from crossexam.core.example import Example
from crossexam.core.places import home_expanded
from crossexam.core.test_sets import write_test_set
from crossexam.models import table
from made.commands import Crossexam

DEMO = "builtin:demo[:20]"


def test_what_a_library_says_of_a_file_is_one_error(failing: Callable[..., str]) -> None:
    # what a library in Rust raises when it panics, which is none of Exception
    panic: Any = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    for error in (panic("called `Result::unwrap()` on an `Err` value"), zlib.error("Error -3 while reading")):
        what, hint = failing(error).splitlines()
        assert what.endswith(str(error))
        assert hint.startswith("  hint: ")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file systems refuse such names")
def test_names_that_are_not_utf8(folder: Path, crossexam: Crossexam) -> None:
    name = os.fsdecode(b"b\xffd.jsonl")
    Path(name).write_text('{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n')
    crossexam(["build", "corpus", "--base", name, "-o", "out"])
    line = ["build", "corpus", "--base", "builtin:demo[:9]", "-o", os.fsdecode(b"o\xff")]
    assert "hint: rename" in crossexam(line, 2).err


def test_a_home_folder_that_there_is_not(crossexam: Crossexam, folder: Path) -> None:
    assert home_expanded("~nosuchuser/x") == Path("~nosuchuser/x")
    write_test_set(folder / "tiny.parquet", [Example("a", "It rains.", "It is wet.", "neutral")])
    for kind in ["bow", "hf", "zoo", "onnx", "lm"]:
        assert "~nosuchuser/x" in crossexam(f"run {kind}/~nosuchuser/x tiny.parquet -o out", 2).err


def test_a_missing_package_is_told_before_anything_is_built(
    crossexam: Crossexam, folder: Path, tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (table, train):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name == "torch" else find_spec(name))
    examine = f"examine mean/builtin/overlap,hf/{tiny_checkpoint} --suite negation --base builtin:demo[:9]"
    for line in (examine, "train cbow --train builtin:demo --dev builtin:demo"):
        error = crossexam(f"{line} -o x", 2).err
        assert all(words in error for words in ("'torch'", f"hint: {how_to_install('torch')}"))
        assert not Path("x").exists()


@pytest.mark.usefixtures("folder")
def test_a_long_output_is_written_or_refused_with_one_error(crossexam: Crossexam) -> None:
    crossexam(f"build negation --base {DEMO} -o suite")
    for name in ("overlap", "majority"):
        crossexam(f"run builtin/{name} suite -o {name}")
    for command, suffix in (
        (f"build negation --base {DEMO}", ""),
        ("run builtin/overlap suite", ""),
        ("report overlap", ".csv"),
        ("compare overlap majority", ".md"),
        ("export jsonl suite", ""),
        ("validate sample suite", ""),
        (f"train bag-of-words --train {DEMO} --dev {DEMO}", ""),
    ):
        longest, too_long = (f"{(size - len(suffix)) * 'n'}{suffix}" for size in (255, 256))
        crossexam(f"{command} -o {longest}")
        assert Path(longest).exists()
        error = crossexam(f"{command} -o {too_long}", 2).err
        assert f"{too_long}: a name of 256 bytes is too long" in error
        shutil.rmtree(longest) if Path(longest).is_dir() else Path(longest).unlink()
