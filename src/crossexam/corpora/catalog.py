"""The catalogue of corpora: where each comes from, its size and hash, its licence, whom to cite."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


def installed_name(member: str) -> str:
    """Return what the *member* of an archive is called once it is there."""
    return member.replace("/", "_")


@dataclass(frozen=True)
class Download:
    """One file to download: an archive of which *members* are wanted, or a file to be called *file* here.

    A member may be named with its folder, where others are called the same: ``R1/dev.jsonl`` becomes
    ``R1_dev.jsonl``.
    *size* is in bytes; without *sha256*, the hash of the first download is recorded and held after.
    """

    url: str
    file: str
    size: int | None = None
    sha256: str | None = None
    members: tuple[str, ...] = ()

    @property
    def url_name(self) -> str:
        """Name of the file as it is published."""
        return self.url.rpartition("/")[2].partition("?")[0]

    @property
    def url_end(self) -> str:
        """Folder and name of the file as it is published: ``original/dev.tsv``."""
        return f"{self.url.rpartition('/')[0].rpartition('/')[2]}/{self.url_name}"

    @property
    def installs(self) -> tuple[str, ...]:
        """Names of the files that are there afterwards."""
        return tuple(installed_name(member) for member in self.members) or (self.file,)


@dataclass(frozen=True)
class SplitFacts:
    """Published sizes of a split: its *rows*, and those of them with a *gold* label."""

    rows: int
    gold: int | None = None


@dataclass(frozen=True)
class CatalogEntry:
    """What is known of a corpus; *unpacked_limit* bounds the bytes that its archives may unpack to."""

    name: str
    title: str
    homepage: str
    licence: str
    citation: str
    downloads: tuple[Download, ...]
    splits: Mapping[str, SplitFacts]
    unpacked_limit: int


@cache
def catalog() -> Mapping[str, CatalogEntry]:
    """Return the catalogue by name of corpus.

    >>> catalog()["snli"].splits["dev"].gold
    9842
    """
    text = files("crossexam.corpora").joinpath("catalog.toml").read_text(encoding="utf-8")
    return parse_catalog(text)


def parse_catalog(text: str) -> dict[str, CatalogEntry]:
    """Return the entries of a catalogue in TOML."""
    return {name: _entry(name, fields) for name, fields in tomllib.loads(text).items()}


def _entry(name: str, fields: Mapping[str, Any]) -> CatalogEntry:
    return CatalogEntry(
        name=name,
        title=fields["title"],
        homepage=fields["homepage"],
        licence=fields["licence"],
        citation=fields["citation"],
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
        splits={split: SplitFacts(**facts) for split, facts in fields["splits"].items()},
        unpacked_limit=fields.get("unpacked_limit", 0),
    )
