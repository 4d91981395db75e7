"""Labels of swapped word pairs, proposed by natural logic.

Sanchez Carmona et al. (2018, section 5.4) keep the label contradiction if antonyms are exchanged, and label
all other items by hand.  Here natural logic *proposes* a label for these, with a reason, and a judge is to
verify it (``crossexam validate``).

Replacing a word by its hypernym weakens a sentence if its context is upward monotone, and strengthens it if
the context is downward monotone (MacCartney 2009, chapter 5).  Since premise and hypothesis of our corpora
describe the same event, a conflict that does not involve the pair remains.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from crossexam.core.labels import Label
from crossexam.language.lexicons.closed_classes import NEGATIONS
from crossexam.language.lexicons.verb_kinds import MOTION, is_action
from crossexam.language.lexicons.word_pairs import Relation
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.noun_phrases import noun_phrases
from crossexam.language.nouns import animacy
from crossexam.language.numbers import NUMBER_WORDS
from crossexam.language.tokens import Token

Direction = Literal["up", "down", "none"]
Rest = Literal["covered", "new", "conflict", "unclear"]
Source = Literal["corpus", "construction", "natural logic"]


class Proposal(NamedTuple):
    """A *label*, its *source* and its *reason*; a judge is to verify labels proposed by natural logic.

    *doubt* is the reason why another label may be right.
    """

    label: Label
    source: Source
    reason: str
    doubt: str | None = None


def ex_situ_label(relation: Relation, direction: Direction) -> Proposal:
    """Return the label of two sentences that differ only in a word pair.

    *relation* is that of the second word to the first.

    >>> ex_situ_label("hypernym", "up").label, ex_situ_label("hypernym", "down").label
    ('entailment', 'neutral')
    """
    if relation == "antonym":
        doubt = None if direction == "up" else "antonyms in a context that is not upward monotone"
        return Proposal("contradiction", "construction", "antonyms in one context", doubt)
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
        kept = premise_effect == hypothesis_effect == "stronger" or premise == hypothesis == "up"
        doubt = None if kept else "the conflict may lie in the pair"
        return Proposal("contradiction", "natural logic", f"{changes}: the conflict lies elsewhere", doubt)
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
    if rest in {"conflict", "unclear"}:
        doubt = "other words may conflict or not" if rest == "unclear" else None
        return Proposal("contradiction", "natural logic", "other words conflict", doubt)
    if rest == "new":
        reason = "no conflict is left, other words are new"
        return Proposal("neutral", "natural logic", reason, "other words are new")
    proposal = ex_situ_label(relation, direction)
    return Proposal(proposal.label, "natural logic", f"no conflict is left: {proposal.reason}")


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
_FIGURES: Final = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_SENSES: Final = 2
_STEPS: Final = 3


_Word = tuple[str, str]  # a lemma and its part of speech


class PairSentence(NamedTuple):
    """Tagged *tokens*, and the positions of the pair's word, which are *left_out*."""

    tokens: Sequence[Token]
    left_out: frozenset[int]


def rest_of(premise: PairSentence, hypothesis: PairSentence, wordnet: WordNet) -> Rest:
    """Return whether *hypothesis* without the pair's word conflicts with *premise*, adds to it, or neither.

    They conflict if one thing has different numbers or colours, if a verb, adverb or person of one is an
    antonym of the other's, if only one of two sentences that say the same is negated, or if the hypothesis
    describes another scene: another action with other things.  It is unclear if the hypothesis has a verb or
    a thing that the premise lacks, or if only one of the two is negated: of twelve items in which only nouns
    were new, a judge considered nine contradictions.
    """
    ours, theirs = _words(premise, wordnet), _words(hypothesis, wordnet)
    added = {each for each in theirs if not any(_says(other, each, wordnet) for other in ours)}
    if _negates(premise) != _negates(hypothesis):
        return "unclear" if added else "conflict"
    if _another_amount(premise, hypothesis) or _another_colour(premise, hypothesis):
        return "conflict"
    if any(_antonyms(word, other, wordnet) for word in added for other in ours if word[1] != "a"):
        return "conflict"
    if any(_antonyms(word, other, wordnet) for word in added for other in ours):
        return "unclear"
    things = any(_is_thing(*each, wordnet) for each in added)
    verbs = any(part == "v" for _, part in added)
    if things and _is_another_action(premise, hypothesis, added, wordnet):
        return "conflict"
    if things or verbs:
        return "unclear"
    return "new" if added else "covered"


def _is_another_action(
    premise: PairSentence, hypothesis: PairSentence, added: set[_Word], wordnet: WordNet
) -> bool:
    """Return whether the first verbs name two actions, and *added*, what is new, includes the second.

    Two ways to move do not count: who runs may race.
    """
    first, second = _first_verb(premise, wordnet), _first_verb(hypothesis, wordnet)
    if first is None or second is None or (second, "v") not in added:
        return False
    return is_action(first) and is_action(second) and not {first, second} <= MOTION


def _first_verb(sentence: PairSentence, wordnet: WordNet) -> str | None:
    """Return the lemma of the first verb that is not light, or None."""
    verbs = (token.text.lower() for token in sentence.tokens if token.tag.startswith("V"))
    lemmas = (wordnet.morphy(verb, "v") or verb for verb in verbs)
    return next((lemma for lemma in lemmas if lemma not in _LIGHT), None)


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


def _another_amount(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether a noun, or the pair, has a number in *hypothesis* but only others in *premise*."""
    return _differ(_numbered(premise), _numbered(hypothesis))


def _numbered(sentence: PairSentence) -> dict[str, set[str]]:
    """Return the numbers of each noun, by noun in lower case; the pair's word is an empty string."""
    found: dict[str, set[str]] = {}
    for phrase in noun_phrases(sentence.tokens):
        noun = sentence.tokens[phrase.head].text.lower()
        here = sentence.left_out.intersection(range(phrase.start, phrase.head + 1))
        for k in phrase.determiners:
            word = sentence.tokens[k].text.lower()
            if word in NUMBER_WORDS or word.isdecimal():
                found.setdefault("" if here else noun, set()).add(_FIGURES.get(word, word))
    return found


def _another_colour(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether a noun has a colour in *hypothesis* but only others in *premise*: brown, red pants."""
    return _differ(_coloured(premise), _coloured(hypothesis))


def _coloured(sentence: PairSentence) -> dict[str, set[str]]:
    """Return the colours directly before each noun, by noun in lower case."""
    found: dict[str, set[str]] = {}
    for colour, noun in pairwise(sentence.tokens):
        if colour.text.lower() in _COLOURS and noun.tag.startswith("NN"):
            found.setdefault(noun.text.lower(), set()).add(colour.text.lower())
    return found


def _differ(premise: Mapping[str, set[str]], hypothesis: Mapping[str, set[str]]) -> bool:
    """Return whether a noun has an attribute in *hypothesis*, and only others in *premise*."""
    return any(noun in premise and not each <= premise[noun] for noun, each in hypothesis.items())


def _words(sentence: PairSentence, wordnet: WordNet) -> set[_Word]:
    found = set()
    for position, token in enumerate(sentence.tokens):
        part = _CONTENT.get(token.tag[:1])
        if part is None or position in sentence.left_out or not token.text[:1].isalpha():
            continue
        lemma = wordnet.morphy(token.text.lower(), part) or token.text.lower()
        if lemma not in _LIGHT:
            found.add((lemma, part))
    return found


def _says(premise: _Word, hypothesis: _Word, wordnet: WordNet) -> bool:
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


def _antonyms(word: _Word, other: _Word, wordnet: WordNet) -> bool:
    if word[1] != other[1]:
        return False
    found = (lemma for synset in wordnet.synsets(*word) for _, lemma in wordnet.antonyms(synset))
    return other[0] in set(found)
