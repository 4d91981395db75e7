"""Why the label that natural logic proposes for a swapped pair may be wrong.

The sentences may be about different people, their conflict may lie in the pair, or one of them may be about
several.  And after the exchange of a word and its hypernym, the premise has the general word and the
hypothesis the special one (*a new tree*, *a sapling*): that is neutral, unless people use one of the words
for the other, or the rest of the premise tells which kind it is.  Definitions are those of WordNet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final

from crossexam.constructions.natural_logic import (
    Direction,
    PairSentence,
    Proposal,
    Rest,
    covers,
    have_one_subject,
    lies_elsewhere,
    repeats,
    rest_of,
)
from crossexam.constructions.pair_matching import Match
from crossexam.constructions.pair_replacement import is_role
from crossexam.core.example import SIDES, Side
from crossexam.core.labels import Label
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.monotonicity.polarity import polarity_at
from crossexam.language.nouns import animacy, gender, genus_of, may_name, participants

_ENTAILED: Final[tuple[Label, ...]] = ("entailment",)
_ANYBODY: Final = frozenset("person people individual human".split())
# fmt: off
#: Words of which one is a kind of the other in WordNet, but which describe the same things in captions:
#: a dog that hunts is a hound (WordNet: "dog used for hunting"), a cart is "a heavy open wagon".
_NEAR: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in "dog/hound cart/wagon animal/pet animal/creature structure/building walkway/sidewalk "
    "walkway/path grocery/supermarket slope/mountainside hill/hillside activist/crusader dancer/performer "
    "kid/youngster child/youngster".split()
)
# fmt: on
_FUNCTION_WORDS: Final = frozenset(
    "a an the any some that which who whose whom is are was be has have having with without of for in on at "
    "by to from into as or and but not one other especially usually often than its it their used such".split()
)
_PARTS: Final = ("n", "v", "a")
_SENSES: Final = 6
_PHRASE: Final = 4  # tokens from an adjective to its noun
_CACHE_SIZE: Final = 1 << 14


def sentences_of(match: Match) -> tuple[PairSentence, PairSentence]:
    """Return the premise and the hypothesis, each with the places of its word."""
    first, second = (PairSentence(match.tokens[side], frozenset(match.positions[side])) for side in SIDES)
    return first, second


def direction_of(match: Match, side: Side) -> Direction:
    """Return the monotonicity of the context in which the pair's word occurs on *side*."""
    return polarity_at(match.tokens[side], match.positions[side][0]).direction


def _rest_of_pair(match: Match, wordnet: WordNet) -> Rest:
    return rest_of(*sentences_of(match), wordnet)


def has_particle(match: Match, side: Side) -> bool:
    """Return whether "up" or "down", and no object, follows the pair's word on *side*: *sits down*."""
    tokens = match.tokens[side]
    after = (tokens[k + 1 : k + 3] for k in match.positions[side])
    return any(
        near[0].text.lower() in {"up", "down"} and (len(near) < 2 or near[1].tag not in {"DT", "PRP$"})
        for near in after
        if near
    )


def rest_in_relation(match: Match, wordnet: WordNet) -> Rest:
    """Return what the rest of the hypothesis adds, if the relations between its words count, too."""
    premise, hypothesis = (direction_of(match, each) for each in SIDES)
    sentences = sentences_of(match)
    rest = _rest_of_pair(match, wordnet)
    if rest == "covered" and not covers(*sentences, (premise, hypothesis), wordnet):
        return "open" if repeats(*sentences, wordnet) else "unclear"
    return rest


def conflicts_elsewhere(match: Match, wordnet: WordNet) -> bool:
    """Return whether a contradiction does not lie in a word and its hypernym."""
    rest = _rest_of_pair(match, wordnet)
    words = (word for word in match.pair[:2] if word not in _ANYBODY)
    if rest in {"conflict", "covered"} or any(is_role(word, wordnet) for word in words):
        return rest == "conflict"
    equally_many = match.is_plural("premise") == match.is_plural("hypothesis")
    return equally_many and lies_elsewhere(*sentences_of(match), wordnet)


def is_role_of_another(match: Match, wordnet: WordNet) -> bool:
    """Return whether the exchange gives a role to a person of whom the hypothesis says something new."""
    role = match.pair.first  # which the exchange moves to the hypothesis
    return (
        match.pair.relation == "hypernym"
        and is_role(role, wordnet)
        and _rest_of_pair(match, wordnet) != "covered"
    )


def is_beside_another(match: Match, word: str, wordnet: WordNet) -> bool:
    """Return whether the hypothesis is about *word*, but the premise about somebody who cannot be that."""
    first, subject = (next(participants(match.tokens[side], wordnet), None) for side in SIDES)
    if first is None or first == match.word("premise") or subject != match.word("hypothesis"):
        return False
    people = animacy(word, wordnet) == animacy(first, wordnet) == "person"
    return people and not may_name(word, first, wordnet)


def is_of_another(match: Match, word: str, proposal: Proposal, rest: Rest, wordnet: WordNet) -> bool:
    """Return whether the hypothesis, with *word*, may be about somebody else than the premise."""
    if match.pos == "v" and rest != "conflict":  # whose subjects have to be the same
        plural = match.is_plural("premise") != match.is_plural("hypothesis")
        return plural or not have_one_subject(*sentences_of(match), wordnet)
    if match.pos == "a" and rest != "conflict":
        return len({_described(match, side, wordnet) for side in SIDES}) > 1
    if proposal.label == "entailment":
        return False
    if match.is_plural("premise") != match.is_plural("hypothesis"):
        return True
    others = participants(match.tokens["premise"], wordnet, besides=match.positions["premise"])
    return match.pos == "n" and any(may_name(word, other, wordnet) for other in others)


def _described(match: Match, side: Side, wordnet: WordNet) -> str | None:
    """Return the lemma of the noun that the pair's adjective on *side* describes: the next, or the last."""
    tokens, position = match.tokens[side], match.positions[side][0]
    after = tokens[position + 1 : position + 1 + _PHRASE]
    near = after if after and after[0].tag[:1] in {"N", "J"} else tokens[position::-1]
    noun = next((token.text.lower() for token in near if token.tag.startswith("NN")), None)
    return noun and (wordnet.morphy(noun, "n") or noun)


def counted(proposal: Proposal, match: Match, labels: Collection[Label] = _ENTAILED) -> Proposal:
    """Return *proposal* with a doubt if, with one of *labels*, one thing is to say something of several."""
    premise, hypothesis = (match.is_plural(side) for side in SIDES)
    entailed = proposal.label in labels and direction_of(match, "hypothesis") == "up"
    if entailed and hypothesis and not premise:
        return proposal._replace(doubt="one in the premise, several in the hypothesis")
    return proposal


def doubt_about_kind(match: Match, narrow: str, broad: str, wordnet: WordNet) -> str | None:
    """Return why the premise of *match*, with the noun *broad*, may name a *narrow*, or None."""
    if match.pos != "n":
        return None
    first, second = (wordnet.morphy(word, "n") or word for word in (narrow, broad))
    if are_near(first, second, wordnet):
        return "people use one word for the other"
    if _is_defined(match, "premise", first, second, wordnet):
        return "the rest of the premise defines the more special word"
    if gender(first, wordnet) is None and _is_hinted(match, "premise", first, second, wordnet):
        return "a word of the premise goes with the more special word"
    return None


@lru_cache(maxsize=_CACHE_SIZE)
def are_near(narrow: str, broad: str, wordnet: WordNet) -> bool:
    """Return whether people use one of two lemmas for the other: those of a list, and *a short coat*.

    That is, if the definition of *narrow* is *broad* with an adjective; but people see what is young.

    >>> [are_near(*pair, WordNet.load()) for pair in (("hound", "dog"), ("jacket", "coat"), ("puppy", "dog"))]
    [True, True, False]
    """
    if frozenset((narrow, broad)) in _NEAR:
        return True
    words = [word for word in _definition(narrow, wordnet) if word not in _FUNCTION_WORDS]
    return (
        len(words) > 1
        and words[-1] == broad
        and gender(narrow, wordnet) is None
        and all(wordnet.synsets(word, "a") and class_of(word) != "age" for word in words[:-1])
    )


def _definition(noun: str, wordnet: WordNet) -> list[str]:
    """Return the words of the definition of *noun* in its first sense, without what is in brackets."""
    return next((_plain(wordnet.definition(sense)).split() for sense in wordnet.synsets(noun, "n")), [])


def _plain(definition: str) -> str:
    """Return *definition* in lower case, without brackets and punctuation."""
    kept, depth = [], 0
    for character in definition.lower():
        depth += character == "("
        if not depth:
            kept.append(character if character.isalnum() or character in "-'" else " ")
        depth -= character == ")"
    return "".join(kept)


def _content(match: Match, side: Side, wordnet: WordNet) -> Iterator[str]:
    """Yield the lemmas of the nouns, verbs and adjectives of *side*, but not of the pair's word."""
    for position, token in enumerate(match.tokens[side]):
        if position not in match.positions[side] and token.tag[:1] in {"N", "V", "J"}:
            word = token.text.lower()
            yield from wordnet.lemmas_of(word) or (word,)


def _is_defined(match: Match, side: Side, narrow: str, broad: str, wordnet: WordNet) -> bool:
    """Return whether the sentence says what sets *narrow* apart from *broad*: *new*, of a *sapling*."""
    own = set(genus_of(broad, wordnet))
    words = [word for word in _definition(narrow, wordnet) if word not in _FUNCTION_WORDS]
    if own.isdisjoint(words):
        return False
    wanted = [word for word in words if word not in own]
    here = tuple(_content(match, side, wordnet))
    return bool(wanted) and all(
        any(_mean_the_same(word, other, wordnet) for other in here) for word in wanted
    )


@lru_cache(maxsize=_CACHE_SIZE)
def _mean_the_same(word: str, other: str, wordnet: WordNet) -> bool:
    """Return whether two words, the first inflected or not, share a lemma or a sense."""
    lemmas = {word, *wordnet.lemmas_of(word)}
    return other in lemmas or any(
        not set(wordnet.synsets(lemma, part)).isdisjoint(wordnet.synsets(other, part))
        for lemma in lemmas
        for part in _PARTS
    )


def _is_hinted(match: Match, side: Side, narrow: str, broad: str, wordnet: WordNet) -> bool:
    """Return whether a word is defined by *narrow*, and not by *broad*: *in the pouring weather*, *rain*."""
    return any(_names(word, narrow, broad, wordnet) for word in _content(match, side, wordnet))


@lru_cache(maxsize=_CACHE_SIZE)
def _names(word: str, narrow: str, broad: str, wordnet: WordNet) -> bool:
    senses = (sense for part in _PARTS for sense in wordnet.synsets(word, part)[:_SENSES])
    return any(_is_about(sense, narrow, broad, wordnet) for sense in senses)


def _is_about(sense: int, narrow: str, broad: str, wordnet: WordNet) -> bool:
    words = _plain(wordnet.definition(sense)).split()
    lemmas = {lemma for word in words for lemma in (word, *wordnet.lemmas_of(word, "n"))}
    return narrow in lemmas and broad not in lemmas
