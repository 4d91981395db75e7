"""What kind of thing a noun names, by WordNet: a person, an animal, a thing; an act or event."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

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
