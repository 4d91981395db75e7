"""Contexts in which a word and its antonym do not exclude each other, even in sentences about one event.

What is asserted of something excludes its opposite: *the page is easy to use*, *a tall man sleeps*.  What
only picks out what is spoken of does not: there are *small entities* and large ones, *the new system* and
the old one, *a page that is easy to use* and others, *my son* and my daughter.  The rules go by the
position of the word in its noun phrase and clause (Quirk et al., 1985, sections 7.20-7.43 on attributive
and predicative adjectives, 5.26-5.58 on reference), and by what is known of the pair: adjectives that
classify (*local*, *national*) divide things in more than two.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from crossexam.language.assertion import is_scene, unasserted
from crossexam.language.lexicons.adjective_classes import PREDICATIVE_ONLY, class_of
from crossexam.language.lexicons.antonym_kinds import antonym_kind, has_other_sense
from crossexam.language.lexicons.closed_classes import AUXILIARIES, PERSONAL_PRONOUNS
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE, OF_LIVING, NounKind
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.monotonicity.polarity import ORDERING, polarity_at
from crossexam.language.monotonicity.spans import clause_end, clause_start, sentence_of, text_bounds
from crossexam.language.noun_phrases import NounPhrase, noun_phrases
from crossexam.language.nouns import animacy, clashes_with_noun, concrete_kind, gender, is_relative
from crossexam.language.tokens import Token
from crossexam.language.word_senses import is_often_relational

# Adjectives of order and time: what comes first does not exclude what comes last (Quirk et al., 7.35).
_REMEMBERED: Final = 1 << 14  # words

_ORDER_AND_TIME: Final = ORDERING | frozenset(
    "early late middle former latter future past present previous recent current prior later earlier final "
    "initial subsequent".split()
)
# What is also, or otherwise, so leaves room for the opposite (Quirk et al., 8.121).
_ADDITIVE: Final = frozenset("also too besides another either both fewer less".split())
_OTHERS: Final = frozenset({"other", "others"})  # among other things
# Verbs that link a subject with what is said of it (Quirk et al., 16.21).
_LINKING: Final = frozenset(
    "be is are am was were been being 's 're 'm "
    "seem look looks looked become becomes became feel feels felt "
    "get gets got remain remains remained stay stays stayed taste tastes tasted smell smells smelled sound "
    "sounds sounded appear appears appeared grow grew go goes went turn turns turned".split()
)
# A relative clause picks out what is spoken of, unless a comma precedes it (Quirk et al., 17.22).
_RELATIVE: Final = frozenset({"WDT", "WP", "WP$", "WRB"})
_NEWLY: Final = "new"  # newly come, so that its opposite is the former one (Quirk et al., 7.43)
_TIMES: Final = frozenset({"time_period.n.01", "time_unit.n.01"})
# After these, "of" is followed by what is measured, which may be more or less of both.
_MEASURES: Final = frozenset(
    "degree rate extent level amount measure risk chance chances likelihood possibility probability kind "
    "sort type".split()
)
_AMOUNTS: Final = frozenset("number amount deal lot bit".split())  # a good number of
_PARTIAL: Final = frozenset("some many most certain several few".split())
# Before "of", what some of a kind are, and others not: a lot of, one of (Quirk et al., 5.25, 6.48).
_PARTS: Final = frozenset("lot lots plenty one part parts half".split())
# What may be, or should be, is not yet so (Huddleston and Pullum, 2002, chapter 3, on lexical modals).
_MODAL_ADJECTIVES: Final = frozenset("possible necessary likely probable required needed".split())
# Adjectives whose complement their antonyms do not take: *near from*, *unlimited to* (Quirk et al., 16.69).
_WITH_COMPLEMENT: Final = frozenset({"distinct", "far", "limited"})
_PERCEIVED: Final = frozenset("look looks looked sound sounds sounded feel feels felt seem seems".split())
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
    if not _ADDITIVE.isdisjoint(words) or ("among" in words and not _OTHERS.isdisjoint(words)):
        yield "additive or comparative word"
    if any(words[k] in _PARTIAL and tokens[k - 1].tag == "IN" for k in range(1, len(words))):
        yield "in some cases only"
    if _is_under_modal_adjective(tokens, position):
        yield "modal, conditional or reported"
    if _is_in_relative_clause(tokens, position):
        yield "in a restrictive clause"
    if polarity_at(tokens, position).direction != "up":
        yield "not in an upward monotone context"
    yield from unasserted(tokens, position, wordnet)
    phrase = next((p for p in noun_phrases(tokens) if p.start <= position <= p.head), None)
    if tokens[position].tag.startswith("JJ"):
        yield from _adjective_doubts(wordnet, tokens, position, phrase, pair, opposed)
    else:
        yield from _noun_doubts(wordnet, tokens, position, phrase, pair, opposed)


def _adjective_doubts(
    wordnet: WordNet,
    tokens: Sequence[Token],
    position: int,
    phrase: NounPhrase | None,
    pair: tuple[str, str],
    opposed: bool,
) -> Iterator[str]:
    if _has_complement(tokens, position):  # a phrase to the tags: busy packing boxes
        yield "with a complement that may choose another sense"
    if phrase is not None and _is_compared(tokens, phrase):
        yield "comparison"
    if phrase is None or position == phrase.head:
        yield from _predicate_doubts(wordnet, tokens, position, pair, opposed)
    else:
        yield from _attribute_doubts(wordnet, tokens, position, phrase, pair, opposed)


def _predicate_doubts(
    wordnet: WordNet, tokens: Sequence[Token], position: int, pair: tuple[str, str], opposed: bool
) -> Iterator[str]:
    subject = _subject(tokens, position)
    if not _is_predicate(tokens, position):
        yield "neither before a noun nor after a linking verb"
    elif pair[1] in OF_LIVING and not _may_be_living(subject, wordnet):
        yield "the antonym does not go with the noun"
    elif not opposed:
        yield "adjectives that may both be right"
    elif subject is not None and has_other_sense(*pair, _kind(subject.text.lower(), wordnet)):
        yield "word with another sense"
    elif _is_said_of_some(tokens, position):
        yield "in some cases only"


def _attribute_doubts(
    wordnet: WordNet,
    tokens: Sequence[Token],
    position: int,
    phrase: NounPhrase,
    pair: tuple[str, str],
    opposed: bool,
) -> Iterator[str]:
    head = tokens[phrase.head].text.lower()
    noun = next(iter(wordnet.lemmas_of(head, "n")), head)
    kind, antonym = animacy(head, wordnet), pair[1]
    clashes = clashes_with_noun(antonym, noun, wordnet) and class_of(antonym) == "age"
    if clashes or (kind == "thing" and antonym in OF_LIVING):
        yield "the antonym does not go with the noun"
    if antonym in PREDICATIVE_ONLY:
        yield "antonym only after a verb"
    if has_other_sense(*pair, _kind(head, wordnet), attributive=True):
        yield "word with another sense"
    if _is_unknown(tokens[phrase.head], wordnet):
        yield "before an unknown word"
    if is_often_relational(wordnet, tokens[position].text.lower()):
        yield "classifying adjective"
    if _is_attribute_of_subject(tokens, phrase):
        if not opposed:
            yield "adjectives that may both be right"
        elif not _is_the(tokens, phrase) and _is_said_of_some(tokens, phrase.start):
            yield "in some cases only"
        return
    if noun in _AMOUNTS:
        yield "what is measured"
    if not opposed:
        yield "classifying adjective"
    if _NEWLY in pair and (kind != "thing" or not is_scene(tokens)):
        yield "order or time"
    if _is_one_of_many(tokens, phrase):
        yield "in some cases only"
    if _is_generic(tokens, phrase, wordnet):
        yield "noun phrase without a determiner"
    elif kind == "person":
        if _is_of_any(tokens, phrase):
            yield "in some cases only"
        if _is_possessed(tokens, phrase) or (_is_the(tokens, phrase) and not is_scene(tokens)):
            yield "restrictive adjective"
    elif kind == "thing" and (tokens[phrase.head].tag == "NNS" or _is_definite(tokens, phrase, antonym)):
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
    if _is_one_of_many(tokens, phrase):
        yield "in some cases only"
    possessed = _is_possessed(tokens, phrase)
    several = tokens[position].tag == "NNS" and not _is_counted(tokens, phrase)
    another = _is_new_object(tokens, phrase)
    if (possessed or several or another) and any(is_relative(each) for each in lemmas):
        yield "one of several relatives"
    elif antonym_kind(*pair) == "relational" and (possessed or gender(word, wordnet) is None):
        yield "the other end of a relation"
    if animacy(word, wordnet) != "person" and (tokens[position].tag == "NNS" or _is_counted(tokens, phrase)):
        yield "things that can both be present"


@lru_cache(_REMEMBERED)
def _is_time(noun: str, wordnet: WordNet) -> bool:
    return not _TIMES.isdisjoint(map(wordnet.name, wordnet.closure(*wordnet.synsets(noun, "n")[:1])))


def _is_predicate(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the adjective at *position* follows a linking verb, with only adverbs between."""
    k = position - 1
    while k >= 0 and tokens[k].tag in {"RB", "CC", "JJ", ","}:
        k -= 1
    return k >= 0 and tokens[k].text.lower() in _LINKING


def _subject(tokens: Sequence[Token], position: int) -> Token | None:
    """Return the noun or pronoun before the predicate at *position*, the nearest without preposition."""
    for k in range(position - 1, -1, -1):
        if tokens[k].tag == "PRP" or (
            tokens[k].tag == "DT" and not tokens[k + 1].tag.startswith(("NN", "JJ"))
        ):
            start = k
        elif tokens[k].tag.startswith("NN"):
            start = next((p.start for p in noun_phrases(tokens) if p.head == k), k)
        else:
            continue
        if start == 0 or tokens[start - 1].tag not in {"IN", "TO"}:
            return tokens[k]
    return None


def _kind(word: str, wordnet: WordNet) -> NounKind | None:
    """Return what *word*, inflected or not, names; None if nothing concrete."""
    living = animacy(word, wordnet)
    return living if living != "thing" else concrete_kind(wordnet.morphy(word, "n") or word, wordnet)


def _may_be_living(nominal: Token | None, wordnet: WordNet) -> bool:
    """Return whether *nominal* may name a person or animal."""
    if nominal is None or nominal.tag.startswith("NNP"):
        return True
    word = nominal.text.lower()
    return word in PERSONAL_PRONOUNS - {"it"} or animacy(word, wordnet) != "thing"


def _is_unknown(noun: Token, wordnet: WordNet) -> bool:
    """Return whether WordNet lacks a common noun in any form, so that it may be misspelt."""
    word = noun.text
    return word.islower() and word.isalpha() and not wordnet.lemmas_of(word)


def _is_compared(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what something is like, and not, as in *it looks like a lake*, is."""
    like = phrase.start - 1
    if like < 0 or tokens[like].text.lower() not in {"like", "unlike"} or tokens[like].tag != "IN":
        return False
    return like == 0 or tokens[like - 1].text.lower() not in _PERCEIVED


def _is_under_modal_adjective(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a predicate such as *is necessary* precedes *position*, or is that of its clause."""
    sentence = sentence_of(tokens, None)
    if _MODAL_ADJECTIVES.isdisjoint(sentence.words):
        return False
    start, _ = text_bounds(sentence, position)
    return any(
        sentence.word(k) in _MODAL_ADJECTIVES and k != position and _is_predicate(tokens, k)
        for k in range(start, clause_end(sentence, position))
    )


def _is_said_of_some(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a word before *position*, in its clause, restricts it to some: *a lot of them*."""
    start = clause_start(sentence_of(tokens, None), position)
    clause = [token.text.lower() for token in tokens[start:position] if token.tag != "RBS"]
    return not _PARTIAL.isdisjoint(clause) or any(
        word in _PARTS and following == "of" for word, following in itertools.pairwise(clause)
    )


def _is_attribute_of_subject(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what is said of a subject: *it is a good way*."""
    before = phrase.start - 1
    while before >= 0 and tokens[before].tag == "RB":
        before -= 1
    is_linked = before >= 0 and tokens[before].text.lower() in _LINKING
    while before >= 0 and (tokens[before].tag.startswith("VB") or tokens[before].tag in {"RB", "MD"}):
        before -= 1
    is_existential = before >= 0 and tokens[before].text.lower() == "there"
    return is_linked and not is_existential and not _is_auxiliary(tokens, phrase.head)


def _is_auxiliary(tokens: Sequence[Token], head: int) -> bool:
    """Return whether a finite verb follows the noun, whose linking verb was then another clause's."""
    return head + 1 < len(tokens) and tokens[head + 1].text.lower() in AUXILIARIES


def _is_generic(tokens: Sequence[Token], phrase: NounPhrase, wordnet: WordNet) -> bool:
    """Return whether *phrase* has no determiner, though it does not open a caption, as in *young man*."""
    if any(tokens[k].tag != "WDT" for k in phrase.determiners):  # "which women" is a clause to the tags
        return False
    head = tokens[phrase.head]
    starts = phrase.start == 0 and head.tag == "NN" and animacy(head.text.lower(), wordnet) != "thing"
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 1) : phrase.start]]
    inside = [token.text.lower() for token in tokens[phrase.start : phrase.head]]
    quantified = not {"several", "some", "many"}.isdisjoint((*before, *inside))
    return not (starts or quantified or _is_of_group(tokens, phrase))


def _is_of_any(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* names anybody, as in *stories impress a young person* (Quirk et al., 5.52).

    That is, if it is indefinite, and a bare noun phrase is the subject of a verb in the simple present, or is
    said to exist: *there are risks for a young person*.  Such a sentence states what is usual.
    """
    if tokens[phrase.head].tag != "NN" or not _is_counted(tokens, phrase) or is_scene(tokens):
        return False
    sentence = sentence_of(tokens, None)
    start, _ = text_bounds(sentence, phrase.head)
    verb = next((k for k in range(start, phrase.start) if sentence.is_finite(k)), None)
    if verb is None or sentence.tag(verb) not in {"VBP", "VBZ"} or sentence.tag(start) in {"DT", "PRP"}:
        return False
    subject = next((p for p in noun_phrases(tokens) if start <= p.start), phrase)
    return (
        subject.start < phrase.start
        and not subject.determiners
        and sentence.tag(subject.head) in {"NN", "NNS"}
    )


def _is_new_object(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* introduces somebody after the subject, outside of a scene: *has a son*."""
    return phrase.start > 0 and _is_counted(tokens, phrase) and not is_scene(tokens)


def _is_of_group(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* says who a group consists of: *a crowd of young men*."""
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    return before[1:] == ["of"] and before[0] in GROUPS_OF_PEOPLE


def _is_definite(tokens: Sequence[Token], phrase: NounPhrase, adjective: str) -> bool:
    """Return whether the definite *phrase* may be chosen by its adjective; a colour only describes it."""
    possessed = tokens[phrase.start].tag in _POSSESSIVE
    return _is_the(tokens, phrase) or (possessed and class_of(adjective) != "colour")


def _is_the(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return tokens[phrase.start].text.lower() == "the"


def _is_possessed(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return any(tokens[k].tag in _POSSESSIVE for k in phrase.determiners)


def _has_complement(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a predicate has a complement: *is busy packing boxes*, *is bad because*, *far from*."""
    if position + 1 == len(tokens) or not _is_predicate(tokens, position):
        return False
    following = tokens[position + 1]
    if tokens[position].text.lower() in _WITH_COMPLEMENT:
        return following.tag[:1].isalpha() and following.tag != "CC"
    return following.tag == "VBG" or following.text.lower() in {"for", "because"}


def _is_one_of_many(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* is an indefinite plural outside of a scene: some men stay, and some women."""
    if not tokens[phrase.head].tag.endswith("S") or is_scene(tokens):
        return False
    first = tokens[phrase.start]
    counted = any(tokens[k].tag == "CD" for k in phrase.determiners)
    fixed = counted or _is_possessed(tokens, phrase) or _is_of_group(tokens, phrase)
    return not fixed and first.text.lower() not in {"the", "these", "those"}


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
