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
from collections.abc import Iterator
from typing import Final

from crossexam.language.assertion import is_scene, unasserted
from crossexam.language.lexicons.adjective_classes import PREDICATIVE_ONLY, class_of
from crossexam.language.lexicons.antonym_kinds import are_ends, has_other_sense
from crossexam.language.lexicons.closed_classes import AUXILIARIES, BE_WITH_CLITICS, PERSONAL_PRONOUNS
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE, OF_LIVING, NounKind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.polarity import ORDERING, polarity_in
from crossexam.language.monotonicity.spans import TaggedSentence, clause_end, clause_start, text_bounds
from crossexam.language.noun_phrases import NounPhrase, noun_phrases
from crossexam.language.nouns import animacy, clashes_with_noun, concrete_kind, gender, is_relative
from crossexam.language.remembered import NEARBY, WORDS, remembered
from crossexam.language.tokens import Token
from crossexam.language.word_senses import is_often_relational

# Adjectives of order and time: what comes first does not exclude what comes last (Quirk et al., 7.35).

_ORDER_AND_TIME: Final = ORDERING | frozenset(
    "early late middle former latter future past present previous recent current prior later earlier final "
    "initial subsequent".split()
)
# What is also, or otherwise, so leaves room for the opposite (Quirk et al., 8.121).
_ADDITIVE: Final = frozenset("also too besides another either both fewer less".split())
_OTHERS: Final = frozenset({"other", "others"})  # among other things
# Verbs that link a subject with what is said of it (Quirk et al., 16.21).
_LINKING: Final = BE_WITH_CLITICS | frozenset(
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
    sentence: TaggedSentence, position: int, pair: tuple[str, str], *, opposed: bool
) -> Iterator[str]:
    """Yield the reasons why the lemma at *position* and its antonym, a *pair*, may both be right here.

    *opposed*: whether they exclude each other when said of one thing (:func:`are_opposed`).
    """
    if not _ORDER_AND_TIME.isdisjoint(pair):
        yield "order or time"
    yield from _sentence_doubts(sentence)
    if _is_under_modal_adjective(sentence, position):
        yield "modal, conditional or reported"
    if _first_relative(sentence) < position:
        yield "in a restrictive clause"
    if polarity_in(sentence, position).direction != "up":
        yield "not in an upward monotone context"
    yield from unasserted(sentence, position)
    phrase = next((p for p in _phrases(sentence) if p.start <= position <= p.head), None)
    if sentence.tags[position].startswith("JJ"):
        yield from _adjective_doubts(sentence, position, phrase, pair, opposed)
    else:
        yield from _noun_doubts(sentence, position, phrase, pair, opposed)


@remembered(NEARBY)
def _sentence_doubts(sentence: TaggedSentence) -> tuple[str, ...]:
    """Return the reasons that hold for every word of *sentence*."""
    words = sentence.words
    found = []
    if not _ADDITIVE.isdisjoint(words) or ("among" in words and not _OTHERS.isdisjoint(words)):
        found.append("additive or comparative word")
    partial = not _PARTIAL.isdisjoint(words) and range(1, len(words))
    if any(words[k] in _PARTIAL and sentence.tags[k - 1] == "IN" for k in partial or ()):
        found.append("in some cases only")
    return tuple(found)


@remembered(NEARBY)
def _phrases(sentence: TaggedSentence) -> tuple[NounPhrase, ...]:
    return tuple(noun_phrases(sentence.tokens))


def _adjective_doubts(
    sentence: TaggedSentence, position: int, phrase: NounPhrase | None, pair: tuple[str, str], opposed: bool
) -> Iterator[str]:
    if _has_complement(sentence, position):  # a phrase to the tags: busy packing boxes
        yield "with a complement that may choose another sense"
    if phrase is not None and _is_compared(sentence, phrase):
        yield "comparison"
    if phrase is None or position == phrase.head:
        yield from _predicate_doubts(sentence, position, pair, opposed)
    else:
        yield from _attribute_doubts(sentence, position, phrase, pair, opposed)


def _predicate_doubts(
    sentence: TaggedSentence, position: int, pair: tuple[str, str], opposed: bool
) -> Iterator[str]:
    subject = _subject(sentence, position)
    if not _is_predicate(sentence, position):
        yield "neither before a noun nor after a linking verb"
    elif pair[1] in OF_LIVING and not _may_be_living(subject):
        yield "the antonym does not go with the noun"
    elif not opposed:
        yield "adjectives that may both be right"
    elif subject is not None and has_other_sense(*pair, _kind(subject.text.lower())):
        yield "word with another sense"
    elif _is_said_of_some(sentence, position):
        yield "in some cases only"


def _attribute_doubts(
    sentence: TaggedSentence, position: int, phrase: NounPhrase, pair: tuple[str, str], opposed: bool
) -> Iterator[str]:
    head = sentence.words[phrase.head]
    yield from _doubts_before(head, pair)
    if _is_unknown(sentence.tokens[phrase.head].text):
        yield "before an unknown word"
    if is_often_relational(sentence.words[position]):
        yield "classifying adjective"
    if _is_attribute_of_subject(sentence, phrase):
        if not opposed:
            yield "adjectives that may both be right"
        elif not _is_the(sentence, phrase) and _is_said_of_some(sentence, phrase.start):
            yield "in some cases only"
        return
    kind, antonym = animacy(head), pair[1]
    if _lemma(head) in _AMOUNTS:
        yield "what is measured"
    if not opposed:
        yield "classifying adjective"
    if _NEWLY in pair and (kind != "thing" or not is_scene(sentence)):
        yield "order or time"
    if _is_one_of_many(sentence, phrase):
        yield "in some cases only"
    if _is_generic(sentence, phrase):
        yield "noun phrase without a determiner"
    elif kind == "person":
        if _is_of_any(sentence, phrase):
            yield "in some cases only"
        if _is_possessed(sentence, phrase) or (_is_the(sentence, phrase) and not is_scene(sentence)):
            yield "restrictive adjective"
    elif kind == "thing" and (sentence.tags[phrase.head] == "NNS" or _is_definite(sentence, phrase, antonym)):
        yield "restrictive adjective"


@remembered(WORDS)
def _doubts_before(head: str, pair: tuple[str, str]) -> tuple[str, ...]:
    """Return the reasons why the second of *pair* may not replace the first before the noun *head*."""
    antonym, found = pair[1], []
    clashes = clashes_with_noun(antonym, _lemma(head)) and class_of(antonym) == "age"
    if clashes or (animacy(head) == "thing" and antonym in OF_LIVING):
        found.append("the antonym does not go with the noun")
    if antonym in PREDICATIVE_ONLY:
        found.append("antonym only after a verb")
    if has_other_sense(*pair, _kind(head), attributive=True):
        found.append("word with another sense")
    return tuple(found)


@remembered(WORDS)
def _lemma(noun: str) -> str:
    return next(iter(wordnet().lemmas_of(noun, "n")), noun)


def _noun_doubts(
    sentence: TaggedSentence, position: int, phrase: NounPhrase | None, pair: tuple[str, str], opposed: bool
) -> Iterator[str]:
    word = sentence.words[position]
    if not opposed:
        yield "nouns that may both be right"
    if _is_time(word):
        yield "a time"
    if phrase is None:
        yield "part of a possessive"
        return
    before = sentence.words[max(0, phrase.start - 2) : phrase.start]
    if before[-1:] == ("of",) and before[0] in _MEASURES:
        yield "what is measured"
    if _is_generic(sentence, phrase):
        yield "noun phrase without a determiner"
    if _is_one_of_many(sentence, phrase):
        yield "in some cases only"
    possessed = _is_possessed(sentence, phrase)
    several = sentence.tags[position] == "NNS" and not _is_counted(sentence, phrase)
    another = _is_new_object(sentence, phrase)
    if (possessed or several or another) and _is_relative(word):
        yield "one of several relatives"
    elif are_ends(*pair) and (possessed or gender(word) is None):
        yield "the other end of a relation"
    if animacy(word) != "person" and (sentence.tags[position] == "NNS" or _is_counted(sentence, phrase)):
        yield "things that can both be present"


@remembered(WORDS)
def _is_time(noun: str) -> bool:
    """Return whether the first sense of a lemma of *noun* is a time."""
    return any(
        not _TIMES.isdisjoint(map(wordnet().name, wordnet().closure(*wordnet().synsets(lemma, "n")[:1])))
        for lemma in wordnet().lemmas_of(noun, "n")
    )


@remembered(WORDS)
def _is_relative(noun: str) -> bool:
    return any(is_relative(lemma) for lemma in wordnet().lemmas_of(noun, "n"))


def _is_predicate(sentence: TaggedSentence, position: int) -> bool:
    """Return whether the adjective at *position* follows a linking verb, with only adverbs between."""
    k = position - 1
    while k >= 0 and sentence.tags[k] in {"RB", "CC", "JJ", ","}:
        k -= 1
    return k >= 0 and sentence.words[k] in _LINKING


def _subject(sentence: TaggedSentence, position: int) -> Token | None:
    """Return the noun or pronoun before the predicate at *position*, the nearest without preposition."""
    for k in range(position - 1, -1, -1):
        if sentence.tags[k] == "PRP" or (
            sentence.tags[k] == "DT" and not sentence.tags[k + 1].startswith(("NN", "JJ"))
        ):
            start = k
        elif sentence.tags[k].startswith("NN"):
            start = next((p.start for p in _phrases(sentence) if p.head == k), k)
        else:
            continue
        if start == 0 or sentence.tags[start - 1] not in {"IN", "TO"}:
            return sentence.tokens[k]
    return None


def _kind(word: str) -> NounKind | None:
    """Return what *word*, inflected or not, names; None if nothing concrete."""
    living = animacy(word)
    return living if living != "thing" else concrete_kind(wordnet().base_form(word, "n"))


def _may_be_living(nominal: Token | None) -> bool:
    """Return whether *nominal* may name a person or animal."""
    if nominal is None or nominal.tag.startswith("NNP"):
        return True
    word = nominal.text.lower()
    return word in PERSONAL_PRONOUNS - {"it"} or animacy(word) != "thing"


@remembered(WORDS)
def _is_unknown(word: str) -> bool:
    """Return whether WordNet lacks a common noun in any form, so that it may be misspelt."""
    return word.islower() and word.isalpha() and not wordnet().lemmas_of(word)


def _is_compared(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what something is like, and not, as in *it looks like a lake*, is."""
    like = phrase.start - 1
    if like < 0 or sentence.words[like] not in {"like", "unlike"} or sentence.tags[like] != "IN":
        return False
    return like == 0 or sentence.words[like - 1] not in _PERCEIVED


def _is_under_modal_adjective(sentence: TaggedSentence, position: int) -> bool:
    """Return whether a predicate such as *is necessary* precedes *position*, or is that of its clause."""
    if _MODAL_ADJECTIVES.isdisjoint(sentence.words):
        return False
    start, _ = text_bounds(sentence, position)
    return any(
        sentence.word(k) in _MODAL_ADJECTIVES and k != position and _is_predicate(sentence, k)
        for k in range(start, clause_end(sentence, position))
    )


def _is_said_of_some(sentence: TaggedSentence, position: int) -> bool:
    """Return whether a word before *position*, in its clause, restricts it to some: *a lot of them*."""
    start = clause_start(sentence, position)
    clause = [sentence.words[k] for k in range(start, position) if sentence.tags[k] != "RBS"]
    return not _PARTIAL.isdisjoint(clause) or any(
        word in _PARTS and following == "of" for word, following in itertools.pairwise(clause)
    )


def _is_attribute_of_subject(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what is said of a subject: *it is a good way*."""
    before = phrase.start - 1
    while before >= 0 and sentence.tags[before] == "RB":
        before -= 1
    is_linked = before >= 0 and sentence.words[before] in _LINKING
    while before >= 0 and (sentence.tags[before].startswith("VB") or sentence.tags[before] in {"RB", "MD"}):
        before -= 1
    is_existential = before >= 0 and sentence.words[before] == "there"
    return is_linked and not is_existential and not _is_auxiliary(sentence, phrase.head)


def _is_auxiliary(sentence: TaggedSentence, head: int) -> bool:
    """Return whether a finite verb follows the noun, whose linking verb was then another clause's."""
    return head + 1 < len(sentence.words) and sentence.words[head + 1] in AUXILIARIES


def _is_generic(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* has no determiner, though it does not open a caption, as in *young man*."""
    if any(sentence.tags[k] != "WDT" for k in phrase.determiners):  # "which women" is a clause to the tags
        return False
    starts = (
        phrase.start == 0
        and sentence.tags[phrase.head] == "NN"
        and animacy(sentence.words[phrase.head]) != "thing"
    )
    before = sentence.words[max(0, phrase.start - 1) : phrase.start]
    inside = sentence.words[phrase.start : phrase.head]
    quantified = not {"several", "some", "many"}.isdisjoint((*before, *inside))
    return not (starts or quantified or _is_of_group(sentence, phrase))


def _is_of_any(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* names anybody, as in *stories impress a young person* (Quirk et al., 5.52).

    That is, if it is indefinite, and a bare noun phrase is the subject of a verb in the simple present, or is
    said to exist: *there are risks for a young person*.  Such a sentence states what is usual.
    """
    if sentence.tags[phrase.head] != "NN" or not _is_counted(sentence, phrase) or is_scene(sentence):
        return False
    start, _ = text_bounds(sentence, phrase.head)
    verb = next((k for k in range(start, phrase.start) if sentence.is_finite(k)), None)
    if verb is None or sentence.tag(verb) not in {"VBP", "VBZ"} or sentence.tag(start) in {"DT", "PRP"}:
        return False
    subject = next((p for p in _phrases(sentence) if start <= p.start), phrase)
    return (
        subject.start < phrase.start
        and not subject.determiners
        and sentence.tag(subject.head) in {"NN", "NNS"}
    )


def _is_new_object(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* introduces somebody after the subject, outside of a scene: *has a son*."""
    return phrase.start > 0 and _is_counted(sentence, phrase) and not is_scene(sentence)


def _is_of_group(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* says who a group consists of: *a crowd of young men*."""
    before = sentence.words[max(0, phrase.start - 2) : phrase.start]
    return before[1:] == ("of",) and before[0] in GROUPS_OF_PEOPLE


def _is_definite(sentence: TaggedSentence, phrase: NounPhrase, adjective: str) -> bool:
    """Return whether the definite *phrase* may be chosen by its adjective; a colour only describes it."""
    possessed = sentence.tags[phrase.start] in _POSSESSIVE
    return _is_the(sentence, phrase) or (possessed and class_of(adjective) != "colour")


def _is_the(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    return sentence.words[phrase.start] == "the"


def _is_possessed(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    return any(sentence.tags[k] in _POSSESSIVE for k in phrase.determiners)


def _has_complement(sentence: TaggedSentence, position: int) -> bool:
    """Return whether a predicate has a complement: *is busy packing boxes*, *is bad because*, *far from*."""
    if position + 1 == len(sentence.words) or not _is_predicate(sentence, position):
        return False
    following = sentence.tags[position + 1]
    if sentence.words[position] in _WITH_COMPLEMENT:
        return following[:1].isalpha() and following != "CC"
    return following == "VBG" or sentence.words[position + 1] in {"for", "because"}


def _is_one_of_many(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* is an indefinite plural outside of a scene: some men stay, and some women."""
    if not sentence.tags[phrase.head].endswith("S") or is_scene(sentence):
        return False
    counted = any(sentence.tags[k] == "CD" for k in phrase.determiners)
    fixed = counted or _is_possessed(sentence, phrase) or _is_of_group(sentence, phrase)
    return not fixed and sentence.words[phrase.start] not in {"the", "these", "those"}


def _is_counted(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    return any(sentence.words[k] in {"a", "an"} or sentence.tags[k] == "CD" for k in phrase.determiners)


@remembered(NEARBY)
def _first_relative(sentence: TaggedSentence) -> int:
    """Return the first relative pronoun, or *that* after a noun, without a comma before it; else the end."""
    for k in range(1, len(sentence.words)):
        tag = sentence.tags[k]
        opens = tag in _RELATIVE or (sentence.words[k] == "that" and tag in {"IN", "WDT"})
        if opens and sentence.tags[k - 1] != ",":
            return k
    return len(sentence.words)
