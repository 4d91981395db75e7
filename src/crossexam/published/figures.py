"""Published figures: the tables of the studies as data, each with its place in the paper.

There is one TOML file per study, which a reader of the paper can proof-read.  Figures are as printed, in the
unit of the table (percent unless it says otherwise).
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
    """A table of a paper, with its *place* there and its figures, *cells*, by row and column.

    Columns are our names of test sets, with the genre split of MultiNLI as their part (``negation.matched``),
    or without a part if the paper has one set for both splits.  Figures that are not *checked* were not
    compared with the paper: *place* says where they are from.
    """

    key: str
    caption: str
    place: str
    unit: str
    columns: tuple[str, ...]
    cells: Mapping[str, Mapping[str, float]]
    checked: bool = True

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows, in the paper's order."""
        return tuple(self.cells)

    def value(self, row: str, column: str, part: str | None = None) -> float | None:
        """Return the figure of *row* for the test set *column* over *part*, or None if the table has none.

        *part* is the name of any base; if it names SNLI or a split of MultiNLI dev, it selects the column
        (:func:`split_of`).  Raises UnknownNameError if there is no such row.

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
    """A figure *stated* in the text of a paper, and the same figure *computed* from its tables."""

    name: str
    place: str
    stated: float
    computed: float
    note: str


@dataclass(frozen=True)
class PublishedStudy:
    """A published study: citation, *source* (a URL), descriptions of its *systems*, its tables and claims.

    *name* is how reports refer to it ("McCoy et al. 2019"), empty if they know it by other means.
    *differences* has a sentence by rules and construction that says how the items which these make differ
    from those of the study; ``*`` stands for all constructions without a sentence of their own.
    """

    key: str
    citation: str
    source: str
    systems: Mapping[str, str]
    tables: Mapping[str, PublishedTable]
    claims: tuple[Claim, ...]
    differences: Mapping[str, Mapping[str, str]]
    name: str = ""

    def difference(self, construction: str, rules: str) -> str:
        """Return how items of *construction* under *rules* differ from the authors'; empty if they do not.

        >>> published("naik2018").difference("antonymy", "released")
        ''
        """
        sentences = self.differences.get(rules, {})
        return sentences.get(construction, sentences.get("*", ""))

    def table(self, key: str) -> PublishedTable:
        """Return the table called *key*.

        Raises UnknownNameError with the nearest name.
        """
        if key not in self.tables:
            raise UnknownNameError(f"table of {self.key}", key, self.tables)
        return self.tables[key]


def published_studies() -> tuple[str, ...]:
    """Return the keys of the studies.

    >>> "naik2018" in published_studies()
    True
    """
    names = (file.name for file in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def published(key: str) -> PublishedStudy:
    """Return the study called *key*.

    Raises UnknownNameError with the nearest name.

    >>> published("naik2018").table("false_neutral").value("IS", "word_overlap.matched")
    86.26
    """
    known = published_studies()
    if key not in known:
        raise UnknownNameError("published study", key, known)
    return study_from_toml(files(__package__).joinpath(f"{key}.toml").read_text("utf-8"), where=f"{key}.toml")


def study_from_toml(text: str, *, where: str) -> PublishedStudy:
    """Return the study defined by the TOML *text*.

    Raises FormatError, which names *where*, table and row, if it is malformed.
    """
    try:
        document = tomllib.loads(text)
        return PublishedStudy(
            key=document["key"],
            citation=document["citation"],
            source=document["source"],
            systems=dict(document["systems"]),
            tables={key: _table(key, table, where) for key, table in document["tables"].items()},
            claims=tuple(Claim(**claim) for claim in document.get("claims", ())),
            differences=document.get("differences", {}),
            name=document.get("name", ""),
        )
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FormatError(f"not TOML: {error}", where=where) from None
    except KeyError as error:
        raise FormatError(f"field {error.args[0]!r} is missing", where=where) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"malformed: {error}", where=where) from None


def _table(key: str, table: Mapping[str, Any], where: str) -> PublishedTable:
    columns = tuple(table["columns"])
    cells: dict[str, dict[str, float]] = {}
    for row, figures in table["rows"].items():
        if len(figures) != len(columns):
            place = f"{where}, {key}, {row}"
            raise FormatError(
                f"{len(figures)} figures", where=place, wanted=f"{len(columns)}, one per column"
            )
        named = zip(columns, map(float, figures), strict=True)
        cells[row] = {name: figure for name, figure in named if not math.isnan(figure)}
    unit = table.get("unit", "percent")
    checked = bool(table.get("checked", True))
    return PublishedTable(key, table["caption"], table["place"], unit, columns, cells, checked)


def split_of(part: str) -> str | None:
    """Return the split that *part* names, "matched" or "mismatched" (of MultiNLI dev) or "snli", else None.

    >>> split_of("multinli_dev_mismatched"), split_of("dev_matched"), split_of("snli_dev"), split_of("sick")
    ('mismatched', 'matched', 'snli', None)
    """
    match = re.search(r"(?:^|_)(matched|mismatched|snli)(?:_|$)", part)
    return match.group(1) if match else None
