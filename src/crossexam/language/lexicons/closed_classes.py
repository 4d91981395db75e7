"""Closed-class words of English, once each (Quirk et al., 1985, A Comprehensive Grammar; sections are given).

A rule that asks for fewer or more words than a class has says so where it stands, as a difference or a union.
Lists of words of several classes that one rule is about stay with the rule.
"""

from __future__ import annotations

from typing import Final

# fmt: off
INDEFINITE_ARTICLES: Final = frozenset({"a", "an"})
ARTICLES: Final = INDEFINITE_ARTICLES | {"the"}  # 5.11

# Determiners that a singular noun follows (5.10-5.25); "the" and "no" go with both numbers.
SINGULAR_DETERMINERS: Final = frozenset("a an one this that each every another".split())

COORDINATORS: Final = frozenset("and but or nor so yet for".split())  # with those like them, 13.5-13.18

SUBORDINATORS: Final = frozenset(  # of one word, 14.11-14.12
    "after although as because before if lest once since than that though till unless until when whenever "
    "where whereas wherever whether while whilst".split()
)

CONJUNCTIONS: Final = COORDINATORS | SUBORDINATORS

PERSONAL_PRONOUNS: Final = frozenset("he him she her it they them i me we us you".split())  # 6.15-6.19

REFLEXIVES: Final = frozenset(  # 6.23
    "myself yourself himself herself itself ourselves yourselves themselves oneself".split()
)

POSSESSIVE_DETERMINERS: Final = frozenset("my your his her its our their whose".split())  # 6.29

INDEFINITES: Final = frozenset(  # compound pronouns, 6.46-6.47
    "someone somebody something anyone anybody anything everyone everybody everything nobody nothing".split()
)

PRONOUNS: Final = PERSONAL_PRONOUNS | REFLEXIVES | POSSESSIVE_DETERMINERS | INDEFINITES | frozenset(
    "mine ours yours hers theirs who whom which what one none this that these those "
    "each either neither both all some any few many several much more most other another such".split()
)

# Pronouns, first those for people, that stand where a noun may: someone is there.
INDEFINITE_PEOPLE: Final = frozenset("someone somebody everyone everybody others".split())
INDEFINITES_AS_NOUNS: Final = INDEFINITE_PEOPLE | {"something", "everything"}

PREPOSITIONS: Final = frozenset(  # of one word, 9.7
    "about above across after against along amid among around as at before behind below beneath beside "
    "besides between beyond by despite down during except for from in inside into like near of off on "
    "onto opposite out outside over past per since through throughout till to toward towards under until "
    "up upon versus via with within without".split()
)

PATHS: Final = frozenset("along across down past through up".split())  # passage and direction, 9.25-9.26

BE: Final = frozenset("be am is are was were been being".split())  # 3.32
BE_OF_THIRD_PERSONS: Final = frozenset("is are was were".split())  # whose subjects are no *I*
BE_WITH_CLITICS: Final = BE | {"'s", "'re", "'m"}  # as they are split off: she 's
HAVE: Final = frozenset("have has had having".split())  # 3.33
DO: Final = frozenset("do does did done doing".split())  # 3.36
CENTRAL_MODALS: Final = frozenset("can could may might must shall should will would".split())  # 3.39
AUXILIARIES: Final = BE | HAVE | DO | CENTRAL_MODALS | {"ought", "need", "dare"}  # the marginal: 3.40-3.43

# Adverbs of negation, time, place, degree and conjunction (chapters 7 and 8), and interjections.
OTHER: Final = frozenset(
    "no not never ever also too very just only then there here now how why again else even still already "
    "almost always often perhaps maybe quite rather however thus hence yes oh ok okay hi hello".split()
)

# Cardinal numerals: the first from zero on, the tens by their digit, and the larger ones by their value.
SMALL_NUMBERS: Final = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen".split()
)
TENS: Final = ("", "", *"twenty thirty forty fifty sixty seventy eighty ninety".split())
SCALES: Final[dict[str, int]] = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
NUMBER_WORDS: Final = frozenset({*SMALL_NUMBERS, *TENS, "hundred", *SCALES}) - {""}

CLOSED_CLASSES: Final = ARTICLES | CONJUNCTIONS | PRONOUNS | PREPOSITIONS | AUXILIARIES | OTHER

NEGATIONS: Final = frozenset(  # in form, and from "hardly" on in meaning only; 10.54-10.59
    "not n't no never nobody none nothing nowhere neither nor cannot without hardly scarcely barely "
    "rarely seldom".split()
)

# Words that taggers call adjectives before a noun, although they determine or count it and do not describe
# it: determinatives (Huddleston and Pullum, 2002, The Cambridge Grammar, chapter 5, section 7) and adjectives
# of quantity; predeterminers and postdeterminers with their ordinals (Quirk et al., 5.15-5.25); "own" and
# adjectives that do nothing but restrict the reference (6.30, 7.35).  "Little" is not among them: before a
# noun that can be counted it is an adjective of size.
DETERMINING: Final = frozenset(
    "all another any both certain each either enough every few many more most much neither no several some "
    "sufficient this that these those various "
    "countless innumerable multiple numerous "
    "double half such additional further last next other past "
    "first second third fourth fifth sixth seventh eighth ninth tenth "
    "only own same very".split()
)
# fmt: on
