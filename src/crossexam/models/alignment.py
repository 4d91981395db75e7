"""ALIGN, the bag-of-words alignment baseline (Naik et al., 2018, C18-1198, section 4.1).

Each word of the hypothesis is aligned to the most similar word of the premise by Levenshtein distance
(MacCartney, 2009, Natural Language Inference, chapter 2).  A logistic classifier weighs what is left
unaligned by part of speech and predicts entailment or not.  It was fitted on RTE-3, which has two labels, so
it never predicts contradiction.

Deviation from the paper, which published no code: parts of speech come from lists of closed-class
words and the shape of a word, not from a POS tagger, so that the model needs no data.  It distinguishes
numbers, names (capitalized, but not first in the sentence), adverbs (-ly), negation, prepositions, other
function words and all other words; a tagger would also distinguish nouns and verbs, which share a weight
here.  The paper's model has 61.125 % on the RTE-3 test set; the accuracy of this one is in
``alignment_rte3.json``, together with its weights.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair = tuple[str, str]

#: The classes of words, in the order of the features.
CLASSES: Final = ("open", "name", "number", "adverb", "negation", "preposition", "function")

# The weights in alignment_rte3.json were fitted to these lists, so they do not follow the closed classes of
# the package language (lexicons/closed_classes.py): a word more would change the features.
# fmt: off
_CLOSED: Final = {
    "negation": "no not n't never none nobody nothing neither nor nowhere cannot without",
    "preposition": "about above across after against along among around as at before behind below beneath "
                   "beside between beyond by despite down during except for from in inside into like near of "
                   "off on onto out outside over past since through throughout to toward towards under until "
                   "up upon via with within",
    "function": "a an the this that these those some any each every all both either another such and or but "
                "so yet if because although though while when where who whom whose which what why how than "
                "then there here i you he she it we they me him her us them my your his its our their mine "
                "yours hers ours theirs myself himself herself itself ourselves themselves is are was were "
                "be been being am do does did done doing have has had having will would shall should can "
                "could may might must 's 'm 're 've 'll 'd also just only too very",
}
# fmt: on
NEGATION: Final = frozenset(_CLOSED["negation"].split())
_CLASS_OF: Final = {word: name for name, words in _CLOSED.items() for word in words.split()}
_NUMBER_WORDS: Final = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "million billion trillion".split()
)
_WORD: Final = re.compile(
    r"n't\b|'(?:s|m|re|ve|ll|d)\b|[^\W_]+(?:[.,][0-9]+)*?(?=n't\b)|[^\W_]+(?:[.,][0-9]+)*"
)


@lru_cache(maxsize=65_536)
def _class_of(word: str, first: bool) -> str:
    """Return the class of *word*; *first* if it is the first of its sentence."""
    lower = word.lower()
    if lower in _CLASS_OF:
        return _CLASS_OF[lower]
    if word[0].isdigit() or lower in _NUMBER_WORDS:
        return "number"
    if word[0].isupper() and not first:
        return "name"
    return "adverb" if lower.endswith("ly") and len(lower) > 4 else "open"


@lru_cache(maxsize=65_536)
def _words(sentence: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the lower-case words of *sentence* and the numbers of their classes."""
    found = _WORD.findall(sentence)
    classes = tuple(CLASSES.index(_class_of(word, number == 0)) for number, word in enumerate(found))
    return tuple(word.lower() for word in found), classes


def lowercase_words(sentence: str) -> tuple[str, ...]:
    """Return the words of *sentence* in lower case.

    >>> lowercase_words("The dog doesn't run.")
    ('the', 'dog', 'does', "n't", 'run')
    """
    return _words(sentence)[0]


def unaligned_shares(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return the share of each hypothesis that is left unaligned, by class of words: [n, len(CLASSES)].

    For a class, the sum of 1 - similarity to the most similar premise word over the words of that class in
    the hypothesis, divided by the number of words of the hypothesis.  Similarity is 1 - Levenshtein distance
    / length of the longer word.

    >>> unaligned_shares([("A dog runs.", "A dog ran.")]).round(3).tolist()  # run: 1 - 2 edits / 4 letters
    [[0.167, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    table = np.zeros((len(pairs), len(CLASSES)))
    for row, (premise, hypothesis) in zip(table, pairs, strict=True):
        ours, classes = _words(hypothesis)
        theirs, _ = _words(premise)
        if not ours:
            continue
        left = np.ones(len(ours))
        if theirs:
            left -= cdist(ours, theirs, scorer=Levenshtein.normalized_similarity).max(axis=1)
        row[:] = np.bincount(classes, weights=left, minlength=len(CLASSES)) / len(ours)
    return table


@lru_cache(maxsize=1)
def fitted_weights() -> dict[str, Any]:
    """Return weights, intercept, source and accuracy as ``scripts/fit_alignment.py`` fitted them."""
    import json

    text = files("crossexam.models").joinpath("alignment_rte3.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def predict(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return the probabilities of *pairs*: [n, 3], that of contradiction always 0.

    >>> predict([("A tall man plays a guitar.", "A man plays a guitar.")]).argmax(axis=1).tolist()
    [0]
    """
    model = fitted_weights()
    weights = np.array([model["weights"][name] for name in CLASSES])
    # Summed row by row: a matrix product rounds differently for other numbers of rows.
    entailed = 1 / (1 + np.exp(-((unaligned_shares(pairs) * weights).sum(axis=1) + model["intercept"])))
    return np.column_stack([entailed, 1 - entailed, np.zeros(len(entailed))])
