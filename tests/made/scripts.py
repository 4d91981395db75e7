"""Programs of the checkout that are in no package; those in ``scripts`` are imported by their names."""

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def script(path: str) -> ModuleType:
    """The program at *path* in the checkout, as a module."""
    name = path.replace("/", "_").removesuffix(".py")
    spec = spec_from_file_location(name, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def run_script(name: str, *words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a program in ``scripts`` in a process of its own, with the package of the checkout."""
    line = [sys.executable, str(ROOT / "scripts" / name), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(line, capture_output=True, text=True, check=False, env=environment, cwd=cwd)
