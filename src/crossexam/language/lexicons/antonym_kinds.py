"""The kinds of antonym pairs, and words whose antonyms give no contradiction.

The three kinds are those that Naik et al. (2018, section 4.3) tell apart, without defining them; here after
Cruse (1986, Lexical Semantics, chapters 9 and 10) and Muehleisen (1997):

- Gradable: both words have degrees (*hotter*, *very useful*), and often neither holds.
- Complementary: within their domain, what is not the one is the other; there are no degrees between them.
- Relational: each names the other end of a relation (*creditor*, *debtor*), a direction or order (*north*,
  *beginning*), or a change that undoes the other (*ascent*, *increase*).

A noun is of the kind of the adjective or verb that it is made of (*ability* as *able*).  Words that exclude
each other as others of a list do (*annual*, *biennial*) are of none of these kinds.

``antonym_kinds.tsv`` has a pair per line: its words in alphabetical order, their kind, and what the rules of
antonymy take from the pair.  *opposed*: whatever the context, nothing is both (:func:`are_opposed`); *ends*:
and they are two ends of one relation, so that both may be present (:func:`are_ends`).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal, NamedTuple, cast, get_args

from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.noun_groups import NounKind

AntonymKind = Literal["gradable", "complementary", "relational", "unknown"]
ANTONYM_KINDS: Final[tuple[AntonymKind, ...]] = get_args(AntonymKind)

#: Words whose replacement gave no contradiction, collected by the authors of Naik et al. (2018) for their
#: test; "civilian" is one as an antonym.
NO_CONTRADICTION: Final = frozenset(
    "here there goodness yes no decision indecision growing priority cheers volume right left goods addition "
    "income parent parents being lord lady put capital lowercase unions civilian".split()
)

# fmt: off
# Pairs whose first word has another sense that the second does not oppose, with the kinds of nouns of which
# that sense is usual (None: of nothing concrete).  Who is safe is in no danger, what is dangerous causes it;
# who is responsible may be to blame, what is critical may be crucial, and what is odd strange; what is cool
# pleases, what is rough is hard to bear, and who is short is not tall.  Before a noun, *real*, *full* and
# *complete* often intensify it (Quirk et al., 1985, sections 7.33-7.34): a real work of art is not opposed to
# an imaginary one.  Only of animals and things is *big* opposed to *little*: a big fan is eager, and *a
# little risk* says how much there is of it.  A time that is not *busy* is not idle, and a *top* scorer leads.
_ALL: Final = ("person", "animal", "thing", None)
_OTHER_SENSES: Final[dict[tuple[str, str], tuple[NounKind | None, ...]]] = {
    ("safe",        "dangerous"):     ("person",),
    ("critical",    "uncritical"):    ("animal", "thing", None),
    ("responsible", "irresponsible"): _ALL,
    ("due",         "undue"):         _ALL,
    ("odd",         "even"):          _ALL,
    ("cool",        "warm"):          ("person", None),
    ("rough",       "smooth"):        ("person", "animal", None),
    ("short",       "long"):          ("person", "animal"),
}
_OTHER_SENSES_BEFORE_NOUN: Final[dict[tuple[str, str], tuple[NounKind | None, ...]]] = {
    **_OTHER_SENSES,
    ("real",        "unreal"):        _ALL,
    ("full",        "empty"):         ("person", None),
    ("complete",    "incomplete"):    ("person", None),
    ("big",         "little"):        ("person", None),
    ("busy",        "idle"):          (None,),
    ("sudden",      "gradual"):       _ALL,
    ("exact",       "inexact"):       _ALL,
    ("native",      "nonnative"):     ("person",),
    ("top",         "bottom"):        ("person", None),
    ("top",         "side"):          _ALL,
}
# fmt: on

_NEGATIVE: Final = ("un", "in", "im", "il", "ir", "dis", "non", "a")
_TABLE: Final = "antonym_kinds.tsv"


class _Row(NamedTuple):
    kind: AntonymKind
    rule: str  # opposed, ends or empty


@cache
def _table() -> dict[frozenset[str], _Row]:
    """Return the rows of the table by the two words."""
    text = files(__package__).joinpath(_TABLE).read_text("utf-8")
    rows = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            one, other, kind, *rule = line.split("\t")
            rows[frozenset((one, other))] = _Row(cast("AntonymKind", kind), "".join(rule))
    return rows


_ABSENT: Final = _Row("unknown", "")


def _row(word: str, other: str) -> _Row:
    return _table().get(frozenset((word, other)), _ABSENT)


def antonym_kind(word: str, antonym: str) -> AntonymKind:
    """Return the kind of the antonym pair of two lemmas, in either order.

    >>> antonym_kind("hot", "cold"), antonym_kind("wife", "husband"), antonym_kind("alpha", "beta")
    ('gradable', 'relational', 'unknown')
    """
    return _row(word, antonym).kind


def are_ends(word: str, other: str) -> bool:
    """Return whether two antonyms are the ends of one relation, so that both may be present.

    >>> are_ends("wife", "husband"), are_ends("man", "woman")
    (True, False)
    """
    return _row(word, other).rule == "ends"


def are_opposed(word: str, other: str) -> bool:
    """Return whether two antonyms exclude each other: as a known pair, colours, or one negating the other.

    >>> are_opposed("hot", "cold"), are_opposed("useful", "useless"), are_opposed("local", "national")
    (True, True, False)
    """
    if _row(word, other).rule or class_of(word) == class_of(other) == "colour":
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
    >>> has_other_sense("big", "little", "person", attributive=True)
    True
    """
    table = _OTHER_SENSES_BEFORE_NOUN if attributive else _OTHER_SENSES
    return noun in table.get((word, antonym), ())


def is_known(word: str, other: str) -> bool:
    """Return whether the table says that two antonyms exclude each other, so that both are in use.

    >>> is_known("helpful", "unhelpful"), is_known("angry", "unangry")
    (True, False)
    """
    return bool(_row(word, other).rule)


def is_negation(word: str, other: str) -> bool:
    """Return whether *word* is *other* with a negative prefix.

    >>> is_negation("unhappy", "happy"), is_negation("happy", "unhappy"), is_negation("sad", "happy")
    (True, False, False)
    """
    return any(word == prefix + other for prefix in _NEGATIVE)
