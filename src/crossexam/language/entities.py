"""Persons, places and organizations in a sentence (Naik et al., 2018, section 3.1, footnote on AQuA).

The paper keeps the word problems that mention one, since the others "mostly deal with abstract concepts";
its script takes PERSON, LOCATION and ORGANIZATION from Stanford's named entity recognizer.  Here a spaCy
pipeline recognizes them if one is given, otherwise proper nouns by their tag with lists of names: those of
the package (``lexicons/names.txt``) and WordNet's instances.  The lists are less complete, and the kind of an
unknown name is a guess, but they exclude "Train A", "Rs", "Monday" and "Find".

At the beginning of a sentence, where every word is capitalised, a word is a name if it is listed and not an
ordinary word (Shweta, London); a listed word that is one too (Mark, Rose, Penny) must be tagged as a proper
noun, and a verb, "'s" or "and" must follow.  Elsewhere the tag decides, or the lists for words that the
tagger takes for ordinary ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Protocol

from crossexam.language.lexicons.closed_classes import ARTICLES, INDEFINITE_ARTICLES
from crossexam.language.lexicons.proper_names import (
    MORE_NAMES,
    MOSTLY_NAMES,
    NAMES,
    NAMES_VERSION,
    NOT_ENTITIES,
    NOT_ORGANIZATIONS,
    ORGANIZATION_ENDS,
    PERSON_BEGINNINGS,
    PLACE_BEGINNINGS,
    PLACE_ENDS,
    TITLES,
)
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.remembered import SENTENCES, remembered
from crossexam.language.tagging.spacy_pipeline import load_pipeline, name_and_pipeline, pipeline_name
from crossexam.language.tokens import Span, Token, words

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
_FIRST_NAMES: Final = (
    NAMES["first names"] | NAMES["first names that are also words"] | MORE_NAMES["first names"]
)
_SURNAMES: Final = NAMES["surnames"] | MORE_NAMES["surnames"]
_PLACES: Final = (
    NAMES["countries"]
    | NAMES["regions"]
    | NAMES["cities"]
    | MORE_NAMES["countries"]
    | (MORE_NAMES["cities"] - _FIRST_NAMES)
)
_BEFORE_PLACES: Final = frozenset({"in", "near", "from", "at", "to"})
_COMPANY: Final = frozenset({"company", "corporation", "inc", "ltd", "university", "bank", "party"})
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
        """Its name in signatures: ``lists:wordnet-3.0+names-0a1b2c3d``, ``spacy:en_core_web_sm-3.8.0``."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Read a chunk of texts at once if that is cheaper; optional."""

    def entities(self, text: str, tokens: Sequence[Token] = ()) -> tuple[Entity, ...]:
        """Return the entities of *text* in order; *tokens* are its tagged tokens, if there are any."""


class SpacyEntities:
    """The named entity recognizer of the spaCy pipeline *pipeline*."""

    def __init__(self, pipeline: str) -> None:
        self._nlp = load_pipeline(pipeline, {"doc.ents"}, "entity recognizer")
        self.name = pipeline_name(self._nlp)
        self._chunk: dict[str, tuple[Entity, ...]] = {}
        self._single = remembered(SENTENCES)(lambda text: _entities_of(self._nlp(text)))

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
        for first, last in self._runs(text, tokens):
            found += self._in_run(tokens, first, last)
        return tuple(found)

    def _runs(self, text: str, tokens: Sequence[Token]) -> list[Span]:
        """Return the spans of the runs of proper nouns, separated by a blank or a hyphen."""
        tagged = any(token.tag for token in tokens)
        runs: list[Span] = []
        for index, token in enumerate(tokens):
            if not token.text[0].isupper() or not (
                self._is_proper(token) if tagged else token.text.isalpha()
            ):
                continue
            if runs and runs[-1][1] == index and text[tokens[index - 1].end : token.start] in {"", " ", "-"}:
                runs[-1] = (runs[-1][0], index + 1)
            else:
                runs.append((index, index + 1))
        return runs

    def _is_proper(self, token: Token) -> bool:
        """Return whether *token* is a proper noun by its tag, or by the lists unless it is ordinary."""
        if token.tag.startswith("NNP"):
            return True
        listed = self._lists.is_listed(token.text) and not self._lists.is_ordinary(token.text)
        return listed and self._lists.may_be_name(token.text)

    def _in_run(self, tokens: Sequence[Token], first: int, last: int) -> list[Entity]:
        """Return the entities in the run of proper nouns tokens[first:last]."""
        run = [token.text for token in tokens[first:last]]
        after_a = first > 0 and tokens[first - 1].text.lower() in INDEFINITE_ARTICLES
        if after_a and len(run) > 1 and all(self._lists.is_class(word, rare=True) for word in run):
            return []  # a Book Store
        kind = self._lists.kind_of_phrase(run, heads=_heads_of_phrase(tokens, last))
        if kind:
            return [Entity(tokens[first].start, tokens[last - 1].end, kind)]
        found: list[Entity] = []
        at = first
        while at < last:
            end, kind = self._longest_listed(tokens, at, last)
            if end is None:
                end, kind = at + 1, self._kind_of_word(tokens, at, last)
                while kind == "PERSON" and end < last and self._lists.may_continue(tokens[end].text):
                    end += 1
            if kind:
                found.append(Entity(tokens[at].start, tokens[end - 1].end, kind))
            at = end
        return found

    def _longest_listed(
        self, tokens: Sequence[Token], at: int, last: int
    ) -> tuple[int | None, EntityKind | None]:
        """Return the end and the kind of the longest listed name of several words that begins at *at*."""
        for end in range(last, at + 1, -1):
            kind = self._lists.listed_phrase([token.text for token in tokens[at:end]])
            if kind:
                return end, kind
        return None, None

    def _kind_of_word(self, tokens: Sequence[Token], at: int, last: int) -> EntityKind | None:
        """Return what the word tokens[at], of a run that ends at *last*, names; None if it is not a name."""
        word, tag = tokens[at].text, tokens[at].tag
        if _labels(tokens, at + 1):
            return None
        if _is_acronym(word):
            return self._kind_of_acronym(tokens, at)
        if not self._lists.may_be_name(word):
            return None
        before = tokens[at - 1].text.lower() if at else ""
        known = self._lists.kind_of_word(word, in_place=before in _BEFORE_PLACES)
        if _begins_sentence(tokens, at):
            if known and not self._lists.is_ordinary(word):
                return known
            acts = last < len(tokens) and _acts(tokens[last])
            return (known or self._guess(word, "", rare=True)) if acts else None
        if known or tag == "NNPS" or word.endswith("ians"):
            return known
        return self._guess(word, before, rare=before in ARTICLES)

    def _guess(self, word: str, before: str, *, rare: bool) -> EntityKind | None:
        """Return what the unlisted *word* names to judge by the word *before* it; None if it is a class."""
        if self._lists.is_class(word, rare=rare):
            return None
        return "LOCATION" if before in {"in", "near", "from"} else "PERSON"

    def _kind_of_acronym(self, tokens: Sequence[Token], at: int) -> EntityKind | None:
        """Return what the capitals tokens[at] name: by the lists, or an organization by the words around."""
        letters = tokens[at].text.replace(".", "")
        if letters.lower() in NAMES["place acronyms"]:
            return "LOCATION"
        if letters.lower() in NAMES["acronyms"]:
            return "ORGANIZATION"
        before = tokens[at - 1].text if at else ""
        after = tokens[at + 1].text.lower() if at + 1 < len(tokens) else ""
        if after in _COMPANY:
            return "ORGANIZATION"
        alone = before in {"the", "The"} and len(letters) > 2  # not in a text in capitals: "THE QRTZ"
        return "ORGANIZATION" if alone and letters.lower() not in NOT_ORGANIZATIONS else None


class NameLists:
    """The lists of names of the package and WordNet's; *version* names them in signatures."""

    def __init__(self) -> None:
        self.version = f"{wordnet().version}+names-{NAMES_VERSION}"
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
        """Return whether *word* may continue a name: a surname, II, an initial with its full stop."""
        initial = len(word) == 2 and word[0].isupper() and word[1] == "."
        return initial or word in {"II", "III", "IV"} or self.may_be_name(word)

    def kind_of_phrase(self, words: Sequence[str], *, heads: bool = False) -> EntityKind | None:
        """Return what the run *words* names, by its first or last word; None if these do not show it.

        A run that *heads* a phrase goes on with "of", so that one word is enough: University of X.
        """
        first, last = words[0].lower().rstrip("."), words[-1].lower().rstrip(".")
        several = len(words) > 1
        if several and (listed := self.listed_phrase(words)):
            return listed
        if not (several or heads):
            return None
        if len(words[-1]) < 2:
            return "PERSON" if first in TITLES else None
        if last in ORGANIZATION_ENDS or self._is_team(words):
            return "ORGANIZATION"
        if several and first in TITLES | PERSON_BEGINNINGS:
            return "PERSON"
        named = first in PLACE_BEGINNINGS and not self.is_class(words[-1])
        return "LOCATION" if last in PLACE_ENDS or named else None

    def listed_phrase(self, words: Sequence[str]) -> EntityKind | None:
        """Return what *words* together name according to a list: New York, Red Cross; None if none does."""
        phrase = " ".join(words).lower()
        if phrase in _PLACES or self._instance_kind(phrase.replace(" ", "_")) == "LOCATION":
            return "LOCATION"
        return "ORGANIZATION" if phrase in NAMES["organizations"] else None

    def _is_team(self, words: Sequence[str]) -> bool:
        """Return whether *words* are a place and its team: Detroit Pistons."""
        return words[-1].lower() in NAMES["teams"] and " ".join(words[:-1]).lower() in _PLACES

    def is_listed(self, word: str) -> bool:
        """Return whether *word* is in the package's lists of first names, places or organizations."""
        lower = word.lower()
        return lower in _FIRST_NAMES or lower in _PLACES or lower in NAMES["organizations"]

    def kind_of_word(self, word: str, *, in_place: bool = False) -> EntityKind | None:
        """Return what *word* alone names, None if it is in no list; after "in", Florence is a place."""
        lower = word.lower()
        if lower in _PLACES and (in_place or lower not in _FIRST_NAMES):
            return "LOCATION"
        if lower in _FIRST_NAMES:
            return "PERSON"
        if lower in NAMES["organizations"]:
            return "ORGANIZATION"
        return "PERSON" if lower in _SURNAMES else self._instance_kind(lower)

    def is_ordinary(self, word: str) -> bool:
        """Return whether *word* is an ordinary one too, met by WordNet's annotators: rose, not anna."""
        return word.lower() not in MOSTLY_NAMES and self._is_met(word)

    def is_class(self, word: str, *, rare: bool = False) -> bool:
        """Return whether *word* is a class: dog, Monday, Japanese; with *rare* also anna, an old coin."""
        forms = set(wordnet().lemmas_of(word))
        classes = (s for s in wordnet().synsets(word) if not wordnet().instance_hypernyms(s))
        lemmas = [lemma for s in classes for lemma in wordnet().lemmas(s) if lemma.lower() in forms]
        return self._is_met(word) or any(rare or lemma[0].isupper() for lemma in lemmas)

    def _is_met(self, word: str) -> bool:
        forms = set(wordnet().lemmas_of(word))
        return any(
            wordnet().tag_count(synset, lemma)
            for synset in wordnet().synsets(word)
            for lemma in wordnet().lemmas(synset)
            if lemma in forms
        )

    def _instance_kind(self, lemma: str) -> EntityKind | None:
        """Return the kind of the first synset of *lemma* that is an instance of one."""
        if lemma not in self._kinds:
            synsets = wordnet().synsets(lemma, "n")
            senses = [wordnet().instance_hypernyms(synset) for synset in synsets]
            if not any(senses) or (not senses[0] and self._is_met(lemma)):
                senses = []  # kid: the animal comes before Thomas Kyd
            kinds = [self._kind_above(parents) for parents in senses if parents]
            self._kinds[lemma] = next((kind for kind in kinds if kind), None)
        return self._kinds[lemma]

    def _kind_above(self, synsets: Iterable[int]) -> EntityKind | None:
        above = wordnet().closure(*synsets)
        return next((self._roots[synset] for synset in above if synset in self._roots), None)

    @cached_property
    def _roots(self) -> dict[int, EntityKind]:
        nouns = {name: wordnet().synsets(name.partition(".")[0], "n") for name in _ROOTS}
        return {s: _ROOTS[name] for name, ids in nouns.items() for s in ids if wordnet().name(s) == name}


#: What makes each recognizer; only spaCy's is given an argument, its pipeline.
RECOGNIZERS: Final[dict[str, Callable[..., EntityRecognizer]]] = {
    "auto": ListedEntities,
    "lists": ListedEntities,
    "spacy": SpacyEntities,
}


def resolve_recognizer(spec: str = "auto") -> EntityRecognizer:
    """Return the recognizer that *spec* names: ``auto`` (the lists), ``lists``, ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for any other name, MissingExtraError if spaCy is not installed, and
    CrossexamError if the pipeline recognizes no entities.
    """
    name, pipeline = name_and_pipeline("entity recognizer", spec, RECOGNIZERS)
    return RECOGNIZERS[name](*pipeline)


def _entities_of(doc: Any) -> tuple[Entity, ...]:
    found = [(span.start_char, span.end_char, KINDS.get(span.label_)) for span in doc.ents]
    return tuple(Entity(start, end, kind) for start, end, kind in found if kind)


def _is_acronym(word: str) -> bool:
    letters = word.replace(".", "")
    return 2 <= len(letters) <= 5 and letters.isalpha() and letters.isupper()


def _heads_of_phrase(tokens: Sequence[Token], last: int) -> bool:
    """Return whether "of" and a capitalised word follow: University of California."""
    follows = tokens[last : last + 2]
    return len(follows) == 2 and follows[0].text == "of" and follows[1].text[0].isupper()


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
