"""The rules of antonymy: when a word and its antonym may both be right, or the result is not English.

Footnote 7 of Naik et al. (2018) lists modality, belief, conjunction, metaphor and failed word sense
disambiguation as the cases in which the labels of their items fail; each rule covers one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from crossexam.constructions.rules.clause import (
    SAID,
    is_explained,
    is_hedged,
    is_in_adverbial_clause,
    is_in_first_phrase,
    is_in_gerund,
    is_in_infinitive,
    is_in_instruction,
    is_in_restrictive_clause,
    is_not_upward,
    is_of_some_cases,
    is_one_with_pronoun,
    is_said_of_one,
    is_said_of_some,
    is_under_modal,
    is_under_modal_adjective,
    is_under_negation,
)
from crossexam.constructions.rules.place import (
    RARELY_COMPARED,
    Place,
    Swap,
    Use,
    follows_of,
    has_complement,
    is_adverb,
    is_among_others,
    is_before_compound,
    is_chosen,
    is_comparative,
    is_compared,
    is_coordinated,
    is_definite_end,
    is_got,
    is_of_any,
    is_of_he_or_she,
    is_of_several_relatives,
    is_one_of_many,
    is_said_of_subject,
    is_said_twice,
    is_scene,
    lemma,
    opens_name,
)
from crossexam.constructions.rules.rule import Rule, holding
from crossexam.language.lexicons.adjective_classes import PREDICATIVE_ONLY, class_of
from crossexam.language.lexicons.antonym_kinds import antonym_kind, is_known, is_negation
from crossexam.language.monotonicity.polarity import ORDERING
from crossexam.language.monotonicity.spans import TaggedSentence
from crossexam.language.nouns import animacy, is_time, is_unknown
from crossexam.language.pronouns import Unclear
from crossexam.language.remembered import NEARBY, WORDS, remembered
from crossexam.language.word_senses import (
    attested,
    in_fixed_expression,
    is_in_name,
    is_often_relational,
    is_rarely_opposed,
    is_unattested_sense,
    is_usual_antonym,
)

_AT_TIMES: Final = frozenset(
    "sometimes often usually occasionally generally mostly partly typically normally frequently".split()
)
_DETERMINERS: Final = frozenset(
    "other same such own more most less least few many much little like whole certain past "
    "different individual".split()
)
_DEGREES: Final = frozenset({"more", "most", "less", "least"})
_ORDER_AND_TIME: Final = ORDERING | frozenset(
    "early late middle former latter future past present previous recent current prior later earlier final "
    "initial subsequent".split()
)
_ADDITIVE: Final = frozenset("another either both fewer less".split())
_ALSO: Final = frozenset({"also", "besides", "too"})
_OTHERS: Final = frozenset({"other", "others"})  # among other things
# After these, "of" is followed by what is measured, which may be more or less of both.
_MEASURES: Final = frozenset(
    "degree rate extent level amount measure risk chance chances likelihood possibility probability kind "
    "sort type".split()
)
_OF_OFFICES: Final = frozenset({"public", "private", "personal"})
# Expressions of WordNet that mean what their words mean, and those with the antonym, too: a short time.
_TRANSPARENT: Final = frozenset(
    {("long", "time"), ("good", "time"), ("small", "town"), ("unfamiliar", "with")}
)
_UNCOUNTABLE: Final = frozenset("inability inexperience hate joy pain unwillingness willingness".split())
_CHANGES: Final = frozenset({"increase", "decrease"})
_SIDES: Final = frozenset("inside outside interior exterior top bottom side front back left right".split())
_AMOUNTS: Final = frozenset("number amount deal lot bit variety".split())  # a good number of
_SHARES: Final = frozenset({"majority", "minority"})  # the majority are most

Table = tuple[Rule[Place], ...]


@dataclass(frozen=True)
class _OfSwap:
    """What a rule *asks* of a swap, wherever its place is, and therefore once."""

    asks: Callable[[Swap], bool]

    def __call__(self, place: Place) -> bool:
        return self.asks(place.swap)


@dataclass(frozen=True)
class _OfSentence:
    """What a rule *asks* of a sentence, for all of its words, and therefore once."""

    asks: Callable[[TaggedSentence], bool]

    def __call__(self, place: Place) -> bool:
        return self.asks(place.sentence)


@remembered(WORDS)
def _is_doubtful_swap(swap: Swap) -> bool:
    return any(asks(swap) for asks in _OF_SWAPS)


@remembered(NEARBY)
def _is_doubtful_sentence(sentence: TaggedSentence) -> bool:
    return any(asks(sentence) for asks in _OF_SENTENCES)


def _compares(place: Place) -> bool:
    words, position = place.sentence.words, place.position
    several = "as" in place.words and words.count("as") > 1
    than = "than" in place.words and not is_comparative(place)
    return than or several or (position > 0 and words[position - 1] in _DEGREES)


def _is_named(place: Place) -> bool:
    tokens, position = place.sentence.tokens, place.position
    return is_in_name(tokens, position) or opens_name(tokens, position)


def _is_lexicalized(swap: Swap) -> bool:
    """Return whether one of the pair is the other with a negative prefix, and is the commoner word."""
    base, derived = sorted(swap.pair, key=len)
    is_commoner = attested(derived, swap.pos) > attested(base, swap.pos)
    return is_commoner and is_negation(derived, base) and not is_known(base, derived)


def _is_negated(swap: Swap) -> bool:
    """Return whether the antonym negates a gradable word, and is known to exclude it: *lucky*, *unlucky*."""
    word, antonym = swap.pair
    return (
        is_negation(antonym, word) and is_known(word, antonym) and antonym_kind(word, antonym) == "gradable"
    )


def _is_fixed(place: Place) -> bool:
    words, position = place.sentence.words, place.position
    if words[position + 1 : position + 4] == ("time", "to", "come"):
        return True
    return in_fixed_expression(words, position) and words[position : position + 2] not in _TRANSPARENT


def _adds(sentence: TaggedSentence) -> bool:
    words = sentence.words
    return not _ADDITIVE.isdisjoint(words) or ("among" in words and not _OTHERS.isdisjoint(words))


def _adds_to_others(place: Place) -> bool:
    """Return whether *also* or *too* adds another case, unless to what else is said of the subject.

    A *too* before the word says its degree: *too hot*.
    """
    if _ALSO.isdisjoint(place.words) or place.use in SAID:
        return False
    words, degree = place.sentence.words, place.position - 1
    return any(word in _ALSO and not (word == "too" and k == degree) for k, word in enumerate(words))


def _is_restrictive(place: Place) -> bool:
    if place.is_generic:
        return False
    if place.named == "thing":
        return is_chosen(place)
    return place.named == "person" and (place.is_possessed or (place.is_the and not is_scene(place.sentence)))


def _excludes(place: Place) -> bool:
    """Return whether a singular noun with a countable antonym says what the subject is, or how it changes."""
    if place.swap.pair[1] in _UNCOUNTABLE or place.sentence.tags[place.position] != "NN":
        return False
    is_said = place.phrase is not None and is_said_of_subject(place.sentence, place.phrase)
    return is_said or _CHANGES.issuperset(place.swap.pair)


def _is_measured(place: Place) -> bool:
    """Return whether an adjective is part of a measure: *a good number*, *in a small way*."""
    head = lemma(place.head)
    return head in _AMOUNTS or (head == "way" and class_of(place.swap.lemma) == "size")


def _may_be_together(place: Place) -> bool:
    """Return whether the noun does not name a person, and is indefinite or plural.

    What is a success is no failure, and an increase in something is no decrease.
    """
    if animacy(place.swap.word) == "person" or _excludes(place):
        return False
    return place.sentence.tags[place.position] == "NNS" or place.is_counted


def _unclear(reason: str, rejects: str, keeps: str, why: str) -> Rule[Place]:
    """Return the rule that pronouns do not agree with the antonym for *reason*."""
    return Rule(
        reason, lambda p: isinstance(p.pronouns, Unclear) and p.pronouns.reason == reason, rejects, keeps, why
    )


# fmt: off
_OF_ANY_WORD: Final[Table] = (
    Rule("determiner or quantifier", _OfSwap(lambda swap: swap.word in _DETERMINERS),
         "The same soup was there.", "A hot soup was there.",
         "Words that determine are tagged as adjectives; many are here, and few are there."),
    Rule("antonym stands in the sentence", lambda p: not p.swap.forms.isdisjoint(p.words),
         "The husband is meeting two wives.", "The husband is meeting two boys.",
         "The antonym, in any form, would be said of two things."),
    Rule("under negation", is_under_negation,
         "The soup was not hot.", "The soup was hot, and it did not spill.",
         "What is not hot need not be cold."),
    Rule("modal, conditional or reported", is_under_modal,
         "The soup may be hot.", "I think that the soup must be hot.",
         "What may be hot, or is so to others, may be cold; I think says that it is (Naik et al., note 7)."),
    Rule("at times", _OfSentence(lambda sentence: not _AT_TIMES.isdisjoint(sentence.words)),
         "The soup is often hot.", "The soup is very hot.",
         "What holds at one time need not hold at another."),
    Rule("comparison", _compares,
         "The soup is as hot as the tea is.", "The soup is hotter than tea.",
         "Two equally hot things may both be cold; what is hotter than another is not colder."),
    Rule("question",
         _OfSentence(lambda sentence: "?" in sentence.words[-3:]),  # it may be followed by quotation marks
         "Is the soup hot?", "The soup is hot.",
         "A question asserts nothing."),
    Rule("part of a compound noun",
         lambda p: p.swap.pos == "n" and p.sentence.tag(p.position + 1).startswith("NN"),
         "The husband club met.", "The club helps the husband.",
         "The compound is a word of its own."),
    Rule("proper name", _is_named,
         "He crossed the Tall Bridge.", "He crossed a tall bridge.",
         "A name says nothing of what it names."),
    Rule("sense not attested",
         _OfSwap(lambda swap: is_unattested_sense(swap.sense, swap.word, swap.pos)
                              and not is_usual_antonym(*swap.pair, swap.pos)),
         "It is a hard rock.", "The beach is very short.",
         "Texts tagged with senses never have this one, and the usual one has another antonym (Naik et al., "
         "footnote 7: failed word sense disambiguation)."),
    Rule("antonym not attested",
         _OfSwap(lambda swap: attested(swap.pair[1], swap.pos) == 0 and not is_known(*swap.pair)),
         "The sailor was angry.", "The sailor was cautious.",
         "Texts tagged with senses never have the antonym, as in unangry, and the pair is not known."),
    Rule("antonym of a rarer sense",
         _OfSwap(lambda swap: is_rarely_opposed(*swap.pair, swap.pos) and not _is_negated(swap)),
         "The tea was fine.", "The tea was hot.",
         "The usual sense is a better guess than Lesk's if it is much commoner (McCarthy et al., 2004)."),
    Rule("negative word with a meaning of its own", _OfSwap(_is_lexicalized),
         "The tale is incredible.", "The sailor is unemployed.",
         "Derived words that are commoner than their bases tend to mean something else (Hay, 2001)."),
    Rule("part of a fixed expression", _is_fixed,
         "He ate a hot dog.", "He ate for a long time.",
         "The word has no sense of its own (Naik et al., footnote 7: metaphor)."),
    Rule("order or time", _OfSwap(lambda swap: not _ORDER_AND_TIME.isdisjoint(swap.pair)),
         "It was the first visit.", "It was a good visit.",
         "A first visit may also be the last (Quirk et al., 5.22)."),
    Rule("additive or comparative word", _OfSentence(_adds),
         "Anna ate another hot soup.", "Anna ate a hot soup.",
         "It tells of several cases, so that a cold soup may be true as well (Quirk et al., 8.116-8.120)."),
    Rule("additive or comparative word", _adds_to_others,
         "Anna also ate a hot soup.", "The soup was also hot.",
         "Also and too imply another case, but not of what the subject is (Quirk et al., 8.116-8.120)."),
    Rule("in some cases only", _OfSentence(is_of_some_cases),
         "Shops were wet in some cases.", "Shops were wet.",
         "In other cases, the opposite may hold."),
    Rule("modal, conditional or reported", is_under_modal_adjective,
         "A cheap lamp is necessary.", "A cheap lamp is here, and it is necessary.",
         "What may be, or should be, is not yet so (Huddleston and Pullum, 2002, chapter 3)."),
    Rule("in a restrictive clause", is_in_restrictive_clause,
         "Anna met people who are old.", "Anna saw that Ben is old.",
         "Unless a comma precedes it, a relative clause picks out what is spoken of (Quirk et al., 17.22)."),
    Rule("not in an upward monotone context", is_not_upward,
         "Every boy in a hot barn is singing.", "A boy in a hot barn is singing.",
         "Every boy in a hot barn may be singing, and every boy in a cold one, too."),
    Rule("in an instruction", is_in_instruction,
         "Buy a cheap lamp.", "Anna bought a cheap lamp.",
         "An instruction says nothing of a situation (Quirk et al., 11.24)."),
    Rule("in a phrase before the subject", is_in_first_phrase,
         "In a typical barn, goats sleep.", "On Monday, it was a typical barn.",
         "It says where or when, and is not what the sentence asserts."),
    Rule("in an adverbial clause", is_in_adverbial_clause,
         "When Anna was happy, Ben sang.", "Although Anna was happy, Ben sang.",
         "What is so at one time or place need not be so at another (Quirk et al., 15.24-15.43)."),
    Rule("in an infinitive", is_in_infinitive,
         "Anna agreed to buy a cheap lamp.", "The lamp proved to be cheap.",
         "It says what may come about."),
    Rule("in a gerund", is_in_gerund,
         "Ben spoke of buying a cheap lamp.", "Ben left, buying a cheap lamp.",
         "It may name what does not come about (Quirk et al., 15.12 and 15.60)."),
    Rule("a reason or result", is_explained,
         "Anna is tired because Ben is sad.", "Anna is tired, and Ben is sad.",
         "The antonym would have another reason or result (Quirk et al., 8.132 and 15.45-15.47)."),
)
_OF_ADJECTIVES: Final[Table] = (
    Rule("with a complement that may choose another sense", has_complement,
         "The dog is good for a month.", "The dog is good for Anna.",
         "Good for a month means valid, to which bad is not opposed (Quirk et al., 16.69)."),
    Rule("comparison", is_compared,
         "It sings like a young sailor.", "It looks like a young sailor.",
         "Who sings like a young sailor may sing like an old one; what looks young does not look old."),
    Rule("adverb", is_adverb,
         "The goat was likely sad.", "The visit was likely.",
         "It says how likely or how much, and its antonym is not an adverb."),
    Rule("negated after get", is_got,
         "The sailor got happy.", "The sailor was happy.",
         "Few negative adjectives go with get, a change: to get unmarried (Quirk et al., 16.21-23)."),
    Rule("said twice", is_said_twice,
         "The soup is hot, very hot.", "The soup is very hot.",
         "Only one of the two would be replaced."),
    Rule("coordinated with another adjective", is_coordinated,
         "The lamp is cheap and useful.", "The lamp is cheap, and Ben is useful.",
         "Adjectives joined by and are good or bad alike (Hatzivassiloglou and McKeown, 1997, P97-1023)."),
    Rule("comparison", lambda p: p.sentence.tags[p.position] != "JJ" and p.swap.pair[1] in RARELY_COMPARED,
         "The sailor is bigger.", "The sailor is older.",
         "The antonym is rarely compared with an ending: the littlest."),
)
_OF_LOOSE_ADJECTIVES: Final[Table] = (
    Rule("neither before a noun nor after a linking verb", lambda _: True,
         "Anna keeps the soup hot.", "The soup of Anna is hot.",
         "Tags do not show of what it is said: Anna left Ben drunk (Quirk et al., 16.21, verbs that link)."),
)
_OF_PREDICATES: Final[Table] = (
    Rule("the antonym does not go with the noun", lambda p: p.clashes,
         "The lamp was old.", "The sailor was old.",
         "The antonym is only said of what lives: a lamp is neither young nor dead."),
    Rule("adjectives that may both be right", lambda p: not (p.swap.opposed or p.clashes),
         "The claim is strange.", "The soup is hot.",
         "The pair is not known to exclude each other."),
    Rule("part of a fixed expression", is_hedged,
         "I am afraid that Ben left.", "Anna is afraid of Ben.",
         "I am afraid that only softens what follows."),
    Rule("word with another sense",
         lambda p: p.swap.opposed and p.has_other_sense and not p.clashes,
         "The sailor on the boat is safe.", "The boat of the sailor is safe.",
         "Of people, it has a sense that the antonym does not oppose: who is safe may be dangerous."),
    Rule("in some cases only",
         lambda p: p.swap.opposed and is_said_of_some(p)
                   and not (p.clashes or p.has_other_sense),
         "A lot of trays are small.", "Most trays are small.",
         "Of others, the opposite may hold (Quirk et al., 5.25 and 6.48)."),
)
_BEFORE_NOUNS: Final[Table] = (
    Rule("the antonym does not go with the noun", lambda p: p.clashes,
         "Anna saw an old lamp.", "Anna saw an old sailor.",
         "The antonym is only said of what lives: a lamp is neither young nor dead, and a baby is not old."),
    Rule("antonym only after a verb", lambda p: p.swap.pair[1] in PREDICATIVE_ONLY,
         "Ben saw a dead goat.", "Ben was dead.",
         "Such adjectives do not precede a noun: an alive goat."),
    Rule("word with another sense", lambda p: p.has_other_sense,
         "Ben stayed a full month.", "Ben holds a full bucket.",
         "Before such a noun, it often has a sense that the antonym does not oppose (Quirk et al., 7.33)."),
    Rule("before an unknown word", lambda p: is_unknown(p.noun),
         "It is a good knotch.", "It is a good notch.",
         "The noun may be misspelt, and the phrase may mean something else."),
    Rule("classifying adjective", lambda p: is_often_relational(p.swap.word),
         "Anna saw a legal team.", "Anna saw a happy team.",
         "What only relates a noun to another has no opposite: legal advice."),
    Rule("classifying adjective",
         lambda p: not _OF_OFFICES.isdisjoint(p.swap.pair) and (p.named == "person" or is_before_compound(p)),
         "Anna is a public speaker.", "Anna is a happy speaker.",
         "Before a profession or a compound it says what kind it is: personal trainer, private equity firm."),
)
_OF_COMPLEMENTS: Final[Table] = (
    Rule("adjectives that may both be right", lambda p: not p.swap.opposed,
         "It is a common bird.", "It is a cold bird.",
         "The pair is not known to exclude each other."),
    Rule("order or time", lambda p: "new" in p.swap.pair and p.named == "person",
         "Ben is the new cook.", "Ben is the young cook.",
         "New may mean that there was another before, who need not be old (Quirk et al., 7.43)."),
    Rule("in some cases only",
         lambda p: p.swap.opposed and not p.is_the and is_said_of_some(p),
         "One of the sights is a small shop.", "One of the sights is the small shop.",
         "Of others, the opposite may hold (Quirk et al., 5.25 and 6.48)."),
)
_OF_ATTRIBUTES: Final[Table] = (
    Rule("what is measured", _is_measured,
         "He fed a good number of goats.", "He fed a good sailor.",
         "A good number is not opposed to a bad one."),
    Rule("classifying adjective", lambda p: not p.swap.opposed,
         "Anna made a general claim.", "Anna made a cheap claim.",
         "Adjectives that classify divide things in more than two, and there may be several."),
    Rule("order or time",
         lambda p: "new" in p.swap.pair
                   and (p.named != "thing" or not is_scene(p.sentence)),
         "They hired a new cook.", "They hired a young cook.",
         "New may mean that there was another before, who need not be old (Quirk et al., 7.43)."),
    Rule("in some cases only", is_one_of_many,
         "There are a few sad sailors.", "There are two sad sailors.",
         "Some are so, and others may be the opposite."),
    Rule("noun phrase without a determiner", lambda p: p.is_generic,
         "Anna is using small shops.", "Anna is using a small shop.",
         "There may be others, of the opposite kind (Quirk et al., 5.26-5.58, on reference)."),
    Rule("in some cases only",
         lambda p: p.named == "person" and not p.is_generic and is_of_any(p),
         "Stories impress a young sailor.", "A story impresses a young sailor.",
         "It may be said of anybody (Quirk et al., 5.52)."),
    Rule("restrictive adjective", _is_restrictive,
         "The old sailor left.", "The old sailor is leaving.",
         "It may tell this sailor from others (Quirk et al., 17.3); what happens now is about one scene."),
)
_OF_NOUNS: Final[Table] = (
    Rule("nouns that may both be right", lambda p: not p.swap.opposed,
         "The danger passed.", "The husband passed.",
         "The pair is not known to exclude each other."),
    Rule("a time", lambda p: is_time(p.sentence.words[p.position]),
         "It rained the night before.", "It saw the husband before.",
         "What happens by night may also happen by day."),
    Rule("parts of one thing", lambda p: _SIDES.issuperset(p.swap.pair),
         "The inside of the cup was painted.", "The husband of the nun was painted.",
         "What is so inside may be so outside, too."),
)
_OF_POSSESSORS: Final[Table] = (
    Rule("part of a possessive", lambda _: True,
         "Ben feeds the husband's dog.", "The husband feeds the dog.",
         "Ben may feed the dog of the wife as well."),
)
_OF_HEADS: Final[Table] = (
    Rule("what is measured", lambda p: p.swap.word in _SHARES or follows_of(p, _MEASURES),
         "It shows the degree of success.", "It shows the success.",
         "What is measured may be more or less of both; the majority are just most."),
    Rule("noun phrase without a determiner", lambda p: p.is_generic,
         "They are meeting husbands.", "They are meeting a husband.",
         "There may be others, of the opposite kind (Quirk et al., 5.26-5.58, on reference)."),
    Rule("in some cases only", is_one_of_many,
         "Some boys keep goats.", "Some boys are feeding goats.",
         "Some are so, and others may be the opposite."),
    Rule("in some cases only", is_among_others,
         "The sailors met a dozen people, including a woman.", "The sailors met a woman.",
         "There may be some of the opposite among the others."),
    Rule("in some cases only", is_said_of_one,
         "One is a woman.", "The cook is a woman.",
         "Another may be the opposite (Quirk et al., 5.25 and 6.48)."),
    Rule("one of several relatives", is_of_several_relatives,
         "Ann saw my aunt.", "Ann saw the aunt.",
         "Who has a son may also have a daughter."),
    Rule("the other end of a relation",
         lambda p: p.swap.are_ends and is_definite_end(p)
                   and not is_of_several_relatives(p),
         "It helps an employee.", "It helps the husband.",
         "Both ends of a relation may be present."),
    Rule("things that can both be present", _may_be_together,
         "It had a success.", "It was a success.",
         "An indefinite or plural noun leaves room for other things, unless it says what the subject is."),
)
_OF_PRONOUNS: Final[Table] = (
    Rule("a pronoun may refer to the word or to another", is_one_with_pronoun,
         "One of the boys lost his lamp.", "One of the boys lost a lamp.",
         "It agrees with one of those whom the plural names."),
    _unclear("a pronoun may refer to the word or to another",
             "A boy saw a sailor and his dog.", "A boy saw a nun and his dog.",
             "No coreference is resolved, and the pronoun must agree with the antonym."),
    _unclear("a pronoun reveals what the word leaves open",
             "The employer said he was busy.", "The boy said he was busy.",
             "He would have to be they, with which verbs agree in another form."),
    _unclear("a pronoun goes with a husband or wife",
             "A boy kissed his bride.", "A boy kissed his dog.",
             "The spouse would have to change, too."),
    Rule("a pronoun reveals what the word leaves open", is_of_he_or_she,
         "He became a man.", "Ben became a man.",
         "It would have to agree with the antonym: she became a woman."),
)
# fmt: on

#: All rows, in the order in which they are asked of words of one use.
RULES: Final[Table] = (
    *(*_OF_ANY_WORD, *_OF_ADJECTIVES, *_OF_LOOSE_ADJECTIVES, *_OF_PREDICATES, *_BEFORE_NOUNS),
    *(*_OF_COMPLEMENTS, *_OF_ATTRIBUTES, *_OF_NOUNS, *_OF_POSSESSORS, *_OF_HEADS, *_OF_PRONOUNS),
)
#: What those of any word ask of the swap alone, and of the sentence alone ...
_OF_SWAPS: Final = tuple(rule.holds.asks for rule in _OF_ANY_WORD if isinstance(rule.holds, _OfSwap))
_OF_SENTENCES: Final = tuple(rule.holds.asks for rule in _OF_ANY_WORD if isinstance(rule.holds, _OfSentence))
#: ... and those that ask of neither.
_OF_PLACES: Final[Table] = tuple(
    rule for rule in _OF_ANY_WORD if not isinstance(rule.holds, _OfSwap | _OfSentence)
)
_OF_USE: Final[dict[Use, Table]] = {
    "loose": (*_OF_ADJECTIVES, *_OF_LOOSE_ADJECTIVES),
    "predicate": (*_OF_ADJECTIVES, *_OF_PREDICATES),
    "complement": (*_OF_ADJECTIVES, *_BEFORE_NOUNS, *_OF_COMPLEMENTS),
    "attribute": (*_OF_ADJECTIVES, *_BEFORE_NOUNS, *_OF_ATTRIBUTES),
    "possessor": (*_OF_NOUNS, *_OF_POSSESSORS, *_OF_PRONOUNS),
    "head": (*_OF_NOUNS, *_OF_HEADS, *_OF_PRONOUNS),
}


def against(place: Place, without: Collection[str] = ()) -> Iterator[Rule[Place]]:
    """Yield the rules that hold of *place*, but for the reasons *without*."""
    known = _is_doubtful_swap(place.swap) or _is_doubtful_sentence(place.sentence)
    yield from holding(_OF_ANY_WORD if known else _OF_PLACES, place, without)
    yield from holding(_OF_USE[place.use], place, without)
