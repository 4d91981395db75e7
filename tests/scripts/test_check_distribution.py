"""The check of wheel and sdist finds what is stray, missing or stated otherwise."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import check_distribution as check
import pytest

ROOT = Path(__file__).resolve().parents[2]

CONFIG: dict[str, Any] = {
    "project": {
        "version": "1.0",
        "requires-python": ">=3.11,<3.13",
        "license-files": ["LICENSE"],
        "optional-dependencies": {"more": []},
    }
}
METADATA = """\
Version: 1.0
Classifier: Programming Language :: Python :: 3.11
Classifier: Programming Language :: Python :: 3.12
License-File: LICENSE
Provides-Extra: more
"""
FILES = {"LICENSE", "src/crossexam/__init__.py"}


def _wheel(path: Path, *extra: str) -> Path:
    folder = "crossexam-1.0.dist-info"
    names = ("RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("crossexam/__init__.py", *(f"{folder}/{name}" for name in names), *extra):
            archive.writestr(name, "")
        archive.writestr(f"{folder}/METADATA", METADATA)
    return path


def test_stray_missing_and_large_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check.wheel_problems(_wheel(tmp_path / "good.whl"), FILES, CONFIG) == []
    wheel = _wheel(tmp_path / "a.whl", "crossexam/a.txt")
    monkeypatch.setattr(check, "LARGEST", 0)
    stray, missing, large = check.wheel_problems(wheel, {*FILES, "src/crossexam/py.typed"}, CONFIG)
    assert stray == "wheel: crossexam/a.txt does not belong there"
    assert missing == "wheel: crossexam/py.typed is missing"
    assert large.endswith("MB, more than 0")


def test_there_is_one_version() -> None:
    """pyproject.toml has the version; the citation and the newest entry of the changelog agree."""
    version = check.project()["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"  version = {{{version}}}," in (ROOT / "CITATION.bib").read_text("utf-8")
    entries = (line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line[:3] == "## ")
    assert next(entries).startswith(f"## {version}")
