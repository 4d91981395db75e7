"""Persons, places and organizations in a sentence (Naik et al., 2018, section 3.1, footnote on AQuA).

The paper keeps the word problems that mention one, since the others "mostly deal with abstract concepts";
its script takes PERSON, LOCATION and ORGANIZATION from Stanford's named entity recognizer.  Here a spaCy
pipeline recognizes them if one is given, otherwise proper nouns by their tag with lists of names: our own
first names, WordNet's instances, and NLTK's names and gazetteers if they are installed.  The lists are
less complete, and the kind of an unknown name is a guess, but they exclude "Train A", "Rs", "Monday" and
"Find".
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
from crossexam.language.tokens import Token, words

EntityKind = Literal["PERSON", "LOCATION", "ORGANIZATION"]

#: What the labels of spaCy's pipelines (OntoNotes; CoNLL 2003) are called here; others are ignored.
KINDS: Final[dict[str, EntityKind]] = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "LOCATION": "LOCATION",
    "ORG": "ORGANIZATION",
    "ORGANIZATION": "ORGANIZATION",
}
# The synsets below which WordNet's instances are of a kind.
_ROOTS: Final[dict[str, EntityKind]] = {
    "location.n.01": "LOCATION",
    "body_of_water.n.01": "LOCATION",
    "person.n.01": "PERSON",
    "organization.n.01": "ORGANIZATION",
}
_NEVER: Final = NOT_ENTITIES | TITLES
_GAZETTEERS: Final = tuple(
    f"{name}.txt" for name in "countries isocountries usstates uscities mexstates caprovinces".split()
)
_INNER_CAPITAL: Final = re.compile(r"(?:Mc|Mac|De|Di|Van|[A-Z]['’]|[A-Z][a-z]+-)[A-Z][a-z]+")


class Entity(NamedTuple):
    """A named entity: characters *start* to *end*, and its *kind*: PERSON, LOCATION or ORGANIZATION."""

    start: int
    end: int
    kind: EntityKind


class EntityRecognizer(Protocol):
    """A named entity recognizer."""

    @property
    def name(self) -> str:
        """Its name in signatures: ``lists:wordnet-3.0``, ``spacy:en_core_web_sm-3.8.0``."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Read a chunk of texts at once if that is cheaper; optional."""

    def entities(self, text: str, tokens: Sequence[Token] = ()) -> tuple[Entity, ...]:
        """Return the entities of *text* in order; *tokens* are its tagged tokens, if there are any."""


class SpacyEntities:
    """The named entity recognizer of the spaCy pipeline *pipeline*."""

    def __init__(self, pipeline: str) -> None:
        from crossexam.language.tagging.spacy_pipeline import load_pipeline, pipeline_name

        self._nlp = load_pipeline(pipeline, {"doc.ents"}, "entity recognizer")
        self.name = pipeline_name(self._nlp)
        self._chunk: dict[str, tuple[Entity, ...]] = {}
        self._single = lru_cache(1024)(lambda text: _entities_of(self._nlp(text)))

    def prepare(self, texts: Iterable[str]) -> None:
        """Read *texts*, each distinct one once, and forget the previous chunk."""
        self._chunk = {doc.text: _entities_of(doc) for doc in self._nlp.pipe(dict.fromkeys(texts))}

    def entities(self, text: str, tokens: Sequence[Token] = ()) -> tuple[Entity, ...]:
        """Return the entities of *text*, which the pipeline tokenizes itself."""
        known = self._chunk.get(text)
        return self._single(text) if known is None else known


class ListedEntities:
    """A recognizer of proper nouns, by their tags and lists of names.

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
        """Return the entities of *text*; without tagged *tokens* every capitalised word is looked up."""
        found: list[Entity] = []
        tokens = tokens or words(text)
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
        """Return the end of the longest place name of several words that begins at *at*, None if none."""
        for end in range(last, at + 1, -1):
            if self._lists.is_place([token.text for token in tokens[at:end]]):
                return end
        return None

    def _kind_of_word(self, tokens: Sequence[Token], at: int, last: int) -> EntityKind | None:
        """Return what the word tokens[at], of a run that ends at *last*, names; None if it is not a name."""
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


class NameLists:
    """The lists of names that are installed; *version* names them in signatures."""

    def __init__(self) -> None:
        self._wordnet = WordNet.load()
        names = _nltk_words("names", ("female.txt", "male.txt"))
        places = _nltk_words("gazetteers", _GAZETTEERS)
        self._names = FIRST_NAMES | {name.strip().lower() for name in names}
        self._places = {place.strip().lower() for place in places}
        found = [self._wordnet.version, *["nltk-names"] * bool(names)]
        self.version = "+".join([*found, *["nltk-gazetteers"] * bool(places)])
        self._kinds: dict[str, EntityKind | None] = {}

    def may_be_name(self, word: str) -> bool:
        """Return whether *word* looks like a name: Kim, O'Hara, McCoy; not DVDs, IPL, Monday."""
        letters = word.replace("'", "").replace("’", "").replace("-", "")
        return (
            len(letters) > 1
            and letters.isalpha()
            and word[0].isupper()
            and (letters[1:].islower() or _INNER_CAPITAL.match(word) is not None)
            and word.lower() not in _NEVER
        )

    def may_continue(self, word: str) -> bool:
        """Return whether *word* may continue a name: a surname, an initial with its full stop."""
        return self.may_be_name(word) or (len(word) == 2 and word[0].isupper() and word[1] == ".")

    def kind_of_phrase(self, words: Sequence[str]) -> EntityKind | None:
        """Return what the run *words* names, by its first or last word; None if these do not show it."""
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
        """Return whether *words* together are a place in a list: New York, Costa Rica."""
        phrase = " ".join(words).lower()
        return phrase in self._places or self._instance_kind(phrase.replace(" ", "_")) == "LOCATION"

    def kind_of_word(self, word: str) -> EntityKind | None:
        """Return what *word* alone names, None if it is in no list."""
        lower = word.lower()
        if lower in self._names:
            return "PERSON"
        if lower in self._places:
            return "LOCATION"
        return self._instance_kind(lower)

    def is_common(self, word: str) -> bool:
        """Return whether WordNet has *word* in lower case: as a common noun, a verb, an adjective."""
        forms = set(self._wordnet.lemmas_of(word))
        synsets = self._wordnet.synsets(word)
        return any(lemma in forms for synset in synsets for lemma in self._wordnet.lemmas(synset))

    def _instance_kind(self, lemma: str) -> EntityKind | None:
        """Return the kind of the first synset of *lemma* that is an instance of one."""
        if lemma not in self._kinds:
            synsets = self._wordnet.synsets(lemma, "n")
            senses = [self._wordnet.instance_hypernyms(synset) for synset in synsets]
            if not any(senses) or (not senses[0] and self.is_common(lemma)):
                senses = []  # kid: the animal comes before Thomas Kyd
            kinds = [self._kind_above(parents) for parents in senses if parents]
            self._kinds[lemma] = next((kind for kind in kinds if kind), None)
        return self._kinds[lemma]

    def _kind_above(self, synsets: Iterable[int]) -> EntityKind | None:
        above = self._wordnet.closure(*synsets)
        return next((self._roots[synset] for synset in above if synset in self._roots), None)

    @cached_property
    def _roots(self) -> dict[int, EntityKind]:
        nouns = {name: self._wordnet.synsets(name.partition(".")[0], "n") for name in _ROOTS}
        return {s: _ROOTS[name] for name, ids in nouns.items() for s in ids if self._wordnet.name(s) == name}


def _lists(argument: str) -> EntityRecognizer:
    if argument:
        raise CrossexamError(f"the recognizer 'lists' takes no argument, but got '{argument}'")
    return ListedEntities()


#: Name -> function from the text after the colon to the recognizer.
RECOGNIZERS: Final[dict[str, Callable[[str], EntityRecognizer]]] = {
    "auto": _lists,
    "lists": _lists,
    "spacy": SpacyEntities,
}


def resolve_recognizer(spec: str = "auto") -> EntityRecognizer:
    """Return the recognizer that *spec* names: ``auto`` (the lists), ``lists``, ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for any other name, MissingExtraError if spaCy is not installed, and
    CrossexamError if the pipeline recognizes no entities.
    """
    kind, _, argument = spec.partition(":")
    if kind not in RECOGNIZERS:
        raise UnknownNameError("entity recognizer", kind, RECOGNIZERS)
    return RECOGNIZERS[kind](argument)


def _entities_of(doc: Any) -> tuple[Entity, ...]:
    found = [(span.start_char, span.end_char, KINDS.get(span.label_)) for span in doc.ents]
    return tuple(Entity(start, end, kind) for start, end, kind in found if kind)


def _runs(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the spans of the runs of capitalised proper nouns, separated by a blank or a hyphen."""
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
    """Return whether *token* after a sentence's first word makes that a name: a verb, *'s* or *and*."""
    return token.tag.startswith(("VBD", "VBZ", "VBP", "MD", "POS")) or token.text.lower() in {
        "and",
        "'s",
        "’s",
    }


def _labels(tokens: Sequence[Token], after: int) -> bool:
    """Return whether a capital letter follows, so that the word before is a label: Tribe R, Town F."""
    if after >= len(tokens):
        return False
    follower = tokens[after]
    return len(follower.text) == 1 and follower.text.isupper() and follower.tag != "PRP"


def _nltk_words(corpus: str, files: Sequence[str]) -> list[str]:
    """Return the lines of an NLTK word list, none if its data is not installed."""
    from nltk import corpus as corpora

    try:
        return list(getattr(corpora, corpus).words(list(files)))
    except LookupError:
        return []
