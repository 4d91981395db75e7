"""Personal pronouns that refer to a noun, and what becomes of them if another noun takes its place.

English has gender in the third person singular only (Quirk et al., 1985, section 6.8).  Nothing here resolves
coreference: a pronoun is taken to refer to a noun if no other noun of the sentence can be meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from crossexam.language.inflection import match_case
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE, PLURAL_NOUNS, SPOUSES
from crossexam.language.nouns import Gender, animacy, gender
from crossexam.language.tokens import Token

# Function: masculine, feminine, of either gender (section 6.18).
_FORMS: Final[dict[str, tuple[str, str, str]]] = {
    "subject": ("he", "she", "they"),
    "object": ("him", "her", "them"),
    "determiner": ("his", "her", "their"),
    "possessive": ("his", "hers", "theirs"),
    "reflexive": ("himself", "herself", "themselves"),
}
_GENDERS: Final[tuple[Gender | None, ...]] = ("masculine", "feminine", None)
_NOMINAL: Final = ("NN", "JJ", "CD", "VBG", "VBN", "RB")
_MASCULINE: Final = frozenset(forms[0] for forms in _FORMS.values())
_FEMININE: Final = frozenset(forms[1] for forms in _FORMS.values())
#: The pronouns of the third person singular that have a gender.
GENDERED: Final = _MASCULINE | _FEMININE


class GenderedPronoun(NamedTuple):
    """A pronoun at *position*, of *gender*, and its *function*, a key of the table of forms."""

    position: int
    gender: Gender
    function: str


def gendered_pronouns(tokens: Sequence[Token]) -> Iterator[GenderedPronoun]:
    """Yield the pronouns of the third person singular that have a gender.

    >>> tokens = [Token(word, 0, 0, tag) for word, tag in (("hold", "VB"), ("her", "PRP$"), ("hat", "NN"))]
    >>> [*gendered_pronouns(tokens)]
    [GenderedPronoun(position=1, gender='feminine', function='determiner')]
    """
    for position, token in enumerate(tokens):
        word = token.text.lower()
        if word in GENDERED:
            which: Gender = "masculine" if word in _MASCULINE else "feminine"
            yield GenderedPronoun(position, which, _function(tokens, position, word))


def _function(tokens: Sequence[Token], position: int, word: str) -> str:
    if word in {"his", "her"}:
        following = tokens[position + 1].tag if position + 1 < len(tokens) else ""
        if following.startswith(_NOMINAL) and following != "RB":
            return "determiner"
        return "possessive" if word == "his" else "object"
    return next(name for name, forms in _FORMS.items() if word in forms)


class Unclear(NamedTuple):
    """The *reason* why the pronouns of a sentence cannot be adjusted."""

    reason: str


def agreeing_pronouns(
    tokens: Sequence[Token], positions: Collection[int], new: str
) -> list[tuple[int, str]] | Unclear:
    """Return the pronouns to be replaced, with their new forms, if *new* takes the place of a noun.

    *positions* are those of the noun.  Unclear if a pronoun may refer to another noun, if a verb would have
    to agree with it (*he is*, *they are*), or if it goes with a spouse.

    >>> words = (("A", "DT"), ("man", "NN"), ("lifts", "VBZ"), ("his", "PRP$"), ("hat", "NN"))
    >>> tokens = [Token(word, 0, 0, tag) for word, tag in words]
    >>> agreeing_pronouns(tokens, [1], "woman")
    [(3, 'her')]
    """
    pronouns = list(gendered_pronouns(tokens))
    if not pronouns or all(_is_plural(tokens[k]) for k in positions):
        return []
    if animacy(new.lower()) != "person":
        return []
    old_gender, new_gender = (gender(word) for word in (tokens[min(positions)].text, new))
    found = [
        each
        for each in pronouns
        if each.gender != new_gender
        and old_gender in {None, each.gender}
        and not _precedes(tokens, each.position, min(positions))
    ]
    edits = []
    for each in found:
        if any(_may_be(tokens, k, each) for k in range(len(tokens)) if k not in positions):
            return Unclear("a pronoun may refer to the word or to another")
        if new_gender is None and each.function == "subject":
            return Unclear("a pronoun reveals what the word leaves open")
        if any(token.text.lower() in SPOUSES for token in tokens):
            return Unclear("a pronoun goes with a husband or wife")
        form = _FORMS[each.function][_GENDERS.index(new_gender)]
        edits.append((each.position, match_case(form, tokens[each.position].text)))
    return edits


def _precedes(tokens: Sequence[Token], pronoun: int, noun: int) -> bool:
    """Return whether a verb is between pronoun and noun, so that it refers to another: *he met a man*."""
    return any(token.tag.startswith("V") for token in tokens[pronoun:noun])


def _may_be(tokens: Sequence[Token], position: int, pronoun: GenderedPronoun) -> bool:
    """Return whether *pronoun* may refer to the noun at *position*: one person or name of its gender."""
    token = tokens[position]
    word = token.text.lower()
    if token.tag == "NNP":
        return True
    if not token.tag.startswith("NN") or _is_plural(token) or word in GROUPS_OF_PEOPLE:
        return False
    if animacy(word) != "person":
        return False
    following = tokens[position + 1].tag if position + 1 < len(tokens) else ""
    if following.startswith("NN"):  # part of a compound: a police officer
        return False
    return gender(word) in {None, pronoun.gender}


def _is_plural(token: Token) -> bool:
    return token.tag in {"NNS", "NNPS"} or token.text.lower() in PLURAL_NOUNS
