"""The rules of the ten swaps about words: when those of a pair are not matched, or are not told apart.

In the sentences of the rows, premise and hypothesis of a training example are separated by a slash, and the
two words are marked.  What the words do to the rest of a sentence is in ``pair_replacement.py``, and when the
label of the result is doubtful in ``natural_logic.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from crossexam.constructions.rules.rule import Rule, View, holding
from crossexam.language.lexicons.word_pairs import WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import is_common_noun, is_other_name, is_physical, is_rather_adjective
from crossexam.language.tokens import Token
from crossexam.language.word_senses import in_fixed_expression, is_in_name


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
class Parts:
    """The *parts* of speech of the words of a *pair* in both sentences."""

    pair: WordPair
    parts: Collection[str]


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
_OF_PARTS: Final[tuple[Rule[Parts], ...]] = (
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
# fmt: on

RULES: Final[tuple[Rule[Any], ...]] = (*_OF_OCCURRENCE, *_OF_PARTS, *_OF_KINDS)
_OF: Final[dict[type, tuple[Rule[Any], ...]]] = {
    Occurrence: _OF_OCCURRENCE,
    Parts: _OF_PARTS,
    WordPair: _OF_KINDS,
}


def against(view: View, without: Collection[str] = ()) -> Iterator[Rule[View]]:
    """Yield the rules that hold of *view*, one of the three views, but for the reasons *without*."""
    return holding(_OF[type(view)], view, without)
