"""WordNet 3.0 (Fellbaum 1998), compiled into one file that ships with its licence.

Synsets are numbers, in the order of WordNet's files for nouns, verbs, adjectives and adverbs.  Parts
of speech are WordNet's: ``n v a r``, and ``s`` for an adjective satellite (an adjective that has
antonyms only through the head of its cluster: *boiling* through *hot*).  Words are looked up as NLTK
looks them up, in its order; tests compare each method with NLTK's reader of the same files.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final

from crossexam.core.errors import UnknownNameError
from crossexam.language.lexicons.wordnet_file import PARTS, Columns
from crossexam.language.lexicons.wordnet_lemmas import LemmaIndex

_SHIPPED: Final = Path(__file__).with_name("wordnet-3.0.zip")


class WordNet:
    """A read-only WordNet; threads may share one.  :meth:`load` gives the one that is shipped.

    >>> wordnet = WordNet.load()
    >>> hot = wordnet.synsets("hottest", "a")[0]
    >>> wordnet.name(hot), wordnet.definition(hot)[:35]
    ('hot.a.01', 'used of physical heat; having a hig')
    >>> [(wordnet.name(synset), lemma) for synset, lemma in wordnet.antonyms(hot)]
    [('cold.a.01', 'cold')]
    """

    def __init__(self, path: Path) -> None:
        self._columns = Columns(path)
        self.version: str = self._columns.about["version"]
        self._parts = {part: LemmaIndex(self._columns, part) for part in PARTS}
        self._pos = self._columns.read("synsets/pos").decode("ascii")
        self._antonyms = self._link("antonym", 4)
        self._hypernyms = self._link("hypernym", 2)
        self._instance_hypernyms = self._link("instance_hypernym", 2)
        self._similar = self._link("similar", 2)

    @classmethod
    def load(cls) -> WordNet:
        """Return the shipped WordNet, read once a process."""
        return _load()

    def _link(self, relation: str, width: int) -> tuple[Sequence[int], ...]:
        """Return the *width* columns of *relation*; the first is sorted."""
        column = self._columns.numbers(f"links/{relation}")
        rows = len(column) // width
        return tuple(column[i * rows : (i + 1) * rows] for i in range(width))

    def __len__(self) -> int:
        """Return the number of synsets; they are numbered from 0."""
        return len(self._pos)

    # Words

    def _part(self, pos: str) -> LemmaIndex:
        try:
            return self._parts["a" if pos == "s" else pos]
        except KeyError:
            raise UnknownNameError("part of speech", pos, [*PARTS, "s"]) from None

    @cached_property
    def expressions(self) -> frozenset[str]:
        """Return the lemmas of several words in lower case: ``hot_dog``, ``hot-air_balloon``."""
        return frozenset(
            lemma for part in self._parts.values() for lemma in part.lemmas() if "_" in lemma or "-" in lemma
        )

    def morphy(self, word: str, pos: str) -> str | None:
        """Return the first base form of *word* as part of speech *pos*, or None; *word* as it stands.

        >>> WordNet.load().morphy("geese", "n")
        'goose'
        """
        forms = self._part(pos).forms(word)
        return forms[0] if forms else None

    def lemmas_of(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Return the lemmas that *word*, in any case, may be a form of; every part of speech if None.

        >>> WordNet.load().lemmas_of("axes", "n")
        ('ax', 'axis')
        """
        word = word.lower()
        found = (form for part in ([pos] if pos else PARTS) for form in self._part(part).forms(word))
        return tuple(dict.fromkeys(found))

    def synsets(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """Return the synsets of *word*, in any case and inflected or not, as NLTK orders them.

        By lemma, then by how often WordNet's annotators met the sense; ``a`` gives satellites too, ``s``
        gives them alone.  No *pos* gives nouns, verbs, adjectives, adverbs.
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
        """Return first lemma, part of speech and sense number: ``hot.a.01``.

        The number is WordNet's (``index.sense``), and NLTK's to 3.9; NLTK 3.10 counts satellites apart,
        so that there the names of satellites, alone, have lower numbers.
        """
        lemma = self.lemmas(synset)[0].lower()
        part = self._part(self._pos[synset])
        rank = [part.synsets[sense] for sense in part.senses(lemma)].index(synset)
        return f"{lemma}.{self._pos[synset]}.{rank + 1:02}"

    def pos_of(self, synset: int) -> str:
        """Return the part of speech: n, v, a, s or r."""
        return self._pos[synset]

    def offset(self, synset: int) -> int:
        """Return WordNet's own number: where the synset stands in the file of its part of speech."""
        return self._offsets[synset]

    def lemmas(self, synset: int) -> tuple[str, ...]:
        """Return the words of *synset* with their case, ``_`` for a space."""
        return tuple(self._words[synset].split(" "))

    def definition(self, synset: int) -> str:
        """Return the gloss without its examples."""
        return self._definitions[synset]

    def gloss_words(self, synset: int) -> frozenset[str]:
        """Return what stands between spaces in the definition: what Lesk compares with a sentence."""
        return frozenset(self._definitions[synset].split())

    def tag_count(self, synset: int, lemma: str) -> int:
        """Return how often *lemma*, in any case, was tagged with *synset* in WordNet's concordances."""
        part = self._part(self._pos[synset])
        sense = part.sense(lemma.lower(), synset)
        return 0 if sense is None else part.counts[sense]

    # Links

    def antonyms(self, synset: int, lemma: str | None = None) -> tuple[tuple[int, str], ...]:
        """Return the direct antonyms of *lemma* in *synset*, or of all its lemmas, as (synset, lemma).

        Antonymy holds between words: of *big, large* in one synset, *little* is the antonym of the first
        and *small* of the second.  *lemma* may be in any case.

        >>> wordnet = WordNet.load()
        >>> [word for _, word in wordnet.antonyms(wordnet.synsets("large", "a")[0], "large")]
        ['small']
        """
        sources, words, targets, others = self._antonyms
        found: dict[tuple[int, str], None] = {}  # a dict for its order
        for row in range(bisect_left(sources, synset), bisect_right(sources, synset)):
            if lemma is None or self.lemmas(synset)[words[row]].lower() == lemma.lower():
                found[targets[row], self.lemmas(targets[row])[others[row]]] = None
        return tuple(found)

    def hypernyms(self, synset: int) -> tuple[int, ...]:
        """Return what *synset* is a kind of.

        >>> wordnet = WordNet.load()
        >>> [wordnet.name(s) for s in wordnet.hypernyms(wordnet.synsets("dog")[0])]
        ['canine.n.02', 'domestic_animal.n.01']
        """
        return _targets(self._hypernyms, synset)

    def hyponyms(self, synset: int) -> tuple[int, ...]:
        """Return the kinds of *synset*."""
        return _targets(self._hyponyms, synset)

    def instance_hypernyms(self, synset: int) -> tuple[int, ...]:
        """Return what *synset*, a particular person, place or thing, is an instance of."""
        return _targets(self._instance_hypernyms, synset)

    def similar_to(self, synset: int) -> tuple[int, ...]:
        """Return the satellites of an adjective that is a head, the heads of one that is a satellite."""
        return _targets(self._similar, synset)

    # Filters for every token of a corpus

    def antonymous_lemmas(self, pos: str | None = None) -> frozenset[str]:
        """Return the lemmas, in lower case, that have a direct antonym in some sense (of *pos*)."""
        if pos is None:
            return frozenset().union(*self._antonymous.values())
        self._part(pos)
        return self._antonymous.get(pos, frozenset())

    def has_antonym(self, word: str, pos: str | None = None) -> bool:
        """Tell whether *word*, in lower case and inflected or not, has a direct antonym in some sense.

        >>> wordnet = WordNet.load()
        >>> wordnet.has_antonym("hottest"), wordnet.has_antonym("hottest", "n"), wordnet.has_antonym("table")
        (True, False, False)
        """
        return _has_antonym(self, word, pos)

    # Columns that not every use needs, read when first asked for.  Two threads may read one twice;
    # the columns are equal, and either may stay.

    @cached_property
    def _words(self) -> list[str]:
        return self._columns.lines("synsets/words")

    @cached_property
    def _definitions(self) -> list[str]:
        return self._columns.lines("synsets/definitions")

    @cached_property
    def _offsets(self) -> tuple[int, ...]:
        starts = {self._pos.replace("s", "a").index(part) for part in PARTS}
        steps = self._columns.numbers("synsets/offsets")
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
def _load() -> WordNet:
    return WordNet(_SHIPPED)


@lru_cache(maxsize=1 << 16)
def _has_antonym(wordnet: WordNet, word: str, pos: str | None) -> bool:
    parts: Iterable[str] = [pos] if pos else PARTS
    return any(
        not wordnet.antonymous_lemmas(part).isdisjoint(wordnet.lemmas_of(word, part)) for part in parts
    )


def _targets(links: tuple[Sequence[int], ...], synset: int) -> tuple[int, ...]:
    sources, targets = links
    return tuple(targets[bisect_left(sources, synset) : bisect_right(sources, synset)])
