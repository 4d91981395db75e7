"""Counting which words of premises meet which words of hypotheses, in one pass and bounded memory.

Words become numbers; the words of a chunk of examples are crossed with numpy; each pair and label is one
64-bit number, and a chunk is sorted, counted, and merged into what was counted before.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.collection import seldom_collected
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, silent
from crossexam.language.tokens import words

#: What :func:`word_forms` does; another number where that changes, so that kept indexes are made anew.
TOKENIZER: Final = "words.v1"
#: A pair is one number: that of the premise's word times 2^31 and that of the hypothesis's.
WORD_BITS: Final = 31
_LABEL_BITS: Final = 2
_PAIRS_AT_ONCE: Final = 4_000_000  # 32 MB an array
_TELL_EVERY: Final = 10_000


@dataclass(frozen=True, eq=False)
class PairCounts:
    """What was counted: *words* by number, how many examples have them, and the sorted *keys* of pairs.

    *word_counts* [v, 3] counts the examples with the word in the premise, in the hypothesis, in either;
    *counts* [m, 3] those with the pair, by label in the order of LABELS; *skipped* had no label.
    """

    words: tuple[str, ...]
    word_counts: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    examples: int
    skipped: int


def word_forms(sentence: str) -> tuple[str, ...]:
    """Return the words and marks of *sentence*, lower-cased, as they are inflected.

    >>> word_forms("The dogs can't, Mr. Lee.")
    ('the', 'dogs', 'ca', "n't", ',', 'mr.', 'lee', '.')
    """
    return tuple([token.text.lower() for token in words(sentence)])


def count_pairs(examples: Iterable[Example], *, progress: Progress = silent) -> PairCounts:
    """Return how many of *examples* have each word, and each pair by label; examples without one are skipped.

    The memory is that of the distinct pairs, 12 bytes each and label, three times while merging.
    """
    numbers: dict[str, int] = {}
    word_counts = np.zeros((0, 3), dtype=np.int64)
    keys, times = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32)
    done = skipped = 0
    with seldom_collected():
        for chunk in _chunks(examples, numbers, progress):
            word_counts = _added(word_counts, chunk, len(numbers))
            keys, times = _merged(keys, times, *np.unique(_crossed(chunk), return_counts=True))
            done, skipped = done + len(chunk.labels), chunk.skipped
    pairs, counts = _by_pair(keys, times)
    return PairCounts(tuple(numbers), word_counts.astype(np.uint32), pairs, counts, done, skipped)


class _Chunk:
    """The distinct words of some examples, one after another, and how many each example has."""

    def __init__(self, skipped: int) -> None:
        self.premises, self.hypotheses = array("q"), array("q")
        self.premise_sizes, self.hypothesis_sizes, self.labels = array("q"), array("q"), array("q")
        self.pairs, self.skipped = 0, skipped

    def add(self, premise: set[int], hypothesis: set[int], label: int) -> None:
        self.premises.extend(premise)
        self.hypotheses.extend(hypothesis)
        self.premise_sizes.append(len(premise))
        self.hypothesis_sizes.append(len(hypothesis))
        self.labels.append(label)
        self.pairs += len(premise) * len(hypothesis)


def _chunks(examples: Iterable[Example], numbers: dict[str, int], progress: Progress) -> Iterator[_Chunk]:
    """Yield the examples in chunks of about four million pairs; new words get the next *numbers*."""
    chunk = _Chunk(0)
    last, premise = "", set[int]()  # a premise often comes three times in a row
    for done, example in enumerate(examples, 1):
        if done % _TELL_EVERY == 0:
            progress("indexing word pairs", done, None)
        if example.label not in LABEL_INDEX:  # none, or not_entailment, which is two labels
            chunk.skipped += 1
            continue
        if example.premise != last:
            last, premise = example.premise, _numbered(example.premise, numbers)
        chunk.add(premise, _numbered(example.hypothesis, numbers), LABEL_INDEX[example.label])
        if chunk.pairs >= _PAIRS_AT_ONCE:
            yield chunk
            chunk = _Chunk(chunk.skipped)
    yield chunk


def _numbered(sentence: str, numbers: dict[str, int]) -> set[int]:
    return {numbers.setdefault(word, len(numbers)) for word in word_forms(sentence)}


def _crossed(chunk: _Chunk) -> NDArray[np.uint64]:
    """Return the key of every pair of words of every example of *chunk*, with its label below."""
    premises, hypotheses = _array(chunk.premises), _array(chunk.hypotheses).astype(np.uint64)
    sizes, others = _array(chunk.premise_sizes), _array(chunk.hypothesis_sizes)
    starts = np.cumsum(others) - others  # where each hypothesis begins
    repeats = np.repeat(others, sizes)  # how many words each premise word meets
    before = np.cumsum(repeats) - repeats
    places = np.arange(int(repeats.sum())) + np.repeat(np.repeat(starts, sizes) - before, repeats)
    upper = (premises.astype(np.uint64) << np.uint64(WORD_BITS + _LABEL_BITS)) | np.repeat(
        _array(chunk.labels).astype(np.uint64), sizes
    )
    keys: NDArray[np.uint64] = np.repeat(upper, repeats)
    keys |= hypotheses[places] << np.uint64(_LABEL_BITS)
    return keys


def _added(counts: NDArray[np.int64], chunk: _Chunk, words_known: int) -> NDArray[np.int64]:
    """Return the counts of words [v, 3] with those of *chunk*: premise, hypothesis, either."""
    sizes, others = _array(chunk.premise_sizes), _array(chunk.hypothesis_sizes)
    premises, hypotheses = _array(chunk.premises), _array(chunk.hypotheses)
    rows = np.arange(len(sizes)) * words_known
    either = np.concatenate([np.repeat(rows, sizes) + premises, np.repeat(rows, others) + hypotheses])
    found = np.zeros((words_known, 3), dtype=np.int64)
    found[: len(counts)] = counts
    distinct = np.unique(either) % max(1, words_known)
    for column, numbers in enumerate((premises, hypotheses, distinct)):
        found[:, column] += np.bincount(numbers, minlength=words_known)
    return found


def _array(values: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(values, dtype=np.int64) if values else np.zeros(0, dtype=np.int64)


def _merged(
    keys: NDArray[np.uint64], times: NDArray[np.uint32], more: NDArray[np.uint64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return two sorted lists of distinct keys with how often each was met as one."""
    places = np.searchsorted(keys, more)
    known = np.zeros(len(more), dtype=bool)
    inside = places < len(keys)
    known[inside] = keys[places[inside]] == more[inside]
    times[places[known]] += counts[known].astype(np.uint32)
    new = ~known
    return (
        np.insert(keys, places[new], more[new]),
        np.insert(times, places[new], counts[new].astype(np.uint32)),
    )


def _by_pair(
    keys: NDArray[np.uint64], times: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the keys without their labels, each once, and the counts by label: [m], [m, 3]."""
    pairs, places = np.unique(keys >> np.uint64(_LABEL_BITS), return_inverse=True)
    counts = np.zeros((len(pairs), len(LABELS)), dtype=np.uint32)
    counts[places.reshape(-1), (keys & np.uint64(2**_LABEL_BITS - 1)).astype(np.int64)] = times
    return pairs, counts
