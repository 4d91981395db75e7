"""Imports go one way, and importing the package is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import crossexam

SOURCE = Path(crossexam.__file__).parent
# fmt: off
ORDER = ("core", "language", "corpora", "constructions", "zoo", "shallow", "training", "models", "runs",
         "stats", "suites", "published", "evaluation", "validation", "reports", "api", "cli")
# fmt: on
HEAVY = ("polars", "pyarrow", "torch", "transformers", "spacy", "sklearn", "altair", "numpy", "nltk", "scipy")
MODULES = sorted(SOURCE.rglob("*.py"))


def _layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imported_layers(path: Path) -> set[str]:
    layers = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            assert name != "crossexam" or path.name == "__init__.py", f"{path}: import crossexam"
            if name.startswith("crossexam."):
                layers.add(name.split(".")[1])
    return layers


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    if path.parent == SOURCE and path.name == "__init__.py":
        return
    own = ORDER.index(_layer(path))
    wrong = {layer for layer in _imported_layers(path) if ORDER.index(layer) > own}
    assert not wrong, f"{path.relative_to(SOURCE)} imports {wrong}, which come after {ORDER[own]}"


@pytest.mark.parametrize("module", ["crossexam", "crossexam.cli.main"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_files_can_be_read_at_once() -> None:
    long = {
        str(path.relative_to(SOURCE)): count
        for path in MODULES
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 600
    }
    assert not long
