"""What studies published: their tables as data, each with its place in the paper.

One TOML file a study, so that a reader of the paper can proof-read it.  Figures stand as printed, in the
table's unit (percent unless it says otherwise).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from crossexam.core.errors import FormatError, UnknownNameError


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper: *place* is where it stands, *cells* its figures by row and column.

    Columns are names of test sets as ours are, with the genre split of MultiNLI for the part
    (``negation.matched``), or without a part where the paper has one set for both.
    """

    key: str
    caption: str
    place: str
    unit: str
    columns: tuple[str, ...]
    cells: Mapping[str, Mapping[str, float]]

    @property
    def rows(self) -> tuple[str, ...]:
        """Return the names of the rows, in the paper's order."""
        return tuple(self.cells)

    def value(self, row: str, column: str, part: str | None = None) -> float | None:
        """Return the figure of *row* for the test set *column* over *part*; None where there is none.

        *part* is any name of the base: that of SNLI or of a split of MultiNLI dev says which.

        >>> table = published("naik2018").table("accuracy")
        >>> table.value("NB", "negation", "multinli_dev_mismatched"), table.value("NB", "tautology.matched")
        (40.0, None)
        """
        if row not in self.cells:
            raise UnknownNameError("row", row, self.cells)
        split = split_of(part) if part is not None else None
        name = f"{column}.{split}" if split else column
        return self.cells[row].get(name, self.cells[row].get(column))


@dataclass(frozen=True)
class Claim:
    """A figure that the paper's text *stated*, and what its tables give when *computed* again."""

    name: str
    place: str
    stated: float
    computed: float
    note: str


@dataclass(frozen=True)
class PublishedStudy:
    """A study: *citation*, *source* (address), what its *systems* are, its tables and claims."""

    key: str
    citation: str
    source: str
    systems: Mapping[str, str]
    tables: Mapping[str, PublishedTable]
    claims: tuple[Claim, ...]

    def table(self, key: str) -> PublishedTable:
        """Return the table called *key*; raises UnknownNameError."""
        if key not in self.tables:
            raise UnknownNameError(f"table of {self.key}", key, self.tables)
        return self.tables[key]


def published_studies() -> tuple[str, ...]:
    """Return the keys of the studies.

    >>> "naik2018" in published_studies()
    True
    """
    names = (each.name for each in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def published(key: str) -> PublishedStudy:
    """Return the study called *key*; raises UnknownNameError with the nearest one.

    >>> published("naik2018").table("false_neutral").value("IS", "word_overlap.matched")
    86.26
    """
    known = published_studies()
    if key not in known:
        raise UnknownNameError("published study", key, known)
    return study_from_toml(files(__package__).joinpath(f"{key}.toml").read_text("utf-8"), where=f"{key}.toml")


def study_from_toml(text: str, *, where: str) -> PublishedStudy:
    """Return the study in *text*; raises FormatError that names the table and row."""
    try:
        document = tomllib.loads(text)
        return PublishedStudy(
            key=document["key"],
            citation=document["citation"],
            source=document["source"],
            systems=dict(document["systems"]),
            tables={key: _table(key, each, where) for key, each in document["tables"].items()},
            claims=tuple(Claim(**claim) for claim in document.get("claims", ())),
        )
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"not TOML: {error}", where=where) from None
    except KeyError as error:
        raise FormatError(f"no field {error.args[0]!r}", where=where) from None


def _table(key: str, table: Mapping[str, Any], where: str) -> PublishedTable:
    columns = tuple(table["columns"])
    cells: dict[str, dict[str, float]] = {}
    for row, figures in table["rows"].items():
        if len(figures) != len(columns):
            place = f"{where}, {key}, {row}"
            raise FormatError(f"{len(figures)} figures", where=place, wanted=f"{len(columns)}, one a column")
        named = zip(columns, map(float, figures), strict=True)
        cells[row] = {name: figure for name, figure in named if not math.isnan(figure)}
    unit = table.get("unit", "percent")
    return PublishedTable(key, table["caption"], table["place"], unit, columns, cells)


def split_of(part: str) -> str | None:
    """Return which column of a table *part* is: "matched", "mismatched" (of MultiNLI dev), "snli", or None.

    >>> split_of("multinli_dev_mismatched"), split_of("dev_matched"), split_of("snli_dev"), split_of("sick")
    ('mismatched', 'matched', 'snli', None)
    """
    found = re.search(r"(?:^|_)(matched|mismatched|snli)(?:_|$)", part)
    return found.group(1) if found else None
