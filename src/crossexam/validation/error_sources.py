"""Hints to the source of an error, for the categories of Naik et al. (2018, section 2 and Table 1).

The authors assigned 100 errors to nine categories by hand; the hints help judges to do the same.  Each looks
for what the paper says of its category.  The paper gives no figures, so the thresholds are ours.  Nothing can
be seen of real-world knowledge and ambiguity, and of grammaticality only spelling errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from string import ascii_lowercase
from typing import Final

from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES, NEGATIONS
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.numbers import numbers_in
from crossexam.language.tokens import words
from crossexam.validation.study import Item

#: Shares of the content words of the hypothesis that are in the premise: much overlap, and hardly any.
MUCH_OVERLAP: Final = 0.7
LITTLE_OVERLAP: Final = 0.2
#: The least ratio of the lengths of premise and hypothesis, in words.
LONGER: Final = 3.0

_QUANTIFIERS: Final = frozenset(
    "all every each both few fewer many more most least less several some half twice double dozen "
    "majority minority".split()
)
_ENDINGS: Final = frozenset(("r", "er", "rs", "ers", "less", "ly", "ed", "ing", "s"))
_WORD: Final = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_PLAIN: Final = re.compile(r"[a-z]{3,}")  # as no name is written


def suggestions(item: Item) -> tuple[tuple[str, str], ...]:
    """Return the categories of which *item*, an error, has a sign, each with what was seen; else ``unknown``.

    They are in the order of :data:`crossexam.validation.questions.CATEGORIES`.
    """
    found = tuple((category, why) for category, sign in _SIGNS.items() if (why := sign(item)))
    return found or (("unknown", "no hint of another"),)


def _overlap(item: Item) -> str:
    """Large overlap causes wrong entailment; very little causes neutral instead of entailment."""
    hypothesis = set(_content(item.hypothesis))
    share = len(hypothesis & set(_content(item.premise))) / max(1, len(hypothesis))
    much = share >= MUCH_OVERLAP and item.predicted == "entailment"
    little = share <= LITTLE_OVERLAP and (item.gold, item.predicted) == ("entailment", "neutral")
    if not hypothesis or not (much or little):
        return ""
    return f"{share:.0%} of the words of the hypothesis are in the premise"


def _negation(item: Item) -> str:
    """Strong negation words cause contradiction."""
    if item.predicted != "contradiction":
        return ""
    return _listed(word for word in _both(item) if word.lower().replace("’", "'") in NEGATIONS)


def _antonymy(item: Item) -> str:
    """Antonyms, instead of explicit negation, are not detected as contradiction."""
    if item.gold != "contradiction":
        return ""
    hypothesis, lemmas_of = sorted(set(_content(item.hypothesis))), wordnet().lemmas_of
    return _listed(
        f"{word}/{other}"
        for word in _content(item.premise)
        if (opposites := _opposites(word))
        for other in hypothesis
        if word != other and not opposites.isdisjoint(lemmas_of(other))
    )


def _opposites(word: str) -> frozenset[str]:
    """Return the lemmas that are opposed to a lemma of *word* in WordNet."""
    return frozenset(
        antonym.lower()
        for synset in wordnet().synsets(word)
        for lemma in wordnet().lemmas_of(word)
        for _, antonym in wordnet().antonyms(synset, lemma)
    )


def _numbers(item: Item) -> str:
    """Reasoning involves numbers or quantifiers."""
    numbers = [number.text for side in (item.premise, item.hypothesis) for number in numbers_in(side)]
    return _listed([*numbers, *(word for word in _both(item) if word.lower() in _QUANTIFIERS)])


def _length(item: Item) -> str:
    """The premise is much longer than the hypothesis."""
    long, short = len(words(item.premise)), len(words(item.hypothesis))
    return f"{long} words and {short} words" if short and long >= LONGER * short else ""


def _spelling(item: Item) -> str:
    """A sentence is ill-formed because of spelling errors; incorrect agreement is not looked for."""
    return _listed(word for word in _both(item) if _PLAIN.fullmatch(word) and _is_misspelt(word))


def _is_misspelt(word: str) -> bool:
    """Return whether *word* is not known to WordNet, nor a compound or derived, and one edit from a word.

    >>> [_is_misspelt(word) for word in ("helments", "mountaintop", "shirtless", "dogs")]
    [True, False, False, False]
    """
    if _is_word(word):
        return False
    for place in range(2, len(word)):
        rest = word[place:]
        if _is_word(word[:place]) and (rest in _ENDINGS or (min(place, len(rest)) > 2 and _is_word(rest))):
            return False
    return any(map(_is_word, _one_edit_away(word)))


def _is_word(word: str) -> bool:
    return word in CLOSED_CLASSES or word in NEGATIONS or word in _QUANTIFIERS or wordnet().knows(word)


def _one_edit_away(word: str) -> Iterator[str]:
    """Yield *word* with a letter deleted, inserted or replaced, or two exchanged (Damerau, 1964)."""
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            yield head + letter + tail[1:]


def _both(item: Item) -> list[str]:
    """Return the words of both sentences, as they are written."""
    return [token.text for side in (item.premise, item.hypothesis) for token in words(side)]


def _content(sentence: str) -> list[str]:
    """Return the content words of *sentence*, in lower case."""
    lowered = [token.text.lower() for token in words(sentence)]
    return [word for word in lowered if _WORD.fullmatch(word) and word not in CLOSED_CLASSES | NEGATIONS]


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))


_SIGNS: Final[dict[str, Callable[[Item], str]]] = {
    "word_overlap": _overlap,
    "negation": _negation,
    "antonymy": _antonymy,
    "numerical_reasoning": _numbers,
    "length_mismatch": _length,
    "grammaticality": _spelling,
}
