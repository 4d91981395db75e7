"""The hashes of what was downloaded and installed: the first seen is recorded and held after."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json, sha256_of, write_json

_DAMAGED: Final = "nothing was installed; the file is damaged or was changed by its publisher"


class Ledger:
    """SHA-256 by url (or ``url#member``), and of the installed files by corpus; kept in the JSON *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = read_json(path) if path.is_file() else {}
        self.downloads: dict[str, str] = known.get("downloads", {})
        self.installed: dict[str, dict[str, str]] = known.get("installed", {})

    def save(self) -> None:
        """Write the ledger."""
        write_json(self._path, {"downloads": self.downloads, "installed": self.installed})

    def note(self, key: str, file: Path) -> None:
        """Record the hash of *file*, which something else vouches for."""
        self.downloads[key] = sha256_of(file)

    def check(self, key: str, file: Path, *, size: int | None, listed: str | None, where: str) -> None:
        """Compare *file* with its *size* and hash in the catalogue, else with the hash recorded for *key*.

        Where there is neither, records the hash.  Raises CrossexamError where they differ.
        """
        found_size = file.stat().st_size
        if size is not None and found_size != size:
            raise CrossexamError(
                f"the file has {found_size:,} bytes",
                where=where,
                wanted=f"{size:,} bytes, as in the catalogue",
                hint=_DAMAGED,
            )
        found = sha256_of(file)
        wanted = listed or self.downloads.get(key, found)
        if found != wanted:
            source = "in the catalogue" if listed else f"recorded in {self._path} at the first fetch"
            mend = "" if listed else " (if you know why, remove its line from that file)"
            raise CrossexamError(
                f"the file has the SHA-256 {found}",
                where=where,
                wanted=f"{wanted}, as {source}",
                hint=_DAMAGED + mend,
            )
        self.downloads[key] = found
