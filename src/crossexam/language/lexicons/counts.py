"""How often adjectives stand before nouns in a corpus.

The shipped table was counted in parts of the train sets of SNLI (27,872 pairs) and MultiNLI (20,000), by
``scripts/compile_adjectives.py``.  It contains pairs of words and their counts, and no text of either corpus.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from crossexam.core.errors import FormatError
from crossexam.core.files import read_utf8, write_text

#: What a file of counts begins with, before its source.
FIRST_WORDS: Final = "#adjectives 1 "
_SHIPPED: Final = Path(__file__).with_name("adjectives.tsv")
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


class CountTable:
    """A read-only table of *counts* of nouns and the adjectives before them, in lower case and not inflected.

    ``name`` is its *source* with the hash of its content.

    >>> table = CountTable({("boat", "old"): 3, ("boat", "red"): 1}, "two sentences")
    >>> table.count("boat", "old"), table.count("idea", "old"), table.after("boat")
    (3, 0, {'old': 3, 'red': 1})
    """

    def __init__(self, counts: Mapping[tuple[str, str], int], source: str) -> None:
        self._after: dict[str, dict[str, int]] = {}
        for (noun, adjective), count in sorted(counts.items()):
            self._after.setdefault(noun, {})[adjective] = count
        self.source = source
        self.name = f"{source}@{hashlib.blake2b(self._body().encode(), digest_size=6).hexdigest()}"

    def __len__(self) -> int:
        """Return the number of different pairs."""
        return sum(map(len, self._after.values()))

    def count(self, noun: str, adjective: str) -> int:
        """Return how often *adjective* stands before *noun*."""
        return self.after(noun).get(adjective, 0)

    def after(self, noun: str) -> Mapping[str, int]:
        """Return the adjectives before *noun*, with their counts."""
        return self._after.get(noun, _NOTHING)

    def _body(self) -> str:
        return "".join(
            "\t".join([noun, *(f"{adjective} {count}" for adjective, count in row.items())]) + "\n"
            for noun, row in self._after.items()
        )

    def write(self, path: Path) -> None:
        """Write the table: a line with its source, then one line per noun."""
        write_text(path, f"{FIRST_WORDS}{self.source}\n{self._body()}")


_COUNT: Final = re.compile(r"[0-9]{1,18}")  # as many digits as every reader of numbers takes


def read_counts(path: Path) -> CountTable:
    """Return a table written by :meth:`CountTable.write`.  Raises FormatError."""
    first, *lines = read_utf8(path).splitlines() or [""]
    if not first.startswith(FIRST_WORDS):
        raise FormatError("not a table of adjectives", where=str(path), wanted=f"{FIRST_WORDS}SOURCE")
    counts: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 2):
        noun, *cells = line.split("\t")
        entries = [each.rpartition(" ") for each in cells]
        if not entries or not all(word and _COUNT.fullmatch(count) for word, _, count in entries):
            raise FormatError(
                f"malformed row for '{noun}'",
                where=f"{path}, line {number}",
                wanted="NOUN, then entries ADJECTIVE COUNT, separated by tabs",
            )
        counts |= {(noun, word): int(count) for word, _, count in entries}
    return CountTable(counts, first.removeprefix(FIRST_WORDS))


@cache
def shipped_adjectives() -> CountTable:
    """Return the table of adjectives that comes with the package, read once per process.

    >>> shipped_adjectives().count("man", "young") > 100
    True
    """
    return read_counts(_SHIPPED)
