"""The words that turn or stop entailment in what stands in their reach: monotonicity operators.

``up``: a word there may be replaced by a more general one and the sentence still follows; ``down``: by a
more special one; ``none``: by neither.  Sources, by their short names below:

| | |
|---|---|
| MC | MacCartney 2009, *Natural Language Inference*, chapter 6 |
| IM | Icard and Moss 2014, *Recent Progress on Monotonicity*, LiLT 9 |
| Hu | Hu et al. 2020, MonaLog, and Hu and Moss 2018, polarity of parses (ccg2mono) |
| MED | Yanaka et al. 2019, *Can neural networks understand monotonicity reasoning?*, W19-4804 |
| Lad | Ladusaw 1980, *Polarity Sensitivity as Inherent Scope Relations* |
| Q | Quirk et al. 1985, *A Comprehensive Grammar*, sections 8.111 and 10.59 (near-negatives) |

Where a word has several readings the one that captions have is taken: ``the`` and numerals say that there
are such (``three dogs`` means three at least: MC), ``many`` and ``few`` count (IM), ``only`` asserts what it
says of its focus too, so nothing can be replaced, where MED has its assertion alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Direction = Literal["up", "down", "none"]
Reach = Literal["noun phrase", "pronoun", "clause", "complement", "phrase", "condition", "nothing"]


class Operator(NamedTuple):
    """*words*, separated by ``|``; ``N`` is a numeral.  What they do to the *restrictor* and the *scope*.

    *reach* says where these are.  ``noun phrase``: the noun phrase that the word opens is the restrictor,
    what is said of it the scope; ``pronoun``: the restrictor is what follows the pronoun in its phrase.
    Of the others only the scope counts.  ``clause``: to the end of the clause; ``complement``: the same,
    after a verb in any form; ``phrase``: to the end of the prepositional phrase; ``condition``: the clause
    that the word opens; ``nothing``: an idiom.
    """

    words: str
    reach: Reach
    restrictor: Direction
    scope: Direction
    source: str


# fmt: off
#: Of two phrases that begin at one place the longer is taken.  "neither nor" is *neither* with *nor* later.
OPERATORS: Final[tuple[Operator, ...]] = (
    # negation
    Operator("not|n't|n’t|never|cannot|no longer|nor",           "clause",      "up",   "down", "MC"),
    Operator("hardly|scarcely|rarely|seldom",                    "clause",      "up",   "down", "Q, Lad"),
    Operator("barely|almost|nearly",                             "clause",      "up",   "none", "Q"),
    Operator("not only|not just|no matter|not until|at all|after all|above all|over all|no doubt",
                                                                 "nothing",     "up",   "up",   "idioms"),
    Operator("no|zero",                                          "noun phrase", "down", "down", "MC, MED"),
    Operator("nobody|no one|nothing|none|no-one",                "pronoun",     "down", "down", "MC, MED"),
    Operator("neither",                                          "noun phrase", "down", "down", "MC"),
    Operator("neither nor",                                      "clause",      "up",   "down", "MC"),
    Operator("without|instead of|rather than|free of|devoid of|in the absence of",
                                                                 "phrase",      "up",   "down", "MC, Hu"),
    Operator("except|except for|but for|apart from|all but|lack of|absence of",
                                                                 "phrase",      "up",   "none", "MC"),
    # predicates with a negative implication
    Operator("refuse|fail|deny|doubt|lack|avoid|decline|neglect|forget to|prevent|forbid|prohibit|ban|"
             "refrain from|abstain from|dispute",                "complement",  "up",   "down", "MC 6.5, Hu"),
    Operator("stop|quit|cease",                                  "complement",  "up",   "none", "MC 6.5"),
    Operator("pretend|wonder",                                   "complement",  "up",   "none", "MC 6.5"),
    Operator("unable|impossible|unlikely|unwilling|unaware|incapable|reluctant",
                                                                 "clause",      "up",   "down", "Lad, Hu"),
    # quantifiers
    Operator("every|all|each|any",                               "noun phrase", "down", "up",   "MC, MED"),
    Operator("everyone|everybody|everything|anyone|anybody|anything",
                                                                 "pronoun",     "down", "up",   "MC, IM"),
    Operator("almost every|almost all|nearly every|nearly all|practically all",
                                                                 "noun phrase", "none", "up",   "IM"),
    Operator("some|several|many|a few|a lot of|lots of|plenty of|a little|a number of|another|a|an|the|N",
                                                                 "noun phrase", "up",   "up",   "MC, IM"),
    Operator("at least N|more than N|over N|no fewer than N|no less than N|at least half",
                                                                 "noun phrase", "up",   "up",   "IM, MED"),
    Operator("few|very few|too few|little|very little|almost no","noun phrase", "down", "down", "IM, MED"),
    Operator("fewer than N|less than N|at most N|no more than N|not more than N|up to N|under N",
                                                                 "noun phrase", "down", "down", "IM, MED"),
    Operator("exactly N|precisely N|only N|just N|about N|around N|approximately N|nearly N|almost N|"
             "roughly N|an even number of|an odd number of",     "noun phrase", "none", "none", "IM"),
    Operator("most|half|half of|most of|both|more than half of|the majority of",
                                                                 "noun phrase", "none", "up",   "MC, IM"),
    Operator("only",                                             "clause",      "up",   "none", "IM"),
    # clauses
    Operator("if|in case|provided",                              "condition",   "up",   "down", "MC, Lad"),
    Operator("whenever|wherever|whoever|whatever",               "condition",   "up",   "down", "Lad"),
    Operator("unless",                                           "condition",   "up",   "up",   "if not"),
    Operator("before",                                           "condition",   "up",   "down", "Lad, Hu"),
    Operator("until|till|whether|as if|as though|even if|only if",
                                                                 "condition",   "up",   "none", "Lad"),
)

#: Adjectives that make of an N something that need not be one: not subsective (Kamp and Partee 1995).
NOT_SUBSECTIVE: Final = frozenset(
    "fake former alleged counterfeit artificial imaginary pretend mock toy supposed so-called would-be "
    "future potential possible apparent putative fictional virtual false phony pseudo presumed mythical "
    "hypothetical fictitious replica simulated imitation aspiring".split()
)
#: Adjectives of order, which stop what follows like superlatives, after a determiner (IM).
ORDERING: Final = frozenset("first second third fourth last next only best worst biggest favorite".split())
#: Verbs after which *if* is *whether* (Quirk et al., 15.6).
ASKING: Final = frozenset("ask wonder see know check decide tell inquire find sure matter determine".split())
#: Nouns of which there is *little*; before others it is an adjective, as captions leave articles out.
MASS: Final = frozenset(
    "water food time money space room light hope help interest effort traffic snow rain sand sugar salt milk "
    "coffee tea beer wine air energy work attention sunlight grass hair clothing furniture information "
    "difficulty trouble chance doubt evidence sleep sense use fun noise smoke dust dirt ice music progress "
    "success rice bread meat fruit fuel gas oil paint paper wood sun shade shelter equipment experience "
    "knowledge patience respect sympathy support".split()
)
# fmt: on


def by_phrase() -> Mapping[tuple[str, ...], Operator]:
    """Return the operators by their words.

    >>> by_phrase()[("fewer", "than", "N")].scope
    'down'
    """
    return {tuple(phrase.split()): row for row in OPERATORS for phrase in row.words.split("|")}
