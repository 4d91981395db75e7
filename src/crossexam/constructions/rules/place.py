"""A place of a sentence at which an antonym may stand: what the rules of antonymy ask of it.

What is asserted of something excludes its opposite: *the page is easy to use*, *a tall man sleeps*.  What
only picks out what is spoken of does not: there are *small entities* and large ones, *the new system* and
the old one, *a page that is easy to use* and others, *my son* and my daughter.  The questions go by the
position of the word in its noun phrase and clause (Quirk et al., 1985, sections 7.20-7.43 on attributive
and predicative adjectives, 5.26-5.58 on reference), and by what is known of the pair: adjectives that
classify (*local*, *national*) divide things in more than two.

What a main clause says of one situation excludes its opposite.  An instruction says nothing of a situation,
an infinitive or gerund says what may come about, and adverbial clauses and phrases before the subject only
set the scene: *when you were younger*, *in a typical factory* (Quirk et al., 8.147, 11.24, 15.24-30).
By the tags, since most corpora have no parses.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from crossexam.constructions.edits import pronoun_edits
from crossexam.core.example import Edit
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.antonym_kinds import are_ends, are_opposed, has_other_sense
from crossexam.language.lexicons.closed_classes import AUXILIARIES, BE_WITH_CLITICS, PERSONAL_PRONOUNS
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE, OF_LIVING, NounKind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.spans import (
    TaggedSentence,
    clause_end,
    clause_start,
    condition_end,
    text_bounds,
)
from crossexam.language.noun_phrases import NounPhrase, noun_phrases
from crossexam.language.nouns import (
    animacy,
    clashes_with_noun,
    concrete_kind,
    gender,
    is_common_noun,
    is_rather_verb,
    is_relative,
)
from crossexam.language.pronouns import Unclear
from crossexam.language.remembered import NEARBY, WORDS, once, remembered
from crossexam.language.tokens import Token

#: How a word is used: a noun as the head of a phrase or before ``'s``; an adjective before a noun, in a
#: phrase that is said of a subject (*it is a good way*), alone after a linking verb, or anywhere else.
Use = Literal["head", "possessor", "attribute", "complement", "predicate", "loose"]

# Verbs that link a subject with what is said of it (Quirk et al., 16.21).
_LINKING: Final = BE_WITH_CLITICS | frozenset(
    "seem look looks looked become becomes became feel feels felt "
    "get gets got remain remains remained stay stays stayed taste tastes tasted smell smells smelled sound "
    "sounds sounded appear appears appeared grow grew go goes went turn turns turned".split()
)
_RELATIVE: Final = frozenset({"WDT", "WP", "WP$", "WRB"})
_PARTIAL: Final = frozenset("some many most certain several few".split())
# Before "of", what some of a kind are, and others not: a lot of, one of (Quirk et al., 5.25, 6.48).
_PARTS: Final = frozenset("lot lots plenty one part parts half".split())
# What may be, or should be, is not yet so (Huddleston and Pullum, 2002, chapter 3, on lexical modals).
_MODAL_ADJECTIVES: Final = frozenset("possible necessary likely probable required needed".split())
# Adjectives whose complement their antonyms do not take: *near from*, *unlimited to* (Quirk et al., 16.69).
_WITH_COMPLEMENT: Final = frozenset({"distinct", "far", "limited"})
_PERCEIVED: Final = frozenset("look looks looked sound sounds sounded feel feels felt seem seems".split())
_POSSESSIVE: Final = frozenset({"PRP$", "POS"})
# Before the subject or verb of a clause: conjunctions, adverbs, interjections, marks.
_BEFORE_CLAUSE: Final = frozenset("CC RB UH , : `` '' -LRB-".split())
# Before a verb in -ing, prepositions that leave open whether it comes about: *the dream of owning a house*.
_BEFORE_GERUND: Final = frozenset("of to about against from".split())
# Conjunctions that open a clause of time, place or contrast (Quirk et al., 14.12); the polarity of *if*,
# *before* and *whenever* is that of operators.  The first need no finite verb: *when young*.
_WITHOUT_VERB: Final = frozenset("when while where whilst".split())
_WITH_VERB: Final = frozenset("after although as once since though whereas".split())
_CONJUNCTIONS: Final = _WITHOUT_VERB | _WITH_VERB
_AFTER_VERB: Final = frozenset("DT IN JJ PRP PRP$ RB TO".split())


class Antonym(NamedTuple):
    """An antonym: its synset and its lemma."""

    synset: int
    lemma: str


@dataclass(frozen=True, eq=False)
class Swap:
    """A candidate: *word*, its part of speech, *sense* and *lemma*, and its *antonym*, inflected as *new*."""

    word: str
    pos: str
    sense: int
    antonym: Antonym
    new: str
    lemma: str

    @cached_property
    def pair(self) -> tuple[str, str]:
        """The lemmas of the word and its antonym."""
        return self.lemma, self.antonym.lemma.lower()

    @cached_property
    def are_ends(self) -> bool:
        """Whether the two are the ends of one relation."""
        return are_ends(*self.pair)

    @cached_property
    def opposed(self) -> bool:
        """Whether the two exclude each other; an indirect antonym is that of the head of a cluster."""
        heads = [head.lower() for _, head in wordnet().antonyms(*self.antonym)]
        words = [self.lemma] if self.lemma in heads else [self.lemma, *heads]
        return any(are_opposed(word, self.pair[1]) for word in words)

    @cached_property
    def forms(self) -> frozenset[str]:
        """All words that may be forms of the antonym: "a man and two women" has one of *woman*."""
        antonym = self.pair[1]
        return wordnet().words_of(antonym, self.pos) | {antonym}


@dataclass(eq=False)
class Place:
    """The word at *position* of *sentence*, which *swap* may replace; *words* are those of the sentence."""

    sentence: TaggedSentence
    words: frozenset[str]
    position: int
    swap: Swap

    @once
    def phrase(self) -> NounPhrase | None:
        """The noun phrase that the word belongs to."""
        return next((p for p in _phrases(self.sentence) if p.start <= self.position <= p.head), None)

    @once
    def use(self) -> Use:
        """How the word is used."""
        phrase = self.phrase
        if self.swap.pos == "n":
            return "possessor" if phrase is None else "head"
        if phrase is None or self.position == phrase.head:
            return "predicate" if _is_linked(self.sentence, self.position) else "loose"
        return "complement" if _is_said_of_subject(self.sentence, phrase) else "attribute"

    @once
    def head(self) -> str:
        """The head of the phrase, in lower case, or the word itself if it is in none."""
        return self.sentence.words[self.phrase.head if self.phrase else self.position]

    @property
    def noun(self) -> str:
        """The head as it is written."""
        return self.sentence.tokens[self.phrase.head if self.phrase else self.position].text

    @property
    def named(self) -> NounKind:
        """What the head names: a person, an animal or a thing."""
        return animacy(self.head)

    @once
    def subject(self) -> Token | None:
        """The noun or pronoun before the adjective that it may be said of."""
        return _subject(self.sentence, self.position)

    @property
    def clashes(self) -> bool:
        """Whether the antonym cannot be said of what the word is said of: an old lamp is not young."""
        antonym = self.swap.pair[1]
        if self.use == "predicate":
            return antonym in OF_LIVING and not _may_be_living(self.subject)
        return _clashes(self.head, antonym)

    @property
    def has_other_sense(self) -> bool:
        """Whether the adjective often has a sense that the antonym does not oppose, of such a noun."""
        if self.use != "predicate":
            return _has_other_sense(self.head, self.swap.pair)
        subject = self.subject
        return subject is not None and has_other_sense(*self.swap.pair, _kind(subject.text.lower()))

    @once
    def is_generic(self) -> bool:
        """Whether the phrase has no determiner, though it does not open a caption, as in *young man*."""
        return self.phrase is not None and _is_generic(self.sentence, self.phrase)

    @property
    def is_possessed(self) -> bool:
        """Whether a possessive determines the phrase."""
        return self.phrase is not None and any(
            self.sentence.tags[k] in _POSSESSIVE for k in self.phrase.determiners
        )

    @property
    def is_counted(self) -> bool:
        """Whether an indefinite article or a numeral determines the phrase."""
        return self.phrase is not None and any(
            self.sentence.words[k] in {"a", "an"} or self.sentence.tags[k] == "CD"
            for k in self.phrase.determiners
        )

    @property
    def is_the(self) -> bool:
        """Whether the phrase begins with *the*."""
        return self.phrase is not None and self.sentence.words[self.phrase.start] == "the"

    @once
    def start(self) -> int:
        """The first word of the clause, after conjunctions, adverbs and marks."""
        start, _ = text_bounds(self.sentence, self.position)
        while start < self.position and self.sentence.tags[start] in _BEFORE_CLAUSE:
            start += 1
        return start

    @once
    def pronouns(self) -> tuple[Edit, ...] | Unclear:
        """The edits that make pronouns agree with the antonym of a noun, or why they cannot."""
        if self.swap.pos != "n":
            return ()
        return pronoun_edits(self.sentence.tokens, (self.position,), self.swap.new, "hypothesis")


@remembered(NEARBY)
def _phrases(sentence: TaggedSentence) -> tuple[NounPhrase, ...]:
    return tuple(noun_phrases(sentence.tokens))


# The sentence


@remembered(NEARBY)
def is_scene(sentence: TaggedSentence) -> bool:
    """Return whether *sentence* describes one scene, as captions do: in the progressive or without a verb.

    >>> from crossexam.language.monotonicity.spans import sentence_of
    >>> def of(*tagged): return sentence_of([Token(*pair[:1], 0, 0, pair[1]) for pair in tagged], None)
    >>> is_scene(of(("Men", "NNS"), ("are", "VBP"), ("singing", "VBG")))
    True
    >>> is_scene(of(("Men", "NNS"), ("sing", "VBP")))
    False
    """
    if not sentence.finite and "VB" not in sentence.tags:
        return True
    return any(tag == "VBG" and _is_progressive(sentence, k) for k, tag in enumerate(sentence.tags))


def _is_progressive(sentence: TaggedSentence, participle: int) -> bool:
    before = participle - 1
    while sentence.tag(before) == "RB":
        before -= 1
    return sentence.word(before) in BE_WITH_CLITICS


@remembered(NEARBY)
def first_relative(sentence: TaggedSentence) -> int:
    """Return the first relative pronoun, or *that* after a noun, without a comma before it; else the end."""
    for k in range(1, len(sentence.words)):
        tag = sentence.tags[k]
        opens = tag in _RELATIVE or (sentence.words[k] == "that" and tag in {"IN", "WDT"})
        if opens and sentence.tags[k - 1] != ",":
            return k
    return len(sentence.words)


# The clause


def is_of_some_cases(sentence: TaggedSentence) -> bool:
    """Return whether a word such as *some* follows a preposition."""
    return not _PARTIAL.isdisjoint(sentence.words) and any(
        word in _PARTIAL and sentence.tag(k - 1) == "IN" for k, word in enumerate(sentence.words)
    )


def is_under_modal_adjective(place: Place) -> bool:
    """Return whether a predicate such as *is necessary* precedes the word, or is that of its clause."""
    sentence, position = place.sentence, place.position
    if _MODAL_ADJECTIVES.isdisjoint(place.words):
        return False
    start, _ = text_bounds(sentence, position)
    return any(
        sentence.word(k) in _MODAL_ADJECTIVES and k != position and _is_linked(sentence, k)
        for k in range(start, clause_end(sentence, position))
    )


def is_in_instruction(place: Place) -> bool:
    """Return whether the text opens with a verb, or with one tagged as a noun or adjective."""
    return place.sentence.tags[place.start] in {"VB", "VBP"} or _is_untagged_instruction(
        place.sentence, place.start
    )


def _is_untagged_instruction(sentence: TaggedSentence, start: int) -> bool:
    """Return whether a text without a finite verb opens with a verb tagged as a noun or adjective."""
    if sentence.tag(start)[:2] not in {"NN", "JJ"} or sentence.tag(start + 1) not in _AFTER_VERB:
        return False
    word = sentence.word(start)
    if wordnet().morphy(word, "v") != word or not is_rather_verb(word):
        return False
    _, end = text_bounds(sentence, start)
    return not any(sentence.is_finite(k) for k in range(start, end))


def is_in_first_phrase(place: Place) -> bool:
    """Return whether the word is in a phrase that precedes the subject, without a comma or finite verb."""
    sentence, start = place.sentence, place.start
    return sentence.tags[start] in {"IN", "TO"} and not any(
        sentence.word(k) == "," or sentence.is_finite(k) for k in range(start, place.position)
    )


def is_in_adverbial_clause(place: Place) -> bool:
    """Return whether the word is in a clause of time, place or contrast, outside of a scene."""
    sentence = place.sentence
    if is_scene(sentence) or _CONJUNCTIONS.isdisjoint(place.words):
        return False
    return any(
        _opens_adverbial_clause(sentence, k, place.position) for k in range(place.start, place.position)
    )


def _opens_adverbial_clause(sentence: TaggedSentence, k: int, position: int) -> bool:
    """Return whether *position* is in the clause that token *k* opens as a conjunction."""
    word = sentence.word(k)
    if word not in _CONJUNCTIONS or sentence.tag(k) not in {"IN", "WRB"}:
        return False
    end = condition_end(sentence, k)
    while sentence.word(end) == "," and sentence.tag(end - 1) == sentence.tag(end + 1) == "JJ":
        end = max(end + 1, condition_end(sentence, end))  # it goes on after a comma between adjectives
    has_verb = any(sentence.is_finite(j) for j in range(k + 1, end))
    return position < end and (has_verb or word in _WITHOUT_VERB)


def is_in_infinitive(place: Place) -> bool:
    """Return whether *to* and a verb precede the word, with no finite verb or comma in between."""
    sentence, k = place.sentence, place.position - 1
    if "VB" not in sentence.tags or is_scene(sentence):
        return False
    while k >= place.start and sentence.word(k) != "," and not sentence.is_finite(k):
        if sentence.tag(k) == "VB" and sentence.tag(k - 1) == "TO":
            return True
        k -= 1
    return False


def is_in_gerund(place: Place) -> bool:
    """Return whether the word is in a subject or complement that opens with a verb in -ing.

    Such a clause may name what does not come about, unlike one that a comma sets off: *being a young man, he
    left* (Quirk et al., 15.12 and 15.60).
    """
    sentence, k = place.sentence, place.position - 1
    if "VBG" not in sentence.tags or is_scene(sentence):
        return False
    while k >= place.start and sentence.word(k) != "," and not sentence.is_finite(k):
        if sentence.tag(k) == "VBG" and sentence.word(k - 1) in _BEFORE_GERUND:
            return True
        if sentence.tag(k) == "VBG" and k == place.start:
            return _is_subject(sentence, place.position)
        k -= 1
    return False


def _is_subject(sentence: TaggedSentence, position: int) -> bool:
    """Return whether the clause with *position* is the subject of a verb, or repeated by *it* or *that*."""
    _, end = text_bounds(sentence, position)
    verb = next((j for j in range(position + 1, end) if sentence.is_finite(j)), end)
    is_repeated = verb < end and sentence.word(verb - 1) in {"it", "that", "this"}
    return is_repeated or (verb < end and "," not in sentence.words[position:verb])


def is_said_of_some(place: Place) -> bool:
    """Return whether a word before an adjective or its phrase restricts it to some: *a lot of them*."""
    sentence = place.sentence
    position = place.phrase.start if place.phrase and place.use == "complement" else place.position
    start = clause_start(sentence, position)
    clause = [sentence.words[k] for k in range(start, position) if sentence.tags[k] != "RBS"]
    return not _PARTIAL.isdisjoint(clause) or any(
        word in _PARTS and following == "of" for word, following in itertools.pairwise(clause)
    )


# The adjective


def opens_name(tokens: Sequence[Token], position: int) -> bool:
    """Return whether two capitalised words are a name: *Big Brother*, not *Young Asian*."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or not (tokens[position].text.istitle() and following.text.istitle()):
        return False
    return is_common_noun(following.text.lower())


def _is_linked(sentence: TaggedSentence, position: int) -> bool:
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


def _may_be_living(nominal: Token | None) -> bool:
    """Return whether *nominal* may name a person or animal."""
    if nominal is None or nominal.tag.startswith("NNP"):
        return True
    word = nominal.text.lower()
    return word in PERSONAL_PRONOUNS - {"it"} or animacy(word) != "thing"


def has_complement(place: Place) -> bool:
    """Return whether a predicate has a complement: *is busy packing boxes*, *is bad because*, *far from*."""
    sentence, position = place.sentence, place.position
    if place.swap.pos == "n" or position + 1 == len(sentence.words) or not _is_linked(sentence, position):
        return False
    following = sentence.tags[position + 1]
    if sentence.words[position] in _WITH_COMPLEMENT:
        return following[:1].isalpha() and following != "CC"
    return following == "VBG" or sentence.words[position + 1] in {"for", "because"}


def is_compared(place: Place) -> bool:
    """Return whether an adjective says what something is like, and not, as in *it looks like a lake*, is."""
    sentence, phrase = place.sentence, place.phrase
    if place.swap.pos == "n" or phrase is None:
        return False
    like = phrase.start - 1
    if like < 0 or sentence.words[like] not in {"like", "unlike"} or sentence.tags[like] != "IN":
        return False
    return like == 0 or sentence.words[like - 1] not in _PERCEIVED


def _is_said_of_subject(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what is said of a subject: *it is a good way*."""
    before = phrase.start - 1
    while before >= 0 and sentence.tags[before] == "RB":
        before -= 1
    is_linked = before >= 0 and sentence.words[before] in _LINKING
    while before >= 0 and (sentence.tags[before].startswith("VB") or sentence.tags[before] in {"RB", "MD"}):
        before -= 1
    is_existential = before >= 0 and sentence.words[before] == "there"
    # a finite verb after the noun, whose linking verb was then another clause's
    is_auxiliary = sentence.word(phrase.head + 1) in AUXILIARIES
    return is_linked and not is_existential and not is_auxiliary


# The noun of a phrase


@remembered(WORDS)
def _kind(word: str) -> NounKind | None:
    """Return what *word*, inflected or not, names; None if nothing concrete."""
    living = animacy(word)
    return living if living != "thing" else concrete_kind(wordnet().base_form(word, "n"))


@remembered(WORDS)
def _has_other_sense(head: str, pair: tuple[str, str]) -> bool:
    """Return whether the first of *pair* often has a sense before *head* that the second does not oppose."""
    return has_other_sense(*pair, _kind(head), attributive=True)


@remembered(WORDS)
def _clashes(head: str, antonym: str) -> bool:
    """Return whether *antonym* does not go with the noun *head*: an ancient baby, a dead lamp."""
    of_age = class_of(antonym) == "age" and clashes_with_noun(antonym, lemma(head))
    return of_age or (antonym in OF_LIVING and animacy(head) == "thing")


@remembered(WORDS)
def lemma(noun: str) -> str:
    """Return the lemma of *noun*."""
    return next(iter(wordnet().lemmas_of(noun, "n")), noun)


@remembered(WORDS)
def _is_relative(noun: str) -> bool:
    return any(is_relative(lemma) for lemma in wordnet().lemmas_of(noun, "n"))


def is_of_several_relatives(place: Place) -> bool:
    """Return whether the noun is somebody's relative, who may have others: *my aunt*, *the aunts*."""
    if not _is_relative(place.swap.word):
        return False
    several = place.sentence.tags[place.position] == "NNS" and not place.is_counted
    return place.is_possessed or several or _is_new_object(place)


def _is_new_object(place: Place) -> bool:
    """Return whether the phrase introduces somebody after the subject, outside of a scene: *has a son*."""
    phrase = place.phrase
    return phrase is not None and phrase.start > 0 and place.is_counted and not is_scene(place.sentence)


def is_definite_end(place: Place) -> bool:
    """Return whether the noun is somebody's, or names a person of either gender: *an employee*."""
    return place.is_possessed or gender(place.sentence.words[place.position]) is None


# The phrase


def _is_generic(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
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


def _is_of_group(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
    """Return whether *phrase* says who a group consists of: *a crowd of young men*."""
    before = sentence.words[max(0, phrase.start - 2) : phrase.start]
    return before[1:] == ("of",) and before[0] in GROUPS_OF_PEOPLE


def is_of_any(place: Place) -> bool:
    """Return whether the phrase names anybody, as in *stories impress a young person* (Quirk et al., 5.52).

    That is, if it is indefinite, and a bare noun phrase is the subject of a verb in the simple present, or is
    said to exist: *there are risks for a young person*.  Such a sentence states what is usual.
    """
    sentence, phrase = place.sentence, place.phrase
    if phrase is None or sentence.tags[phrase.head] != "NN" or not place.is_counted or is_scene(sentence):
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


def is_one_of_many(place: Place) -> bool:
    """Return whether the phrase is an indefinite plural outside of a scene: some men stay, and some women."""
    sentence, phrase = place.sentence, place.phrase
    if phrase is None or not sentence.tags[phrase.head].endswith("S") or is_scene(sentence):
        return False
    counted = any(sentence.tags[k] == "CD" for k in phrase.determiners)
    fixed = counted or place.is_possessed or _is_of_group(sentence, phrase)
    return not fixed and sentence.words[phrase.start] not in {"the", "these", "those"}


def is_chosen(place: Place) -> bool:
    """Return whether a thing is one of several that its adjective may choose from: *the clean system*.

    Of what somebody has, a colour only describes it.
    """
    sentence, phrase = place.sentence, place.phrase
    if phrase is None:
        return False
    return (
        sentence.tags[phrase.head] == "NNS"
        or place.is_the
        or (sentence.tags[phrase.start] in _POSSESSIVE and class_of(place.swap.pair[1]) != "colour")
    )


def follows_of(place: Place, words: frozenset[str]) -> bool:
    """Return whether one of *words* and *of* precede the phrase: *the degree of success*."""
    start, sentence = place.phrase.start if place.phrase else 0, place.sentence
    return start > 1 and sentence.words[start - 1] == "of" and sentence.words[start - 2] in words
