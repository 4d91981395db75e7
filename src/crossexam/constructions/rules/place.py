"""A place of a sentence at which an antonym may stand: what the rules of antonymy ask of it.

What is asserted of something excludes its opposite: *the page is easy to use*, *a tall man sleeps*.  What
only picks out what is spoken of does not: there are *small entities* and large ones, *the new system* and
the old one, *a page that is easy to use* and others, *my son* and my daughter.  The questions go by the
position of the word in its noun phrase and clause (Quirk et al., 1985, sections 7.20-7.43 on attributive
and predicative adjectives, 5.26-5.58 on reference), and by what is known of the pair: adjectives that
classify (*local*, *national*) divide things in more than two.

By the tags, since most corpora have no parses; ``clause.py`` asks of the clause around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from crossexam.constructions.edits import pronoun_edits
from crossexam.core.example import Edit
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.antonym_kinds import (
    antonym_kind,
    are_ends,
    are_opposed,
    has_other_sense,
    is_negation,
)
from crossexam.language.lexicons.closed_classes import (
    AUXILIARIES,
    BE_WITH_CLITICS,
    INDEFINITE_ARTICLES,
    PERSONAL_PRONOUNS,
)
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE, OF_LIVING, NounKind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.spans import TaggedSentence, text_bounds
from crossexam.language.noun_phrases import NounPhrase, noun_phrases
from crossexam.language.nouns import (
    animacy,
    clashes_with_noun,
    concrete_kind,
    gender,
    is_common_noun,
    is_relative,
    is_time,
)
from crossexam.language.pronouns import GENDERED, Unclear
from crossexam.language.remembered import NEARBY, WORDS, once, remembered
from crossexam.language.tokens import Token

#: How a word is used: a noun as the head of a phrase or before ``'s``; an adjective before a noun, in a
#: phrase that is said of a subject (*it is a good way*), alone after a linking verb, or anywhere else.
Use = Literal["head", "possessor", "attribute", "complement", "predicate", "loose"]

# Verbs that link a subject with what is said of it (Quirk et al., 16.21).
_LINKING: Final = BE_WITH_CLITICS | frozenset(
    "seem seems seemed look looks looked become becomes became feel feels felt "
    "get gets got remain remains remained stay stays stayed taste tastes tasted smell smells smelled sound "
    "sounds sounded appear appears appeared grow grew go goes went turn turns turned".split()
)
# Before an adjective that is said of a subject or object (16.43-16.46): *is feeling cold*, *made it cold*.
_LINKING_ADJECTIVES: Final = _LINKING | frozenset(
    "becoming considered feeling getting growing looking proven remaining staying".split()
)
_WITH_OBJECT: Final = frozenset(
    "consider considered considers find finds found keep keeps kept make makes made".split()
)
# Adjectives whose complement their antonyms do not take: *near from*, *unlimited to*, *diffident that* (Quirk
# et al., 16.69).
_WITH_COMPLEMENT: Final = frozenset({"confident", "distinct", "far", "limited"})
_WITH_OF: Final = frozenset({"clear", "independent"})
_WITH_CLAUSE: Final = frozenset({"afraid", "certain", "clear", "sure"})  # unsure he left
_WITH_INFINITIVE: Final = frozenset({"nice", "ready"})  # unready to leave
_OF_CLAUSE: Final = frozenset({"that", "if"})
# Of the classes of adjectives, those without an orientation (Hatzivassiloglou and McKeown, 1997).
_UNORIENTED: Final = frozenset({"age", "colour", "size"})
_COORDINATORS: Final = frozenset({"and", "or"})
# Adjectives that are rarely compared with *-er* and *-est*: the littlest, the idlest.
RARELY_COMPARED: Final = frozenset({"little", "idle"})
_PERCEIVED: Final = frozenset("look looks looked sound sounds sounded feel feels felt seem seems".split())
_POSSESSIVE: Final = frozenset({"PRP$", "POS"})
# Before the subject or verb of a clause: conjunctions, adverbs, interjections, marks.
_BEFORE_CLAUSE: Final = frozenset("CC RB UH , : `` '' -LRB-".split())
# Before another adjective or a participle these are adverbs, whatever their tag: *likely sad*, *real good*.
_ADVERBS: Final = frozenset({"likely", "unlikely", "real", "sure"})
_GET: Final = frozenset("get gets got getting gotten".split())
_MODIFIED: Final = frozenset({"JJ", "RB", "VBN", "VBD"})


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
            return "predicate" if is_linked(self.sentence, self.position) else "loose"
        return "complement" if is_said_of_subject(self.sentence, phrase) else "attribute"

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
            self.sentence.words[k] in INDEFINITE_ARTICLES or self.sentence.tags[k] == "CD"
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
        if self.swap.pos != "n" or GENDERED.isdisjoint(self.words):
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


# The adjective


def opens_name(tokens: Sequence[Token], position: int) -> bool:
    """Return whether two capitalised words are a name: *Big Brother*, not *Young Asian*."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or not (tokens[position].text.istitle() and following.text.istitle()):
        return False
    return is_common_noun(following.text.lower())


def is_linked(sentence: TaggedSentence, position: int) -> bool:
    """Return whether the adjective at *position* follows a linking verb, with only adverbs between.

    Or the pronoun that is the object of a verb such as *make*.
    """
    k = position - 1
    while k >= 0 and sentence.tags[k] in {"RB", "CC", "JJ", ","}:
        k -= 1
    if k > 0 and sentence.tags[k] == "PRP":
        return sentence.words[k - 1] in _WITH_OBJECT
    return k >= 0 and sentence.words[k] in _LINKING_ADJECTIVES


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
    """Return whether a predicate has a complement: *is busy packing boxes*, *far from*, *good for a month*.

    For whom or what something is good, it is not bad for; the price and the time belong to other senses.
    """
    sentence, position = place.sentence, place.position
    if place.swap.pos == "n" or position + 1 == len(sentence.words) or not is_linked(sentence, position):
        return False
    following = sentence.tags[position + 1]
    if sentence.words[position] in _WITH_COMPLEMENT:
        return following[:1].isalpha() and following != "CC"
    preposition = sentence.words[position + 1]
    if preposition == "of":
        return sentence.words[position] in _WITH_OF
    if _has_clause(sentence, position):
        return True
    return following == "VBG" or (preposition == "for" and _is_measure(sentence, position + 2))


def _has_clause(sentence: TaggedSentence, position: int) -> bool:
    """Return whether a clause follows an adjective whose antonym takes none: *sure that*, *ready to*."""
    word, following = sentence.words[position], sentence.tags[position + 1]
    if following == "TO" and (word in _WITH_INFINITIVE or (word == "happy" and "be" in sentence.words)):
        return True
    opens = following in {"PRP", "PRP$", "DT", "EX"} or following.startswith("NN")
    if word in _WITH_CLAUSE and opens:
        return True
    is_of_clause = word in _WITH_CLAUSE or word == "nice"
    end = position + (7 if word == "clear" else 4)  # clear to them, on Monday, that
    return is_of_clause and not _OF_CLAUSE.isdisjoint(sentence.words[position + 1 : end])


def _is_measure(sentence: TaggedSentence, start: int) -> bool:
    """Return whether the phrase at *start* names a number, a price or a time."""
    end = min(start + 3, len(sentence.words))
    return sentence.tag(start) in {"CD", "$"} or any(is_time(sentence.words[k]) for k in range(start, end))


def is_adverb(place: Place) -> bool:
    """Return whether a word that is tagged as an adjective says how likely or how much another is."""
    return place.swap.word in _ADVERBS and place.sentence.tag(place.position + 1) in _MODIFIED


def is_got(place: Place) -> bool:
    """Return whether the antonym would negate what somebody gets, or is no change: *got married*, *busy*."""
    sentence, (word, antonym) = place.sentence, place.swap.pair
    is_state = is_negation(antonym, word) or antonym == "idle"
    return sentence.word(place.position - 1) in _GET and is_state


def is_before_compound(place: Place) -> bool:
    """Return whether two nouns follow, of which the first may be what the adjective belongs to."""
    following = (place.sentence.tag(place.position + n) for n in (1, 2))
    return all(tag.startswith("NN") for tag in following)


def is_said_twice(place: Place) -> bool:
    """Return whether an adjective is repeated outside of a scene: *it is hot, very hot*."""
    if place.sentence.words.count(place.swap.word) == 1:
        return False
    return place.use in {"predicate", "complement"} or not is_scene(place.sentence)


def is_coordinated(place: Place) -> bool:
    """Return whether an adjective that may evaluate is coordinated with another: *safe and reliable*."""
    sentence, position = place.sentence, place.position
    if _COORDINATORS.isdisjoint(place.words) or class_of(place.swap.lemma) in _UNORIENTED:
        return False
    is_coordinate = any(_coordinates(sentence, position, step) for step in (1, -1))
    return is_coordinate and antonym_kind(*place.swap.pair) == "gradable"


def _coordinates(sentence: TaggedSentence, position: int, step: int) -> bool:
    """Return whether a coordinator and another adjective, with adverbs, are in the direction of *step*."""
    k = position + step
    while sentence.tag(k) in {"CC", "RB", ","}:
        k += step
    between = sentence.words[min(position, k) + 1 : max(position, k)]
    is_oriented = sentence.tag(k) in {"JJ", "JJR"} and class_of(sentence.words[k]) not in _UNORIENTED
    return is_oriented and not _COORDINATORS.isdisjoint(between)


def is_comparative(place: Place) -> bool:
    """Return whether a predicate is a comparative in -er before *than*: *hotter than tea*."""
    sentence, position = place.sentence, place.position
    word = sentence.words[position]
    return (
        place.use in {"predicate", "loose"}
        and sentence.word(position + 1) == "than"
        and word.endswith("er")
        and place.swap.pair[1] not in RARELY_COMPARED
        and is_linked(sentence, position)
    )


def is_compared(place: Place) -> bool:
    """Return whether an adjective says what something is like, and not, as in *it looks like a lake*, is."""
    sentence, phrase = place.sentence, place.phrase
    if place.swap.pos == "n" or phrase is None:
        return False
    like = phrase.start - 1
    if like < 0 or sentence.words[like] not in {"like", "unlike"} or sentence.tags[like] != "IN":
        return False
    return like == 0 or sentence.words[like - 1] not in _PERCEIVED


def is_said_of_subject(sentence: TaggedSentence, phrase: NounPhrase) -> bool:
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


def is_of_he_or_she(place: Place) -> bool:
    """Return whether a noun says what *he* or *she* is, and of which gender: *he became a man*."""
    if place.phrase is None or not is_said_of_subject(place.sentence, place.phrase):
        return False
    subject = _subject(place.sentence, place.phrase.start)
    is_gendered = subject is not None and subject.text.lower() in {"he", "she"}
    return is_gendered and gender(place.swap.word) is not None


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


def is_among_others(place: Place) -> bool:
    """Return whether the phrase names some of several: *ten people, including a woman*."""
    start = place.phrase.start if place.phrase else 0
    return start > 0 and place.sentence.words[start - 1] in {
        "among",
        "include",
        "included",
        "includes",
        "including",
    }


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
