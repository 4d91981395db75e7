"""The rules of the ten swaps about words: when those of a pair are not matched, told apart or replaced.

In the sentences of the rows, premise and hypothesis of a training example are separated by a slash, and the
two words are marked.  When a sentence does not go with its new word is in ``swapped_sentences.py``, and when
the label of the result is doubtful in ``natural_logic.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from crossexam.constructions.edits import pronoun_edits, replacing
from crossexam.constructions.natural_logic import POSTURE_VERBS
from crossexam.constructions.rules.rule import Rule, View, holding
from crossexam.core.example import Edit, Side
from crossexam.language.agreement import can_replace
from crossexam.language.inflection import match_case
from crossexam.language.lexicons.closed_classes import BE_OF_THIRD_PERSONS, PATHS
from crossexam.language.lexicons.word_pairs import WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import is_common_noun, is_other_name, is_physical, is_rather_adjective
from crossexam.language.pronouns import Unclear
from crossexam.language.tokens import Token
from crossexam.language.word_senses import in_fixed_expression, is_in_name

# Adjectives that only describe a noun: a navy shirt, but in blue.
_ATTRIBUTIVE: Final = frozenset("colored dark light navy maroon lime".split())
# Adjectives for what a participle says of somebody: a man (who is) sitting, or seated, on a bench.
_OF_STATES: Final = frozenset({"seated"})
_DIRECTIONS: Final = PATHS | {"to", "toward", "towards", "into", "over"}
_BEING: Final[Mapping[str, str]] = {"VBG": "", "VBZ": "is ", "VBP": "are "}


@dataclass(eq=False)
class Occurrence:
    """The indices *here* among *tokens* of one word of a *pair*, which is to become the *other*.

    *lemmas* are those of all tokens.
    """

    pair: WordPair
    other: str
    tokens: Sequence[Token]
    lemmas: Collection[str]
    here: Sequence[int]

    @cached_property
    def words(self) -> list[str]:
        """The tokens in lower case."""
        return [token.text.lower() for token in self.tokens]


@dataclass(eq=False)
class PartsOfSpeech:
    """The *parts* of speech of the words of a *pair* in both sentences."""

    pair: WordPair
    parts: Collection[str]


@dataclass(eq=False)
class Replacing:
    """A word of a *pair* at *positions* of *tokens*, which *lemma* is to replace.

    *pos* is its part of speech, None if any, *text* the sentence, and *side* where it is.
    """

    pair: WordPair
    pos: str | None
    text: str
    tokens: Sequence[Token]
    positions: Sequence[int]
    lemma: str
    side: Side

    @property
    def is_relative(self) -> bool:
        """Whether the lemma is not the other word of the pair, but a relative of it."""
        return self.lemma not in self.pair[:2]

    @property
    def is_state(self) -> bool:
        """Whether the lemma is an adjective that replaces a verb."""
        return self.lemma in _OF_STATES

    @cached_property
    def edits(self) -> tuple[Edit, ...] | None:
        """What replaces the word itself; None if the lemma has no such form."""
        if self.is_state:
            return _state_edits(self)
        return replacing(self.text, self.tokens, self.positions, self.lemma, self.side)

    @cached_property
    def pronouns(self) -> tuple[Edit, ...] | Unclear:
        """What makes pronouns agree with the lemma."""
        if self.is_state or self.edits is None:
            return ()
        return pronoun_edits(self.tokens, self.positions, self.lemma, self.side)


def _anywhere(asks: Callable[[Sequence[Token], int], bool]) -> Callable[[Occurrence], bool]:
    """Return whether what a rule *asks* of a place holds of a place of the word."""
    return lambda occurrence: any(asks(occurrence.tokens, k) for k in occurrence.here)


def _is_in_compound(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the noun at *position* is adjacent to another noun: a *football* *player*."""
    adjacent = (*tokens[max(0, position - 1) : position], *tokens[position + 1 : position + 2])
    return tokens[position].tag.startswith("NN") and any(token.tag.startswith("NN") for token in adjacent)


def _is_own_kind(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the noun and the word before it name something of its own: a *love seat* is not a seat.

    So do two nouns, even if the first is tagged as an adjective: a *coral reef*.
    """
    if position == 0 or not tokens[position].tag.startswith("NN"):
        return False
    before = tokens[position - 1]
    if before.tag not in {"JJ", "VBG", "VBN"}:
        return False
    word = before.text.lower()
    noun = next(iter(wordnet().lemmas_of(tokens[position].text.lower(), "n")), "")
    senses = set(wordnet().synsets(noun, "n"))
    together = wordnet().synsets(f"{word}_{noun}", "n")[:1]
    if together and senses.isdisjoint(wordnet().closure(*together)):
        return True
    return before.tag == "JJ" and is_common_noun(word) and not is_rather_adjective(word)


def _goes_somewhere(view: Replacing) -> bool:
    """Return whether what follows the verb does not go with the lemma: *is seated to a shop*."""
    after = {token.text.lower() for k in view.positions for token in view.tokens[k + 1 : k + 2]}
    return view.pos == "v" and view.is_state and not _DIRECTIONS.isdisjoint(after)


def _state_edits(view: Replacing) -> tuple[Edit, ...] | None:
    """Return the edits that replace verbs by an adjective, after "be" if they are finite: *is seated*."""
    tokens = [view.tokens[k] for k in view.positions]
    if any(token.tag not in _BEING for token in tokens):
        return None
    return tuple(
        Edit(view.side, t.start, t.end, t.text, match_case(f"{_BEING[t.tag]}{view.lemma}", t.text))
        for t in tokens
    )


def _describes(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the adjective is directly before a noun or adjective, or after a form of "be"."""
    after, before = tokens[position + 1 : position + 2], tokens[max(0, position - 1) : position]
    return any(token.tag[:1] in {"N", "J"} for token in after) or any(
        token.text.lower() in BE_OF_THIRD_PERSONS for token in before
    )


def _has_particle(view: Replacing) -> bool:
    """Return whether "up" or "down", and no object, follows the word: *sits down*."""
    after = (view.tokens[k + 1 : k + 3] for k in view.positions)
    return any(
        near[0].text.lower() in {"up", "down"} and (len(near) < 2 or near[1].tag not in {"DT", "PRP$"})
        for near in after
        if near
    )


def _cannot_be_counted(view: Replacing) -> bool:
    antonyms = view.pair.relation == "antonym" and not view.is_relative  # used as the other is
    if antonyms or view.is_state or view.edits is None:
        return False
    return not all(can_replace(view.tokens, k, view.lemma) for k in view.positions)


def _unclear(reason: str, rejects: str, keeps: str, why: str) -> Rule[Replacing]:
    """Return the rule that pronouns do not agree with the new word for *reason*."""
    return Rule(
        reason, lambda v: isinstance(v.pronouns, Unclear) and v.pronouns.reason == reason, rejects, keeps, why
    )


# fmt: off
#: In the order in which they are asked of the word in each sentence.
_OF_OCCURRENCE: Final[tuple[Rule[Occurrence], ...]] = (
    Rule("a sentence has both words", lambda o: o.other in o.lemmas,
         "A *boy* and a girl wait. / A *girl* waits.", "A *boy* and a cook wait. / A *girl* waits.",
         "The word would be there twice."),
    Rule("proper name", _anywhere(is_in_name),
         "Mr *Young* sat. / An *old* man sat.", "A *young* man sat. / An *old* man sat.",
         "A name says nothing of what it names (Quirk et al., 5.60)."),
    Rule("part of a compound noun", _anywhere(_is_in_compound),
         "A *boy* band waits. / A *girl* waits.", "A *boy* waits. / A *girl* waits.",
         "The compound is a word of its own (Quirk et al., appendix I.57-I.66)."),
    Rule("part of a compound noun", lambda o: o.pair.relation != "antonym" and _anywhere(_is_own_kind)(o),
         "A flying *fox* falls. / An *animal* sleeps.", "A small *fox* falls. / An *animal* sleeps.",
         "A flying fox is a bat, not a fox."),
    Rule("part of a fixed expression",
         lambda o: any(in_fixed_expression(o.words, k) for k in o.here),
         "A *hot* dog falls. / A *cold* dog falls.", "A *hot* cup falls. / A *cold* cup falls.",
         "The word has no sense of its own."),
)
_OF_PARTS: Final[tuple[Rule[PartsOfSpeech], ...]] = (
    Rule("another part of speech",
         lambda p: len(p.parts) > 1 or bool(p.pair.pos is not None and p.parts and p.pair.pos not in p.parts),
         "They *cook* soup. / A *person* waits.", "A *cook* waits. / A *person* waits.",
         "The two words are not of the same part of speech."),
)
#: Asked before the words of a pair of hypernyms are exchanged.
_OF_KINDS: Final[tuple[Rule[WordPair], ...]] = (
    Rule("one word is another name for the other", lambda pair: any(map(is_other_name, pair[:2])),
         "A *dad* waits. / A *father* eats.", "A *cook* waits. / A *person* eats.",
         "WordNet defines dad as an informal term for a father."),
    Rule("the words name nothing physical", lambda pair: not all(map(is_physical, pair[:2])),
         "A *creed* lasts. / A *belief* is here.", "A *dog* lasts. / An *animal* is here.",
         "People do not tell kinds of ideas apart as WordNet does."),
)
_OF_REPLACING: Final[tuple[Rule[Replacing], ...]] = (
    Rule("part of a fixed expression",
         lambda v: v.is_relative and v.lemma not in POSTURE_VERBS and _has_particle(v),
         "A boy *sits* there. / A boy *stands* up there.",
         "A boy *sits* there. / A boy *stands* there.",
         "The particle is a part of the verb, and nobody is seated up there."),
    Rule("the other verb does not fit here", _goes_somewhere,
         "A boy *sits* to the left. / A boy *stands* to the left.",
         "A boy *sits* there. / A boy *stands* there.",
         "Nobody is seated to the left: a state has no direction (Quirk et al., 9.15-9.17)."),
    Rule("the other adjective does not fit here",
         lambda v: v.lemma in _ATTRIBUTIVE and not all(_describes(v.tokens, k) for k in v.positions),
         "A cup looks *black*. / A cup looks *white*.",
         "A *black* cup falls. / A *white* cup falls.",
         "It only stands before a noun: a navy shirt, but the shirt looks blue (Quirk et al., 7.35-7.36)."),
    Rule("the other noun cannot be counted here", _cannot_be_counted,
         "A *shirt* dries. / The *clothing* falls.", "A *dog* dries. / The *animal* falls.",
         "A noun that has no plural does not follow an article (Quirk et al., 5.3-5.4)."),
    _unclear("a pronoun may refer to the word or to another",
             "A *boy* saw a sailor and his dog. / A *girl* waits.",
             "A *boy* saw a nun and his dog. / A *girl* waits.",
             "No coreference is resolved, and the pronoun must agree with the new word."),
    _unclear("a pronoun reveals what the word leaves open",
             "A *boy* said he was busy. / A *child* waits.", "A *boy* kissed his dog. / A *child* waits.",
             "A verb would have to agree with it: he is, they are."),
    _unclear("a pronoun goes with a husband or wife",
             "A *boy* kissed his bride. / A *girl* waits.", "A *boy* kissed his dog. / A *girl* waits.",
             "The spouse would have to change, too."),
)
# fmt: on

RULES: Final[tuple[Rule[Any], ...]] = (*_OF_OCCURRENCE, *_OF_PARTS, *_OF_KINDS, *_OF_REPLACING)
_OF: Final[dict[type, tuple[Rule[Any], ...]]] = {
    Occurrence: _OF_OCCURRENCE,
    PartsOfSpeech: _OF_PARTS,
    WordPair: _OF_KINDS,
    Replacing: _OF_REPLACING,
}


def against(view: View, without: Collection[str] = ()) -> Iterator[Rule[View]]:
    """Yield the rules that hold of *view*, one of the four views, but for the reasons *without*."""
    return holding(_OF[type(view)], view, without)
