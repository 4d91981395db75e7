"""Indicator features of words (Nie et al., 2019, section 5.2), one sparse row per pair.

A feature is a word in the premise, a word in the hypothesis, a pair of a word in the premise and one in the
hypothesis, or (not in the paper) a bigram of the hypothesis.  Features have names, not hashes, so that their
weights can be read.  :class:`WordCollector` collects the words of a corpus in one pass and keeps the features
that are frequent in it.

Letters: *n* pairs, *t* tokens of all sentences of a side, *v* words of the vocabulary, *f* features.  A
feature of one word is coded by its number, a feature of two by ``first * v + second``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from crossexam.core.example import SIDES, Example, Side
from crossexam.language.tokens import Token, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The kinds of features in the order of their columns, and how a feature of each is printed.
KINDS: Final[Mapping[str, str]] = {
    "premise": "premise: {}",
    "hypothesis": "hypothesis: {}",
    "pairs": "{} / {}",
    "bigrams": "hypothesis: {} {}",
}
#: Kinds whose features have two words.
OF_TWO: Final = frozenset({"pairs", "bigrams"})
#: The number of an out-of-vocabulary word.
UNKNOWN: Final = -1
#: Pairs whose features are held in memory before they are packed: about 100 MB.
ROWS_AT_ONCE: Final = 50_000


@dataclass(frozen=True)
class FeatureSettings:
    """Which features are used.

    ``premise``: words of the premise; ``pairs``: pairs of a premise word and a hypothesis word; ``bigrams``:
    bigrams of the hypothesis; ``content``: nouns, verbs, adjectives and adverbs only.  A word or bigram is a
    feature if it occurs on that side of at least ``min_count`` pairs, a word pair if it occurs in at least
    ``min_pair_count``.

    The paper states no minimum.  Fitted on the SNLI and MultiNLI subsets (47,872 pairs), minimums of 1
    and 1 give 1,514,639 features and 60.9 % on SNLI dev, 47.7 % on MultiNLI dev matched; 2 and 2 give
    277,195, 60.3 and 47.8 %; 2 and 3 give 140,856, 60.4 and 47.9 %; 2 and 5 give 78,291, 59.9 and 47.5 %; 5
    and 10 give 32,667, 59.6 and 47.5 %.
    """

    premise: bool = True
    pairs: bool = True
    bigrams: bool = False
    content: bool = True
    min_count: int = 2
    min_pair_count: int = 3

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of features, in the order of their columns."""
        chosen = {"premise": self.premise, "hypothesis": True, "pairs": self.pairs, "bigrams": self.bigrams}
        return tuple(kind for kind in KINDS if chosen[kind])


class NumberedSentences(NamedTuple):
    """The sentences of one side: the numbers of their *words* [t], -1 if unknown, and *starts* [n + 1]."""

    words: NDArray[np.int64]
    starts: NDArray[np.int64]

    def part(self, start: int, stop: int) -> NumberedSentences:
        """Return sentences *start* to *stop*."""
        bounds = self.starts[start : stop + 1]
        return NumberedSentences(self.words[bounds[0] : bounds[-1]], bounds - bounds[0])

    @property
    def rows(self) -> NDArray[np.int64]:
        """The sentence of each word: [t]."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def distinct(self, size: int) -> NumberedSentences:
        """Return the distinct known words of each sentence, sorted by number (below *size*)."""
        known = self.words >= 0
        codes = np.unique(self.rows[known] * size + self.words[known])
        rows = codes // max(1, size)
        counts = np.bincount(rows, minlength=len(self.starts) - 1)
        return NumberedSentences(codes - rows * size, np.concatenate([[0], np.cumsum(counts)]))


_Coded = Iterator[tuple[str, "NDArray[np.int64]", "NDArray[np.int64]"]]


def coded(
    kinds: Sequence[str], size: int, premises: NumberedSentences, hypotheses: NumberedSentences
) -> _Coded:
    """Yield, for each of *kinds*, rows and codes of the distinct features of the pairs: [k], [k]."""
    theirs, ours = premises.distinct(size), hypotheses.distinct(size)
    for kind in kinds:
        if kind == "pairs":
            yield kind, *_crossed(theirs, ours, size)
        elif kind == "bigrams":
            first, second, rows = hypotheses.words[:-1], hypotheses.words[1:], hypotheses.rows
            kept = (first >= 0) & (second >= 0) & (rows[:-1] == rows[1:])
            once = np.unique(np.stack([rows[:-1][kept], first[kept] * size + second[kept]]), axis=1)
            yield kind, once[0], once[1]
        else:
            side = theirs if kind == "premise" else ours
            yield kind, side.rows, side.words


def _crossed(
    premises: NumberedSentences, hypotheses: NumberedSentences, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and codes of all pairs of a premise word and a word of its hypothesis."""
    rows = premises.rows
    times = np.diff(hypotheses.starts)[
        rows
    ]  # how many hypothesis words each premise word is paired with: (t,)
    first = np.repeat(premises.words, times)
    within = np.arange(len(first)) - np.repeat(np.cumsum(times) - times, times)
    second = hypotheses.words[np.repeat(hypotheses.starts[rows], times) + within]
    return np.repeat(rows, times), first * size + second


@dataclass(frozen=True)
class LexicalFeatures:
    """A vocabulary: its *words* [v], and the codes of the features of each kind, in ascending order.

    >>> import numpy as np
    >>> features = LexicalFeatures(("dog", "cat"), {"hypothesis": np.array([0, 1]), "pairs": np.array([1])})
    >>> features.matrix([("A dog sat.", "A cat ran."), ("It sat.", "Dogs ran.")]).toarray().tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    >>> features.names()
    ['hypothesis: dog', 'hypothesis: cat', 'dog / cat']
    """

    words: tuple[str, ...]
    codes: Mapping[str, NDArray[np.int64]]

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return sum(map(len, self.codes.values()))

    def matrix(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """Return the features of *pairs* (premise, hypothesis) as a sparse matrix [n, f] of 0 and 1.

        Each occurrence of a word of the vocabulary counts: no POS tagger is needed.
        """
        sides = (self._numbered([pair[place] for pair in pairs]) for place in range(2))
        return self.packed(*sides)

    def packed(self, premises: NumberedSentences, hypotheses: NumberedSentences) -> Any:
        """Return the features of sentences that are numbered by this vocabulary: [n, f]."""
        from scipy import sparse

        count = len(premises.starts) - 1
        parts = []
        for start in range(0, count, ROWS_AT_ONCE):
            stop = min(start + ROWS_AT_ONCE, count)
            rows, columns = self._places(premises.part(start, stop), hypotheses.part(start, stop))
            ones = np.ones(len(rows), dtype=np.float32)
            table = sparse.coo_array((ones, (rows, columns)), shape=(stop - start, len(self)))
            parts.append(table.tocsr())
        if not parts:
            return sparse.csr_array((0, len(self)), dtype=np.float32)
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")

    def _places(
        self, premises: NumberedSentences, hypotheses: NumberedSentences
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return rows and columns of the features of the pairs."""
        found_rows, found_columns, offset = [], [], 0
        for kind, rows, codes in coded(tuple(self.codes), len(self.words), premises, hypotheses):
            known = self.codes[kind]
            if len(known):
                places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
                there = known[places] == codes
                found_rows.append(rows[there].astype(np.int32))
                found_columns.append((places[there] + offset).astype(np.int32))
            offset += len(known)
        empty = [np.zeros(0, dtype=np.int32)]
        return np.concatenate(found_rows or empty), np.concatenate(found_columns or empty)

    def _numbered(self, sentences: Sequence[str]) -> NumberedSentences:
        number = self.index.get
        numbers, starts = array("q"), array("q", [0])
        for sentence in sentences:
            numbers.extend([number(token.text.lower(), UNKNOWN) for token in words(sentence)])
            starts.append(len(numbers))
        return NumberedSentences(from_array(numbers), from_array(starts))

    def names(self, columns: Iterable[int] | None = None) -> list[str]:
        """Return the names of the features in *columns*, by default of all."""
        return [self._name(column) for column in (range(len(self)) if columns is None else columns)]

    def _name(self, column: int) -> str:
        for kind, codes in self.codes.items():
            if column < len(codes):
                places = divmod(int(codes[column]), len(self.words)) if kind in OF_TWO else (codes[column],)
                return KINDS[kind].format(*(self.words[place] for place in places))
            column -= len(codes)
        raise IndexError(f"there are only {len(self)} features")

    def only(self, kept: NDArray[np.bool_]) -> LexicalFeatures:
        """Return the features that are *kept* [f], with a vocabulary of the words that they use."""
        size, offset = len(self.words), 0
        parts = {}
        for kind, codes in self.codes.items():
            parts[kind] = codes[kept[offset : offset + len(codes)]]
            offset += len(codes)
        needed = np.zeros(size, dtype=bool)
        for kind, codes in parts.items():
            for numbers in np.divmod(codes, size) if kind in OF_TWO else (codes,):
                needed[numbers] = True
        return LexicalFeatures(
            tuple(word for word, wanted in zip(self.words, needed.tolist(), strict=True) if wanted),
            {kind: _renumbered(kind, codes, needed) for kind, codes in parts.items()},
        )


def _renumbered(kind: str, codes: NDArray[np.int64], needed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return *codes* in the vocabulary of the *needed* words [v] only, in the same order."""
    number = np.cumsum(needed) - 1
    if kind not in OF_TWO:
        return number[codes]
    first, second = np.divmod(codes, len(needed))
    renumbered: NDArray[np.int64] = number[first] * int(needed.sum()) + number[second]
    return renumbered


def from_array(numbers: array[int]) -> NDArray[np.int64]:
    """Return *numbers* as an array of 64-bit integers."""
    return np.array(numbers, dtype=np.int64)


#: The first two letters of the Penn tags of nouns, verbs, adjectives and adverbs.
CONTENT_TAGS: Final = frozenset({"NN", "VB", "JJ", "RB"})


class WordCollector:
    """The words of examples, collected in one pass; :meth:`features` selects the vocabulary.

    *tokens* returns the tagged tokens of a sentence of an example; None if all words are features, when
    tokenizing is enough.
    """

    def __init__(self, tokens: Callable[[Example, Side], Sequence[Token]] | None) -> None:
        self._tokens = tokens
        self._index: dict[str, int] = {}
        self._seen: dict[Side, tuple[array[int], array[int]]] = {
            side: (array("i"), array("q", [0])) for side in SIDES
        }

    def add(self, example: Example) -> None:
        """Add the words of *example*."""
        number, index = self._index.setdefault, self._index
        for side in SIDES:
            seen, starts = self._seen[side]
            tokens = self._tokens(example, side) if self._tokens else words(example.text(side))
            # Twice the number of the word, plus one if this token is tagged as a content word.
            seen.extend([2 * number(t[0].lower(), len(index)) + (t[3][:2] in CONTENT_TAGS) for t in tokens])
            starts.append(len(seen))

    def features(self, settings: FeatureSettings) -> tuple[LexicalFeatures, Any]:
        """Return the frequent features of the added examples, and their matrix [n, f]."""
        marked = {side: (from_array(seen), from_array(starts)) for side, (seen, starts) in self._seen.items()}
        kept = self._content(marked) if settings.content else np.ones(len(self._index), dtype=bool)
        number = np.where(kept, np.cumsum(kept) - 1, UNKNOWN)
        names = [word for word, wanted in zip(self._index, kept.tolist(), strict=True) if wanted]
        sides = [NumberedSentences(number[seen >> 1], starts) for seen, starts in marked.values()]
        every = _frequent(settings, len(names), *sides)
        used = LexicalFeatures(tuple(names), every).only(np.ones(sum(map(len, every.values())), dtype=bool))
        number = np.array([used.index.get(name, UNKNOWN) for name in names], dtype=np.int64)
        number = np.append(number, UNKNOWN)  # index -1: an unknown word
        return used, used.packed(*(NumberedSentences(number[side.words], side.starts) for side in sides))

    def _content(self, marked: Mapping[Side, tuple[NDArray[Any], Any]]) -> NDArray[np.bool_]:
        """Return which words are content words: those tagged as such in most of their occurrences."""
        size = len(self._index)
        both = np.zeros(2 * size, dtype=np.int64)
        for seen, _ in marked.values():
            both += np.bincount(seen, minlength=2 * size)
        spoken = np.fromiter((any(map(str.isalnum, word)) for word in self._index), bool, size)
        content: NDArray[np.bool_] = (both[1::2] > both[::2]) & spoken
        return content


def _frequent(
    settings: FeatureSettings, size: int, premises: NumberedSentences, hypotheses: NumberedSentences
) -> dict[str, NDArray[np.int64]]:
    """Return, by kind, the codes of the features that occur in enough pairs, in ascending order."""
    found: dict[str, list[NDArray[np.int64]]] = {kind: [] for kind in settings.kinds}
    count = len(premises.starts) - 1
    for start in range(0, count, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, count)
        parts = premises.part(start, stop), hypotheses.part(start, stop)
        for kind, _, codes in coded(settings.kinds, size, *parts):
            found[kind].append(codes)
    kept = {}
    for kind in settings.kinds:
        codes = np.concatenate(found.pop(kind) or [np.zeros(0, dtype=np.int64)])
        codes.sort()
        minimum = settings.min_pair_count if kind == "pairs" else settings.min_count
        first = np.flatnonzero(np.diff(codes, prepend=-1))  # the first position of each code
        kept[kind] = codes[first[np.diff(first, append=len(codes)) >= minimum]]
    return kept
