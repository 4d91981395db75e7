"""The rules of the ten swaps about sentences: which reveal what the word leaves open, or do not go with it.

They are asked of a sentence with its word before or after the swap, and of the family of a control.  In
situ, a sentence that reveals its word only makes the label doubtful (``natural_logic.py``); ex situ, both
words are said of the same sentence, and each row rejects it.  In the sentences of the rows, premise and
hypothesis of a training example are separated by a slash, and the two words are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from crossexam.constructions.pair_family import Family
from crossexam.constructions.pair_matching import Match
from crossexam.constructions.rules.rule import Rule, View, holding
from crossexam.core.example import Edit, Side
from crossexam.language.lexicons.noun_groups import YOUNG
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import Gender, animacy, gender, tells_gender
from crossexam.language.pronouns import gendered_pronouns
from crossexam.language.sentences import split_sentences
from crossexam.language.tokens import Token
from crossexam.language.word_relatives import excludes, is_kind_of

#: The two reasons for which a sentence is rejected.
TOLD: Final = "the sentence reveals what the word leaves open"
ODD: Final = "the sentence does not go with the word"

_COMPARING: Final = frozenset("another other one".split())
_OF_ONE_GENDER: Final = frozenset(
    "bald balding bearded goatee moustache mustache mustached pregnant shirtless topless".split()
)
_OF_THE_OLD: Final = frozenset("elderly old aged middle-aged".split())
_CONTENT: Final = frozenset({"N", "V", "J"})
_JOINED: Final = 5  # tokens from a noun to the one that it is coordinated with
_STEM: Final = 4  # letters
_ENDING: Final = 2  # letters: juggle, juggles


@dataclass(eq=False)
class Saying:
    """The sentence on *side* of a *match*, where it says *word*, and the *other* sentence another word.

    *edits* are what makes it say so; "a person lifts her hand" is one without edits.
    """

    match: Match
    side: Side
    word: str
    other: str
    edits: Collection[Edit] = ()

    @property
    def tokens(self) -> Sequence[Token]:
        """The tokens of the sentence, before the edits."""
        return self.match.tokens[self.side]

    @property
    def positions(self) -> Sequence[int]:
        """The indices of the word."""
        return self.match.positions[self.side]

    @cached_property
    def rest(self) -> list[Token]:
        """The tokens besides the word."""
        return [token for k, token in enumerate(self.tokens) if k not in self.positions]

    @cached_property
    def other_nouns(self) -> list[str]:
        """The nouns besides the word."""
        return [token.text for token in self.rest if token.tag.startswith("NN")]

    @cached_property
    def genders(self) -> set[Gender]:
        """The genders of the pronouns that are not edited."""
        edited = {edit.start for edit in self.edits}
        found = gendered_pronouns(self.tokens)
        return {each.gender for each in found if self.tokens[each.position].start not in edited}

    @cached_property
    def leaves_gender_open(self) -> bool:
        """Whether the word names somebody whose gender only the other word says."""
        return gender(self.word) is None and gender(self.other) is not None and animacy(self.word) == "person"

    @cached_property
    def are_of_one_kind(self) -> bool:
        """Whether the two words are nouns, and not antonyms in WordNet."""
        return self.match.pos == "n" and not excludes(self.word, self.other)

    @cached_property
    def kinds(self) -> tuple[str, str] | None:
        """The more special and the more general of the two words, if one is."""
        if not self.are_of_one_kind:
            return None
        pair, words = self.match.pair, (self.word, self.other)
        if pair.relation == "antonym":
            narrow, broad = words if is_kind_of(*words) else words[::-1]
            return (narrow, broad) if is_kind_of(narrow, broad) else None
        listed = pair.first if pair.relation == "hypernym" else pair.second
        return words if wordnet().base_form(self.word, "n") == listed else words[::-1]

    def names_kind(self, noun: str) -> bool:
        """Return whether *noun* says that the more general thing is, or is not, the more special one."""
        return self.kinds is not None and (is_kind_of(noun, self.kinds[0]) or excludes(noun, self.kinds[0]))


def _shares_stem(saying: Saying) -> bool:
    """Return whether a word is like the more special of the two, and not like the other."""
    if saying.kinds is None:
        return False
    narrow, broad = saying.kinds
    words = (token.text.lower() for token in saying.rest if token.tag[:1] in _CONTENT)
    return any(_begin_alike(word, narrow) and not _begin_alike(word, broad) for word in words)


def _begin_alike(word: str, other: str) -> bool:
    """Return whether two words begin alike up to endings: juggles, juggler."""
    length = max(_STEM, min(len(word), len(other)) - _ENDING)
    return word[:length] == other[:length]


def _clashes_in_gender(saying: Saying) -> bool:
    """Return whether a pronoun has another gender than one of the words, though nobody else is there.

    A woman is not in his hat, nor is a person, if the other sentence calls that person a woman.
    """
    own = gender(saying.word) or gender(saying.other)
    if own is None or any(animacy(noun.lower()) == "person" for noun in saying.other_nouns):
        return False
    return any(each != own for each in saying.genders)


def _anywhere(asks: Callable[[Saying, int], bool]) -> Callable[[Saying], bool]:
    """Return whether what a rule *asks* of a place holds of a place of the word, a noun like the other."""
    return lambda saying: saying.are_of_one_kind and any(asks(saying, k) for k in saying.positions)


def _is_specified(saying: Saying, position: int) -> bool:
    """Return whether "of" follows the noun, or "another" compares it with other nouns."""
    before = {token.text.lower() for token in saying.tokens[max(0, position - 2) : position]}
    after = next((token.text.lower() for token in saying.tokens[position + 1 : position + 2]), "")
    return not before.isdisjoint(_COMPARING) or after == "of"


def _is_coordinated(saying: Saying, position: int) -> bool:
    """Return whether "and" or "or" joins the noun to one of its kind."""
    tokens, here = saying.tokens, saying.word
    before, after = tokens[max(0, position - _JOINED) : position], tokens[position + 1 : position + _JOINED]
    parts = [each for each in (before, after) if any(token.text.lower() in {"and", "or"} for token in each)]
    nouns = [token.text.lower() for each in parts for token in each if token.tag.startswith("NN")]
    return any(is_kind_of(noun, here) or is_kind_of(here, noun) for noun in nouns)


def _is_aged(saying: Saying, position: int) -> bool:
    """Return whether the word before a noun for the young says that somebody is old."""
    young = wordnet().base_form(saying.word, "n") in YOUNG
    return young and position > 0 and saying.tokens[position - 1].text.lower() in _OF_THE_OLD


# fmt: off
_OF_SAYING: Final[tuple[Rule[Saying], ...]] = (
    Rule(TOLD, lambda s: s.leaves_gender_open and s.genders,
         "A *person* lifts her hand. / A *woman* waits.", "A *person* lifts a hand. / A *woman* waits.",
         "A pronoun says the gender of the person."),
    Rule(TOLD, lambda s: s.leaves_gender_open
                         and any(token.text.lower() in _OF_ONE_GENDER for token in s.tokens),
         "A bearded *person* sits. / A *man* waits.", "A tired *person* sits. / A *man* waits.",
         "Beards are those of men."),
    Rule(TOLD, lambda s: s.leaves_gender_open and any(map(tells_gender, s.other_nouns)),
         "A *person* in a bikini sits. / A *woman* waits.", "A *person* in a shirt sits. / A *woman* waits.",
         "WordNet defines what is worn by women or men as theirs."),
    Rule(TOLD, _shares_stem,
         "A *person* juggles. / A *juggler* rests.", "A *person* sings. / A *juggler* rests.",
         "A person who juggles is a juggler."),
    Rule(TOLD, lambda s: any(s.names_kind(token.text.lower()) for token in s.rest if token.tag[:1] == "N"),
         "An *animal* by a poodle sleeps. / A *dog* runs.", "An *animal* by a lamp sleeps. / A *dog* runs.",
         "Another noun may be for the same thing, and be a kind of the more special word or its antonym."),
    Rule(ODD, _clashes_in_gender,
         "A *woman* lifts his hand. / A *person* waits.", "A *woman* lifts a hand. / A *person* waits.",
         "Nobody else is there whom the pronoun may be for."),
    Rule(ODD, _anywhere(_is_specified),
         "Another *dog* sleeps. / An *animal* runs.", "A *dog* sleeps. / An *animal* runs.",
         "What is another dog need not be another animal, and a group of dogs is of something else."),
    Rule(ODD, _anywhere(_is_coordinated),
         "A *woman* and a cook sit. / A *person* rests.", "A *woman* by a lamp sits. / A *person* rests.",
         "A noun is not joined to one that includes it: a person and a cook."),
    Rule(ODD, _anywhere(_is_aged),
         "An old *person* sits. / A *child* rests.", "A tired *person* sits. / A *child* rests.",
         "A child is not old."),
)
_OF_FAMILY: Final[tuple[Rule[Family], ...]] = (
    Rule("premise of several sentences", lambda f: len(split_sentences(f.control.premise)) > 1,
         "A *poodle* sleeps. It is big. / A small *animal* rests.",
         "A *poodle* sleeps. / A small *animal* rests.",
         "A sentence that is not edited may tell what the word said."),
)
# fmt: on

RULES: Final[tuple[Rule[Any], ...]] = (*_OF_SAYING, *_OF_FAMILY)
_OF: Final[dict[type, tuple[Rule[Any], ...]]] = {Saying: _OF_SAYING, Family: _OF_FAMILY}


def against(view: View, without: Collection[str] = ()) -> Iterator[Rule[View]]:
    """Yield the rules that hold of *view*, one of the two views, but for the reasons *without*."""
    return holding(_OF[type(view)], view, without)
