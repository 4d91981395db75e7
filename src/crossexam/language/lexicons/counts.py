"""How often words go together in a corpus: adjectives with nouns, and nouns with verbs in a role.

The shipped table of adjectives was counted in parts of the train sets of SNLI (27,872 pairs) and MultiNLI
(20,000), by ``scripts/compile_adjectives.py``.  It contains pairs of words and their counts, and no text of
either corpus.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from crossexam.core.errors import FormatError
from crossexam.core.files import read_utf8, write_text

CountKind = Literal["adjectives", "roles"]
#: What is counted: the words of a row, of which the last is counted given the others.
COLUMNS: Final[Mapping[CountKind, tuple[str, ...]]] = {
    "adjectives": ("NOUN", "ADJECTIVE"),
    "roles": ("VERB", "ROLE", "CLASS"),  # the role is subject or object, the class that of the noun in it
}
_SHIPPED: Final = Path(__file__).with_name("adjectives.tsv")
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


class CountTable:
    """A read-only table of *counts* of rows of words, in lower case and not inflected.

    ``name`` is its *source* with the hash of its content.

    >>> table = CountTable("adjectives", {("boat", "old"): 3, ("boat", "red"): 1}, "two sentences")
    >>> table.count("boat", "old"), table.count("idea", "old"), table.after("boat")
    (3, 0, {'old': 3, 'red': 1})
    """

    def __init__(self, kind: CountKind, counts: Mapping[tuple[str, ...], int], source: str) -> None:
        self._after: dict[tuple[str, ...], dict[str, int]] = {}
        for (*words, last), count in sorted(counts.items()):
            self._after.setdefault(tuple(words), {})[last] = count
        self.kind, self.source = kind, source
        self.name = f"{source}@{hashlib.blake2b(self._body().encode(), digest_size=6).hexdigest()}"

    def __len__(self) -> int:
        """Return the number of different rows."""
        return sum(map(len, self._after.values()))

    def count(self, *words: str) -> int:
        """Return the count of the row *words*."""
        return self.after(*words[:-1]).get(words[-1], 0)

    def after(self, *words: str) -> Mapping[str, int]:
        """Return the last words of the rows that begin with *words*, all but the last, with their counts."""
        return self._after.get(words, _NOTHING)

    def _body(self) -> str:
        return "".join(
            "\t".join([*words, *(f"{last} {count}" for last, count in row.items())]) + "\n"
            for words, row in self._after.items()
        )

    def write(self, path: Path) -> None:
        """Write the table: a line with kind and source, then one line per row but for its last word."""
        write_text(path, f"{first_words(self.kind)}{self.source}\n{self._body()}")


_COUNT: Final = re.compile(r"[0-9]{1,18}")  # as many digits as every reader of numbers takes


def first_words(kind: CountKind) -> str:
    """Return what a file of counts of this *kind* begins with, before its source."""
    return f"#{kind} 1 "


def read_counts(kind: CountKind, path: Path) -> CountTable:
    """Return a table written by :meth:`CountTable.write`.  Raises FormatError."""
    first, *lines = read_utf8(path).splitlines() or [""]
    if not first.startswith(first_words(kind)):
        raise FormatError(f"not a table of {kind}", where=str(path), wanted=f"{first_words(kind)}SOURCE")
    *given, last = COLUMNS[kind]
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        words, entries = cells[: len(given)], [each.rpartition(" ") for each in cells[len(given) :]]
        if not entries or not all(word and _COUNT.fullmatch(count) for word, _, count in entries):
            raise FormatError(
                f"malformed row for '{cells[0]}'",
                where=f"{path}, line {number}",
                wanted=f"{', '.join(given)}, then entries {last} COUNT, separated by tabs",
            )
        counts |= {(*words, word): int(count) for word, _, count in entries}
    return CountTable(kind, counts, first.removeprefix(first_words(kind)))


@cache
def shipped_adjectives() -> CountTable:
    """Return the table of adjectives that comes with the package, read once per process.

    >>> shipped_adjectives().count("man", "young") > 100
    True
    """
    return read_counts("adjectives", _SHIPPED)
