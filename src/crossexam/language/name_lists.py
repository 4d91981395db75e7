"""What lists know of a capitalised word: first names, WordNet's instances, NLTK's names and gazetteers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, Literal

from crossexam.language.lexicons.proper_names import (
    FIRST_NAMES,
    NOT_ENTITIES,
    ORGANIZATION_ENDS,
    PLACE_BEGINNINGS,
    PLACE_ENDS,
    TITLES,
)
from crossexam.language.lexicons.wordnet import WordNet

Kind = Literal["PERSON", "LOCATION", "ORGANIZATION"]

_ROOTS: Final[dict[str, Kind]] = {
    "location.n.01": "LOCATION",
    "body_of_water.n.01": "LOCATION",
    "person.n.01": "PERSON",
    "organization.n.01": "ORGANIZATION",
}
_NEVER: Final = NOT_ENTITIES | TITLES
_GAZETTEERS: Final = ("countries.txt", "isocountries.txt", "usstates.txt", "uscities.txt", "mexstates.txt",
                      "caprovinces.txt")  # fmt: skip


_INNER_CAPITAL: Final = re.compile(r"(?:Mc|Mac|De|Di|Van|[A-Z]['’]|[A-Z][a-z]+-)[A-Z][a-z]+")


class NameLists:
    """The lists that are there; *version* names them for signatures."""

    def __init__(self) -> None:
        self._wordnet = WordNet.load()
        names = _nltk_words("names", ("female.txt", "male.txt"))
        places = _nltk_words("gazetteers", _GAZETTEERS)
        self._names = FIRST_NAMES | {name.strip().lower() for name in names}
        self._places = {place.strip().lower() for place in places}
        found = [self._wordnet.version, *["nltk-names"] * bool(names)]
        self.version = "+".join([*found, *["nltk-gazetteers"] * bool(places)])
        self._kinds: dict[str, Kind | None] = {}

    def may_be_name(self, word: str) -> bool:
        """Tell whether *word* looks like a name: Kim, O'Hara, McCoy; not DVDs, IPL, Monday."""
        letters = word.replace("'", "").replace("’", "").replace("-", "")
        return (
            len(letters) > 1
            and letters.isalpha()
            and word[0].isupper()
            and (letters[1:].islower() or _INNER_CAPITAL.match(word) is not None)
            and word.lower() not in _NEVER
        )

    def may_continue(self, word: str) -> bool:
        """Tell whether *word* may be a further part of a name: a surname, an initial with its point."""
        return self.may_be_name(word) or (len(word) == 2 and word[0].isupper() and word[1] == ".")

    def kind_of_phrase(self, words: Sequence[str]) -> Kind | None:
        """Return what the whole run *words* names by its first or last word, None where they do not tell."""
        first, last = words[0].lower().rstrip("."), words[-1].lower().rstrip(".")
        if len(words) < 2 or len(words[-1]) < 2:
            return None
        if first in TITLES:
            return "PERSON"
        if not self.may_be_name(words[0]) and first not in PLACE_BEGINNINGS:
            return None
        if last in ORGANIZATION_ENDS:
            return "ORGANIZATION"
        if last in PLACE_ENDS or first in PLACE_BEGINNINGS or self.is_place(words):
            return "LOCATION"
        return None

    def is_place(self, words: Sequence[str]) -> bool:
        """Tell whether *words* are together a place that a list has: New York, Costa Rica."""
        phrase = " ".join(words).lower()
        return phrase in self._places or self._instance_kind(phrase.replace(" ", "_")) == "LOCATION"

    def kind_of_word(self, word: str) -> Kind | None:
        """Return what *word* alone names, None where no list has it."""
        lower = word.lower()
        if lower in self._names:
            return "PERSON"
        if lower in self._places:
            return "LOCATION"
        return self._instance_kind(lower)

    def is_common(self, word: str) -> bool:
        """Tell whether WordNet has *word* in lower case: as a common noun, a verb, an adjective."""
        forms = set(self._wordnet.lemmas_of(word))
        synsets = self._wordnet.synsets(word)
        return any(lemma in forms for synset in synsets for lemma in self._wordnet.lemmas(synset))

    def _instance_kind(self, lemma: str) -> Kind | None:
        """Return what the first of WordNet's proper nouns *lemma* is an instance of."""
        if lemma not in self._kinds:
            synsets = self._wordnet.synsets(lemma, "n")
            senses = [self._wordnet.instance_hypernyms(synset) for synset in synsets]
            if not any(senses) or (not senses[0] and self.is_common(lemma)):
                senses = []  # kid: the animal before Thomas Kyd
            kinds = [self._kind_above(parents) for parents in senses if parents]
            self._kinds[lemma] = next((kind for kind in kinds if kind), None)
        return self._kinds[lemma]

    def _kind_above(self, synsets: Iterable[int]) -> Kind | None:
        pending = list(synsets)
        while pending:
            synset = pending.pop()
            if synset in self._roots:
                return self._roots[synset]
            pending += self._wordnet.hypernyms(synset)
        return None

    @cached_property
    def _roots(self) -> dict[int, Kind]:
        nouns = {name: self._wordnet.synsets(name.partition(".")[0], "n") for name in _ROOTS}
        return {s: _ROOTS[name] for name, ids in nouns.items() for s in ids if self._wordnet.name(s) == name}


def _nltk_words(corpus: str, files: Sequence[str]) -> list[str]:
    """Return the lines of an NLTK word list, none where its data is not installed."""
    from nltk import corpus as corpora

    try:
        return list(getattr(corpora, corpus).words(list(files)))
    except LookupError:
        return []
