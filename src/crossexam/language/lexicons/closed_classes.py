"""Closed-class words of English (Quirk et al., 1985, A Comprehensive Grammar, chapters 2, 6, 9, 13, 14)."""

from __future__ import annotations

from typing import Final

# fmt: off
ARTICLES: Final = frozenset({"a", "an", "the"})

# With the subordinating conjunctions that have the Penn tag IN (Quirk et al., 14.11-14.12).
CONJUNCTIONS: Final = frozenset(
    "after although as because before if lest once since than that though till unless until when whenever "
    "where whereas wherever whether while whilst and but or nor so yet for".split()
)

PRONOUNS: Final = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themselves who whom whose which what one "
    "oneself somebody someone something anybody anyone anything everybody everyone everything nobody none "
    "nothing this that these those each either neither both all some any few many several much more most "
    "other another such".split()
)

PERSONAL_PRONOUNS: Final = frozenset("he him she her it they them i me we us you".split())

INDEFINITE_PEOPLE: Final = frozenset("someone somebody everyone everybody others".split())

PREPOSITIONS: Final = frozenset(
    "about above across after against along amid among around as at before behind below beneath beside "
    "besides between beyond by despite down during except for from in inside into like near of off on "
    "onto opposite out outside over past per since through throughout till to toward towards under until "
    "up upon versus via with within without".split()
)

AUXILIARIES: Final = frozenset(
    "am is are was were be been being has have had having do does did done doing can could may might must "
    "shall should will would ought need dare".split()
)

OTHER: Final = frozenset(
    "no not never ever also too very just only then there here now how why again else even still already "
    "almost always often perhaps maybe quite rather however thus hence yes oh ok okay hi hello".split()
)

CLOSED_CLASSES: Final = ARTICLES | CONJUNCTIONS | PRONOUNS | PREPOSITIONS | AUXILIARIES | OTHER

NEGATIONS: Final = frozenset(
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
