"""Clauses whose swap may be no contradiction (see so_swap.py).

Each rule's name is the reason that the yield table counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crossexam.language.agreement import lemma_of
from crossexam.language.clauses import Clause, Phrase
from crossexam.language.dependencies import Parsed
from crossexam.language.lexicons.verb_kinds import (
    IDIOMS,
    LIGHT,
    MEASURE,
    MUTUAL,
    STATIVE_PARTICIPLES,
    SYMMETRIC,
    SYMMETRIC_ALWAYS,
)
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.noun_kinds import is_event, kind_of, noun_lemma

# fmt: off
_NEGATIONS: Final = frozenset((
    "not n't n’t no never nobody nothing none neither nor hardly scarcely barely rarely seldom cannot"
).split())
_MODALS: Final = frozenset("can could may might must shall should would ca".split())
_OTHERS: Final = frozenset("another other others one two three some each the a an this that same".split())
_GENERIC: Final = frozenset((
    "person people individual individuals human humans someone somebody one everyone everybody anyone "
    "anybody other others all adult adults audience crowd"
).split())
_MEASURES: Final = frozenset("part time day hour minute mile foot meter yard second lap".split())
# fmt: on


def doubts(parsed: Parsed, clause: Clause, wordnet: WordNet) -> Iterator[str]:
    """Yield why the swap of *clause* may be no contradiction: both sentences can hold."""
    words = [token.text.lower() for token in parsed.tokens]
    subject, thing = words[clause.subject.head], words[clause.object.head]
    if _is_negated(words, parsed, clause):
        yield "a negated clause"
    if any(words[k] in _MODALS for k in parsed.children(clause.verb, "aux")):
        yield "a modal verb"
    yield from _by_verb(lemma_of(words[clause.verb]), parsed, clause, wordnet, subject, thing)
    if "something" in {subject, thing}:
        yield "an indefinite phrase"
    if noun_lemma(wordnet, subject) == noun_lemma(wordnet, thing):
        own, other = (_content(words, phrase) for phrase in (clause.subject, clause.object))
        if own == other or not (own and other):
            yield "identical phrases"
    elif kind_of(wordnet, subject) == kind_of(wordnet, thing) == "person" and (
        (subject in _GENERIC) != (thing in _GENERIC)
    ):
        yield "one phrase may mean the other"


def _by_verb(
    verb: str, parsed: Parsed, clause: Clause, wordnet: WordNet, subject: str, thing: str
) -> Iterator[str]:
    """Yield the doubts that the *verb* raises, with the heads *subject* and *thing*."""
    kinds = kind_of(wordnet, subject), kind_of(wordnet, thing)
    noun = noun_lemma(wordnet, thing)
    if verb in SYMMETRIC_ALWAYS or (verb in SYMMETRIC and kinds[0] == kinds[1]):
        yield "a symmetric verb"
    if verb in MUTUAL and "thing" not in kinds:
        yield "each may do it to the other"
    if verb in MEASURE or (parsed.children(clause.object.head, "nummod") and noun in _MEASURES):
        yield "a quantity"
    light = verb in LIGHT and is_event(wordnet, noun)
    if light or f"{verb} {noun}" in IDIOMS or noun in {"way", "place"}:
        yield "the object is part of the predicate"
    if clause.voice == "passive" and verb in STATIVE_PARTICIPLES:
        yield "by says where"


def _is_negated(words: list[str], parsed: Parsed, clause: Clause) -> bool:
    beside = parsed.children(clause.verb)
    phrases = (clause.subject, clause.object)
    inside = [k for phrase in phrases for k in range(phrase.start, phrase.end)]
    return any(words[k] in _NEGATIONS for k in (*beside, *inside))


def _content(words: list[str], phrase: Phrase) -> frozenset[str]:
    """Return the words that set a phrase apart from another with the same head."""
    return frozenset(words[k] for k in range(phrase.start, phrase.end) if k != phrase.head) - _OTHERS
