"""Folders that are there completely or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError
from crossexam.core.files import writing
from crossexam.core.locks import locked

_LOCK: Final = ".lock"


@contextmanager
def new_folder(folder: Path, *, purpose: str) -> Iterator[Path]:
    """Provide a folder beside *folder* that gets its name on success, and is removed on failure.

    What a killed process left there is removed first.  *folder* must not exist or be empty.  Raises
    CrossexamError if another process is there for the same *purpose* ("exporting"), or the disk is full.
    """
    staging = folder.parent / f".{folder.name}.part"
    with writing(folder):
        staging.mkdir(parents=True, exist_ok=True)
    busy = CrossexamError(f"another process is {purpose} into it", where=str(folder))
    with locked(staging / _LOCK, busy), writing(folder):
        try:
            for path in staging.iterdir():
                if path.name != _LOCK:
                    path.unlink()
            yield staging
            (staging / _LOCK).unlink()
            if folder.is_dir():
                folder.rmdir()
            staging.replace(folder)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
