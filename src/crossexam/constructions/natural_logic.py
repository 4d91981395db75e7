"""Labels of swapped word pairs, proposed by natural logic.

Sanchez Carmona et al. (2018, section 5.4) keep the label contradiction if antonyms are exchanged, and label
all other items by hand.  Here natural logic *proposes* a label for these, with a reason, and a judge is to
verify it (``crossexam validate``).

Replacing a word by its hypernym weakens a sentence if its context is upward monotone, and strengthens it if
the context is downward monotone (MacCartney 2009, chapter 5).  Since premise and hypothesis of our corpora
describe the same event, a conflict that does not involve the pair remains.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from crossexam.core.labels import Label
from crossexam.language.lexicons.closed_classes import NEGATIONS
from crossexam.language.lexicons.word_pairs import Relation
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.nouns import animacy
from crossexam.language.numbers import NUMBER_WORDS
from crossexam.language.tokens import Token

Direction = Literal["up", "down", "none"]
Rest = Literal["covered", "new", "conflict"]
Source = Literal["corpus", "construction", "natural logic"]


class Proposal(NamedTuple):
    """A *label*, its *source* and its *reason*; a judge is to verify labels proposed by natural logic."""

    label: Label
    source: Source
    reason: str


def ex_situ_label(relation: Relation, direction: Direction) -> Proposal:
    """Return the label of two sentences that differ only in a word pair.

    *relation* is that of the second word to the first.

    >>> ex_situ_label("hypernym", "up").label, ex_situ_label("hypernym", "down").label
    ('entailment', 'neutral')
    """
    if relation == "antonym":
        return Proposal("contradiction", "construction", "antonyms in one context")
    if relation == "synonym":
        return Proposal("entailment", "natural logic", "synonyms in one context")
    weaker = (relation == "hypernym") == (direction == "up")
    if direction == "none":
        return Proposal("neutral", "natural logic", f"{relation} in a context that is not monotone")
    way = "upward" if direction == "up" else "downward"
    return Proposal("entailment" if weaker else "neutral", "natural logic", f"{relation} in {way} context")


def after_exchange(
    gold: Label, relation: Relation, premise: Direction, hypothesis: Direction, *, covered: bool
) -> Proposal:
    """Return the label after the two words are exchanged.

    *relation* is that of the hypothesis word to the premise word before the exchange; *covered* means that
    the premise entails the rest of the hypothesis.

    >>> after_exchange("entailment", "hypernym", "up", "up", covered=True)[:2]  # footbridge, bridge
    ('neutral', 'natural logic')
    >>> after_exchange("neutral", "hyponym", "up", "up", covered=True).label  # bridge, footbridge
    'entailment'
    """
    if relation == "antonym":
        return Proposal("contradiction", "construction", "antonymy is symmetric")
    premise_effect = _effect(relation, premise)
    hypothesis_effect = _effect("hyponym" if relation == "hypernym" else "hypernym", hypothesis)
    changes = f"premise {premise_effect}, hypothesis {hypothesis_effect}"
    if gold == "contradiction":
        return Proposal("contradiction", "natural logic", f"{changes}: the conflict lies elsewhere")
    safe = premise_effect == "stronger" and hypothesis_effect == "weaker"
    if gold == "entailment":
        if safe:
            return Proposal("entailment", "natural logic", f"{changes}: still entailed")
        return Proposal("neutral", "natural logic", f"{changes}: no longer entailed")
    if safe and covered:
        return Proposal("entailment", "natural logic", f"{changes}, nothing else is new: entailed")
    return Proposal("neutral", "natural logic", f"{changes}: still not entailed")


def after_replacement(relation: Relation, direction: Direction, rest: Rest) -> Proposal:
    """Return the label after an antonym is replaced.

    *relation* is that of the hypothesis word to the premise word after the replacement.
    """
    if rest == "conflict":
        return Proposal("contradiction", "natural logic", "other words conflict")
    if rest == "new":
        return Proposal("neutral", "natural logic", "no conflict is left, other words are new")
    label, _, reason = ex_situ_label(relation, direction)
    return Proposal(label, "natural logic", f"no conflict is left: {reason}")


def _effect(relation: Relation, direction: Direction) -> str:
    """Return the effect on a sentence of replacing a word in it by its *relation*."""
    if direction == "none":
        return "unclear"
    return "weaker" if (relation == "hypernym") == (direction == "up") else "stronger"


# The contribution of the rest of a hypothesis.

_CONTENT: Final = {"N": "n", "V": "v", "J": "a", "R": "r"}
_LIGHT: Final = frozenset(
    "be have do get there very so too also just now then here thing something someone somebody person people "
    "picture photo image'".split()
)
_COLOURS: Final = frozenset(
    "black white red green blue yellow orange pink purple brown gray grey silver gold beige tan".split()
)
_SENSES: Final = 2
_STEPS: Final = 3


class PairSentence(NamedTuple):
    """Tagged *tokens*, and the positions of the pair's word, which are *left_out*."""

    tokens: Sequence[Token]
    left_out: frozenset[int]


def rest_of(premise: PairSentence, hypothesis: PairSentence, wordnet: WordNet) -> Rest:
    """Return whether *hypothesis* without the pair's word conflicts with *premise*, adds to it, or neither.

    A conflict arises if only one of the two is negated, if they have different numbers or colours, if they
    contain antonyms, or if the hypothesis has a verb or an inanimate noun that the premise lacks: a
    contradictory hypothesis usually describes another scene, even without the pair.  Of twelve items in
    which only nouns were new, a judge considered nine contradictions.
    """
    if _negates(premise) != _negates(hypothesis):
        return "conflict"
    theirs, numbers = _numbers(premise), _numbers(hypothesis)
    if theirs and numbers and not theirs & numbers:
        return "conflict"
    if _another_colour(premise, hypothesis):
        return "conflict"
    ours = _words(premise, wordnet)
    added = {
        (lemma, part)
        for lemma, part in _words(hypothesis, wordnet)
        if not any(_says(other, (lemma, part), wordnet) for other in ours)
    }
    if any(_antonyms(word, other, wordnet) for word in added for other in ours):
        return "conflict"
    if any(part == "v" or _is_thing(word, part, wordnet) for word, part in added):
        return "conflict"
    return "new" if added else "covered"


def covers(
    premise: PairSentence, hypothesis: PairSentence, directions: Collection[Direction], wordnet: WordNet
) -> bool:
    """Return whether *premise* entails *hypothesis*, given that the pair's word on it entails the other's.

    In upward contexts, *premise* may say more.  If any of *directions* is not upward, the two must be the
    same apart from the pair: "no animals eat here" does not entail "no dogs eat".
    """
    if all(direction == "up" for direction in directions):
        return rest_of(premise, hypothesis, wordnet) == "covered"
    return _other_words(premise, wordnet) == _other_words(hypothesis, wordnet)


def _other_words(sentence: PairSentence, wordnet: WordNet) -> list[str]:
    """Return the lemmas of *sentence* without the pair's word, articles and punctuation."""
    found = []
    for position, token in enumerate(sentence.tokens):
        word = token.text.lower()
        if position in sentence.left_out or word in {"a", "an"} or not any(map(str.isalnum, word)):
            continue
        part = _CONTENT.get(token.tag[:1])
        found.append((part and wordnet.morphy(word, part)) or word)
    return found


def _negates(sentence: PairSentence) -> bool:
    return any(token.text.lower() in NEGATIONS for token in sentence.tokens)


def _is_thing(word: str, part: str, wordnet: WordNet) -> bool:
    return part == "n" and animacy(word, wordnet) != "person"


def _numbers(sentence: PairSentence) -> frozenset[str]:
    """Return the numbers, in words or figures, except *one*, which is often a pronoun."""
    words = (token.text.lower() for token in sentence.tokens)
    return frozenset(word for word in words if (word in NUMBER_WORDS and word != "one") or word.isdecimal())


def _another_colour(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether a noun has a colour in *hypothesis* but only others in *premise*: brown, red pants."""
    there = _coloured(premise)
    return any(
        noun in there and colour not in there[noun]
        for noun, colours in _coloured(hypothesis).items()
        for colour in colours
    )


def _coloured(sentence: PairSentence) -> dict[str, set[str]]:
    """Return the colours directly before each noun, by noun in lower case."""
    found: dict[str, set[str]] = {}
    for colour, noun in pairwise(sentence.tokens):
        if colour.text.lower() in _COLOURS and noun.tag.startswith("NN"):
            found.setdefault(noun.text.lower(), set()).add(colour.text.lower())
    return found


def _words(sentence: PairSentence, wordnet: WordNet) -> set[tuple[str, str]]:
    found = set()
    for position, token in enumerate(sentence.tokens):
        part = _CONTENT.get(token.tag[:1])
        if part is None or position in sentence.left_out or not token.text[:1].isalpha():
            continue
        lemma = wordnet.morphy(token.text.lower(), part) or token.text.lower()
        if lemma not in _LIGHT:
            found.add((lemma, part))
    return found


def _says(premise: tuple[str, str], hypothesis: tuple[str, str], wordnet: WordNet) -> bool:
    """Return whether the *premise* word is the *hypothesis* word, or a synonym or hyponym of it."""
    if premise[0] == hypothesis[0]:
        return True
    if premise[1] != hypothesis[1]:
        return False
    wanted = set(wordnet.synsets(*hypothesis)[:_SENSES])
    level = set(wordnet.synsets(*premise)[:_SENSES])
    for _ in range(_STEPS + 1):
        if level & wanted:
            return True
        level = {above for synset in level for above in wordnet.hypernyms(synset)}
    return False


def _antonyms(word: tuple[str, str], other: tuple[str, str], wordnet: WordNet) -> bool:
    if word[1] != other[1]:
        return False
    found = (lemma for synset in wordnet.synsets(*word) for _, lemma in wordnet.antonyms(synset))
    return other[0] in set(found)
