"""Word pairs with a relation, and the published lists of them, which are read in their original formats.

Sanchez et al. (2018), section 5.2, swap the words of such pairs between premise and hypothesis.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.core.files import csv_problem
from crossexam.language.lexicons.wordnet import WordNet

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


class PairList(NamedTuple):
    """A format of lists: the columns of the *words*, the column of the relation, and its *names* there.

    Pairs whose relation is named but None are skipped.  ``names`` are in lower case; *pos* is that of all
    pairs.
    """

    name: str
    layout: str
    words: tuple[int, int]
    column: int | None
    names: Mapping[str, Relation | None]
    source: str
    pos: str | None = None


# fmt: off
#: The formats that :func:`read_pairs` recognizes by their first line; the first match wins.
LISTS: Final[tuple[PairList, ...]] = (
    PairList("antsynnet", "WORD WORD 0|1", (0, 1), 2, {"1": "antonym", "0": "synonym"},
             "Nguyen et al. 2017, E17-1008; part of speech by the file's name: noun-pairs.train"),
    PairList("baroni2012", "WORD WORD True|False", (0, 1), 2, {"true": "hypernym", "false": None},
             "Baroni et al. 2012, E12-1004, as a table: True where the second is a hypernym", "n"),
    PairList("evalution", "WORD RELATION WORD ...", (0, 2), 1,
             {"antonym": "antonym", "synonym": "synonym", "isa": "hypernym", "partof": None, "memberof": None,
              "madeof": None, "entailment": None, "entails": None, "hasa": None, "hasproperty": None},
             "EVALution 1.0, Santus et al. 2015, W15-4208: RELATIONS.txt"),
    PairList("opposite-questions", "WORD: CHOICE ... :: OPPOSITE", (0, 1), 2, {"::": "antonym"},
             "Mohammad et al. 2013, Computational Linguistics 39(3): questions for the opposite of a word"),
    PairList("named", "WORD WORD RELATION ...", (0, 1), 2,
             {"antonym": "antonym",   "antonymy": "antonym",   "ant": "antonym", "opposite": "antonym",
              "synonym": "synonym",   "synonymy": "synonym",   "syn": "synonym",
              "hypernym": "hypernym", "hypernymy": "hypernym", "hyper": "hypernym", "isa": "hypernym",
              "hyponym": "hyponym",   "hyponymy": "hyponym",   "hypo": "hyponym"},
             "any table whose third column names what the second word is of the first"),
    PairList("plain", "WORD WORD", (0, 1), None, {},
             "counter-fitting's antonyms (Mrksic et al. 2016, N16-1018); AntonymsLexicon-OppCats.gz and "
             "-Affixes.gz (Mohammad et al. 2013); any two columns: the file's name, or the caller, says "
             "which relation"),
)
# fmt: on
_SEVERAL: Final = re.compile(r"[_\s]").search
_QUESTION: Final = re.compile(r"\s*(\S+)\s*:\s.*::\s*(\S+)\s*")
_NUMBER: Final = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", re.IGNORECASE)
_IN_FILE_NAME: Final = (
    ("antonym", "antonym"),
    ("opposite", "antonym"),
    ("synonym", "synonym"),
    ("hypernym", "hypernym"),
    ("hyponym", "hyponym"),
)
_POS_OF_FILE: Final = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
_HEADERS: Final = frozenset(
    "word1 word2, word_1 word_2, w1 w2, first second, lemma1 lemma2, word antonym, word opposite, "
    "word synonym, word hypernym, hyponym hypernym, word hyponym, hypernym hyponym".split(", ")
)


def read_pairs(
    path: Path | str, relation: Relation | None = None, *, multiword: bool = False
) -> list[WordPair]:
    """Return the distinct pairs of the list in *path*, which has one of the formats in ``LISTS``.

    Columns are separated by tabs, commas or blanks; a header is recognized by its names (``word1 word2``,
    ``hyponym hypernym`` ...); ``.gz`` is decompressed.  *relation*: the relation of a list that does not
    name it; if the list does, only its pairs of this relation are read.  Pairs of a word with itself are
    left out, and multiword expressions (``hot_dog``) unless *multiword*.  Words are lower-cased unless
    WordNet only has them with a capital (``Paris``).  A list may have its pairs in one direction or in
    both: see :func:`both_ways`.  Raises FormatError with file and line.

    The opposites of Mohammad et al. are not publicly available, and this was written without them.  What
    is known, from programs that read them: ``AntonymsLexicon-OppCats.gz`` (3.5 million pairs) and
    ``AntonymsLexicon-OppCats-Affixes.gz`` (6.3 million) have two words per line, separated by a blank,
    ``testset.txt`` and ``devset.txt`` a question and its answer.  The two lexicons were generated
    automatically, and contain contrasting words rather than opposites; as a list they take about a
    gigabyte of memory.  Sanchez et al. (2018) do not say which of the files they used.
    """
    path = Path(path)
    if relation is not None and relation not in get_args(Relation):
        raise UnknownNameError("relation", relation, get_args(Relation))
    rows = _rows(path)
    header, rows = _without_header(rows)
    if not rows:
        raise FormatError("the list has no pairs", where=str(path), wanted=_wanted())
    form = _recognised(rows[0], path)
    if form.column is None and form.name == "plain":
        relation = relation or _relation_of_header(header) or _relation_of_file(path)
        if relation is None:
            raise FormatError(
                "the list does not say how its words are related",
                where=str(path),
                wanted=f"relation= one of {', '.join(get_args(Relation))}, or a third column that names it",
            )
    found = _pairs(rows, form, path, relation)
    kept = [pair for pair in found if multiword or not (_SEVERAL(pair.first) or _SEVERAL(pair.second))]
    return list(dict.fromkeys(kept))


def both_ways(pairs: Iterable[WordPair]) -> list[WordPair]:
    """Return *pairs*, each followed by its reverse, without duplicates.

    >>> [pair[:3] for pair in both_ways([WordPair("dog", "animal", "hypernym")])]
    [('dog', 'animal', 'hypernym'), ('animal', 'dog', 'hyponym')]
    """
    return list(dict.fromkeys(either for pair in pairs for either in (pair, pair.reversed())))


def _wanted() -> str:
    return "; ".join(form.layout for form in LISTS)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the number and cells of every line that is not empty or a comment."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except FileNotFoundError:
        raise FormatError("no such file", where=str(path), wanted="a list of word pairs") from None
    except IsADirectoryError:
        raise FormatError(
            "this is a folder", where=str(path), wanted="a file with a list of word pairs"
        ) from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise FormatError(f"cannot be read: {error}", where=str(path), wanted="UTF-8 text") from None
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    separator = next((mark for mark in "\t," if lines and mark in lines[0][1]), None)
    try:
        return [(n, _cells(line, separator)) for n, line in lines]
    except csv.Error as error:
        raise FormatError(f"not a table: {csv_problem(error)}", where=str(path)) from None


def _cells(line: str, separator: str | None) -> list[str]:
    if question := _QUESTION.fullmatch(line):
        return [question[1], question[2], "::"]
    if separator == ",":
        return [cell.strip() for cell in next(csv.reader([line]))]
    return [cell.strip() for cell in line.split(separator)]


def _without_header(
    rows: list[tuple[int, list[str]]],
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    if rows and " ".join(rows[0][1][:2]).lower() in _HEADERS:
        return rows[0][1], rows[1:]
    return [], rows


def _recognised(row: tuple[int, list[str]], path: Path) -> PairList:
    """Return the format of a list by its first line.  Raises FormatError."""
    number, cells = row
    for form in LISTS:
        if form.column is not None and form.column < len(cells) and max(form.words) < len(cells):
            if cells[form.column].lower() in form.names:
                return form
        elif form.name == "plain" and (len(cells) == 2 or (len(cells) > 2 and _NUMBER.fullmatch(cells[2]))):
            return form
    raise FormatError(
        f"unknown word-pair format; the line begins with {' '.join(cells)[:60]!r}",
        where=f"{path}, line {number}",
        wanted=_wanted(),
    )


def _relation_of_header(header: Sequence[str]) -> Relation | None:
    names = dict(_IN_FILE_NAME)
    return _as_relation(names.get(header[1].lower())) if len(header) > 1 else None


def _relation_of_file(path: Path) -> Relation | None:
    return _as_relation(next((found for part, found in _IN_FILE_NAME if part in path.name.lower()), None))


def _as_relation(name: str | None) -> Relation | None:
    return next((relation for relation in get_args(Relation) if relation == name), None)


def _pairs(
    rows: Iterable[tuple[int, list[str]]], form: PairList, path: Path, relation: Relation | None
) -> Iterator[WordPair]:
    named = _POS_OF_FILE.get(path.name.partition("-")[0]) if form.name == "antsynnet" else None
    pos = form.pos or named
    for number, cells in rows:
        if len(cells) <= max(*form.words, form.column or 0) or not all(cells[k] for k in form.words):
            raise FormatError("a column is missing", where=f"{path}, line {number}", wanted=form.layout)
        own = relation
        if form.column is not None:
            name = cells[form.column].lower()
            if name not in form.names:
                raise FormatError(
                    f"unknown relation {cells[form.column]!r}",
                    where=f"{path}, line {number}",
                    wanted=", ".join(form.names),
                )
            own = form.names[name]
            if own is None or (relation is not None and own != relation):
                continue
        first, second = (_cased(cells[k]) for k in form.words)
        if own is not None and first.lower() != second.lower():
            yield WordPair(first, second, own, pos)


def _cased(word: str) -> str:
    """Return *word* in lower case, unless WordNet has it with a capital only."""
    lower = word.lower()
    if lower == word:
        return word
    wordnet = WordNet.load()
    written = {
        lemma
        for synset in wordnet.synsets(lower)
        for lemma in wordnet.lemmas(synset)
        if lemma.lower() == lower
    }
    return word if written and lower not in written else lower
