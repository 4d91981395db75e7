"""What kind of thing a noun names, by WordNet: a person, an animal, a thing; an act or event.

What nouns are, for add_amod: which name something concrete, and what follows from the noun alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.adjectives import AdjectiveCounts
from crossexam.language.lexicons.noun_groups import (
    BABIES,
    KIN,
    KINDS,
    KNOWN,
    LARGE,
    NO_ENTITY,
    OF_LIVING,
    OF_THINGS,
    OLD,
    YOUNG,
    NounKind,
)
from crossexam.language.lexicons.wordnet import WordNet

_CACHED: Final = 1 << 13
#: Nouns for several people, for which WordNet has groups and not persons.
GROUPS_OF_PEOPLE: Final = frozenset(
    "group team crowd couple pair audience family band class army crew people police trio choir gang "
    "bunch duo quartet".split()
)
PERSONAL: Final = frozenset("he him she her it they them i me we us you".split())
INDEFINITE_PEOPLE: Final = frozenset("someone somebody everyone everybody others".split())


@lru_cache(maxsize=_CACHED)
def noun_lemma(wordnet: WordNet, noun: str) -> str:
    """Return the singular of *noun*, in lower case.

    >>> noun_lemma(WordNet.load(), "geese")
    'goose'
    """
    return next(iter(wordnet.lemmas_of(noun, "n")), noun)


@lru_cache(maxsize=_CACHED)
def kind_of(wordnet: WordNet, noun: str) -> str:
    """Return ``person`` (or a group of them), ``animal`` or ``thing`` for *noun*, by its first sense.

    >>> [kind_of(WordNet.load(), noun) for noun in ("men", "crowd", "horse", "bench")]
    ['person', 'person', 'animal', 'thing']
    """
    if noun in GROUPS_OF_PEOPLE | INDEFINITE_PEOPLE or noun in PERSONAL - {"it"}:
        return "person"
    above: set[str] = set()
    for lemma in wordnet.lemmas_of(noun, "n"):  # men: the work force, but also man
        above |= _above(wordnet, lemma) | ({"person.n.01"} if lemma in GROUPS_OF_PEOPLE else set())
    return next((kind for kind in ("person", "animal") if f"{kind}.n.01" in above), "thing")


@lru_cache(maxsize=_CACHED)
def is_event(wordnet: WordNet, noun: str) -> bool:
    """Tell whether *noun* in its first sense names an act or event.

    >>> is_event(WordNet.load(), "walk"), is_event(WordNet.load(), "horse")
    (True, False)
    """
    return bool({"act.n.02", "event.n.01"} & _above(wordnet, noun))


def is_verb(wordnet: WordNet, word: str) -> bool:
    """Tell whether *word* is the base form of a verb.

    >>> is_verb(WordNet.load(), "play"), is_verb(WordNet.load(), "umbrella")
    (True, False)
    """
    return word in wordnet.lemmas_of(word, "v")


def _above(wordnet: WordNet, lemma: str) -> set[str]:
    """Return the names of what the first sense of *lemma* is a kind of."""
    pending = list(wordnet.synsets(lemma, "n")[:1])
    seen: set[int] = set()
    while pending:
        synset = pending.pop()
        if synset not in seen:
            seen.add(synset)
            pending.extend(wordnet.hypernyms(synset))
    return {wordnet.name(synset) for synset in seen}


_CACHE_SIZE: Final = 1 << 14
_USUAL: Final = 0.6  # of a noun's adjectives: three in five that stand before "grass" are "green"
_ENOUGH: Final = 8


@lru_cache(maxsize=_CACHE_SIZE)
def noun_kind(noun: str, wordnet: WordNet) -> NounKind | None:
    """Return what a noun names by its commonest sense, None if nothing concrete with bounds of its own.

    >>> [noun_kind(noun, WordNet.load()) for noun in ("cook", "horse", "bench", "hand", "joy", "front")]
    ['person', 'animal', 'thing', None, None, None]
    """
    if noun in NO_ENTITY:
        return None
    if noun in KNOWN:
        return KNOWN[noun]
    above = {wordnet.name(synset) for synset in hypernyms_of(noun, wordnet)}
    return next((kind for name, kind in KINDS.items() if name in above), None)


@lru_cache(maxsize=_CACHE_SIZE)
def hypernyms_of(noun: str, wordnet: WordNet) -> frozenset[int]:
    """Return the first sense of *noun* and all that it is a kind of."""
    pending = list(wordnet.synsets(noun, "n")[:1])
    found = set(pending)
    while pending:
        new = set(wordnet.hypernyms(pending.pop())) - found
        found |= new
        pending.extend(new)
    return frozenset(found)


def is_one_kind_of_other(first: str, second: str, wordnet: WordNet) -> bool:
    """Tell whether one noun can stand for the other: "guy" and "man", "vehicle" and "truck"."""
    senses = (wordnet.synsets(first, "n")[:1], wordnet.synsets(second, "n")[:1])
    return not hypernyms_of(second, wordnet).isdisjoint(senses[0]) or not hypernyms_of(
        first, wordnet
    ).isdisjoint(senses[1])


@lru_cache(maxsize=_CACHE_SIZE)
def clashes_with_noun(adjective: str, noun: str, wordnet: WordNet) -> bool:
    """Tell whether the noun says already whether what it names is so: "young boy", "tall skyscraper".

    By a list, and by the definition of the noun's first sense: one that has the adjective or an antonym.
    Colours do not go with persons: "a white man" and "a white shirt" are no one colour.
    """
    kind = class_of(adjective)
    if kind == "colour" and noun_kind(noun, wordnet) == "person":
        return True
    if kind == "age" and noun in YOUNG | OLD:
        return True
    if (adjective in OF_THINGS) != (
        noun_kind(noun, wordnet) == "thing"
    ) and adjective in OF_THINGS | OF_LIVING:
        return True
    if kind == "size" and (noun in BABIES | LARGE or (noun in YOUNG and adjective in {"little", "tiny"})):
        return True
    return not defining_words(noun, wordnet).isdisjoint({adjective, *opposites(adjective, wordnet)})


@lru_cache(maxsize=_CACHE_SIZE)
def defining_words(noun: str, wordnet: WordNet) -> frozenset[str]:
    """Return the words of the definition of the first sense of *noun*."""
    senses = wordnet.synsets(noun, "n")[:1]
    text = " ".join(wordnet.definition(synset) for synset in senses)
    return frozenset(text.replace(",", " ").replace(";", " ").replace("(", " ").replace(")", " ").split())


@lru_cache(maxsize=_CACHE_SIZE)
def opposites(adjective: str, wordnet: WordNet) -> frozenset[str]:
    """Return the antonyms of *adjective* in any of its senses, those of similar adjectives too."""
    senses = wordnet.synsets(adjective, "a")
    heads = (
        head for synset in senses for head in wordnet.similar_to(synset) if wordnet.pos_of(synset) == "s"
    )
    found = (lemma for synset in (*senses, *heads) for _, lemma in wordnet.antonyms(synset))
    return frozenset(lemma.lower() for lemma in found)


@lru_cache(maxsize=_CACHE_SIZE)
def synonyms(adjective: str, wordnet: WordNet) -> frozenset[str]:
    """Return the adjectives of the synsets of *adjective*, without it."""
    found = {lemma.lower() for synset in wordnet.synsets(adjective, "a") for lemma in wordnet.lemmas(synset)}
    return frozenset(found - {adjective})


def is_usual(adjective: str, noun: str, table: AdjectiveCounts) -> bool:
    """Tell whether most of what stands before *noun* is *adjective*, so that the noun alone suggests it."""
    total = table.total(noun)
    return total >= _ENOUGH and table.count(adjective, noun) > _USUAL * total


def is_relative(noun: str) -> bool:
    """Tell whether *noun* names somebody by whose relative they are: their age bears on another's."""
    return noun in KIN
