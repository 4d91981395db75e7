"""Which of the nine sources of error (Naik et al., 2018, Table 1) an item shows signs of.

The paper's authors sorted 100 errors by hand; these are hints beside that choice, no more.  The paper names
the signs (section 2) without figures, so that the thresholds are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase
from typing import Final, NamedTuple

from crossexam.core.labels import Gold
from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES, NEGATIONS
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.numbers import quantities
from crossexam.language.tokens import words

#: Shares of the hypothesis's content words that stand in the premise: many, and hardly any.
MUCH_OVERLAP: Final = 0.7
LITTLE_OVERLAP: Final = 0.2
#: The premise has so many times the words of the hypothesis.
LONGER: Final = 3.0

_QUANTIFIERS: Final = frozenset(
    "all every each both few fewer many more most least less several some half twice double dozen "
    "majority minority".split()
)
_UNLISTED: Final = frozenset("others amongst amidst unto sans passersby".split())  # not in WordNet
_ENDINGS: Final = ("r", "er", "rs", "ers", "less", "ly", "ed", "ing", "s")
_WORD: Final = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_PLAIN: Final = re.compile(r"[a-z]{3,}")


class Suggestion(NamedTuple):
    """A *category* of :data:`crossexam.validation.questions.CATEGORIES` and *why* it is suggested."""

    category: str
    why: str


@dataclass(frozen=True)
class Misread:
    """An item that a model got wrong: its sentences, the gold label, the model's answer."""

    premise: str
    hypothesis: str
    gold: Gold
    predicted: Gold


def suggestions(item: Misread) -> tuple[Suggestion, ...]:
    """Return what *item* shows signs of, in the order of the paper's table; ``unknown`` where of nothing.

    >>> item = Misread("The door is open.", "The door is closed.", "contradiction", "entailment")
    >>> [each.category for each in suggestions(item)]
    ['antonymy']
    """
    found = tuple(Suggestion(name, why) for name, sign in _SIGNS.items() if (why := sign(item)) is not None)
    return found or (Suggestion("unknown", "no sign of another"),)


def _content(sentence: str) -> list[str]:
    found = [token.text.lower() for token in words(sentence)]
    return [word for word in found if _WORD.fullmatch(word) and word not in CLOSED_CLASSES | NEGATIONS]


def _overlap(item: Misread) -> str | None:
    hypothesis = set(_content(item.hypothesis))
    if not hypothesis:
        return None
    share = len(hypothesis & set(_content(item.premise))) / len(hypothesis)
    told = f"{share:.0%} of the hypothesis's words are in the premise"
    if share >= MUCH_OVERLAP and item.predicted == "entailment":
        return told
    if share <= LITTLE_OVERLAP and (item.gold, item.predicted) == ("entailment", "neutral"):
        return told
    return None


def _negation(item: Misread) -> str | None:
    if item.predicted != "contradiction":
        return None
    found = [
        token.text
        for side in (item.premise, item.hypothesis)
        for token in words(side)
        if token.text.lower().replace("’", "'") in NEGATIONS
    ]
    return _listed(found)


def _antonyms(item: Misread) -> str | None:
    if item.gold != "contradiction":
        return None
    hypothesis = set(_content(item.hypothesis))
    pairs = [
        f"{word}/{other}"
        for word in dict.fromkeys(_content(item.premise))
        for other in sorted(hypothesis)
        if word != other and _forms(other) & _opposites(word)
    ]
    return _listed(pairs)


@cache
def _forms(word: str) -> frozenset[str]:
    return frozenset(WordNet.load().lemmas_of(word))


@cache
def _opposites(word: str) -> frozenset[str]:
    wordnet = WordNet.load()
    if not wordnet.has_antonym(word):
        return frozenset()
    return frozenset(
        antonym.lower()
        for synset in wordnet.synsets(word)
        for lemma in _forms(word)
        for _, antonym in wordnet.antonyms(synset, lemma)
    )


def _numbers(item: Misread) -> str | None:
    sides = (item.premise, item.hypothesis)
    found = [number.text for side in sides for number in quantities(side)]
    found += [token.text for side in sides for token in words(side) if token.text.lower() in _QUANTIFIERS]
    return _listed(found)


def _length(item: Misread) -> str | None:
    long, short = len(words(item.premise)), len(words(item.hypothesis))
    return f"{long} words against {short}" if short and long >= LONGER * short else None


def _spelling(item: Misread) -> str | None:
    """Words in lower case that no list of ours has, one letter from a word that WordNet has."""
    unknown = [
        token.text
        for side in (item.premise, item.hypothesis)
        for token in words(side)
        if _PLAIN.fullmatch(token.text) and _is_misspelt(token.text)
    ]
    return _listed(unknown)


@cache
def _is_misspelt(word: str) -> bool:
    """Tell whether *word* looks misspelt; "mountaintop" and "shirtless" are words that WordNet has not.

    >>> [_is_misspelt(word) for word in ("helments", "mountaintop", "shirtless", "others", "dogs")]
    [True, False, False, False, False]
    """
    if _is_word(word):
        return False
    if any(_is_word(word[:i]) and _is_word(word[i:]) for i in range(3, len(word) - 2)):
        return False
    if any(word.endswith(ending) and _is_word(word.removesuffix(ending)) for ending in _ENDINGS):
        return False
    return any(_is_word(other) for other in _one_edit_away(word))


def _one_edit_away(word: str) -> Iterator[str]:
    """Yield what *word* is with one letter left out, put in, or another, and with two neighbours swapped."""
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]


@cache
def _is_word(word: str) -> bool:
    if word in CLOSED_CLASSES or word in NEGATIONS or word in _QUANTIFIERS or word in _UNLISTED:
        return True
    return bool(WordNet.load().lemmas_of(word) or WordNet.load().lemmas_of(word.replace("our", "or")))


def _listed(found: Iterable[str]) -> str | None:
    return ", ".join(dict.fromkeys(found)) or None


_SIGNS: Final[dict[str, Callable[[Misread], str | None]]] = {
    "word_overlap": _overlap,
    "negation": _negation,
    "antonymy": _antonyms,
    "numerical_reasoning": _numbers,
    "length_mismatch": _length,
    "grammaticality": _spelling,
}
