"""The kinds of antonym pairs, and words whose antonyms give no contradiction."""

from __future__ import annotations

from typing import Final, Literal

from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.noun_groups import NounKind

AntonymKind = Literal["gradable", "complementary", "relational", "unknown"]

#: Words whose replacement gave no contradiction, collected by the authors of Naik et al. (2018) for their
#: test; "civilian" is one as an antonym.
NO_CONTRADICTION: Final = frozenset(
    "here there goodness yes no decision indecision growing priority cheers volume right left goods addition "
    "income parent parents being lord lady put capital lowercase unions civilian".split()
)

# The three kinds of Naik et al. (2018), section 4.3, after Cruse (1986, Lexical Semantics, chapters 9 and
# 10) and Muehleisen (1997).  Gradable: neither may hold, and both have degrees.  Complementary: exactly one
# holds, within the domain.  Relational: each names the other end of a relation (converses, directions).
# All other pairs are "unknown".
# fmt: off
_GRADABLE: Final = """
    hot cold|warm cool|big little|large small|tall short|long short|high low|old young|old new
    fast slow|good bad|good ill|good evil|happy unhappy|happy sad|glad sad|strong weak|heavy light
    light dark|bright dull|thick thin|wide narrow|broad narrow|deep shallow|rich poor|rich lean
    clean dirty|dry wet|hard soft|hard easy|easy difficult|loud soft|loud quiet|noisy quiet
    rough smooth|sharp dull|sharp flat|tight loose|busy idle|early late|near far|far near
    close distant|expensive cheap|beautiful ugly|pretty ugly|cheap dear|important unimportant
    interesting uninteresting|comfortable uncomfortable|common uncommon|safe dangerous
    friendly unfriendly|polite impolite|popular unpopular|fat thin|heavy thin|many few|much little
    more less|more fewer|most least|best worst|better worse|major minor|simple complex|simple compound
    crowded uncrowded|calm stormy|calm agitated|bold timid|brave cowardly|kind unkind|likely unlikely
    familiar unfamiliar|pleasant unpleasant|healthy unhealthy|wise foolish|clever stupid|smart stupid
    tame wild|coarse fine|colorful colorless|attractive unattractive|formal informal
    optimistic pessimistic|patient impatient|generous stingy|hungry full|cool warm|bottom top
    heaviness lightness|length shortness|strength weakness|happiness unhappiness|joy sorrow|love hate
    advantage disadvantage|majority minority|maximum minimum|increase decrease|interest disinterest
    hope despair|pleasure pain|beauty ugliness|importance unimportance
"""
_COMPLEMENTARY: Final = """
    male female|man woman|boy girl|men women|dead alive|dead live|alive dead|married single
    married unmarried|true false|open closed|open shut|present absent|presence absence|inside outside
    indoor outdoor|indoors outdoors|possible impossible|legal illegal|pass fail|success failure
    day night|human nonhuman|living dead|empty full|even odd|moving nonmoving|moving unmoving
    same different|public private|visible invisible|perfect imperfect|complete incomplete
    existence nonexistence|existent nonexistent|on off|asleep awake|clothed unclothed
    dressed undressed|armed unarmed|able unable|aware unaware|finite infinite|guilty innocent
    temporary permanent|first last|straight crooked|straight curved|professional unprofessional
    professional amateur|wooden nonwooden|paved unpaved|shaved unshaven|solid liquid|military civilian
    real unreal|natural artificial|natural unnatural|regular irregular|only first|animate inanimate
    organic inorganic|peace war|war peace|truth falsehood|son daughter|brother sister|father mother
    male_child female_child|uncle aunt|nephew niece|king queen|prince princess|actor actress
    waiter waitress|gentleman lady|host hostess|hero heroine|god goddess|bull cow|rooster hen
"""
_RELATIONAL: Final = """
    husband wife|buyer seller|teacher student|parent child|employer employee|lender borrower
    giver taker|winner loser|entrance exit|arrival departure|north south|east west|northern southern
    eastern western|northeast southwest|northwest southeast|top side|front back|front rear|back front
    up down|above below|uphill downhill|upper lower|upstairs downstairs|upstream downstream|left right
    leader follower|host guest|predecessor successor|ancestor descendant|superior inferior
    debit credit|import export|question answer|doctor patient|offense defense|attack defense
    beginning end|beginning ending|start end|start finish|start stop|head tail|head foot|top bottom
    overhead underfoot|master slave|ascent descent|rise fall|natural_elevation natural_depression
    push pull|foreground background|sunrise sunset|input output
"""
# Pairs whose first word has another sense that the second does not oppose, with the kinds of nouns of which
# that sense is usual (None: of nothing concrete).  Who is safe is in no danger, what is dangerous causes it;
# who is responsible may be to blame, what is critical may be crucial, and what is odd strange.  Before a
# noun, *real*, *full* and *complete* often intensify it (Quirk et al., 1985, sections 7.33-7.34): a real work
# of art is not opposed to an imaginary one.
_ALL: Final = ("person", "animal", "thing", None)
_OTHER_SENSES: Final[dict[tuple[str, str], tuple[NounKind | None, ...]]] = {
    ("safe",        "dangerous"):     ("person",),
    ("critical",    "uncritical"):    ("animal", "thing", None),
    ("responsible", "irresponsible"): _ALL,
    ("due",         "undue"):         _ALL,
    ("odd",         "even"):          _ALL,
}
_OTHER_SENSES_BEFORE_NOUN: Final[dict[tuple[str, str], tuple[NounKind | None, ...]]] = {
    **_OTHER_SENSES,
    ("real",        "unreal"):        _ALL,
    ("full",        "empty"):         ("person", None),
    ("complete",    "incomplete"):    ("person", None),
}
# fmt: on


def _pairs(table: str, kind: AntonymKind) -> dict[tuple[str, str], AntonymKind]:
    """Return *kind* for both orders of each pair of the table."""
    pairs = [line.split() for line in table.replace("\n", "|").split("|") if line.strip()]
    return {pair: kind for first, second in pairs for pair in ((first, second), (second, first))}


_NEGATIVE: Final = ("un", "in", "im", "il", "ir", "dis", "non", "a")
_KINDS: Final = (
    _pairs(_GRADABLE, "gradable")
    | _pairs(_COMPLEMENTARY, "complementary")
    | _pairs(_RELATIONAL, "relational")
)


def antonym_kind(word: str, antonym: str) -> AntonymKind:
    """Return the kind of the antonym pair of two lemmas, in either order.

    >>> antonym_kind("hot", "cold"), antonym_kind("wife", "husband"), antonym_kind("alpha", "beta")
    ('gradable', 'relational', 'unknown')
    """
    return _KINDS.get((word, antonym), "unknown")


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
    return bool(stem - {word, other}) or is_negation(long, short)


def has_other_sense(word: str, antonym: str, noun: NounKind | None, *, attributive: bool = False) -> bool:
    """Return whether *word*, said of a kind of noun, often has a sense that *antonym* does not oppose.

    *noun*: None if it names nothing concrete.  *attributive*: before the noun, not after a verb.

    >>> has_other_sense("safe", "dangerous", "person"), has_other_sense("safe", "dangerous", "thing")
    (True, False)
    """
    table = _OTHER_SENSES_BEFORE_NOUN if attributive else _OTHER_SENSES
    return noun in table.get((word, antonym), ())


def is_negation(word: str, other: str) -> bool:
    """Return whether *word* is *other* with a negative prefix.

    >>> is_negation("unhappy", "happy"), is_negation("happy", "unhappy"), is_negation("sad", "happy")
    (True, False, False)
    """
    return any(word == prefix + other for prefix in _NEGATIVE)
