"""Word pairs with a relation, and lists of them: tables with named columns, and four lists as published.

Sanchez et al. (2018), section 5.2, swap the words of such pairs between premise and hypothesis.  They also
used the opposites of Mohammad et al. (2013, Computational Linguistics 39(3)), which are not publicly
available; two words per line, as programs that read them expect, are read here as well.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.language.lexicons.wordnet import wordnet

Relation = Literal["antonym", "hypernym", "hyponym", "synonym"]

#: The relation of the first word to the second, by that of the second to the first.
CONVERSE: Final[Mapping[Relation, Relation]] = {
    "antonym": "antonym",
    "synonym": "synonym",
    "hypernym": "hyponym",
    "hyponym": "hypernym",
}


class WordPair(NamedTuple):
    """A word pair: *second* is the *relation* of *first*; *pos* is their part of speech, n, v, a, r or None.

    >>> WordPair("dog", "animal", "hypernym").reversed()
    WordPair(first='animal', second='dog', relation='hyponym', pos=None)
    """

    first: str
    second: str
    relation: Relation
    pos: str | None = None

    def reversed(self) -> WordPair:
        """Return the pair in reverse, with the converse relation."""
        return WordPair(self.second, self.first, CONVERSE[self.relation], self.pos)


# fmt: off
#: The columns of a list, by the names that its header may have.
COLUMNS: Final[Mapping[str, str]] = {
    "first": "first",  "second": "second",  "relation": "relation",
    "word1": "first",  "word2":  "second",  "label":    "relation",
}
#: What a list may call the relation of its second word to its first; None: such pairs are left out.
NAMES: Final[Mapping[str, Relation | None]] = {
    "antonym":  "antonym",   "antonymy":  "antonym",   "ant":   "antonym", "opposite": "antonym",
    "synonym":  "synonym",   "synonymy":  "synonym",   "syn":   "synonym",
    "hypernym": "hypernym",  "hypernymy": "hypernym",  "hyper": "hypernym",
    "hyponym":  "hyponym",   "hyponymy":  "hyponym",   "hypo":  "hyponym",
    # EVALution 1.0 (Santus et al. 2015, W15-4208), RELATIONS.txt: WORD RELATION WORD ...
    "isa": "hypernym", "partof": None, "memberof": None, "madeof": None, "entailment": None, "entails": None,
    "hasa": None, "hasproperty": None,
    # AntSynNET (Nguyen et al. 2017, E17-1008): WORD WORD 0|1
    "1": "antonym", "0": "synonym",
    # Baroni et al. (2012, E12-1004), as a table: WORD WORD True|False, True if the second is a hypernym
    "true": "hypernym", "false": None,
}
#: Published lists of one part of speech, by what the name of their file begins with.
POS_OF_FILE: Final = {"noun-pairs": "n", "verb-pairs": "v", "adjective-pairs": "a", "baroni2012": "n"}
# fmt: on
_SEVERAL: Final = re.compile(r"[_\s]").search
_SCORE: Final = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", re.IGNORECASE)
_WANTED: Final = "a header with first, second and relation, or lines WORD WORD, WORD WORD RELATION"


def read_pairs(path: Path, relation: Relation) -> list[WordPair]:
    """Return the distinct pairs of the list in *path* whose second word is a *relation* of the first.

    Columns are separated by tabs, commas or blanks, and named in a header (``COLUMNS``); without one they are
    two words, and perhaps what the second is of the first (``NAMES``), in the third column or in the second.
    A list that does not say so is one of *relation* throughout.  ``.gz`` is decompressed.  Pairs of a word
    with itself and multiword expressions (``hot_dog``) are left out.  Words are lower-cased unless WordNet
    only has them with a capital (``Paris``).  Raises FormatError with file and line.
    """
    rows = _rows(path)
    columns = _header(rows[0][1]) if rows else []
    if columns:
        del rows[0]
    if not rows:
        raise FormatError("the list has no pairs", where=str(path), wanted=_WANTED)
    columns = columns or _layout(*rows[0])
    pos = next((pos for name, pos in POS_OF_FILE.items() if path.name.startswith(name)), None)
    found = (_pair(columns, cells, relation, pos, where) for where, cells in rows)
    return list(dict.fromkeys(pair for pair in found if pair is not None))


def _rows(path: Path) -> list[tuple[str, list[str]]]:
    """Return the place and the cells of every line that is not empty or a comment."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise FormatError(
            f"cannot be read: {error}", where=str(path), wanted="a list of word pairs in UTF-8"
        ) from None
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    separator = next((mark for mark in "\t," if lines and mark in lines[0][1]), None)
    return [
        (f"{path}, line {n}", [cell.strip().strip('"') for cell in line.split(separator)])
        for n, line in lines
    ]


def _header(cells: Sequence[str]) -> list[str]:
    """Return the columns that *cells* name, none if these are not a header."""
    names = [COLUMNS.get(cell.lower(), "") for cell in cells]
    return names if {"first", "second"} <= set(names) else []


def _layout(where: str, cells: Sequence[str]) -> list[str]:
    """Return the columns of a list without a header, by its first line."""
    third, second = (cells[k].lower() if len(cells) > 2 else "" for k in (2, 1))
    if third in NAMES:
        return ["first", "second", "relation"]
    if second in NAMES:
        return ["first", "relation", "second"]
    if len(cells) == 2 or _SCORE.fullmatch(third):
        return ["first", "second"]
    begins = " ".join(cells)[:60]
    raise FormatError(
        f"unknown word-pair format; the line begins with {begins!r}", where=where, wanted=_WANTED
    )


def _pair(
    columns: Sequence[str], cells: Sequence[str], relation: Relation, pos: str | None, where: str
) -> WordPair | None:
    """Return the pair in a line if its words are single ones in this *relation*."""
    row = {column: cell for column, cell in zip(columns, cells, strict=False) if column and cell}
    if len(row) < sum(map(bool, columns)):
        raise FormatError("a column is missing", where=where, wanted=" ".join(filter(None, columns)))
    name = row.get("relation", relation)
    if name.lower() not in NAMES:
        raise FormatError(f"unknown relation '{name}'", where=where, wanted=", ".join(NAMES))
    first, second = _cased(row["first"]), _cased(row["second"])
    if NAMES[name.lower()] != relation or first.lower() == second.lower() or _SEVERAL(f"{first}/{second}"):
        return None
    return WordPair(first, second, relation, pos)


def _cased(word: str) -> str:
    """Return *word* in lower case, unless WordNet has it with a capital only."""
    lower = word.lower()
    if lower == word:
        return word
    written = {
        lemma
        for synset in wordnet().synsets(lower)
        for lemma in wordnet().lemmas(synset)
        if lemma.lower() == lower
    }
    return word if written and lower not in written else lower
