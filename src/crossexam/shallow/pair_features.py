"""The nineteen features by which a random forest compares two sentences (Zhang et al., 2020, appendix B.1).

The paper only names them.  What it leaves open is decided as follows:

- A word is a token (:func:`crossexam.language.tokens.words`) that has a letter or a digit.
- BLEU of the hypothesis with the premise as its reference, of n-grams up to 1, 2, 3 and 4: sacreBLEU's
  sentence BLEU in lower case, tokenizer 13a, in percent.  Smoothing is "exp", its default; orders that the
  hypothesis is too short for are left out ("effective order"), as sacreBLEU recommends for sentences.
- The relative difference of two lengths is (hypothesis - premise) / the longer, 0 if both are 0.
- The fuzzy scores are RapidFuzz's, after FuzzyWuzzy's default processing: characters U+0080 to U+00FF
  deleted, all but letters, digits and underscores blank, lower case, stripped.  Only partial_ratio, in both
  packages, takes the sentences unprocessed.  RapidFuzz does not round to whole percents, and its partial
  ratios are the best over all positions, FuzzyWuzzy's over some: on 1,500 pairs of SNLI dev, partial_ratio
  and partial_token_sort_ratio correlate with FuzzyWuzzy's 0.18.0 by 0.955 and 0.970, the others by 0.998 to
  1.000.
- Word mover's distance and the mean vectors are computed from the words that have a vector, stop words
  included.  A sentence without such a word counts as one word at the origin: its mean vector is zero.
- A quotient of 0 and 0 is 0, but the cosine distance from a zero vector is 1: it has no direction.

Word mover's distance (Kusner et al., 2015, From Word Embeddings to Document Distances, section 4) is the
least cost of turning the words of one sentence into those of the other: each word has a weight, its relative
frequency in the sentence, and moving weight costs that weight times the Euclidean distance between the two
vectors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from crossexam.core.errors import MissingExtraError
from crossexam.core.progress import Progress, silent
from crossexam.language.tokens import words
from crossexam.language.word_vectors import WordVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The features in the order of the paper, with a description of each.
# fmt: off
FEATURES: Final[dict[str, str]] = {
    "bleu_1":                   "BLEU of the hypothesis to the premise, words",
    "bleu_2":                   "BLEU, n-grams up to 2",
    "bleu_3":                   "BLEU, n-grams up to 3",
    "bleu_4":                   "BLEU, n-grams up to 4",
    "length_words":             "relative difference of the lengths in words",
    "length_characters":        "relative difference of the lengths in characters",
    "QRatio":                   "fuzzy: likeness of the characters",
    "WRatio":                   "fuzzy: the best of the ratios, weighted",
    "token_set_ratio":          "fuzzy: shared words, then the rest",
    "token_sort_ratio":         "fuzzy: words in alphabetical order",
    "partial_ratio":            "fuzzy: the best part of the longer sentence",
    "partial_token_set_ratio":  "fuzzy: the best part, of sets of words",
    "partial_token_sort_ratio": "fuzzy: the best part, of sorted words",
    "word_movers_distance":     "word mover's distance",
    "cosine":                   "cosine distance of the mean vectors",
    "cityblock":                "city-block distance of the mean vectors",
    "canberra":                 "Canberra distance of the mean vectors",
    "euclidean":                "Euclidean distance of the mean vectors",
    "braycurtis":               "Bray-Curtis distance of the mean vectors",
}
# fmt: on
_ORDERS: Final = (1, 2, 3, 4)
_FUZZY: Final = tuple(name for name, what in FEATURES.items() if what.startswith("fuzzy"))
_LATIN_1: Final = dict.fromkeys(range(0x80, 0x100))
_PAIRS_AT_ONCE: Final = 1_000
_SENTENCES_KEPT: Final = 20_000  # analysed once each: corpora pair one premise with several hypotheses

_Pair = tuple[str, str]


class EmbeddedSentence(NamedTuple):
    """The number of *words* of a sentence, and the *rows* of the vectors of those that have one."""

    words: int
    rows: list[int]


class Featurised(NamedTuple):
    """The *features* of n pairs [n, 19], the number of their *words*, and of those *found* in the vectors."""

    features: NDArray[np.float64]
    words: int
    found: int


@dataclass(frozen=True)
class PairFeatures:
    """Features of pairs, from the word *vectors* of one file; their columns are FEATURES."""

    vectors: WordVectors

    def of(self, pairs: Sequence[_Pair], *, progress: Progress = silent) -> Featurised:
        """Return the features of *pairs* (premise, hypothesis); raises MissingExtraError."""
        tables, asked, found = [np.zeros((0, len(FEATURES)))], 0, 0
        strings = _of_strings()
        read = lru_cache(_SENTENCES_KEPT)(self._read)
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[start : start + _PAIRS_AT_ONCE]
            sides = [(read(premise), read(hypothesis)) for premise, hypothesis in part]
            columns = [
                _length_differences(part, sides),
                np.array([strings(premise, hypothesis) for premise, hypothesis in part]),
                self._distances(sides),
            ]
            tables.append(_in_order(*columns))
            asked += sum(side.words for pair in sides for side in pair)
            found += sum(len(side.rows) for pair in sides for side in pair)
            progress("reading features", start + len(part), len(pairs))
        return Featurised(np.concatenate(tables), asked, found)

    def _read(self, text: str) -> EmbeddedSentence:
        kept = [token.text for token in words(text) if any(map(str.isalnum, token.text))]
        return EmbeddedSentence(len(kept), self.vectors.numbers(kept))

    def _distances(self, sides: Sequence[tuple[EmbeddedSentence, EmbeddedSentence]]) -> NDArray[np.float64]:
        """Return word mover's distance and the five distances of mean vectors: [n, 6]."""
        # Row 0 is the origin, the place of a sentence without vectors: [1 + distinct words, width].
        used = sorted({row for pair in sides for side in pair for row in side.rows})
        place = {row: number for number, row in enumerate(used, 1)}
        vectors = np.zeros((1 + len(used), self.vectors.rows.shape[1]))
        vectors[1:] = self.vectors.rows[used]
        first, second = (
            [[place[row] for row in pair[side].rows] or [0] for pair in sides] for side in range(2)
        )
        moved = [word_movers_distance(p, h, vectors) for p, h in zip(first, second, strict=True)]
        means = [np.stack([vectors[rows].mean(axis=0) for rows in side]) for side in (first, second)]
        return np.column_stack([moved, mean_distances(*means)])


def mean_distances(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cosine, city-block, Canberra, Euclidean and Bray-Curtis distance: [n, w], [n, w] -> [n, 5].

    >>> import numpy as np
    >>> mean_distances(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).round(3).tolist()
    [[1.0, 2.0, 2.0, 1.414, 1.0]]
    """
    apart = np.abs(first - second)
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cityblock = apart.sum(axis=1)
    return np.column_stack(
        [
            np.maximum(0.0, 1 - _quotient((first * second).sum(axis=1), norms)),  # not -1e-16
            cityblock,
            _quotient(apart, np.abs(first) + np.abs(second)).sum(axis=1),
            np.sqrt((apart**2).sum(axis=1)),
            _quotient(cityblock, np.abs(first + second).sum(axis=1)),
        ]
    )


def _quotient(over: NDArray[np.float64], under: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return *over* / *under* by element, 0 if *under* is 0."""
    return np.divide(over, under, out=np.zeros_like(over), where=under != 0)


def _length_differences(
    pairs: Sequence[_Pair], sides: Sequence[tuple[EmbeddedSentence, EmbeddedSentence]]
) -> NDArray[np.float64]:
    """Return the relative differences of the lengths in words and in characters: [n, 2]."""
    lengths = np.array(
        [
            [[premise.words, hypothesis.words], [len(pair[0]), len(pair[1])]]
            for (premise, hypothesis), pair in zip(sides, pairs, strict=True)
        ],
        dtype=np.float64,
    )  # [n, words or characters, premise or hypothesis]
    return _quotient(lengths[:, :, 1] - lengths[:, :, 0], lengths.max(axis=2))


def _in_order(
    lengths: NDArray[np.float64], strings: NDArray[np.float64], distances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the columns in the paper's order, with the lengths between BLEU and the fuzzy scores."""
    return np.hstack([strings[:, : len(_ORDERS)], lengths, strings[:, len(_ORDERS) :], distances])


def _of_strings() -> Callable[[str, str], list[float]]:
    """Return the function that gives BLEU and the fuzzy scores of a pair: 4 + 7; raises MissingExtraError."""
    from rapidfuzz import fuzz

    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtraError("sacrebleu", "shallow", "the BLEU features of a pair") from None
    bleus = [BLEU(lowercase=True, max_ngram_order=order, effective_order=True) for order in _ORDERS]
    fuzzy: list[tuple[str, Any]] = [(name, getattr(fuzz, name)) for name in _FUZZY]

    def scores(premise: str, hypothesis: str) -> list[float]:
        found = [bleu.sentence_score(hypothesis, [premise]).score for bleu in bleus]
        plain = processed(hypothesis), processed(premise)
        return found + [
            ratio(hypothesis, premise) if name == "partial_ratio" else ratio(*plain) for name, ratio in fuzzy
        ]

    return scores


def processed(text: str) -> str:
    """Return *text* after FuzzyWuzzy's default processing.

    >>> processed("A man's café, open_late!")
    'a man s caf  open_late'
    """
    return re.sub(r"\W", " ", text.translate(_LATIN_1)).lower().strip()


def word_movers_distance(
    first: Sequence[int], second: Sequence[int], vectors: NDArray[np.floating[Any]]
) -> float:
    """Return the distance of two sentences, given as the rows of their words in *vectors* [v, width].

    Exact: the network simplex of POT, 0.1 ms per pair.  The weight that a word has in both sentences could be
    left out, since it need not move; on SNLI this saves a tenth of the time and is not worth the lines.

    Neither sentence may be empty.  Raises MissingExtraError without POT.

    >>> import numpy as np
    >>> places = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> round(word_movers_distance([0, 0], [0, 1], places), 9)  # half of a sentence moves by 5
    2.5
    """
    from scipy.spatial.distance import cdist

    try:
        from ot import emd2
    except ImportError:
        raise MissingExtraError("POT", "shallow", "word mover's distance") from None
    ours, theirs = Counter(first), Counter(second)
    leaving, arriving = (np.array(list(each.values())) / each.total() for each in (ours, theirs))
    return float(emd2(leaving, arriving, cdist(vectors[list(ours)], vectors[list(theirs)])))
