"""Parts of a corpus by position: ``snli:dev[::2]`` is every second labelled example of it.

Names of corpora: what ``snli:dev`` is, where its file is looked for, and which are installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.corpora.catalog import catalog
from crossexam.corpora.split_files import BUILTIN, CORPORA, CORPUS_ALIASES, SPLIT_ALIASES, SPLITS

_SLICED: Final = re.compile(r"(.+)\[(\d*):(\d*)(?::(\d*))?\]")
_UNCLOSED: Final = re.compile(r".+\[[-\d:]*")


def sliced(spec: str) -> tuple[str, slice]:
    """Return *spec* without its ``[start:stop:step]``, and that as a slice of the labelled examples.

    A file whose name ends so is taken as it is.  Raises CrossexamError for a step of 0, and for a part with
    one bracket or with something else than numbers that are not negative.

    >>> sliced("snli:dev[1::2]")
    ('snli:dev', slice(1, None, 2))
    >>> sliced("snli:dev")
    ('snli:dev', slice(None, None, None))
    """
    found = _SLICED.fullmatch(spec)
    if Path(spec).exists():
        return spec, slice(None)
    if found is None:
        _not_almost(spec)
        return spec, slice(None)
    start, stop, step = (int(number) if number else None for number in found.groups()[1:])
    if step == 0:
        raise CrossexamError("a step of 0", where=spec, wanted="1 or more, as in [::2]")
    return found[1], slice(start, stop, step)


def _not_almost(spec: str) -> None:
    """Refuse what was meant as a part and is none; raises CrossexamError."""
    wanted = "[start:stop] or [start:stop:step], numbers from 0, as in snli:dev[:1000]"
    if _UNCLOSED.fullmatch(spec):
        raise CrossexamError("the closing bracket ']' of the part is missing", where=spec, wanted=f"{spec}]")
    if spec.endswith("]"):
        what = "is no part" if "[" in spec else "the opening bracket '[' of the part is missing"
        inside = f"'{spec[spec.rindex('[') :]}' " if "[" in spec else ""
        raise CrossexamError(f"{inside}{what}", where=spec, wanted=wanted)


_NAME: Final = re.compile(r"([A-Za-z][\w-]+):([\w-]*)")  # two letters at least: C:x is a path
_WITH_READER: Final = re.compile(r"([A-Za-z][\w-]+)@(.+)")  # joci@my/joci.csv: that file, read as JOCI
_PLACES: Final = ("", "*/", "*/*/")


@dataclass(frozen=True)
class Source:
    """A corpus file: the *spec* as given, a *name* for people, its *part* (split or stem), its *path*.

    *corpus* is the name in the catalogue, None for a path.
    """

    spec: str
    name: str
    part: str
    path: Path
    corpus: str | None = None


@dataclass(frozen=True)
class CorpusEntry:
    """A line of ``crossexam ls corpora``: *files* has the path of each split, None where it is not there."""

    name: str
    splits: tuple[str, ...]
    reader: str
    description: str
    licence: str
    files: Mapping[str, Path | None]

    @property
    def installed(self) -> bool:
        """Whether any split is there."""
        return any(self.files.values())


def data_folder() -> Path:
    """Return where corpora live: ``CROSSEXAM_DATA``, else the platform's folder for user data."""
    named = os.environ.get("CROSSEXAM_DATA")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("crossexam", appauthor=False)


def source_of(spec: str | Path, *, data_dir: Path | None = None) -> Source:
    """Return the file that *spec* means: ``CORPUS:SPLIT`` in the data folder, a path as it is,
    or ``CORPUS@PATH``: that path, read as a file of the corpus.

    Raises UnknownNameError for a name that is in no table, CrossexamError for a file that is not there.
    """
    path = Path(spec).expanduser()
    if path.is_file():
        return Source(str(spec), path.stem, path.stem, path)
    asked = _WITH_READER.fullmatch(str(spec))
    if asked is not None:
        return _read_as(str(spec), asked[1].lower(), Path(asked[2]).expanduser())
    named = _NAME.fullmatch(spec) if isinstance(spec, str) else None
    if named is None and str(spec).lower() in {*SPLITS, *CORPUS_ALIASES} and not path.exists():
        named = _NAME.fullmatch(f"{spec}:")
    if named is not None:
        return _named(str(spec), named[1].lower(), named[2].lower(), data_dir or data_folder())
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir() if p.is_file())[:6]
        raise CrossexamError(
            "is a folder", where=str(path), wanted="a file", hint=f"its files are: {', '.join(inside)}"
        )
    raise CrossexamError(
        "no such file",
        where=str(path),
        wanted=f"a file, or CORPUS:SPLIT with one of {', '.join(SPLITS)}",
        hint="crossexam ls corpora lists their splits",
    )


def _read_as(spec: str, corpus: str, path: Path) -> Source:
    corpus = CORPUS_ALIASES.get(corpus, corpus)
    if corpus not in SPLITS:
        raise UnknownNameError("corpus", corpus, SPLITS)
    if not path.is_file():
        raise CrossexamError("no such file", where=str(path), wanted=f"a file of {corpus}'s own format")
    return Source(spec, f"{corpus}:{path.stem}", path.stem, path, corpus)


def _named(spec: str, corpus: str, split: str, folder: Path) -> Source:
    corpus = CORPUS_ALIASES.get(corpus, corpus)
    if corpus not in SPLITS:
        raise UnknownNameError("corpus", corpus, SPLITS)
    splits = SPLITS[corpus]
    if not split:
        raise CrossexamError(
            f"'{spec}' does not say which split", wanted=" or ".join(f"{corpus}:{name}" for name in splits)
        )
    split = split if split in splits else SPLIT_ALIASES.get(split, split)
    if split not in splits:
        raise UnknownNameError(f"split of {corpus}", split, splits, hint=f"there are: {', '.join(splits)}")
    path = find_split(corpus, split, folder)
    if path is not None:
        return Source(spec, f"{corpus}:{split}", split, path, corpus)
    names = " or ".join(splits[split])
    raise CrossexamError(
        f"{corpus}:{split} is not installed",
        where=str(folder),
        wanted=f"{names}, there or up to two folders down",
        hint=f"{_fetch_hint(corpus, names)}give the path of a file, or set CROSSEXAM_DATA",
    )


def find_split(corpus: str, split: str, folder: Path) -> Path | None:
    """Return the file of a split: in the folder of its corpus, else in *folder* or up to two below it."""
    if corpus == BUILTIN:
        path = Path(str(files("crossexam.corpora"))) / "builtin" / SPLITS[BUILTIN][split][0]
        return path if path.is_file() else None
    for name in SPLITS[corpus][split]:
        for place in (f"{corpus}/", *_PLACES):
            for path in sorted(folder.glob(place + name)):
                hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
                if not hidden and path.is_file():
                    return path
    return None


def list_corpora(*, data_dir: Path | None = None) -> list[CorpusEntry]:
    """Return every corpus with a name, and which of its splits are installed."""
    folder, facts = data_dir or data_folder(), catalog()
    return [
        CorpusEntry(
            name=name,
            splits=tuple(SPLITS[name]),
            reader=reader,
            description=description,
            licence=facts[name].licence,
            files={split: find_split(name, split, folder) for split in SPLITS[name]},
        )
        for name, (reader, description) in CORPORA.items()
    ]


def _fetch_hint(corpus: str, names: str) -> str:
    """Return how to fetch, where that gets one of the files in *names*."""
    gets = {file for item in catalog()[corpus].downloads for file in item.installs}
    wanted = {name.rpartition("/")[2] for name in names.split(" or ")}
    return f"crossexam fetch {corpus}, or " if gets & wanted else ""
