"""Which words of premises co-occurred with which words of hypotheses in training, and with which labels.

Sanchez Carmona et al. (2018, section 5.5) ask of a pair of words (w1 in the premise, w2 in the hypothesis)
whether training had it in this order, and with which label most often: its *polarity*.

Examples are counted, not occurrences: a word that occurs twice in a sentence counts once.  Words are those
of :func:`word_forms`, lower-cased but inflected: *dog* and *dogs* are two words.  Punctuation marks are
words too.  Examples without a label are left out.

The corpus is read in one pass and bounded memory.  Words become numbers; numpy forms the pairs of a chunk
of examples; each pair with its label is one 64-bit number; and a chunk is sorted, counted, and merged with
the counts so far.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example, Side
from crossexam.core.files import archive_errors, new_folder
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, seldom_collected, silent
from crossexam.core.sealed import MANIFEST, read_manifest, write_manifest
from crossexam.language.tokens import words

#: The format of the files; increase the number when it changes.
FORMAT: Final = 1
#: The polarities, by the set of most frequent labels (entailment 1, neutral 2, contradiction 4).  There are
#: eight, so that a table with three predicted labels has the 14 degrees of freedom of section 6.3.
POLARITIES: Final = (
    "none",
    "entailment",
    "neutral",
    "entailment-neutral",
    "contradiction",
    "entailment-contradiction",
    "neutral-contradiction",
    "entailment-neutral-contradiction",
)
_WORDS: Final = "words.txt"
_ARRAYS: Final = {"word_counts": np.uint32, "keys": np.uint64, "counts": np.uint32}
_SIDES: Final = {"premise": 0, "hypothesis": 1, None: 2}
#: The version of :func:`word_forms`; increase it when that changes, so that cached indexes are rebuilt.
TOKENIZER: Final = "words.v1"
#: A pair is one number: that of the word in the premise times 2^31, plus that in the hypothesis.
WORD_BITS: Final = 31
_LABEL_BITS: Final = 2
_PAIRS_AT_ONCE: Final = 4_000_000  # 32 MB per array
_REPORT_EVERY: Final = 10_000


@dataclass(frozen=True, eq=False)
class WordPairIndex:
    """Counts of words and of pairs (premise word, hypothesis word) over a training corpus.

    Created by :meth:`build` or :meth:`load`.  ``counts_of_pairs`` [m, 3] belong to the sorted ``keys`` [m];
    if loaded, both stay on disk and are read when needed.

    >>> index = WordPairIndex.build([Example("a", "A dog barks.", "The dog is a pet.", "entailment"),
    ...                              Example("b", "Dogs bark.", "A dog sleeps.", "neutral")])
    >>> index.counts([("dog", "pet"), ("dogs", "dog"), ("pet", "dog")]).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    >>> index.polarity([("dog", "pet"), ("pet", "dog")]), index.occurrences("dog")
    (['entailment', 'none'], 2)
    """

    words: Sequence[str] = field(repr=False)
    word_counts: NDArray[np.uint32] = field(repr=False)
    keys: NDArray[np.uint64] = field(repr=False)
    counts_of_pairs: NDArray[np.uint32] = field(repr=False)
    manifest: Mapping[str, Any]
    _numbers: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {word: number for number, word in enumerate(self.words)})

    def __len__(self) -> int:
        """Return the number of distinct pairs."""
        return len(self.keys)

    @classmethod
    def build(
        cls,
        examples: Iterable[Example],
        *,
        source: Mapping[str, Any] | None = None,
        progress: Progress = silent,
    ) -> WordPairIndex:
        """Return the index of *examples*, read once; *source* describes them in the manifest."""
        counted = count_pairs(examples, progress=progress)
        manifest = {
            "format": FORMAT,
            "tokenizer": TOKENIZER,
            "examples": counted.examples,
            "skipped": counted.skipped,
            "words": len(counted.words),
            "pairs": len(counted.keys),
            "source": dict(source or {}),
        }
        return cls(counted.words, counted.word_counts, counted.keys, counted.counts, manifest)

    def counts(self, pairs: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
        """Return how many examples have each of *pairs* (premise word, hypothesis word), per label [n, 3]."""
        flat = [word for pair in pairs for word in pair]
        numbers = self._numbers_of(flat).reshape(-1, 2)
        wanted = (numbers[:, 0].astype(np.uint64) << np.uint64(WORD_BITS)) | numbers[:, 1].astype(np.uint64)
        found = np.zeros((len(numbers), len(LABELS)), dtype=np.int64)
        if len(self.keys):
            places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            known = self.keys[places] == wanted  # the key of -1 is greater than all others
            found[known] = self.counts_of_pairs[places[known]]
        return found

    def seen(self, pairs: Iterable[tuple[str, str]]) -> NDArray[np.bool_]:
        """Return which of *pairs* occur in any example, in this order: [n]."""
        found: NDArray[np.bool_] = self.counts(pairs).max(axis=1, initial=0) > 0
        return found

    def polarity(self, pairs: Iterable[tuple[str, str]]) -> list[str]:
        """Return the polarity of each of *pairs*, one of POLARITIES."""
        return polarities(self.counts(pairs))

    def occurrences(self, word: str, side: Side | None = None) -> int:
        """Return the number of examples with *word* on *side*, or on either side if it is None."""
        number = self._numbers.get(word.lower())
        return 0 if number is None else int(self.word_counts[number, _SIDES[side]])

    def _numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each word, -1 for unknown words."""
        known = self._numbers
        return np.fromiter((known.get(name.lower(), -1) for name in names), np.int64, count=len(names))

    def save(self, folder: Path) -> None:
        """Write the index to the new *folder*, completely or not at all.

        Raises CrossexamError if it already exists, or if another process is writing it.
        """
        if folder.exists():
            raise _taken(folder)
        try:
            with new_folder(folder, purpose="saving an index of word pairs") as staging:
                text = "".join(f"{word}\n" for word in self.words)
                (staging / _WORDS).write_bytes(text.encode("utf-8", "surrogatepass"))
                for name, values in self._arrays().items():
                    np.save(staging / f"{name}.npy", values, allow_pickle=False)
                write_manifest(staging / MANIFEST, self.manifest)
        except OSError:
            if folder.exists():  # another process was first
                raise _taken(folder) from None
            raise

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {"word_counts": self.word_counts, "keys": self.keys, "counts": self.counts_of_pairs}

    @classmethod
    def load(cls, folder: Path) -> WordPairIndex:
        """Return the index in *folder*, memory-mapped.  Raises FormatError if there is none."""
        path = folder / MANIFEST
        if not path.is_file():
            raise FormatError(
                f"there is no {MANIFEST}: this is not an index of word pairs",
                where=str(folder),
                wanted="a folder written by WordPairIndex.save",
            )
        manifest = read_manifest(path)
        version = (manifest.get("format"), manifest.get("tokenizer"))
        if version != (FORMAT, TOKENIZER):
            raise FormatError(
                f"the index has format {version[0]} and tokenizer {version[1]}",
                where=str(path),
                wanted=f"format {FORMAT} and tokenizer {TOKENIZER}",
                hint="delete the folder and build the index again",
            )
        try:
            words = (folder / _WORDS).read_bytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
            arrays = {name: _mapped(folder / f"{name}.npy", dtype) for name, dtype in _ARRAYS.items()}
            sizes = {"words": len(words), "pairs": len(arrays["keys"])}
            shapes = [(len(words), 3), (sizes["pairs"],), (sizes["pairs"], 3)]
            if [values.shape for values in arrays.values()] != shapes or any(
                manifest.get(name) != size for name, size in sizes.items()
            ):
                raise ValueError("its sizes differ from those in the manifest")
        except archive_errors() as error:
            raise FormatError(
                f"the index is damaged: {error}",
                where=str(folder),
                hint="delete the folder and build the index again",
            ) from None
        return cls(words, arrays["word_counts"], arrays["keys"], arrays["counts"], manifest)


def polarities(counts: ArrayLike) -> list[str]:
    """Return the polarity of each row of *counts* [n, 3]: its most frequent label, the tied ones, or "none".

    >>> polarities([[0, 1, 9], [2, 2, 0], [0, 0, 0]])
    ['contradiction', 'entailment-neutral', 'none']
    """
    numbers = np.asarray(counts, dtype=np.int64).reshape(-1, len(LABELS))
    highest = numbers.max(axis=1, keepdims=True)
    codes = ((numbers == highest) & (highest > 0)) @ np.array([1, 2, 4])
    return [POLARITIES[code] for code in codes.tolist()]


@dataclass(frozen=True, eq=False)
class WordPairCounts:
    """Counts over a corpus: *words* by number, and the sorted *keys* of pairs of words.

    *word_counts* [v, 3] are the numbers of examples with the word in the premise, in the hypothesis, in
    either; *counts* [m, 3] those with the pair, per label in the order of LABELS.  *examples* were
    counted, and *skipped* had no label.
    """

    words: tuple[str, ...]
    word_counts: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    examples: int
    skipped: int


def word_forms(sentence: str) -> tuple[str, ...]:
    """Return the words and punctuation marks of *sentence*, lower-cased but inflected.

    >>> word_forms("The dogs can't, Mr. Lee.")
    ('the', 'dogs', 'ca', "n't", ',', 'mr.', 'lee', '.')
    """
    return tuple([token.text.lower() for token in words(sentence)])


def count_pairs(examples: Iterable[Example], *, progress: Progress = silent) -> WordPairCounts:
    """Return how many of *examples* have each word, and each pair per label; unlabelled ones are skipped.

    Takes 12 bytes of memory per distinct pair and label, three times that while merging.
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
    return WordPairCounts(tuple(numbers), word_counts.astype(np.uint32), pairs, counts, done, skipped)


class _Chunk:
    """The distinct words of some examples, concatenated, and how many each example has."""

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
    """Yield the examples in chunks of about four million pairs, adding new words to *numbers*."""
    chunk = _Chunk(0)
    last, premise = "", set[int]()  # a premise often comes three times in a row
    for done, example in enumerate(examples, 1):
        if done % _REPORT_EVERY == 0:
            progress("indexing word pairs", done, None)
        if example.label not in LABEL_INDEX:  # no label, or not_entailment, which is two labels
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
    """Return the keys of all pairs of words in all examples of *chunk*, with the label in the lowest bits."""
    premises, hypotheses = _array(chunk.premises), _array(chunk.hypotheses).astype(np.uint64)
    sizes, others = _array(chunk.premise_sizes), _array(chunk.hypothesis_sizes)
    starts = np.cumsum(others) - others  # where each hypothesis begins
    repeats = np.repeat(others, sizes)  # how many hypothesis words each premise word is paired with
    before = np.cumsum(repeats) - repeats
    places = np.arange(int(repeats.sum())) + np.repeat(np.repeat(starts, sizes) - before, repeats)
    upper = (premises.astype(np.uint64) << np.uint64(WORD_BITS + _LABEL_BITS)) | np.repeat(
        _array(chunk.labels).astype(np.uint64), sizes
    )
    keys: NDArray[np.uint64] = np.repeat(upper, repeats)
    keys |= hypotheses[places] << np.uint64(_LABEL_BITS)
    return keys


def _added(counts: NDArray[np.int64], chunk: _Chunk, words_known: int) -> NDArray[np.int64]:
    """Return the word *counts* plus those of *chunk*, [v, 3]: in the premise, hypothesis, either."""
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
    """Merge two sorted arrays of distinct keys and their counts."""
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
    """Return the distinct keys without labels, and their counts per label: [m], [m, 3]."""
    pairs, places = np.unique(keys >> np.uint64(_LABEL_BITS), return_inverse=True)
    counts = np.zeros((len(pairs), len(LABELS)), dtype=np.uint32)
    counts[places.reshape(-1), (keys & np.uint64(2**_LABEL_BITS - 1)).astype(np.int64)] = times
    return pairs, counts


def _taken(folder: Path) -> CrossexamError:
    return CrossexamError("the folder already exists", where=str(folder), wanted="the name of a new folder")


def _mapped(path: Path, dtype: type) -> NDArray[Any]:
    values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    if values.dtype != dtype:
        raise ValueError(f"{path.name} contains {values.dtype}, not {np.dtype(dtype)}")
    return values
