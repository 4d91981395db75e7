"""Functions as models: py/module:function and callables."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

import crossexam
from crossexam.models.table import open_model
from made.cases import refused


def always_neutral(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["neutral"] * len(pairs)


def _write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


def test_a_module_with_the_name_of_a_library_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    for name in ("json", "numpy", "pyarrow"):
        _write(tmp_path, name, "raise SystemExit('shadowed')\n")
        said = refused(open_model, f"py/{name}:judge")
        assert f"py/{name}:judge: {name}.py has the name of a library" in said


def test_a_module_that_was_edited_after_its_import_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the answers of the former code would be stored as those of the new one."""
    (tmp_path / "own_helper.py").write_text("LABEL = 'neutral'\n")
    module = tmp_path / "own_edited.py"
    code = "from own_helper import LABEL\n\ndef judge(premise, hypothesis):\n    return {}\n"
    module.write_text(code.format("LABEL"))
    monkeypatch.chdir(tmp_path)
    first = open_model("py/own_edited:judge")
    former = importlib.import_module("own_edited").judge
    module.write_text(code.format("'entailment'"))
    for edited in ("py/own_edited:judge", former):
        assert "has changed since it was imported" in refused(open_model, edited)
    importlib.reload(importlib.import_module("own_edited"))
    assert open_model("py/own_edited:judge").key != first.key
    (tmp_path / "own_helper.py").write_text("LABEL = 'contradiction'\n")
    assert "own_helper.py: the file has changed" in refused(open_model, "py/own_edited:judge")


def test_only_functions_without_state_keep_their_key() -> None:
    def closing_over(label: str) -> Callable[[Sequence[tuple[str, str]]], list[str]]:
        return lambda pairs: [label] * len(pairs)

    assert open_model(always_neutral).key == open_model(always_neutral).key
    first, second = open_model(closing_over("neutral")), open_model(closing_over("entailment"))
    assert first.key != second.key
    assert open_model(partial(always_neutral)).key != open_model(partial(always_neutral)).key


#: What imports the libraries that files of the working folder are called after, and says what it got.
WHERE = """
import sys
def judge(pairs):
    import json, numpy, pyarrow
    sys.stderr.write(f"{json.__file__} {numpy.__file__} {pyarrow.__file__}\\n")
    return [json.loads('"neutral"')] * len(pairs)
"""


@pytest.mark.slow
def test_files_of_the_working_folder_do_not_replace_libraries(tmp_path: Path) -> None:
    """As installed, which is with -P."""
    row = '{"id": "a", "premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n'
    (tmp_path / "pairs.jsonl").write_text(row, encoding="utf-8")
    _write(tmp_path, "own_model_e", WHERE)
    for library in ("json", "numpy", "pyarrow", "rich", "typer"):
        _write(tmp_path, library, "raise SystemExit('shadowed')\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(crossexam.__file__).parents[1])}
    line = "-P -m crossexam run py/own_model_e:judge pairs.jsonl -o run"
    command = [sys.executable, *line.split()]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert str(tmp_path / "numpy") not in ended.stderr
    assert "numpy" in ended.stderr
