"""How often an adjective precedes a noun, counted in a corpus.

The shipped table was counted in parts of the train sets of SNLI (27,872 pairs) and MultiNLI (20,000), by
``scripts/compile_adjectives.py``.  It contains pairs of words and their counts, and no text of either corpus.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

from crossexam.core.errors import FormatError
from crossexam.core.files import read_utf8, write_text
from crossexam.language.lexicons.wordnet import WordNet

_SHIPPED: Final = Path(__file__).with_name("adjectives.tsv")
_WORD: Final = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


class AdjectiveCounts:
    """A read-only table of (adjective, noun) counts, in lower case, with nouns in the singular.

    ``name`` is its *source* with the hash of its content.

    >>> table = AdjectiveCounts({"boat": {"old": 3, "red": 1}}, "two sentences")
    >>> table.count("old", "boat"), table.count("old", "idea"), table.total("boat")
    (3, 0, 4)
    """

    MAGIC: ClassVar[str] = "#adjectives 1 "  # then the source

    def __init__(self, counts: Mapping[str, Mapping[str, int]], source: str) -> None:
        self._counts = counts
        self.source = source
        digest = hashlib.blake2b(self._body().encode(), digest_size=6).hexdigest()
        self.name: str = f"{source}@{digest}"

    @classmethod
    def shipped(cls) -> AdjectiveCounts:
        """Return the table that comes with the package, read once per process.

        >>> AdjectiveCounts.shipped().count("young", "man") > 100
        True
        """
        return _shipped()

    @classmethod
    def counted(cls, pairs: Iterable[tuple[str, str]], source: str, wordnet: WordNet) -> AdjectiveCounts:
        """Return the table of *pairs* (adjective, noun), without those that are not in WordNet."""
        counts: dict[str, dict[str, int]] = {}
        for (adjective, noun), count in Counter(pairs).items():
            if _is_known(adjective, "a", wordnet) and _is_known(noun, "n", wordnet):
                counts.setdefault(noun, {})[adjective] = count
        return cls(counts, source)

    def __len__(self) -> int:
        """Return the number of different pairs."""
        return sum(map(len, self._counts.values()))

    def count(self, adjective: str, noun: str) -> int:
        """Return how often *adjective* precedes *noun*."""
        return self._counts.get(noun, _NOTHING).get(adjective, 0)

    def adjectives_of(self, noun: str) -> Mapping[str, int]:
        """Return the adjectives that precede *noun*, with their counts."""
        return self._counts.get(noun, _NOTHING)

    def total(self, noun: str) -> int:
        """Return the sum of the counts of all adjectives of *noun*."""
        return sum(self.adjectives_of(noun).values())

    def _body(self) -> str:
        lines = (
            "\t".join([noun, *(f"{adjective} {count}" for adjective, count in sorted(row.items()))])
            for noun, row in sorted(self._counts.items())
        )
        return "".join(f"{line}\n" for line in lines)

    def write(self, path: Path) -> None:
        """Write the table: a line with the source, then one line per noun with its adjectives."""
        write_text(path, f"{self.MAGIC}{self.source}\n{self._body()}")

    @classmethod
    def read(cls, path: Path) -> AdjectiveCounts:
        """Return a table written by :meth:`write`.  Raises FormatError."""
        first, *lines = read_utf8(path).splitlines() or [""]
        if not first.startswith(cls.MAGIC):
            raise FormatError("not a table of adjectives", where=str(path), wanted=f"{cls.MAGIC}SOURCE")
        counts: dict[str, dict[str, int]] = {}
        for number, line in enumerate(lines, 2):
            noun, *cells = line.split("\t")
            try:
                counts[noun] = {word: int(count) for word, count in (cell.split(" ") for cell in cells)}
            except ValueError:
                raise FormatError(
                    f"malformed row for '{noun}'",
                    where=f"{path}, line {number}",
                    wanted="NOUN, then tab-separated ADJECTIVE COUNT entries",
                ) from None
        return cls(counts, first.removeprefix(cls.MAGIC))


def _is_known(word: str, pos: str, wordnet: WordNet) -> bool:
    return _WORD.fullmatch(word) is not None and wordnet.is_lemma(word, pos)


@cache
def _shipped() -> AdjectiveCounts:
    return AdjectiveCounts.read(_SHIPPED)
