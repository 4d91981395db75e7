"""Word pairs with a relation, and the published lists of them that are read as they come.

Sanchez et al. (2018), section 5.2, swap the words of such pairs between premise and hypothesis.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.language.lexicons.wordnet import WordNet

Relation = Literal["antonym", "hypernym", "hyponym", "synonym"]

#: What the first word is of the second, by what the second is of the first.
CONVERSE: Final[Mapping[Relation, Relation]] = {
    "antonym": "antonym", "synonym": "synonym", "hypernym": "hyponym", "hyponym": "hypernym",
}  # fmt: skip


class WordPair(NamedTuple):
    """Two words; *relation* is what *second* is of *first*, *pos* their part of speech: n, v, a, r, or None.

    >>> WordPair("dog", "animal", "hypernym").turned()
    WordPair(first='animal', second='dog', relation='hyponym', pos=None)
    """

    first: str
    second: str
    relation: Relation
    pos: str | None = None

    def turned(self) -> WordPair:
        """Return the pair from the other side."""
        return WordPair(self.second, self.first, CONVERSE[self.relation], self.pos)


class PairList(NamedTuple):
    """A format of lists: the columns of the *words*, the column that *says* the relation, and its *names*.

    A name whose relation is None is known and left out.  ``names`` are in lower case; *pos* is that of all.
    """

    name: str
    form: str
    words: tuple[int, int]
    says: int | None
    names: Mapping[str, Relation | None]
    source: str
    pos: str | None = None


# fmt: off
#: The formats that :func:`read_pairs` recognises by their lines, the first that fits.
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
_QUESTION: Final = re.compile(r"\s*(\S+)\s*:\s.*::\s*(\S+)\s*")
_NUMBER: Final = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", re.IGNORECASE)
_IN_FILE_NAME: Final = (
    ("antonym", "antonym"), ("opposite", "antonym"), ("synonym", "synonym"),
    ("hypernym", "hypernym"), ("hyponym", "hyponym"),
)  # fmt: skip
_POS_OF_FILE: Final = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
_HEADERS: Final = frozenset(
    "word1 word2, word_1 word_2, w1 w2, first second, lemma1 lemma2, word antonym, word opposite, "
    "word synonym, word hypernym, hyponym hypernym, word hyponym, hypernym hyponym".split(", ")
)


def read_pairs(
    path: Path | str, relation: Relation | None = None, *, multiword: bool = False
) -> list[WordPair]:
    """Return the pairs of the list in *path*, each once, in its order; one of the formats in ``LISTS``.

    Columns are separated by tabs, else by commas, else by blanks; a header is known by its names
    (``word1 word2``, ``hyponym hypernym`` ...); ``.gz`` is unpacked.  *relation*: of a list that does not
    say it; of one that does, only the pairs with it are kept.  Pairs with several words (``hot_dog``) are
    left out unless *multiword*, and words with themselves.  Words are lower-cased unless WordNet writes
    them with a capital only (``Paris``).  A list may have a pair both ways round or one way: see
    :func:`both_ways`.  Raises FormatError with file and line.

    Mohammad et al.'s opposites are not to be had by everybody, and this was written without them.  What
    is known, from programs that read them: ``AntonymsLexicon-OppCats.gz`` (3.5 million pairs) and
    ``AntonymsLexicon-OppCats-Affixes.gz`` (6.3 million) have two words and a blank between them a line,
    ``testset.txt`` and ``devset.txt`` a question and its answer.  The two lexicons are the output of a
    method, contrasting words rather than opposites; as a list they take about a gigabyte.  Which of the
    files Sanchez et al. (2018) took, they do not say.
    """
    path = Path(path)
    if relation is not None and relation not in get_args(Relation):
        raise UnknownNameError("relation", relation, get_args(Relation))
    rows = _rows(path)
    header, rows = _without_header(rows)
    if not rows:
        raise FormatError("no pairs in it", where=str(path), wanted=_wanted())
    shape = _recognised(rows[0], path)
    if shape.says is None and shape.name == "plain":
        relation = relation or _relation_of_header(header) or _relation_of_file(path)
        if relation is None:
            raise FormatError(
                "the list does not say what its words are to one another",
                where=str(path),
                wanted=f"relation= one of {', '.join(get_args(Relation))}, or a third column that names it",
            )
    found = _pairs(rows, shape, path, relation)
    kept = [pair for pair in found if multiword or not (_SEVERAL(pair.first) or _SEVERAL(pair.second))]
    return list(dict.fromkeys(kept))


def both_ways(pairs: Iterable[WordPair]) -> list[WordPair]:
    """Return *pairs*, each followed by itself from the other side, each once.

    >>> [pair[:3] for pair in both_ways([WordPair("dog", "animal", "hypernym")])]
    [('dog', 'animal', 'hypernym'), ('animal', 'dog', 'hyponym')]
    """
    return list(dict.fromkeys(each for pair in pairs for each in (pair, pair.turned())))


_SEVERAL: Final = re.compile(r"[_\s]").search


def _wanted() -> str:
    return "; ".join(shape.form for shape in LISTS)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the cells of every line that has any, with its number."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except FileNotFoundError:
        raise FormatError("no such file", where=str(path), wanted="a list of word pairs") from None
    except IsADirectoryError:
        raise FormatError("a folder", where=str(path), wanted="the file of a list of word pairs") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read: {error}", where=str(path), wanted="UTF-8 text") from None
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    separator = next((mark for mark in "\t," if lines and mark in lines[0][1]), None)
    return [(n, _cells(line, separator)) for n, line in lines]


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
    """Return the format of a list by its first line; raises FormatError."""
    number, cells = row
    for shape in LISTS:
        if shape.says is not None and shape.says < len(cells) and max(shape.words) < len(cells):
            if cells[shape.says].lower() in shape.names:
                return shape
        elif shape.name == "plain" and (len(cells) == 2 or (len(cells) > 2 and _NUMBER.fullmatch(cells[2]))):
            return shape
    raise FormatError(
        f"no list of word pairs begins with {' '.join(cells)[:60]!r}",
        where=f"{path}, line {number}",
        wanted=_wanted(),
    )


def _relation_of_header(header: Sequence[str]) -> Relation | None:
    names = dict(_IN_FILE_NAME)
    return _as_relation(names.get(header[1].lower())) if len(header) > 1 else None


def _relation_of_file(path: Path) -> Relation | None:
    return _as_relation(next((found for part, found in _IN_FILE_NAME if part in path.name.lower()), None))


def _as_relation(name: str | None) -> Relation | None:
    return next((each for each in get_args(Relation) if each == name), None)


def _pairs(
    rows: Iterable[tuple[int, list[str]]], shape: PairList, path: Path, relation: Relation | None
) -> Iterator[WordPair]:
    named = _POS_OF_FILE.get(path.name.partition("-")[0]) if shape.name == "antsynnet" else None
    pos = shape.pos or named
    for number, cells in rows:
        if len(cells) <= max(*shape.words, shape.says or 0) or not all(cells[k] for k in shape.words):
            raise FormatError("a column is missing", where=f"{path}, line {number}", wanted=shape.form)
        said = relation
        if shape.says is not None:
            name = cells[shape.says].lower()
            if name not in shape.names:
                raise FormatError(
                    f"unknown relation {cells[shape.says]!r}",
                    where=f"{path}, line {number}",
                    wanted=", ".join(shape.names),
                )
            said = shape.names[name]
            if said is None or (relation is not None and said != relation):
                continue
        first, second = (_cased(cells[k]) for k in shape.words)
        if said is not None and first.lower() != second.lower():
            yield WordPair(first, second, said, pos)


def _cased(word: str) -> str:
    """Return *word* in lower case, unless WordNet has it and only with a capital."""
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
