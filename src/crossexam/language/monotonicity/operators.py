"""Monotonicity operators: words that reverse or block entailments in their restrictor or scope.

``up``: replacing a word by a more general one gives a sentence that is entailed; ``down``: a more specific
one; ``none``: neither does.  Sources, by their short names below:

| | |
|---|---|
| MC | MacCartney 2009, *Natural Language Inference*, chapter 6 |
| IM | Icard and Moss 2014, *Recent Progress on Monotonicity*, LiLT 9 |
| Hu | Hu et al. 2020, MonaLog, and Hu and Moss 2018, polarity of parses (ccg2mono) |
| MED | Yanaka et al. 2019, *Can neural networks understand monotonicity reasoning?*, W19-4804 |
| Lad | Ladusaw 1980, *Polarity Sensitivity as Inherent Scope Relations* |
| Q | Quirk et al. 1985, *A Comprehensive Grammar*, sections 8.111 and 10.59 (near-negatives) |

Of several readings the one usual in captions is taken: ``the`` and numerals are existential (``three dogs``
means at least three: MC), ``many`` and ``few`` are cardinal (IM), and ``only`` also asserts its prejacent, so
that nothing can be replaced, whereas MED considers its exclusive part alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Direction = Literal["up", "down", "none"]
Reach = Literal["noun phrase", "pronoun", "clause", "complement", "phrase", "condition", "nothing"]


class Operator(NamedTuple):
    """Operators: *words*, separated by ``|`` (``N`` is a numeral), and their *restrictor* and *scope*.

    *reach* says where these are.  ``noun phrase``: the restrictor is the noun phrase that the word opens,
    and the scope is the predicate; ``pronoun``: the restrictor is what follows the pronoun in its phrase.
    The others have a scope only.  ``clause``: to the end of the clause; ``complement``: the same, after a
    verb in any form; ``phrase``: to the end of the prepositional phrase; ``condition``: the clause that the
    word opens; ``nothing``: none, in an idiom.
    """

    words: str
    reach: Reach
    restrictor: Direction
    scope: Direction
    source: str


# fmt: off
#: The longest match at a position is taken.  "neither nor" is *neither* with a later *nor*.
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

#: Adjectives that are not subsective: a fake gun is not a gun (Kamp and Partee, 1995).
NOT_SUBSECTIVE: Final = frozenset(
    "fake former alleged counterfeit artificial imaginary pretend mock toy supposed so-called would-be "
    "future potential possible apparent putative fictional virtual false phony pseudo presumed mythical "
    "hypothetical fictitious replica simulated imitation aspiring".split()
)
#: Adjectives of order, which block replacements like superlatives, after a determiner (IM).
ORDERING: Final = frozenset("first second third fourth last next only best worst biggest favorite".split())
#: Verbs after which *if* means *whether* (Quirk et al., 15.6).
ASKING: Final = frozenset("ask wonder see know check decide tell inquire find sure matter determine".split())
#: Mass nouns, of which there may be *little*; before others it is an adjective, as captions omit articles.
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
