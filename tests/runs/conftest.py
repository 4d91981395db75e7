"""What the tests of runs share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.files import sha256_of
from crossexam.core.sealed import write_manifest
from crossexam.core.test_sets import write_test_set


class SuiteOf(Protocol):
    """Writes a suite of these test sets; the entries of all have *facts*."""

    def __call__(self, folder: Path, sets: Iterable[Dataset], **facts: Any) -> Path: ...


@pytest.fixture(scope="session")
def suite_of() -> SuiteOf:
    def write(folder: Path, sets: Iterable[Dataset], **facts: Any) -> Path:
        entries = {}
        for each in sets:
            path = folder / f"{each.name}.parquet"
            write_test_set(path, each)
            known = {"rows": len(each), "content_hash": each.content_hash(), "sha256": sha256_of(path)}
            entries[each.name] = {"file": path.name, **known, **facts}
        write_manifest(folder / "manifest.json", {"name": folder.name, "test_sets": entries})
        return folder

    return write
