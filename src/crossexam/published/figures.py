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
from typing import Any, Final

from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.core.manifest import CROSS_DATASET, TestSetEntry


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper, with its *place* there and its figures, *cells*, by row and column.

    Columns are our names of test sets, with the corpus as their part (``negation.matched``), or without a
    part if the paper has one set for all corpora.  Figures that are not *checked* were not compared with the
    paper: *place* says where they are from.
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

        *part* is the name of any base; if it names SNLI dev or a half of MultiNLI dev, it selects the column
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

    def cited(self, place: str) -> str:
        """Return a note that figures are from this *place* in the study, without its full stop."""
        return f"Published: {place} of {self.citation} {self.source}"

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


#: The corpora that the tables are of, with the parts that stand for them: a slice has a longer name.
_CORPORA: Final = {
    "snli": re.compile(r"snli(?:_1_0)?_dev"),
    "matched": re.compile(r"(?:multinli_)?(?:1_0_)?dev_matched"),
    "mismatched": re.compile(r"(?:multinli_)?(?:1_0_)?dev_mismatched"),
}


def split_of(part: str) -> str | None:
    """Return the corpus that *part* names in the words of the tables; None for any other, and for a slice.

    "snli" is SNLI dev, "matched" and "mismatched" are the two halves of MultiNLI dev.

    >>> split_of("multinli_dev_mismatched"), split_of("dev_matched"), split_of("snli_1_0_dev")
    ('mismatched', 'matched', 'snli')
    >>> split_of("snli_test"), split_of("snli_dev_1000"), split_of("my_snli_dev")
    (None, None, None)
    """
    return next((corpus for corpus, name in _CORPORA.items() if name.fullmatch(part)), None)


def corpus_of(entry: TestSetEntry) -> str | None:
    """Return the corpus of :func:`split_of` that a test set was made from; None if it was only a part of one.

    The first examples of a corpus (``--limit``) are a part of it, and so are the halves of the cross-dataset
    benchmark.

    >>> corpus_of(TestSetEntry(versioned="negation", part="dev_matched"))
    'matched'
    >>> limited = "corpus:x|limit:1000|version:0"
    >>> corpus_of(TestSetEntry(versioned="negation", part="dev_matched", signature=limited))
    """
    return None if is_limited(entry) or CROSS_DATASET in entry.facts else split_of(entry.part)


def is_limited(entry: TestSetEntry) -> bool:
    """Return whether a test set was made from the first examples of its base alone.

    >>> limited = "corpus:x|limit:1000|version:0"
    >>> is_limited(TestSetEntry(versioned="negation", part="dev_matched", signature=limited))
    True
    """
    return "|limit:" in (entry.signature or "")


def is_of_snli_train(part: str) -> bool:
    """Return whether *part* names SNLI's training set, or a part of it.

    Sanchez Carmona et al. (2018, section 5) drew their controls from there, so that any part is as good.

    >>> [is_of_snli_train(part) for part in ("snli_train", "snli_1_0_train_subset", "snli_dev")]
    [True, True, False]
    """
    return re.fullmatch(r"snli(?:_1_0)?_train(?:_.*)?", part) is not None
