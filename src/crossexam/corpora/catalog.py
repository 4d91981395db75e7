"""The catalogue of corpora: files of splits, downloads with sizes and hashes, licences, citations."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


def installed_name(member: str) -> str:
    """Return the name under which the *member* of an archive is installed."""
    return member.replace("/", "_")


@dataclass(frozen=True)
class Download:
    """One file to download: an archive from which *members* are taken, or a file installed as *file*.

    A member may be given with its folder if several have the same name: ``R1/dev.jsonl`` is installed as
    ``R1_dev.jsonl``.  *size* is in bytes.  Without *sha256*, the hash of the first download is recorded, and
    later downloads must match it.
    """

    url: str
    file: str
    size: int | None = None
    sha256: str | None = None
    members: tuple[str, ...] = ()

    @property
    def url_name(self) -> str:
        """The published name of the file."""
        return self.url.rpartition("/")[2].partition("?")[0]

    @property
    def url_end(self) -> str:
        """The published folder and name of the file: ``original/dev.tsv``."""
        return f"{self.url.rpartition('/')[0].rpartition('/')[2]}/{self.url_name}"

    @property
    def installs(self) -> tuple[str, ...]:
        """The names of the files that it installs."""
        return tuple(installed_name(member) for member in self.members) or (self.file,)


@dataclass(frozen=True)
class Split:
    """The *files* that a split may be in, the preferred one first, and its published size.

    The size is its *rows*, and how many of them have a *gold* label, if all do not; None if it is not known.
    """

    files: tuple[str, ...]
    rows: int | None = None
    gold: int | None = None

    @property
    def labelled(self) -> int | None:
        """The published number of examples with a gold label."""
        return self.rows if self.gold is None else self.gold


@dataclass(frozen=True)
class Publication:
    """What to cite for a corpus; *role* says what it did with the corpus of an earlier one ("recast").

    >>> str(Publication(("Ann Lee", "Bo Li", "Cy Poe"), 2018, "On rain", "ACL", "https://example.org/x"))
    'Ann Lee, Bo Li and Cy Poe. 2018. On rain. ACL. https://example.org/x'
    >>> str(Publication(("Ann Lee", "others"), 2018, "Does it rain?", role="recast"))
    'recast: Ann Lee et al. 2018. Does it rain?'
    """

    authors: tuple[str, ...]
    year: int
    title: str
    venue: str = ""
    url: str = ""
    role: str = ""

    def __str__(self) -> str:
        *first, last = self.authors
        and_last = "et al" if last == "others" else f"and {last}"
        authors = f"{', '.join(first)} {and_last}" if first else last
        title = self.title if self.title.endswith("?") else f"{self.title}."
        parts = (title, f"{self.venue}." if self.venue and self.url else self.venue, self.url)
        shown = " ".join(part for part in (f"{authors}. {self.year}.", *parts) if part)
        return f"{self.role}: {shown}" if self.role else shown


@dataclass(frozen=True)
class CatalogEntry:
    """A corpus in the catalogue, with other names that it has; *about* is what a list says of it.

    Its archives may unpack to at most *unpacked_limit* bytes.  *by_hand* says why its downloads need a
    browser; empty if they do not.  *citation* is the text of its *publications*, or what to cite if it has
    none.
    """

    name: str
    title: str
    homepage: str
    licence: str
    citation: str
    downloads: tuple[Download, ...]
    splits: Mapping[str, Split]
    unpacked_limit: int
    by_hand: str = ""
    about: str = ""
    aliases: tuple[str, ...] = ()
    publications: tuple[Publication, ...] = ()

    @property
    def installs(self) -> tuple[str, ...]:
        """The names of the files that its downloads install."""
        return tuple(name for item in self.downloads for name in item.installs)

    @property
    def unverified(self) -> tuple[str, ...]:
        """The names of those of them for which no SHA-256 vouches."""
        return tuple(name for item in self.downloads if item.sha256 is None for name in item.installs)


@cache
def catalog() -> Mapping[str, CatalogEntry]:
    """Return the catalogue, by name of the corpus.

    >>> catalog()["snli"].splits["dev"].gold
    9842
    """
    text = files("crossexam.corpora").joinpath("catalog.toml").read_text(encoding="utf-8")
    return parse_catalog(text)


@cache
def _aliases() -> Mapping[str, str]:
    return {alias: name for name, entry in catalog().items() for alias in entry.aliases}


def known_name(name: str) -> str:
    """Return the name in the catalogue of the corpus called *name*; *name* itself if there is none.

    >>> known_name("mnli"), known_name("mine")
    ('multinli', 'mine')
    """
    return _aliases().get(name, name)


def parse_catalog(text: str) -> dict[str, CatalogEntry]:
    """Return the entries of a catalogue written in TOML."""
    return {name: _entry(name, fields) for name, fields in tomllib.loads(text).items()}


def _entry(name: str, fields: Mapping[str, Any]) -> CatalogEntry:
    publications = tuple(
        Publication(**{**each, "authors": tuple(each["authors"])}) for each in fields.get("publications", ())
    )
    return CatalogEntry(
        name=name,
        title=fields["title"],
        about=fields["about"],
        aliases=tuple(fields.get("aliases", ())),
        homepage=fields["homepage"],
        licence=fields["licence"],
        citation=fields.get("citation") or "; ".join(map(str, publications)),
        downloads=tuple(
            Download(
                url=item["url"],
                file=item.get("file", ""),
                size=item.get("bytes"),
                sha256=item.get("sha256"),
                members=tuple(item.get("members", ())),
            )
            for item in fields.get("downloads", ())
        ),
        splits={
            split: Split(tuple(facts["files"]), facts.get("rows"), facts.get("gold"))
            for split, facts in fields["splits"].items()
        },
        unpacked_limit=fields.get("unpacked_limit", 0),
        by_hand=fields.get("by_hand", ""),
        publications=publications,
    )
