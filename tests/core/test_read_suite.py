"""A suite is what its manifest says: whatever was changed is an error, however it is found out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from crossexam.api import build
from crossexam.core import test_sets
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.stored_examples import StoredExamples
from crossexam.core.test_sets import read_suite, write_test_set

ITEMS = [Example(f"i{n}", f"Premise {n}.", f"Hypothesis {n}.", "neutral", info={"n": n}) for n in range(30)]
NAME = "base.examples"


def suite(folder: Path, *, file_format: str = "parquet", with_sha256: bool = True) -> Path:
    """Build a suite of one test set; return its file."""
    build("corpus", ITEMS, output=folder, options={}, file_format=file_format)
    manifest = json.loads((folder / "manifest.json").read_text())
    if not with_sha256:
        del manifest["test_sets"][NAME]["sha256"]
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder / manifest["test_sets"][NAME]["file"]
