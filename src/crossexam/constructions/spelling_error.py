"""Spelling errors (Naik et al., 2018, C18-1198, section 3.3 and appendix C).

There are six variants, all with one error in one word of the hypothesis per item.  Four are those of
Table 8: two adjacent letters swapped in any word; a letter replaced by its neighbour on the keyboard in any
word; and either of the two, with equal probability, in a content word (nouns and adjectives: also the column
of Table 3) or in a function word (conjunctions, pronouns and articles).  In the other two, which are ours,
the error in the content or function word is always one of the keyboard.

Differences from the paper.  The result is never another English word ("on" does not become "no", nor
"form" "from"), because the label is only preserved if the sentence keeps its meaning; without this rule
about one keyboard error in twenty produced another word.  The case pattern is kept ("The" becomes "Hte",
not "hTe"), as it would be in a typing error.  ``rules=paper`` has neither rule; ``rules=released`` follows
the authors' script.

A seventh variant, for documents, is our own: errors in each sentence of the premise, since one in a long text
is hardly noise.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, Literal

from crossexam.constructions.construction import ONE_SENTENCE, Draft, Rejection, Resources, Yielded
from crossexam.core.errors import CrossexamError
from crossexam.core.example import ERROR, Edit, Example, Side
from crossexam.core.labels import Gold
from crossexam.core.rules import OURS, Rules
from crossexam.language.lexicons.closed_classes import ARTICLES, CLOSED_CLASSES, CONJUNCTIONS
from crossexam.language.lexicons.keyboard import neighbours
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.remembered import SENTENCES, WORDS, remembered
from crossexam.language.sentences import sentences_of
from crossexam.language.tokens import Span, Token, words

_WORD: Final = re.compile(r"(?<![\w'’])[A-Za-z]+(?![\w'’])")
_CONTENT_TAGS: Final = ("NN", "JJ")  # and the tags with these prefixes
_LETTER_WORDS: Final = frozenset("aio")
_PRONOUN_TAGS: Final = frozenset({"PRP", "PRP$", "WP", "WP$"})


_NO_ERROR: Final = Rejection("every error makes another word")
_NO_WORD: Final = "no word of letters"
_NO_CONTENT_WORD: Final = "no noun or adjective"
_NO_FUNCTION_WORD: Final = "no conjunction, pronoun or article"

Misspell = Callable[[str, random.Random], Iterator[str]]


def adjacent_swaps(word: str, rng: random.Random, *, cased: bool = True) -> Iterator[str]:
    """Yield *word* with two different adjacent letters swapped, for all positions in random order.

    The pattern of capitals stays if *cased*; else each letter keeps its own case.

    >>> sorted(adjacent_swaps("The", random.Random(0)))
    ['Hte', 'Teh']
    >>> sorted(adjacent_swaps("The", random.Random(0), cased=False))
    ['Teh', 'hTe']
    """
    places = [i for i in range(len(word) - 1) if word[i].lower() != word[i + 1].lower()]
    rng.shuffle(places)
    for i in places:
        first, second = word[i + 1], word[i]
        if cased:
            first, second = _cased(first, word[i]), _cased(second, word[i + 1])
        yield word[:i] + first + second + word[i + 2 :]


def keyboard_swaps(word: str, rng: random.Random) -> Iterator[str]:
    """Yield *word* with a letter replaced by its neighbour on the keyboard, all cases in random order."""
    errors = list(_keyboard_errors(word))
    rng.shuffle(errors)
    yield from errors


@remembered(WORDS)
def _keyboard_errors(word: str) -> tuple[str, ...]:
    return tuple(
        word[:i] + new + word[i + 1 :] for i, letter in enumerate(word) for new in neighbours(letter)
    )


def _cased(letter: str, like: str) -> str:
    return letter.upper() if like.isupper() else letter.lower()


@remembered(WORDS)
def is_english(word: str) -> bool:
    """Return whether *word* is English: in WordNet, an inflected form of such a word, or closed-class."""
    lower = word.lower()
    if len(lower) == 1:  # WordNet lists every letter as a noun
        return lower in _LETTER_WORDS
    return lower in CLOSED_CLASSES or wordnet().knows(lower)


def _errors(
    example: Example,
    side: Side,
    spans: Sequence[Span],
    misspell: Misspell,
    rng: random.Random,
    *,
    any_word: bool = False,
) -> Iterator[Edit]:
    """Yield an error in each of the words at *spans* of *side* in which there can be one, in random order.

    The error may be another English word if *any_word*.
    """
    sentence = example.text(side)
    order = list(spans)
    rng.shuffle(order)
    for start, end in order:
        word = sentence[start:end]
        for wrong in misspell(word, rng):
            if wrong != word and (any_word or not is_english(wrong)):
                yield Edit(side, start, end, word, wrong)
                break


@dataclass(frozen=True)
class Options:
    """By whose *rules* errors are made: ours, the paper's, or the authors' script's."""

    rules: Rules = OURS


_OURS: Final[dict[Kind, Misspell]] = {"swap": adjacent_swaps, "keyboard": keyboard_swaps}
_AS_WRITTEN: Final[dict[Kind, Misspell]] = {
    "swap": partial(adjacent_swaps, cased=False),
    "keyboard": keyboard_swaps,
}


def _any_words(example: Example, _: Resources, *, least: int = 1) -> Sequence[Span]:
    """Return the words of the hypothesis that have *least* letters."""
    return [span for span in _words(example.hypothesis) if span[1] - span[0] >= least]


@remembered(SENTENCES)
def _words(sentence: str) -> tuple[Span, ...]:
    return tuple([match.span() for match in _WORD.finditer(sentence)])


def _content_words(example: Example, resources: Resources) -> Sequence[Span]:
    return _of_content(tuple(resources.tokens(example, "hypothesis")))


@remembered(SENTENCES)
def _of_content(tokens: tuple[Token, ...]) -> tuple[Span, ...]:
    return tuple([(start, end) for text, start, end, tag in tokens if is_content_word(text, tag)])


def _function_words(example: Example, resources: Resources) -> Sequence[Span]:
    return _of_function(tuple(resources.tokens(example, "hypothesis")))


@remembered(SENTENCES)
def _of_function(tokens: tuple[Token, ...]) -> tuple[Span, ...]:
    return tuple([(start, end) for text, start, end, tag in tokens if is_function_word(text, tag)])


@remembered(WORDS)
def is_content_word(word: str, tag: str) -> bool:
    """Return whether *word* with Penn *tag* is a noun or adjective.

    >>> is_content_word("dogs", "NNS"), is_content_word("bark", "VBP")
    (True, False)
    """
    return tag.startswith(_CONTENT_TAGS) and _WORD.fullmatch(word) is not None


@dataclass(frozen=True)
class PremiseOptions:
    """In how many words of each sentence there is an error: *per_sentence*, or fewer if it has fewer."""

    per_sentence: int = 1

    def __post_init__(self) -> None:
        if self.per_sentence < 1:
            raise CrossexamError(
                f"there are {self.per_sentence} errors per sentence", wanted="a whole number above 0"
            )


def premise(
    example: Example, resources: Resources, rng: random.Random, options: PremiseOptions = PremiseOptions()
) -> Iterator[Yielded]:
    """Yield the pair with KBSWAP in words of each sentence of a premise of several sentences."""
    sentences = sentences_of(example.premise)
    if not sentences:
        yield Rejection(ONE_SENTENCE)
        return
    edits: list[Edit] = []
    for start, end in sentences:
        spans = [match.span() for match in _WORD.finditer(example.premise, start, end)]
        errors = _errors(example, "premise", spans, keyboard_swaps, rng)
        edits += islice(errors, options.per_sentence)
    if edits:
        yield Draft(example.label, tuple(edits))
    else:
        yield _NO_ERROR


@remembered(WORDS)
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


# Spelling errors by the rules of the authors' script (NLI_StressTest).
#
# ``make_grammar_adv_samples_jsonl.py`` makes the four columns of Table 8; commit 7fac817 has the code of
# all four, later ones only that of the keyboard. AdjSWAP and KBSWAP draw a token in lower case; the two
# mixed ones draw a token as it is written by its Penn tag, then AdjSWAP or KBSWAP with equal probability.
# The error goes to the first occurrence of the word as a substring of the hypothesis, or of the word with a
# capital if there is one. The result may be another word. The script's list of tags for content words has
# NNP twice and no NN, and that for function words has IN and DT, hence all prepositions and determiners;
# both are kept here.
#
# Difference from the script: it leaves pairs unchanged when the substring is not found or the two letters
# are equal; here these yield no item.

Kind = Literal["swap", "keyboard"]

CONTENT_TAGS: Final = frozenset({"NNP", "NNS", "NNPS", "JJ", "JJR", "JJS"})
FUNCTION_TAGS: Final = frozenset({"IN", "CC", "DT", "PRP", "PRP$", "WP", "WP$"})
_TRIES: Final = 5
_LEAST_LETTERS: Final = 3  # different ones, for a swap in any word

_NONE_FOR_SCRIPT: Final = Rejection("no word that the script can misspell")
_UNCHANGED: Final = Rejection("the script leaves the pair unchanged")


def misspelt(label: Gold | None, edit: Edit, kind: Kind | None = None, *, any_word: bool = False) -> Draft:
    """Return the item with *edit*, an error of *kind* if the test has several.

    The class of the word is noted if the test misspells *any_word*.  Elsewhere the tag of the word decides,
    which the lists behind this class do not always agree with: "more" is an adjective there.
    """
    info = {"word_class": "function" if edit.old.lower() in CLOSED_CLASSES else "content"} if any_word else {}
    return Draft(label, (edit,), info={**info, **({ERROR: kind} if kind else {})})


def swap_by_script(example: Example, _: Resources, rng: random.Random) -> Yielded:
    """Return the pair with two adjacent letters of a random token swapped."""
    found = [word for word in _lower(example.hypothesis) if "-" not in word]
    found = [word for word in found if len(set(word)) >= _LEAST_LETTERS]
    if not found:
        return _NONE_FOR_SCRIPT
    word = rng.choice(found)
    start = example.hypothesis.find(word)
    for _try in range(_TRIES if start >= 0 else 0):
        wrong = _swapped(word, rng)
        if wrong != word:
            edit = Edit("hypothesis", start, start + len(word), word, wrong)
            return misspelt(example.label, edit, any_word=True)
    return _UNCHANGED


def keyboard_by_script(example: Example, _: Resources, rng: random.Random) -> Yielded:
    """Return the pair with a keyboard neighbour for a letter of a random token."""
    found = [word for word in _lower(example.hypothesis) if _typed(word)]
    if not found:
        return _NONE_FOR_SCRIPT
    word = rng.choice(found)
    return _placed(example, word, _mistyped(word, rng))


def mixed_by_script(
    example: Example, resources: Resources, rng: random.Random, *, tags: Collection[str]
) -> Yielded:
    """Return the pair with a swap or a keyboard error in a random token that has one of *tags*."""
    tokens = resources.tokens(example, "hypothesis")
    tagged = [token.text for token in tokens if token.tag in tags and len(token.text) > 1]
    found = [word for word in tagged if _typed(word)]
    if not found:
        return _NONE_FOR_SCRIPT
    word = rng.choice(found)
    if rng.random() < 0.5:
        return _placed(example, word, _swapped(word, rng), "swap")
    return _placed(example, word, _mistyped(word, rng), "keyboard")


def _lower(sentence: str) -> list[str]:
    lower = (token.text.lower() for token in words(sentence))
    return [word for word in lower if len(word) > 1]


def _typed(word: str) -> list[int]:
    """Return the places of the letters that have neighbours on the keyboard."""
    return [place for place, letter in enumerate(word) if neighbours(letter.lower())]


def _swapped(word: str, rng: random.Random) -> str:
    place = rng.randrange(len(word) - 1)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _mistyped(word: str, rng: random.Random) -> str:
    """Return *word* with one letter replaced by a neighbour, in lower case."""
    place = rng.choice(_typed(word))
    return word[:place] + rng.choice(neighbours(word[place].lower())) + word[place + 1 :]


def _placed(example: Example, word: str, wrong: str, kind: Kind | None = None) -> Yielded:
    """Return the pair with *wrong* for the first *word* with a capital, or else for the first *word*."""
    capital = word[0].upper() + word[1:]
    if capital in example.hypothesis:
        word, wrong = capital, wrong[0].upper() + wrong[1:]
    start = example.hypothesis.find(word)
    if start < 0 or word == wrong:
        return _UNCHANGED
    edit = Edit("hypothesis", start, start + len(word), word, wrong)
    return misspelt(example.label, edit, kind, any_word=kind is None)  # of one kind: keyboard_by_script


@dataclass(frozen=True)
class HypothesisError:
    """Misspells one of the *words* of the hypothesis; *nothing* says that there are none.

    Of several *kinds* of error one is drawn; the next one is tried if no word can have such an error.
    *script* makes the item by the rules of the authors' script; the two tests that are ours have none.
    *any_word*: the words are not of a single class.
    """

    words: Callable[[Example, Resources], Sequence[Span]]
    nothing: str
    kinds: tuple[Kind, ...]
    script: Callable[[Example, Resources, random.Random], Yielded] | None = None
    any_word: bool = False

    def __call__(
        self, example: Example, resources: Resources, rng: random.Random, options: Options = Options()
    ) -> Iterator[Yielded]:
        """Yield the pair with an error in a random one of the words, or why there is none."""
        if options.rules == "released" and self.script is not None:
            yield self.script(example, resources, rng)
            return
        spans = self.words(example, resources)
        yield self._misspelt(example, spans, rng, options) if spans else Rejection(self.nothing)

    def _misspelt(
        self, example: Example, spans: Sequence[Span], rng: random.Random, options: Options
    ) -> Yielded:
        ours, several = options.rules == OURS, len(self.kinds) > 1
        misspell = _OURS if ours else _AS_WRITTEN
        for kind in rng.sample(self.kinds, len(self.kinds)) if several else self.kinds:
            errors = _errors(example, "hypothesis", spans, misspell[kind], rng, any_word=not ours)
            if edit := next(errors, None):
                return misspelt(example.label, edit, kind if several else None, any_word=self.any_word)
        return _NO_ERROR


_CONTENT_BY_SCRIPT: Final = partial(mixed_by_script, tags=CONTENT_TAGS)
_FUNCTION_BY_SCRIPT: Final = partial(mixed_by_script, tags=FUNCTION_TAGS)
_TWO_LETTERS: Final = partial(_any_words, least=2)
_MIXED: Final[tuple[Kind, ...]] = ("swap", "keyboard")

# The six tests: which words, what is said if there are none, kinds of error, the authors' script.  The mixed
# one of content words is that of Table 3.
adjacent_swap = HypothesisError(_TWO_LETTERS, _NO_WORD, ("swap",), swap_by_script, any_word=True)
keyboard_swap = HypothesisError(_any_words, _NO_WORD, ("keyboard",), keyboard_by_script, any_word=True)
mixed_content_word = HypothesisError(_content_words, _NO_CONTENT_WORD, _MIXED, _CONTENT_BY_SCRIPT)
mixed_function_word = HypothesisError(_function_words, _NO_FUNCTION_WORD, _MIXED, _FUNCTION_BY_SCRIPT)
content_word = HypothesisError(_content_words, _NO_CONTENT_WORD, ("keyboard",))
function_word = HypothesisError(_function_words, _NO_FUNCTION_WORD, ("keyboard",))
