"""Tiny language models, the same with which the script asks lm-eval."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "lm_golden.py"


@pytest.fixture(scope="session")
def lm_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lm_golden", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lm_golden"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def lm_folders(lm_script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of the language models by name; that with a chat template has two names."""
    home = tmp_path_factory.mktemp("language-models")
    made = {name: make(home / name) for name, make in lm_script.MODELS.items()}
    return {**made, "llama, chat": made["llama"]}
