"""Persons, places and organizations in a sentence (Naik et al., 2018, section 3.1, footnote on AQuA).

The paper keeps the word problems that have one, since those without "mostly deal with abstract
concepts"; its script asks Stanford's recognizer for PERSON, LOCATION and ORGANIZATION.  Here a spaCy
pipeline answers if one is given, else proper nouns by their tag with lists of names: less complete, and
what kind an unknown name is of is a guess, but "Train A", "Rs", "Monday" and "Find" are kept out.

What lists know of a capitalised word: first names, WordNet's instances, NLTK's names and gazetteers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, NamedTuple, Protocol

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.language.lexicons.proper_names import (
    FIRST_NAMES,
    NOT_ENTITIES,
    ORGANIZATION_ENDS,
    PLACE_BEGINNINGS,
    PLACE_ENDS,
    TITLES,
)
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.tokens import Token

Kind = Literal["PERSON", "LOCATION", "ORGANIZATION"]


class Entity(NamedTuple):
    """Characters *start* to *end* name something of *kind*: PERSON, LOCATION or ORGANIZATION."""

    start: int
    end: int
    kind: Kind


class EntityRecognizer(Protocol):
    """What finds the entities of texts."""

    @property
    def name(self) -> str:
        """What signatures call it: ``lists:wordnet-3.0``, ``spacy:en_core_web_sm-3.8.0``."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Read a chunk of texts at once where that is cheaper; optional."""

    def entities(self, text: str, tokens: Sequence[Token] = ()) -> tuple[Entity, ...]:
        """Return the entities of *text* in order; *tokens* are its tokens with tags, if there are any."""


#: What the labels of spaCy's pipelines (OntoNotes; CoNLL 2003) are called here; the others are left out.
KINDS: Final[dict[str, Kind]] = {
    "PERSON": "PERSON", "PER": "PERSON",
    "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION", "LOCATION": "LOCATION",
    "ORG": "ORGANIZATION", "ORGANIZATION": "ORGANIZATION",
}  # fmt: skip


class SpacyEntities:
    """Entities of the spaCy pipeline *pipeline*."""

    def __init__(self, pipeline: str) -> None:
        from crossexam.language.tagging.spacy_pipeline import load_pipeline, pipeline_name

        self._nlp = load_pipeline(pipeline, {"doc.ents"}, "entity recognizer")
        self.name = pipeline_name(self._nlp)
        self._chunk: dict[str, tuple[Entity, ...]] = {}
        self._single = lru_cache(1024)(lambda text: _entities_of(self._nlp(text)))

    def prepare(self, texts: Iterable[str]) -> None:
        """Read *texts*, each distinct one once; forget the chunk before."""
        self._chunk = {doc.text: _entities_of(doc) for doc in self._nlp.pipe(dict.fromkeys(texts))}

    def entities(self, text: str, tokens: Sequence[Token] = ()) -> tuple[Entity, ...]:
        """Return the entities of *text*; the pipeline makes its own tokens."""
        known = self._chunk.get(text)
        return self._single(text) if known is None else known


def _entities_of(doc: Any) -> tuple[Entity, ...]:
    found = [(span.start_char, span.end_char, KINDS.get(span.label_)) for span in doc.ents]
    return tuple(Entity(start, end, kind) for start, end, kind in found if kind)


class ListedEntities:
    """Proper nouns by tag, judged by lists of names.

    >>> from crossexam.language.tokens import Token
    >>> tokens = [Token("Kim", 0, 3, "NNP"), Token("ran", 4, 7, "VBD"), Token("5", 8, 9, "CD")]
    >>> ListedEntities().entities("Kim ran 5", tokens)
    (Entity(start=0, end=3, kind='PERSON'),)
    """

    def __init__(self) -> None:
        self._lists = NameLists()
        self.name = f"lists:{self._lists.version}"

    def prepare(self, texts: Iterable[str]) -> None:
        """Do nothing: the lists are fast."""

    def entities(self, text: str, tokens: Sequence[Token] = ()) -> tuple[Entity, ...]:
        """Return the entities of *text*; without *tokens* that have tags every capitalised word is tried."""
        if not tokens:
            from crossexam.language.tokens import words

            tokens = words(text)
        found: list[Entity] = []
        for first, last in _runs(text, tokens):
            found += self._in_run(tokens, first, last)
        return tuple(found)

    def _in_run(self, tokens: Sequence[Token], first: int, last: int) -> list[Entity]:
        """Return the entities in the run of proper nouns tokens[first:last]."""
        kind = self._lists.kind_of_phrase([token.text for token in tokens[first:last]])
        if kind:
            return [Entity(tokens[first].start, tokens[last - 1].end, kind)]
        found: list[Entity] = []
        at = first
        while at < last:
            end, kind = self._longest_place(tokens, at, last), "LOCATION"
            if end is None:
                end, kind = at + 1, self._kind_of_word(tokens, at, last)
                while kind == "PERSON" and end < last and self._lists.may_continue(tokens[end].text):
                    end += 1
            if kind:
                found.append(Entity(tokens[at].start, tokens[end - 1].end, kind))
            at = end
        return found

    def _longest_place(self, tokens: Sequence[Token], at: int, last: int) -> int | None:
        """Return where the longest place of two words or more that begins at *at* ends, None if none does."""
        for end in range(last, at + 1, -1):
            if self._lists.is_place([token.text for token in tokens[at:end]]):
                return end
        return None

    def _kind_of_word(self, tokens: Sequence[Token], at: int, last: int) -> Kind | None:
        """Return what the word tokens[at] of a run that ends at *last* names, None if nothing."""
        word, tag = tokens[at].text, tokens[at].tag
        if not self._lists.may_be_name(word) or _labels(tokens, at + 1):
            return None
        known = self._lists.kind_of_word(word)
        if not _begins_sentence(tokens, at):
            if known or tag == "NNPS" or word.endswith("ians") or self._lists.is_common(word):
                return known
            return "LOCATION" if at and tokens[at - 1].text.lower() in {"in", "near", "from"} else "PERSON"
        if known and not self._lists.is_common(word):
            return known
        acts = last < len(tokens) and _acts(tokens[last])
        if known:
            return known if acts else None
        return "PERSON" if acts and not self._lists.is_common(word) else None


def _runs(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the (first, last) of every run of capitalised proper nouns; a blank or hyphen between them."""
    tagged = any(token.tag for token in tokens)
    runs: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if not token.text[0].isupper() or not (
            token.tag.startswith("NNP") if tagged else token.text.isalpha()
        ):
            continue
        if runs and runs[-1][1] == index and text[tokens[index - 1].end : token.start] in {"", " ", "-"}:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _begins_sentence(tokens: Sequence[Token], at: int) -> bool:
    return at == 0 or tokens[at - 1].text in {".", "?", "!", ":", ";", '"', "“", "‘", "'", "``", "("}


def _acts(token: Token) -> bool:
    """Tell whether what follows a sentence's first word makes it a name: a verb, 's, and, a comma."""
    return token.tag.startswith(("VBD", "VBZ", "VBP", "MD", "POS")) or token.text.lower() in {
        "and",
        "'s",
        "’s",
    }


def _labels(tokens: Sequence[Token], after: int) -> bool:
    """Tell whether a capital letter follows, so that the word before is a label: Tribe R, Town F."""
    if after >= len(tokens):
        return False
    follower = tokens[after]
    return len(follower.text) == 1 and follower.text.isupper() and follower.tag != "PRP"


def _lists(argument: str) -> EntityRecognizer:
    if argument:
        raise CrossexamError(f"the recognizer 'lists' takes no argument, and got '{argument}'")
    return ListedEntities()


#: Kind -> what makes the recognizer of the text after the colon.
RECOGNIZERS: Final[dict[str, Callable[[str], EntityRecognizer]]] = {
    "auto": _lists,
    "lists": _lists,
    "spacy": SpacyEntities,
}


def resolve_recognizer(spec: str = "auto") -> EntityRecognizer:
    """Return the recognizer that *spec* names: ``auto`` (the lists), ``lists``, ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for another, MissingExtraError without spaCy, CrossexamError where the
    pipeline recognizes no entities.
    """
    kind, _, argument = spec.partition(":")
    if kind not in RECOGNIZERS:
        raise UnknownNameError("entity recognizer", kind, RECOGNIZERS)
    return RECOGNIZERS[kind](argument)


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
        above = self._wordnet.closure(*synsets)
        return next((self._roots[synset] for synset in above if synset in self._roots), None)

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
