"""Which words of premises co-occurred with which words of hypotheses in training, and with which labels.

Sanchez Carmona et al. (2018, section 5.5) ask of a pair of words (w1 in the premise, w2 in the hypothesis)
whether training had it in this order, and with which label most often: its *polarity*.

Examples are counted, not occurrences: a word that occurs twice in a sentence counts once.  Words are those
of :func:`word_forms`, lower-cased but inflected: *dog* and *dogs* are two words.  Punctuation marks are
words too.  Examples without a label are left out.

The corpus is read in one pass and bounded memory.  Words become numbers, each pair is one 64-bit number, and
polars counts the pairs of a chunk of examples at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example, Side
from crossexam.core.files import archive_errors, new_folder
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, seldom_collected, silent
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.language.tokens import words

if TYPE_CHECKING:
    import polars as pl

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
_MANIFEST: Final = "manifest.json"
_WORDS: Final = "words.txt"
_ARRAYS: Final = ("word_counts", "keys", "counts")
_SIDES: Final = {"premise": 0, "hypothesis": 1, None: 2}
#: The version of :func:`word_forms`; increase it when that changes, so that cached indexes are rebuilt.
TOKENIZER: Final = "words.v1"
#: A pair is one number: that of the word in the premise times 2^31, plus that in the hypothesis.
WORD_BITS: Final = 31
_LABELS: Final = 4  # while pairs are counted, their number times 4 plus that of the label is one number
_PAIRS_AT_ONCE: Final = 1_000_000  # 8 MB per column
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
        """Return the index of *examples*, read once; *source* describes them in the manifest.

        Those without a label are skipped.
        """
        counter = _Counter()
        with seldom_collected():
            for done, example in enumerate(examples, 1):
                counter.add(example)
                if done % _REPORT_EVERY == 0:
                    progress("indexing word pairs", done, None)
        pairs = counter.pairs()
        manifest = {
            "format": FORMAT,
            "tokenizer": TOKENIZER,
            "examples": counter.examples,
            "skipped": counter.skipped,
            "words": len(counter.numbers),
            "pairs": len(pairs),
            "source": dict(source or {}),
        }
        keys, counts = pairs["key"].to_numpy(), pairs.select(LABELS).to_numpy()
        return cls(tuple(counter.numbers), counter.word_counts, keys, counts, manifest)

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
                arrays: tuple[NDArray[Any], ...] = (self.word_counts, self.keys, self.counts_of_pairs)
                for name, values in zip(_ARRAYS, arrays, strict=True):
                    np.save(staging / f"{name}.npy", values, allow_pickle=False)
                write_manifest(staging / _MANIFEST, self.manifest)
        except OSError:
            if folder.exists():  # another process was first
                raise _taken(folder) from None
            raise

    @classmethod
    def load(cls, folder: Path) -> WordPairIndex:
        """Return the index in *folder*, memory-mapped.  Raises FormatError if there is none."""
        path = folder / _MANIFEST
        if not path.is_file():
            raise FormatError(
                f"there is no {_MANIFEST}: this is not an index of word pairs",
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
            word_counts, keys, counts = (
                np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS
            )
            if (len(words), len(keys)) != (manifest.get("words"), manifest.get("pairs")):
                raise ValueError("its sizes differ from those in the manifest")
        except archive_errors() as error:
            raise FormatError(
                f"the index is damaged: {error}",
                where=str(folder),
                hint="delete the folder and build the index again",
            ) from None
        return cls(words, word_counts, keys, counts, manifest)


def polarities(counts: ArrayLike) -> list[str]:
    """Return the polarity of each row of *counts* [n, 3]: its most frequent label, the tied ones, or "none".

    >>> polarities([[0, 1, 9], [2, 2, 0], [0, 0, 0]])
    ['contradiction', 'entailment-neutral', 'none']
    """
    numbers = np.asarray(counts, dtype=np.int64).reshape(-1, len(LABELS))
    highest = numbers.max(axis=1, keepdims=True)
    codes = ((numbers == highest) & (highest > 0)) @ np.array([1, 2, 4])
    return [POLARITIES[code] for code in codes.tolist()]


def word_forms(sentence: str) -> tuple[str, ...]:
    """Return the words and punctuation marks of *sentence*, lower-cased but inflected.

    >>> word_forms("The dogs can't, Mr. Lee.")
    ('the', 'dogs', 'ca', "n't", ',', 'mr.', 'lee', '.')
    """
    return tuple([token.text.lower() for token in words(sentence)])


class _Counter:
    """The counts of words and pairs in the labelled examples added so far.

    Takes 20 bytes of memory per distinct pair, a few times that while chunks are added up.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # of the words
        self.word_counts = np.zeros((0, len(_SIDES)), dtype=np.uint32)
        self.examples = self.skipped = 0
        self._chunk: list[tuple[list[int], list[int], int]] = []
        self._pairs_in_chunk = 0
        self._counted: list[pl.DataFrame] = []  # each smaller than the one before, so that few rows wait
        self._last, self._premise = "", list[int]()  # a premise often comes three times in a row

    def add(self, example: Example) -> None:
        if example.label not in LABEL_INDEX:  # no label, or not_entailment, which is two labels
            self.skipped += 1
            return
        if example.premise != self._last:
            self._last, self._premise = example.premise, self._numbered(example.premise)
        hypothesis = self._numbered(example.hypothesis)
        self._chunk.append((self._premise, hypothesis, LABEL_INDEX[example.label]))
        self.examples += 1
        self._pairs_in_chunk += len(self._premise) * len(hypothesis)
        if self._pairs_in_chunk >= _PAIRS_AT_ONCE:
            self._count_chunk()

    def pairs(self) -> pl.DataFrame:
        """Return the pairs by ascending ``key``, with the number of examples per label."""
        self._count_chunk()
        return _by_label(reduce(_sum, reversed(self._counted)))

    def _numbered(self, sentence: str) -> list[int]:
        numbers = self.numbers
        return [numbers.setdefault(word, len(numbers)) for word in set(word_forms(sentence))]

    def _count_chunk(self) -> None:
        import polars as pl

        word = pl.List(pl.UInt32)
        schema: Any = {"premise": word, "hypothesis": word, "label": pl.UInt8}
        chunk = pl.DataFrame(self._chunk, schema, orient="row")
        self._chunk, self._pairs_in_chunk = [], 0
        self._count_words(chunk)
        self._counted.append(_pairs_in(chunk))
        while len(self._counted) > 1 and len(self._counted[-1]) >= len(self._counted[-2]):
            self._counted.append(_sum(self._counted.pop(), self._counted.pop()))

    def _count_words(self, chunk: pl.DataFrame) -> None:
        size = len(self.numbers)
        counts = np.zeros((size, len(_SIDES)), dtype=np.uint32)
        counts[: len(self.word_counts)] = self.word_counts
        either = chunk["premise"].list.set_union(chunk["hypothesis"])
        for column, side in enumerate((chunk["premise"], chunk["hypothesis"], either)):
            found = side.explode().drop_nulls().to_numpy().astype(np.int64)
            counts[:, column] += np.bincount(found, minlength=size).astype(np.uint32)
        self.word_counts = counts


def _pairs_in(chunk: pl.DataFrame) -> pl.DataFrame:
    """Return how many examples (``len``) have each pair and label, by ascending numbers (``value``)."""
    import polars as pl

    crossed = chunk.explode("premise").explode("hypothesis").drop_nulls()
    premise, hypothesis = (pl.col(side).cast(pl.UInt64) for side in ("premise", "hypothesis"))
    numbers = ((premise * 2**WORD_BITS) + hypothesis) * _LABELS + pl.col("label")
    runs = crossed.select(numbers.alias("value")).to_series().sort().rle()
    return runs.struct.unnest().select("value", "len")


def _sum(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    both = one.merge_sorted(other, key="value").set_sorted("value")
    return both.group_by("value", maintain_order=True).agg(pl.col("len").sum())


def _by_label(counted: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs by ascending ``key``, with the number of examples per label."""
    import polars as pl

    label = pl.col("value") % _LABELS
    columns = counted.select(
        (pl.col("value") // _LABELS).alias("key").set_sorted(),
        *(
            pl.when(label == number).then(pl.col("len")).otherwise(0).cast(pl.UInt32).alias(name)
            for name, number in LABEL_INDEX.items()
        ),
    )
    return columns.group_by("key", maintain_order=True).agg(pl.col(LABELS).sum())


def _taken(folder: Path) -> CrossexamError:
    return CrossexamError("the folder already exists", where=str(folder), wanted="the name of a new folder")
