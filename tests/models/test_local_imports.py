"""Modules that a function imports from its folder are part of its key."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from crossexam.models.local_imports import local_imports
from crossexam.models.table import open_model


def test_the_key_covers_local_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, each_case: Any
) -> None:
    """Direct, indirect and lazy ones."""

    def write(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")

    (tmp_path / "own_package").mkdir()
    each_case(write)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])

    def key_in_a_new_process() -> str:
        for name in [each for each in sys.modules if each.startswith("own_")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return open_model("py/own_function:judge").key

    def check(name: str, text: str) -> None:
        write(name, f"{text}# changed\n")
        assert (key_in_a_new_process() != before) is (name != "own_bystander")
        write(name, text)

    before = key_in_a_new_process()
    each_case(check)
    assert key_in_a_new_process() == before
    write("broken", "def (:\n")
    for name in ("broken", "absent"):
        assert local_imports(name, tmp_path / f"{name}.py") == {}
