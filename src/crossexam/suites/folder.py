"""The folder of a suite: whether it has the suite already, and what a build that was interrupted left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from crossexam.core.differences import differences
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import keep, read_json, write_json
from crossexam.core.locks import sweep
from crossexam.core.manifest import OtherKindError, SavedSuiteManifest, saved_suite_in
from crossexam.core.sealed import MANIFEST
from crossexam.core.transfers import is_unpublished

#: In the folder of a suite while its files get their names, or lose them: it lists these, so that what a kill
#: leaves then is known as such.
UNFINISHED: Final = ".unfinished"
_REPLACE: Final = "choose another -o, or --force to replace the suite"


def already_built(wanted: SavedSuiteManifest, folder: Path, *, force: bool) -> bool:
    """Return whether *folder* already contains the suite *wanted*; if not, remove leftovers.

    Raises CrossexamError if the folder contains something else; with *force* the suite there is removed.
    """
    manifest = folder / MANIFEST
    if folder.exists() and not folder.is_dir():
        raise CrossexamError("this is a file", where=str(folder), wanted="a folder for the test sets")
    if not manifest.exists():
        _remove_unfinished(folder)
        if not force and folder.exists() and any(not path.name.startswith(".") for path in folder.iterdir()):
            raise CrossexamError(
                f"the folder {folder} is not empty",
                hint="choose another -o, or --force to build there anyway",
            )
        return False
    built = _manifest_there(folder, force=force)
    if built is not None and built.signature == wanted.signature and not force:
        (folder / UNFINISHED).unlink(missing_ok=True)  # of a process that was killed right after it
        return True
    if built is not None and not force and not is_unpublished(folder):
        raise CrossexamError(
            "\n    ".join(
                [
                    f"the folder {folder} contains a suite built from different input or options:",
                    *_what_differs(built, wanted),
                ]
            ),
            hint=_REPLACE,
        )
    announce(folder, [str(entry.file) for entry in built.test_sets.values()] if built is not None else [])
    manifest.unlink()
    _remove_unfinished(folder)
    return False


#: What ends the identity of a file that was read with options (``bases.identity_as_read``).
_AS_READ: Final = re.compile(r"-[0-9a-f]{8}$")
#: The options of `build` behind what test sets depend on, where that has another name.
_FLAGS: Final = {
    "bases": "--base",
    "problems": "--word-problems",
    "seed": "--seed",
    "limit": "--limit",
    "per_key": "--per-key",
    "format": "--format",
    "tagger": "--tagger",
    "recognizer": "--entities",
    "parser": "--parser",
    "trees": "--parser",
}


def _what_differs(built: SavedSuiteManifest, wanted: SavedSuiteManifest) -> list[str]:
    """Return what the suite that was *built* depends on otherwise than the one *wanted*, a line each."""
    there, here = (
        {_FLAGS.get(name, name): value for name, value in each.items()}
        for each in (built.request, wanted.request)
    )
    lines = [*_read_otherwise(there, here), *differences(there, here)]
    return lines or differences({"signature": built.signature}, {"signature": wanted.signature})


def _read_otherwise(there: dict[str, Any], here: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each corpus that is the same but was read otherwise, and take it out of both."""
    for name in sorted(here.keys() & there.keys()):
        new, old = str(here[name]), str(there[name])
        file = _AS_READ.sub("", new)
        if new != old and "@" in file and file == _AS_READ.sub("", old):
            spec = file.rpartition("@")[0]
            yield f"{name}: {spec} is the same file, read with other --columns, --labels or --skip-bad"
            del here[name], there[name]


def announce(folder: Path, files: Iterable[str]) -> None:
    """Note in *folder* that *files* in it are not, or no longer, those of a suite until it has a manifest."""
    write_json(folder / UNFINISHED, {"files": list(files)})
    keep(folder / UNFINISHED)


def _remove_unfinished(folder: Path) -> None:
    """Remove from *folder* the files that a build announced that was interrupted, and no file of others."""
    marker = folder / UNFINISHED
    if not marker.exists():
        return
    try:
        files = read_json(marker).get("files")
    except FormatError:
        files = None
    for name in files if isinstance(files, list) else ():
        path = folder / str(name)
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)
            if path.parent != folder:
                sweep(path.parent)
                with suppress(OSError):  # not empty, not there
                    path.parent.rmdir()
    marker.unlink()


def _manifest_there(folder: Path, *, force: bool) -> SavedSuiteManifest | None:
    """Return the manifest of the suite in *folder*, None if *force* and it is damaged; raises FormatError."""
    try:
        return saved_suite_in(folder, hint=_REPLACE, otherwise="choose another -o")
    except OtherKindError:
        raise
    except FormatError:
        if not force:
            raise
    return None
