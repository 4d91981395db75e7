"""Whether a folder holds the very suite that is to be written, another one, or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json

MANIFEST: Final = "manifest.json"


def stands_there(identity: Mapping[str, Any], folder: Path, *, force: bool) -> bool:
    """Tell whether *folder* holds the suite that *identity* (its request) describes.

    Raises CrossexamError where it holds something else; with *force* the suite there is taken away.
    """
    manifest = folder / MANIFEST
    if not manifest.exists():
        if folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir()) and not force:
            unfinished = all(path.suffix in {".parquet", ".jsonl"} for path in folder.iterdir())
            if not unfinished:
                raise CrossexamError(
                    f"the folder {folder} is not empty", hint="choose another -o, or --force to build there"
                )
        return False
    built = read_json(manifest)
    if built.get("request") == identity and not force:
        return True
    if not force:
        raise CrossexamError(
            f"the folder {folder} holds a suite built from other input or options",
            hint="choose another -o, or --force to build it anew",
        )
    for entry in built.get("test_sets", {}).values():
        (folder / Path(str(entry.get("file", ""))).name).unlink(missing_ok=True)
    manifest.unlink()
    return False
