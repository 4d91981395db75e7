"""Contexts in which a word and its antonym do not exclude each other, even in sentences about one event.

What is asserted of something excludes its opposite: *the page is easy to use*, *a tall man sleeps*.  What
only picks out what is spoken of does not: there are *small entities* and large ones, *the new system* and the
old one, *a page that is easy to use* and others, *my son* and my daughter.  The rules go by the position of
the word in its noun phrase and clause (Quirk et al., 1985, sections 7.20-7.43 on attributive and predicative
adjectives, 5.26-5.58 on reference), and by what is known of the pair: adjectives that classify (*local*,
*national*) divide things in more than two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.antonym_kinds import antonym_kind
from crossexam.language.lexicons.closed_classes import AUXILIARIES
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.monotonicity.polarity import ORDERING, polarity_at
from crossexam.language.noun_phrases import NounPhrase, noun_phrases
from crossexam.language.nouns import animacy, clashes_with_noun, is_relative
from crossexam.language.tokens import Token

# Adjectives of order and time: what comes first does not exclude what comes last (Quirk et al., 7.35).
_ORDER_AND_TIME: Final = ORDERING | frozenset(
    "early late middle former latter future past present previous recent current prior later earlier final "
    "initial subsequent".split()
)
# What is also, or otherwise, so leaves room for the opposite (Quirk et al., 8.121).
_ADDITIVE: Final = frozenset("also too besides another either both fewer less".split())
# Verbs that link a subject with what is said of it (Quirk et al., 16.21).
_LINKING: Final = frozenset(
    "be is are am was were been being 's 're 'm "
    "seem look looks looked become becomes became feel feels felt "
    "get gets got remain remains remained stay stays stayed taste tastes tasted smell smells smelled sound "
    "sounds sounded appear appears appeared grow grew go goes went turn turns turned".split()
)
# A relative clause picks out what is spoken of, unless a comma precedes it (Quirk et al., 17.22).
_RELATIVE: Final = frozenset({"WDT", "WP", "WP$", "WRB"})
_NEGATIVE: Final = ("un", "in", "im", "il", "ir", "dis", "non", "a")
_TIMES: Final = frozenset({"time_period.n.01", "time_unit.n.01"})
# After these, "of" is followed by what is measured, which may be more or less of both.
_MEASURES: Final = frozenset(
    "degree rate extent level amount measure risk chance chances likelihood possibility probability kind "
    "sort type".split()
)
_AMOUNTS: Final = frozenset("number amount deal lot bit".split())  # a good number of
_PARTIAL: Final = frozenset("some many most certain several few".split())
_POSSESSIVE: Final = frozenset({"PRP$", "POS"})


def context_doubts(
    wordnet: WordNet, tokens: Sequence[Token], position: int, pair: tuple[str, str], *, opposed: bool
) -> Iterator[str]:
    """Yield the reasons why the lemma at *position* and its antonym, a *pair*, may both be right here.

    *opposed*: whether they exclude each other when said of one thing (:func:`are_opposed`).
    """
    words = [token.text.lower() for token in tokens]
    if not _ORDER_AND_TIME.isdisjoint(pair):
        yield "order or time"
    if not _ADDITIVE.isdisjoint(words):
        yield "additive or comparative word"
    if any(words[k] in _PARTIAL and tokens[k - 1].tag == "IN" for k in range(1, len(words))):
        yield "in some cases only"
    if _is_in_relative_clause(tokens, position):
        yield "in a restrictive clause"
    if polarity_at(tokens, position).direction != "up":
        yield "not in an upward monotone context"
    phrase = next((p for p in noun_phrases(tokens) if p.start <= position <= p.head), None)
    if tokens[position].tag.startswith("JJ"):
        yield from _adjective_doubts(wordnet, tokens, position, phrase, opposed, pair[1])
    else:
        yield from _noun_doubts(wordnet, tokens, position, phrase, pair, opposed)


def are_opposed(word: str, other: str) -> bool:
    """Return whether two antonyms exclude each other: as a known pair, colours, or one negating the other.

    >>> are_opposed("hot", "cold"), are_opposed("useful", "useless"), are_opposed("local", "national")
    (True, True, False)
    """
    if antonym_kind(word, other) != "unknown" or class_of(word) == class_of(other) == "colour":
        return True
    short, long = sorted((word, other), key=len)
    stem = {word.removesuffix("ful"), other.removesuffix("ful")} & {
        word.removesuffix("less"),
        other.removesuffix("less"),
    }
    return bool(stem - {word, other}) or any(long == prefix + short for prefix in _NEGATIVE)


def _adjective_doubts(
    wordnet: WordNet,
    tokens: Sequence[Token],
    position: int,
    phrase: NounPhrase | None,
    opposed: bool,
    antonym: str,
) -> Iterator[str]:
    if phrase is None or position == phrase.head:
        if not _is_predicate(tokens, position):
            yield "neither before a noun nor after a linking verb"
        elif not opposed:
            yield "adjectives that may both be right"
        elif any(token.text.lower() in _PARTIAL for token in tokens[:position]):
            yield "in some cases only"
        elif position + 1 < len(tokens) and tokens[position + 1].text.lower() == "for":
            yield "with a complement that may choose another sense"
        return
    head = tokens[phrase.head].text.lower()
    noun = next(iter(wordnet.lemmas_of(head, "n")), head)
    if clashes_with_noun(antonym, noun, wordnet) and class_of(antonym) == "age":
        yield "the antonym does not go with the noun"
    if _is_attribute_of_subject(tokens, phrase):
        return
    if noun in _AMOUNTS:
        yield "what is measured"
    if not opposed:
        yield "classifying adjective"
    if _is_generic(tokens, phrase, wordnet):
        yield "noun phrase without a determiner"
    elif animacy(head, wordnet) == "thing" and (
        tokens[phrase.head].tag == "NNS" or _is_definite(tokens, phrase, antonym)
    ):
        yield "restrictive adjective"


def _noun_doubts(
    wordnet: WordNet,
    tokens: Sequence[Token],
    position: int,
    phrase: NounPhrase | None,
    pair: tuple[str, str],
    opposed: bool,
) -> Iterator[str]:
    word = tokens[position].text.lower()
    lemmas = wordnet.lemmas_of(word, "n")
    if not opposed:
        yield "nouns that may both be right"
    if any(_is_time(each, wordnet) for each in lemmas):
        yield "a time"
    if phrase is None:
        yield "part of a possessive"
        return
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    if before[-1:] == ["of"] and before[0] in _MEASURES:
        yield "what is measured"
    if _is_generic(tokens, phrase, wordnet):
        yield "noun phrase without a determiner"
    possessed = any(tokens[k].tag in _POSSESSIVE for k in phrase.determiners)
    several = tokens[position].tag == "NNS" and not _is_counted(tokens, phrase)
    if (possessed or several) and any(is_relative(each) for each in lemmas):
        yield "one of several relatives"
    elif possessed and antonym_kind(*pair) == "relational":
        yield "the other end of a relation"
    if animacy(word, wordnet) != "person" and (tokens[position].tag == "NNS" or _is_counted(tokens, phrase)):
        yield "things that may both be there"


def _is_time(noun: str, wordnet: WordNet) -> bool:
    return not _TIMES.isdisjoint(map(wordnet.name, wordnet.closure(*wordnet.synsets(noun, "n")[:1])))


def _is_predicate(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the adjective at *position* follows a linking verb, with only adverbs between."""
    k = position - 1
    while k >= 0 and tokens[k].tag in {"RB", "CC", "JJ", ","}:
        k -= 1
    return k >= 0 and tokens[k].text.lower() in _LINKING


def _is_attribute_of_subject(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what is said of a subject: *it is a good way*."""
    before = phrase.start - 1
    while before >= 0 and tokens[before].tag == "RB":
        before -= 1
    subject = tokens[before - 1].text.lower() if before else ""
    is_linked = before >= 0 and tokens[before].text.lower() in _LINKING
    return is_linked and subject != "there" and not _is_auxiliary(tokens, phrase.head)


def _is_auxiliary(tokens: Sequence[Token], head: int) -> bool:
    """Return whether a finite verb follows the noun, whose linking verb was then another clause's."""
    return head + 1 < len(tokens) and tokens[head + 1].text.lower() in AUXILIARIES


def _is_generic(tokens: Sequence[Token], phrase: NounPhrase, wordnet: WordNet) -> bool:
    """Return whether *phrase* has no determiner, though it does not open a caption, as in *young man*."""
    if phrase.determiners:
        return False
    head = tokens[phrase.head]
    starts = phrase.start == 0 and head.tag == "NN" and animacy(head.text.lower(), wordnet) != "thing"
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    inside = [token.text.lower() for token in tokens[phrase.start : phrase.head]]
    quantified = not {"several", "some", "many"}.isdisjoint((*before[-1:], *inside))
    in_group = len(before) == 2 and before[1] == "of" and before[0] in GROUPS_OF_PEOPLE
    return not (starts or quantified or in_group)


def _is_definite(tokens: Sequence[Token], phrase: NounPhrase, adjective: str) -> bool:
    """Return whether the definite *phrase* may be chosen by its adjective; a colour only describes it."""
    first = tokens[phrase.start]
    return first.text.lower() == "the" or (first.tag in _POSSESSIVE and class_of(adjective) != "colour")


def _is_counted(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return any(tokens[k].text.lower() in {"a", "an"} or tokens[k].tag == "CD" for k in phrase.determiners)


def _is_in_relative_clause(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a relative pronoun, or *that* after a noun, without a comma precedes *position*."""
    for k in range(1, position):
        opens = tokens[k].tag in _RELATIVE or (
            tokens[k].text.lower() == "that" and tokens[k].tag in {"IN", "WDT"}
        )
        if opens and tokens[k - 1].tag != ",":
            return True
    return False
