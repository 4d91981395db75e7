"""Spelling errors (Naik et al., 2018, C18-1198, section 3.3 and appendix C).

There are four variants, all with one error in one word of the hypothesis per item: two adjacent letters
swapped; or a letter replaced by its neighbour on the keyboard, in any word, in a content word (nouns and
adjectives: the column of Table 3), or in a function word (conjunctions, pronouns and articles).

Differences from the paper.  The result is never another English word ("on" does not become "no", nor
"form" "from"), because the label is only preserved if the sentence keeps its meaning; without this rule
about one keyboard error in twenty produced another word.  The case pattern is kept ("The" becomes "Hte",
not "hTe"), as it would be in a typing error.

A fifth variant, for documents, is our own: errors in each sentence of the premise, since one in a long text
is hardly noise.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.constructions.passages import ONE_SENTENCE, sentences_of
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Edit, Example, Side
from crossexam.language.lexicons.closed_classes import ARTICLES, CLOSED_CLASSES, CONJUNCTIONS
from crossexam.language.lexicons.keyboard import neighbours
from crossexam.language.lexicons.wordnet import WordNet

_WORD: Final = re.compile(r"(?<![\w'’])[A-Za-z]+(?![\w'’])")
_CONTENT_TAGS: Final = ("NN", "JJ")  # and the tags with these prefixes
_LETTER_WORDS: Final = frozenset("aio")
_PRONOUN_TAGS: Final = frozenset({"PRP", "PRP$", "WP", "WP$"})

_NO_ERROR: Final = Rejection("every error makes another word")

Span = tuple[int, int]
Misspell = Callable[[str, random.Random], Iterator[str]]


def adjacent_swaps(word: str, rng: random.Random) -> Iterator[str]:
    """Yield *word* with two different adjacent letters swapped, for all positions in random order.

    >>> sorted(adjacent_swaps("The", random.Random(0)))
    ['Hte', 'Teh']
    """
    places = [i for i in range(len(word) - 1) if word[i].lower() != word[i + 1].lower()]
    rng.shuffle(places)
    for i in places:
        first, second = word[i + 1], word[i]
        yield word[:i] + _cased(first, word[i]) + _cased(second, word[i + 1]) + word[i + 2 :]


def keyboard_swaps(word: str, rng: random.Random) -> Iterator[str]:
    """Yield *word* with a letter replaced by its neighbour on the keyboard, all cases in random order."""
    choices = [(i, new) for i, letter in enumerate(word) for new in neighbours(letter)]
    rng.shuffle(choices)
    for i, new in choices:
        yield word[:i] + new + word[i + 1 :]


def _cased(letter: str, like: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()


def is_english(word: str, wordnet: WordNet) -> bool:
    """Return whether *word* is English: in WordNet, an inflected form of such a word, or closed-class."""
    lower = word.lower()
    if len(lower) == 1:  # WordNet lists every letter as a noun
        return lower in _LETTER_WORDS
    return lower in CLOSED_CLASSES or any(wordnet.morphy(lower, pos) is not None for pos in "nvar")


def _errors(
    example: Example,
    side: Side,
    spans: Sequence[Span],
    misspell: Misspell,
    resources: Resources,
    rng: random.Random,
) -> Iterator[Edit]:
    """Yield an error in each of the words at *spans* of *side* in which there can be one, in random order."""
    sentence = example.text(side)
    order = list(spans)
    rng.shuffle(order)
    for start, end in order:
        word = sentence[start:end]
        for wrong in misspell(word, rng):
            if wrong != word and not is_english(wrong, resources.wordnet):
                yield Edit(side, start, end, word, wrong)
                break


def _misspelt(
    example: Example,
    spans: Sequence[Span],
    misspell: Misspell,
    resources: Resources,
    rng: random.Random,
    nothing: str,
) -> Iterator[Outcome]:
    if not spans:
        yield Rejection(nothing)
        return
    edit = next(_errors(example, "hypothesis", spans, misspell, resources, rng), None)
    if edit is None:
        yield _NO_ERROR
        return
    kind = "function" if edit.old.lower() in CLOSED_CLASSES else "content"
    yield Draft(example.label, (edit,), info={"word_class": kind})


def _any_word(example: Example) -> list[Span]:
    return [match.span() for match in _WORD.finditer(example.hypothesis)]


@dataclass(frozen=True)
class Options:
    """In how many words of each sentence there is an error: *per_sentence*, or fewer if it has fewer."""

    per_sentence: int = 1

    def __post_init__(self) -> None:
        if self.per_sentence < 1:
            raise CrossexamError(
                f"there are {self.per_sentence} errors per sentence", wanted="a whole number above 0"
            )


def premise(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield the pair with KBSWAP in words of each sentence of a premise of several sentences."""
    sentences = sentences_of(example.premise)
    if not sentences:
        yield Rejection(ONE_SENTENCE)
        return
    edits: list[Edit] = []
    for start, end in sentences:
        spans = [match.span() for match in _WORD.finditer(example.premise, start, end)]
        errors = _errors(example, "premise", spans, keyboard_swaps, resources, rng)
        edits += islice(errors, options.per_sentence)
    if edits:
        yield Draft(example.label, tuple(edits))
    else:
        yield _NO_ERROR


def adjacent_swap(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield the pair with two adjacent letters of a random hypothesis word swapped (AdjSWAP)."""
    spans = [span for span in _any_word(example) if span[1] - span[0] > 1]
    yield from _misspelt(
        example,
        spans,
        adjacent_swaps,
        resources,
        rng,
        "no word of letters",
    )


def keyboard_swap(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield the pair with a keyboard neighbour for a letter of a random hypothesis word (KBSWAP)."""
    yield from _misspelt(
        example,
        _any_word(example),
        keyboard_swaps,
        resources,
        rng,
        "no word of letters",
    )


def content_word(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield the pair with KBSWAP in a noun or adjective, the spelling test of Table 3."""
    spans = [
        (token.start, token.end)
        for token in resources.tokens(example, "hypothesis")
        if token.tag.startswith(_CONTENT_TAGS) and _WORD.fullmatch(token.text)
    ]
    yield from _misspelt(
        example,
        spans,
        keyboard_swaps,
        resources,
        rng,
        "no noun or adjective",
    )


def function_word(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield the pair with KBSWAP in a conjunction, pronoun or article."""
    spans = [
        (token.start, token.end)
        for token in resources.tokens(example, "hypothesis")
        if is_function_word(token.text, token.tag)
    ]
    yield from _misspelt(
        example,
        spans,
        keyboard_swaps,
        resources,
        rng,
        "no conjunction, pronoun or article",
    )


def is_function_word(word: str, tag: str) -> bool:
    """Return whether *word* with Penn *tag* is a conjunction, pronoun or article (appendix C).

    The Penn tag IN covers prepositions and subordinating conjunctions, so the word itself decides.

    >>> is_function_word("because", "IN"), is_function_word("on", "IN"), is_function_word("the", "DT")
    (True, False, True)
    """
    lower = word.lower()
    if not _WORD.fullmatch(word):
        return False
    if tag in _PRONOUN_TAGS or tag == "CC":
        return True
    return (tag == "IN" and lower in CONJUNCTIONS) or (tag == "DT" and lower in ARTICLES)
