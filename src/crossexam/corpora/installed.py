"""Where the files of corpora are: the data folder, and which splits are installed in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from crossexam.core.places import home_expanded
from crossexam.corpora.catalog import catalog

#: The corpora that come with the package.
BUILTIN: Final = "builtin"
_PLACES: Final = ("", "*/", "*/*/")


@dataclass(frozen=True)
class CorpusFile:
    """A corpus's file at *path*: the *spec* as given, a *name* for people, its *part* (split or stem).

    *corpus* is the name in the catalogue, None if only a path was given.
    """

    spec: str
    name: str
    part: str
    path: Path
    corpus: str | None = None


@dataclass(frozen=True)
class CorpusEntry:
    """A line of ``crossexam ls corpora``: *files* maps each split to its path, None if not installed."""

    name: str
    splits: tuple[str, ...]
    description: str
    licence: str
    files: Mapping[str, Path | None]

    @property
    def installed(self) -> bool:
        """Whether at least one split is installed."""
        return any(self.files.values())


def data_folder() -> Path:
    """Return where corpora are kept: ``CROSSEXAM_DATA``, else the platform's folder for user data."""
    named = os.environ.get("CROSSEXAM_DATA")
    if named:
        return home_expanded(named)
    from platformdirs import user_data_path

    return user_data_path("crossexam", appauthor=False)


def find_split(corpus: str, split: str, folder: Path) -> Path | None:
    """Return the file of a split: in the corpus's own folder, else in *folder* or up to two levels below.

    Return None if the split is not installed.
    """
    if corpus == BUILTIN:
        path = Path(str(files("crossexam.corpora"))) / BUILTIN / catalog()[BUILTIN].splits[split].files[0]
        return path if path.is_file() else None
    for name in catalog()[corpus].splits[split].files:
        for place in (f"{corpus}/", *_PLACES):
            for path in sorted(folder.glob(place + name)):
                hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
                if not hidden and path.is_file():
                    return path
    return None


def list_corpora() -> list[CorpusEntry]:
    """Return every corpus that has a name, with the files of its splits."""
    folder = data_folder()
    return [
        CorpusEntry(
            name=name,
            splits=tuple(entry.splits),
            description=entry.about,
            licence=entry.licence,
            files={split: find_split(name, split, folder) for split in entry.splits},
        )
        for name, entry in catalog().items()
    ]
