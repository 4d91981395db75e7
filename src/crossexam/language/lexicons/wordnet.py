"""WordNet 3.0 (Fellbaum, 1998), compiled into one file that ships with its licence.

Synsets are numbers, in the order of WordNet's files for nouns, verbs, adjectives and adverbs.  Parts
of speech are WordNet's: ``n v a r``, and ``s`` for an adjective satellite (an adjective that has
antonyms only through the head of its cluster: *torrid* through *hot*).  Words are looked up as NLTK
looks them up, in its order; tests compare each method with NLTK's reader of the same files.

The file is a zip archive of columns:

| member | content |
|---|---|
| ``about.json`` | ``format``, ``version`` |
| ``LICENSE`` | WordNet's licence, from the head of its files |
| ``POS/lemmas`` | text: the lemmas in lower case |
| ``POS/senses`` | numbers: how many senses each lemma has |
| ``POS/synsets`` | numbers: the synset of every sense, lemma by lemma, in WordNet's order |
| ``POS/counts`` | numbers: how often each of these senses was tagged in the semantic concordances |
| ``POS/exceptions`` | text: an irregular form and its base forms, separated by spaces |
| ``synsets/pos`` | one character (``n v a s r``) per synset |
| ``synsets/offsets`` | numbers: WordNet's own offset, as the difference from the previous synset |
| ``synsets/words`` | text: the words of the synset with their case, separated by spaces |
| ``synsets/definitions`` | text: the gloss without its examples |
| ``links/RELATION`` | numbers: every source, then every target; see below |

Text is UTF-8, one row per line; numbers are unsigned, four bytes, little-endian.  ``links/antonym``
is lexical, so it has four parts of equal length: source synsets, index of the word in the source,
target synsets, index of the word in the target.  Sources ascend; the order within one is WordNet's.
"""

from __future__ import annotations

import json
import sys
import zipfile
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np

from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.language.remembered import ALL_WORDS, WORDS, remembered

FORMAT: Final = 1  # a reader refuses any other
PARTS: Final = ("n", "v", "a", "r")
_SHIPPED: Final = Path(__file__).with_name("wordnet-3.0.zip")
# Detachment rules of morphy(7WN), as in NLTK: an ending and what replaces it in the lemma.
# fmt: off
_ENDINGS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "n": (("s", ""),  ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
          ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "v": (("s", ""),  ("ies", "y"), ("es", "e"),  ("es", ""),   ("ed", "e"),  ("ed", ""),
          ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""),  ("er", "e"),  ("est", "e")),
    "r": (),
}
# fmt: on
_LAST_LETTERS: Final = frozenset(old[-1] for rules in _ENDINGS.values() for old, _ in rules)


class WordNet:
    """A read-only WordNet, which threads may share.  :func:`wordnet` returns the one that is shipped.

    >>> hot = wordnet().synsets("hottest", "a")[0]
    >>> wordnet().name(hot), wordnet().definition(hot)[:35]
    ('hot.a.01', 'used of physical heat; having a hig')
    >>> [(wordnet().name(synset), lemma) for synset, lemma in wordnet().antonyms(hot)]
    [('cold.a.01', 'cold')]
    """

    def __init__(self, path: Path) -> None:
        self._archive = WordNetArchive(path)
        self.version: str = self._archive.about["version"]
        self._parts = {part: LemmaIndex(self._archive, part) for part in PARTS}
        self._pos = self._archive.read("synsets/pos").decode("ascii")
        self._antonyms = self._link("antonym", 4)
        self._hypernyms = self._link("hypernym", 2)
        self._instance_hypernyms = self._link("instance_hypernym", 2)
        self._similar = self._link("similar", 2)

    def _link(self, relation: str, width: int) -> tuple[Sequence[int], ...]:
        """Return the *width* columns of *relation*; the first is sorted."""
        column = self._archive.numbers(f"links/{relation}")
        rows = len(column) // width
        return tuple(column[i * rows : (i + 1) * rows] for i in range(width))

    def __len__(self) -> int:
        """Return the number of synsets, which are numbered from 0."""
        return len(self._pos)

    # Words

    def _part(self, pos: str) -> LemmaIndex:
        try:
            return self._parts["a" if pos == "s" else pos]
        except KeyError:
            raise UnknownNameError("part of speech", pos, [*PARTS, "s"]) from None

    @cached_property
    def expressions(self) -> frozenset[str]:
        """The multiword and hyphenated lemmas in lower case: ``hot_dog``, ``hot-air_balloon``."""
        return frozenset(
            lemma for part in self._parts.values() for lemma in part.lemmas() if "_" in lemma or "-" in lemma
        )

    def morphy(self, word: str, pos: str) -> str | None:
        """Return the first base form of *word*, in lower case, as part of speech *pos*, or None.

        >>> wordnet().morphy("geese", "n")
        'goose'
        """
        forms = self._part(pos).forms(word)
        return forms[0] if forms else None

    def base_form(self, word: str, pos: str) -> str:
        """Return the first base form of *word*, in lower case, as part of speech *pos*, or *word* itself.

        >>> wordnet().base_form("geese", "n"), wordnet().base_form("qzx", "n")
        ('goose', 'qzx')
        """
        return self.morphy(word, pos) or word

    def knows(self, word: str) -> bool:
        """Return whether *word*, in lower case, is a lemma or a form of one, of any part of speech.

        >>> wordnet().knows("geese"), wordnet().knows("gese")
        (True, False)
        """
        nouns, *others = self._parts.values()
        return nouns.knows(word) or any(part.knows(word) for part in others)

    def lemmas_of(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Return the lemmas that *word*, in any case, may be a form of; of any part of speech by default.

        >>> wordnet().lemmas_of("axes", "n")
        ('ax', 'axis')
        """
        word = word.lower()
        if pos is not None:
            return self._part(pos).forms(word)
        return tuple(dict.fromkeys(form for part in self._parts.values() for form in part.forms(word)))

    def words_of(self, lemma: str, pos: str) -> frozenset[str]:
        """Return the words of which *lemma*, in lower case, is one of :meth:`lemmas_of`.

        Most of the regular ones are not English words.

        >>> "axes" in wordnet().words_of("ax", "n"), "geese" in wordnet().words_of("goose", "n")
        (True, True)
        """
        return self._part(pos).words_of(lemma)

    def is_lemma(self, word: str, pos: str) -> bool:
        """Return whether *word*, in lower case and not inflected, is a lemma of part of speech *pos*.

        >>> wordnet().is_lemma("goose", "n"), wordnet().is_lemma("geese", "n")
        (True, False)
        """
        return word in self._part(pos).lemmas()

    def synsets(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """Return the synsets of *word*, in any case and inflected or not, as NLTK orders them.

        By lemma, then by how often WordNet's annotators met the sense.  ``a`` includes satellites, ``s``
        is satellites only; without *pos*, nouns come first, then verbs, adjectives and adverbs.
        """
        word = word.lower()
        found = [
            part.synsets[sense]
            for part in ([self._part(pos)] if pos else self._parts.values())
            for form in part.forms(word)
            for sense in part.senses(form)
        ]
        return tuple(s for s in found if self._pos[s] == "s") if pos == "s" else tuple(found)

    # Synsets

    def name(self, synset: int) -> str:
        """Return the first lemma, part of speech and sense number: ``hot.a.01``.

        The number is WordNet's (``index.sense``), and NLTK's up to version 3.9; NLTK 3.10 numbers
        satellites separately, so their names, and only theirs, have lower numbers there.
        """
        return _name(self, synset)

    def pos_of(self, synset: int) -> str:
        """Return the part of speech: n, v, a, s or r."""
        return self._pos[synset]

    def offset(self, synset: int) -> int:
        """Return WordNet's own number: the position of the synset in the file of its part of speech."""
        return self._offsets[synset]

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """Return the words of *synset* with their case, ``_`` for a space."""
        return tuple(self._words[synset].split(" "))

    def definition(self, synset: int) -> str:
        """Return the gloss without its examples."""
        return self._definitions[synset]

    def gloss_words(self, synset: int) -> frozenset[str]:
        """Return the space-separated words of the definition, which Lesk compares with a sentence."""
        return frozenset(self._definitions[synset].split())

    def tag_count(self, synset: int, lemma: str) -> int:
        """Return how often *lemma*, in any case, was tagged with *synset* in WordNet's concordances."""
        part = self._part(self._pos[synset])
        sense = part.sense(lemma.lower(), synset)
        return 0 if sense is None else part.counts[sense]

    # Links

    def antonyms(self, synset: int, lemma: str | None = None) -> tuple[tuple[int, str], ...]:
        """Return the direct antonyms of *lemma* in *synset*, or of all its lemmas, as (synset, lemma).

        Antonymy holds between words: of *big* and *large*, which share a synset, *little* is the antonym
        of the first and *small* of the second.  *lemma* may be in any case.

        >>> [word for _, word in wordnet().antonyms(wordnet().synsets("large", "a")[0], "large")]
        ['small']
        """
        sources, words, targets, others = self._antonyms
        found: dict[tuple[int, str], None] = {}  # a dict for its order
        for row in range(bisect_left(sources, synset), bisect_right(sources, synset)):
            if lemma is None or self.lemmas(synset)[words[row]].lower() == lemma.lower():
                found[targets[row], self.lemmas(targets[row])[others[row]]] = None
        return tuple(found)

    def hypernyms(self, synset: int) -> tuple[int, ...]:
        """Return the direct hypernyms of *synset*, what it is a kind of.

        >>> [wordnet().name(s) for s in wordnet().hypernyms(wordnet().synsets("dog")[0])]
        ['canine.n.02', 'domestic_animal.n.01']
        """
        return _targets(self._hypernyms, synset)

    def closure(self, *synsets: int) -> tuple[int, ...]:
        """Return *synsets* and all their hypernyms, direct and inherited, each once, depth first.

        >>> [wordnet().name(s) for s in wordnet().closure(wordnet().synsets("bone", "n")[0])][:3]
        ['bone.n.01', 'connective_tissue.n.01', 'animal_tissue.n.01']
        """
        pending = list(synsets)
        found: dict[int, None] = {}  # a dict for its order
        while pending:
            synset = pending.pop()
            if synset not in found:
                found[synset] = None
                pending.extend(self.hypernyms(synset))
        return tuple(found)

    def hyponyms(self, synset: int) -> tuple[int, ...]:
        """Return the direct hyponyms of *synset*, its kinds."""
        return _targets(self._hyponyms, synset)

    def instance_hypernyms(self, synset: int) -> tuple[int, ...]:
        """Return what *synset*, a particular person, place or thing, is an instance of."""
        return _targets(self._instance_hypernyms, synset)

    def similar_to(self, synset: int) -> tuple[int, ...]:
        """Return the satellites of a head adjective, or the heads of a satellite."""
        return _targets(self._similar, synset)

    # Filters, fast enough for every token of a corpus

    def antonymous_lemmas(self, pos: str | None = None) -> frozenset[str]:
        """Return the lemmas, in lower case, that have a direct antonym in some sense (of *pos*)."""
        if pos is None:
            return frozenset().union(*self._antonymous.values())
        self._part(pos)
        return self._antonymous.get(pos, frozenset())

    def has_antonym(self, word: str, pos: str | None = None) -> bool:
        """Return whether *word*, in lower case and inflected or not, has a direct antonym in some sense.

        >>> wordnet().has_antonym("hottest"), wordnet().has_antonym("hottest", "n")
        (True, False)
        """
        return _has_antonym(self, word, pos)

    # Columns that not every use needs, read on first use.  Two threads may read one twice; the results
    # are equal, so it does not matter which is kept.

    @cached_property
    def _words(self) -> list[str]:
        return self._archive.lines("synsets/words")

    @cached_property
    def _definitions(self) -> TextRows:
        return TextRows(self._archive.read("synsets/definitions"))

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        starts = {self._pos.replace("s", "a").index(part) for part in PARTS}
        steps = self._archive.numbers("synsets/offsets")
        offset, offsets = 0, []
        for synset, step in enumerate(steps):
            offset = step if synset in starts else offset + step
            offsets.append(offset)
        return tuple(offsets)

    @cached_property
    def _antonymous(self) -> Mapping[str, frozenset[str]]:
        sources, words, _, _ = self._antonyms
        found: dict[str, set[str]] = {}
        for synset, word in zip(sources, words, strict=True):
            found.setdefault(self._pos[synset], set()).add(self.lemmas(synset)[word].lower())
        return {pos: frozenset(lemmas) for pos, lemmas in found.items()}

    @cached_property
    def _hyponyms(self) -> tuple[Sequence[int], ...]:
        sources, targets = self._hypernyms
        pairs = sorted(zip(targets, sources, strict=True))
        return [kind for kind, _ in pairs], [member for _, member in pairs]


@cache
def wordnet() -> WordNet:
    """Return the WordNet that is shipped, read once per process."""
    return WordNet(_SHIPPED)


@remembered(WORDS)
def _name(lexicon: WordNet, synset: int) -> str:
    lemma, pos = lexicon.lemmas(synset)[0].lower(), lexicon.pos_of(synset)
    part = lexicon._part(pos)
    rank = [part.synsets[sense] for sense in part.senses(lemma)].index(synset)
    return f"{lemma}.{pos}.{rank + 1:02}"


@remembered(ALL_WORDS)
def _has_antonym(lexicon: WordNet, word: str, pos: str | None) -> bool:
    parts: Iterable[str] = [pos] if pos else PARTS
    for part in parts:
        forms = lexicon._part(part).forms(word)
        if forms and not lexicon.antonymous_lemmas(part).isdisjoint(forms):
            return True
    return False


def _targets(links: tuple[Sequence[int], ...], synset: int) -> tuple[int, ...]:
    sources, targets = links
    return tuple(targets[bisect_left(sources, synset) : bisect_right(sources, synset)])


class TextRows:
    """The rows of *data*, lines of UTF-8, each decoded when it is asked for, as most never are.

    >>> rows = TextRows(b"hot\\ncold")
    >>> rows[0], rows[1]
    ('hot', 'cold')
    """

    def __init__(self, data: bytes) -> None:
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        self._data, self._starts = data, np.concatenate(([0], ends + 1, [len(data) + 1]))

    def __getitem__(self, row: int) -> str:
        return self._data[self._starts[row] : self._starts[row + 1] - 1].decode("utf-8")


class LemmaIndex:
    """The lemmas and senses of one part of speech, n, v, a or r.

    ``synsets`` and ``counts`` have one entry per sense: its synset, and how often it was tagged.
    """

    def __init__(self, archive: WordNetArchive, part: str) -> None:
        self.synsets = archive.numbers(f"{part}/synsets")
        self.counts = archive.numbers(f"{part}/counts")
        self._number = {lemma: number for number, lemma in enumerate(archive.lines(f"{part}/lemmas"))}
        self._starts = array("I", accumulate(archive.numbers(f"{part}/senses"), initial=0))
        rows = (row.split(" ") for row in archive.lines(f"{part}/exceptions"))
        self._exceptions = {form: tuple(bases) for form, *bases in rows}
        self._endings = {
            last: tuple(rule for rule in _ENDINGS[part] if rule[0].endswith(last)) for last in _LAST_LETTERS
        }

    def lemmas(self) -> Iterable[str]:
        """Return all lemmas, in lower case."""
        return self._number.keys()

    def senses(self, lemma: str) -> range:
        """Return the indices in ``synsets`` of the senses of *lemma*; an empty range if it is not a lemma."""
        number = self._number.get(lemma)
        return range(0) if number is None else range(self._starts[number], self._starts[number + 1])

    def sense(self, lemma: str, synset: int) -> int | None:
        """Return the index in ``synsets`` of the sense *synset* of *lemma*, None if it has no such sense."""
        return next((sense for sense in self.senses(lemma) if self.synsets[sense] == synset), None)

    def forms(self, word: str) -> tuple[str, ...]:
        """Return the lemmas among *word* and its possible base forms, each once."""
        number = self._number
        found: tuple[str, ...] = (word,) if word in number else ()
        bases = self._exceptions.get(word)
        if bases is None:
            for old, new in self._endings.get(word[-1:], ()):  # none for most words
                if word.endswith(old) and (base := word[: -len(old)] + new) in number and base not in found:
                    found += (base,)
            return found
        return tuple(dict.fromkeys((*found, *(base for base in bases if base in number))))

    def words_of(self, lemma: str) -> frozenset[str]:
        """Return the words of which *lemma* is one of the :meth:`forms`."""
        regular = (
            lemma.removesuffix(new) + old
            for rules in self._endings.values()
            for old, new in rules
            if lemma.endswith(new)
        )
        words = {lemma, *regular, *self._irregular.get(lemma, ())}
        return frozenset(word for word in words if lemma in self.forms(word))

    @cached_property
    def _irregular(self) -> Mapping[str, Sequence[str]]:
        """The exceptions by their base forms."""
        found: dict[str, list[str]] = {}
        for form, bases in self._exceptions.items():
            for base in bases:
                found.setdefault(base, []).append(form)
        return found

    def knows(self, word: str) -> bool:
        """Return whether there are any :meth:`forms` of *word*, which takes less time."""
        number = self._number
        if word in number:
            return True
        if word in self._exceptions:
            return any(base in number for base in self._exceptions[word])
        for old, new in self._endings.get(word[-1:], ()):
            if word.endswith(old) and word[: -len(old)] + new in number:
                return True
        return False


class WordNetArchive:
    """The columns of the archive at *path*, opened for every read: threads and forks share nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.about: Mapping[str, Any] = json.loads(self.read("about.json"))
        if self.about.get("format") != FORMAT:
            raise FormatError(
                f"unknown format {self.about.get('format')!r}",
                where=f"{path}, about.json",
                wanted=f"format {FORMAT}",
                hint="reinstall crossexam, or compile it again with scripts/compile_wordnet.py",
            )

    def read(self, name: str) -> bytes:
        """Return the bytes of member *name*.  Raises FormatError if there is none."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                return archive.read(name)
        except FileNotFoundError:
            problem = "no such file"
        except KeyError:
            problem = f"no member '{name}'"
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            problem = str(error)
        raise FormatError(
            problem,
            where=str(self._path),
            wanted="a WordNet archive written by scripts/compile_wordnet.py",
            hint="reinstall crossexam",
        )

    def numbers(self, name: str) -> array[int]:
        """Return member *name* as numbers."""
        column = array("I", self.read(name))
        if sys.byteorder == "big":
            column.byteswap()
        return column

    def lines(self, name: str) -> list[str]:
        """Return member *name* as rows of text."""
        data = self.read(name)
        return data.decode("utf-8").split("\n") if data else []
