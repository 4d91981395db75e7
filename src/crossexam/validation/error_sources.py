"""Suggestions for the source of an error, one of the nine of Naik et al. (2018, Table 1).

The authors categorized 100 errors by hand, and the suggestions only help judges to do the same.  The paper
describes the sources (section 2) without figures; the thresholds are ours.
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

#: Shares of the content words of the hypothesis that are in the premise: much overlap, and hardly any.
MUCH_OVERLAP: Final = 0.7
LITTLE_OVERLAP: Final = 0.2
#: The least ratio of the lengths of premise and hypothesis, in words.
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
class Misclassified:
    """An item that a model got wrong: its sentences, its gold label, and the prediction."""

    premise: str
    hypothesis: str
    gold: Gold
    predicted: Gold


def suggestions(item: Misclassified) -> tuple[Suggestion, ...]:
    """Return the possible sources of the error, in the order of the paper's table; else ``unknown``.

    >>> item = Misclassified("The door is open.", "The door is closed.", "contradiction", "entailment")
    >>> [each.category for each in suggestions(item)]
    ['antonymy']
    """
    known = tuple(Suggestion(name, why) for name, sign in _SIGNS.items() if (why := sign(item)) is not None)
    return known or (Suggestion("unknown", "no hint to another"),)


def _content(sentence: str) -> list[str]:
    lowered = [token.text.lower() for token in words(sentence)]
    return [word for word in lowered if _WORD.fullmatch(word) and word not in CLOSED_CLASSES | NEGATIONS]


def _overlap(item: Misclassified) -> str | None:
    hypothesis = set(_content(item.hypothesis))
    if not hypothesis:
        return None
    share = len(hypothesis & set(_content(item.premise))) / len(hypothesis)
    why = f"{share:.0%} of the words of the hypothesis are in the premise"
    if share >= MUCH_OVERLAP and item.predicted == "entailment":
        return why
    if share <= LITTLE_OVERLAP and (item.gold, item.predicted) == ("entailment", "neutral"):
        return why
    return None


def _negation(item: Misclassified) -> str | None:
    if item.predicted != "contradiction":
        return None
    negations = [
        token.text
        for side in (item.premise, item.hypothesis)
        for token in words(side)
        if token.text.lower().replace("’", "'") in NEGATIONS
    ]
    return _listed(negations)


def _antonyms(item: Misclassified) -> str | None:
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


def _numbers(item: Misclassified) -> str | None:
    sides = (item.premise, item.hypothesis)
    numbers = [number.text for side in sides for number in quantities(side)]
    quantifiers = [
        token.text for side in sides for token in words(side) if token.text.lower() in _QUANTIFIERS
    ]
    return _listed(numbers + quantifiers)


def _length(item: Misclassified) -> str | None:
    long, short = len(words(item.premise)), len(words(item.hypothesis))
    return f"{long} words and {short} words" if short and long >= LONGER * short else None


def _spelling(item: Misclassified) -> str | None:
    """Return the words in lower case that are not known, but one letter away from a word of WordNet."""
    unknown = [
        token.text
        for side in (item.premise, item.hypothesis)
        for token in words(side)
        if _PLAIN.fullmatch(token.text) and _is_misspelt(token.text)
    ]
    return _listed(unknown)


@cache
def _is_misspelt(word: str) -> bool:
    """Return whether *word* looks misspelt; "mountaintop" and "shirtless" do not, though WordNet lacks them.

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
    """Yield *word* with one letter deleted, inserted or replaced, and with two adjacent letters swapped."""
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


def _listed(texts: Iterable[str]) -> str | None:
    return ", ".join(dict.fromkeys(texts)) or None


_SIGNS: Final[dict[str, Callable[[Misclassified], str | None]]] = {
    "word_overlap": _overlap,
    "negation": _negation,
    "antonymy": _antonyms,
    "numerical_reasoning": _numbers,
    "length_mismatch": _length,
    "grammaticality": _spelling,
}
