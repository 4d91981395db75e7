"""Which words of premises met which words of hypotheses in training, and with which labels.

Sanchez Carmona et al. (2018, section 5.5) ask of a pair of words (w1 in the premise, w2 in the hypothesis)
whether training had it in this order, and with which label most often: its *polarity*.

What is counted: examples, not occurrences, so that a word that stands twice in a sentence counts once.
Words are those of :func:`crossexam.language.word_pair_index.word_forms`, lower-cased and as they are
inflected: *dog* and *dogs* are two words.  Marks are words too.  Examples without a label are left out.

Counting which words of premises meet which words of hypotheses, in one pass and bounded memory.

Words become numbers; the words of a chunk of examples are crossed with numpy; each pair and label is one
64-bit number, and a chunk is sorted, counted, and merged into what was counted before.
"""

from __future__ import annotations

import shutil
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example, Side
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, seldom_collected, silent
from crossexam.language.tokens import words

#: The form of the files; another number where it changes.
FORMAT: Final = 1
#: What a pair can go with, by the set of its most frequent labels (entailment 1, neutral 2, contradiction 4).
#: All eight: with three predicted labels a table of them has the 14 degrees of freedom of section 6.3.
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
_ARRAYS: Final = {"word_counts": np.uint32, "keys": np.uint64, "counts": np.uint32}
_SIDES: Final = {"premise": 0, "hypothesis": 1, None: 2}


def polarities(counts: ArrayLike) -> list[str]:
    """Return what each row of *counts* [n, 3] goes with most: a label, a tie of labels, or "none".

    >>> polarities([[0, 1, 9], [2, 2, 0], [0, 0, 0]])
    ['contradiction', 'entailment-neutral', 'none']
    """
    numbers = np.asarray(counts, dtype=np.int64).reshape(-1, len(LABELS))
    highest = numbers.max(axis=1, keepdims=True)
    codes = ((numbers == highest) & (highest > 0)) @ np.array([1, 2, 4])
    return [POLARITIES[code] for code in codes.tolist()]


@dataclass(frozen=True, eq=False)
class WordPairIndex:
    """Counts of words and of pairs (premise word, hypothesis word) over a training corpus.

    Made by :meth:`build` or :meth:`load`.  ``counts_of_pairs`` [m, 3] belong to the sorted ``keys`` [m];
    loaded, both stay on disk and are read where they are asked.

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
        """Return the index of *examples*, read once; *source* is what the manifest says of them."""
        found = count_pairs(examples, progress=progress)
        manifest = {
            "format": FORMAT,
            "tokenizer": TOKENIZER,
            "examples": found.examples,
            "skipped": found.skipped,
            "words": len(found.words),
            "pairs": len(found.keys),
            "source": dict(source or {}),
        }
        return cls(found.words, found.word_counts, found.keys, found.counts, manifest)

    def counts(self, pairs: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
        """Return how many examples have each of *pairs* (premise word, hypothesis word), by label: [n, 3]."""
        flat = [word for pair in pairs for word in pair]
        numbers = self._numbers_of(flat).reshape(-1, 2)
        wanted = (numbers[:, 0].astype(np.uint64) << np.uint64(WORD_BITS)) | numbers[:, 1].astype(np.uint64)
        found = np.zeros((len(numbers), len(LABELS)), dtype=np.int64)
        if len(self.keys):
            places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            known = self.keys[places] == wanted  # the key of -1 is above all others
            found[known] = self.counts_of_pairs[places[known]]
        return found

    def seen(self, pairs: Iterable[tuple[str, str]]) -> NDArray[np.bool_]:
        """Return which of *pairs* any example has, in this order: [n]."""
        found: NDArray[np.bool_] = self.counts(pairs).max(axis=1, initial=0) > 0
        return found

    def polarity(self, pairs: Iterable[tuple[str, str]]) -> list[str]:
        """Return the label that each of *pairs* has most often, the tied ones, or "none": of POLARITIES."""
        return polarities(self.counts(pairs))

    def occurrences(self, word: str, side: Side | None = None) -> int:
        """Return how many examples have *word* on *side*; without one, on either."""
        number = self._numbers.get(word.lower())
        return 0 if number is None else int(self.word_counts[number, _SIDES[side]])

    def _numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each word, -1 of one that was never met."""
        known = self._numbers
        return np.fromiter((known.get(name.lower(), -1) for name in names), np.int64, count=len(names))

    def save(self, folder: Path) -> None:
        """Write the index to the new *folder*, whole or not at all; raises CrossexamError if it is there."""
        if folder.exists():
            raise _taken(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
        try:
            text = "".join(f"{word}\n" for word in self.words)
            (temporary / _WORDS).write_bytes(text.encode("utf-8", "surrogatepass"))
            for name, values in self._arrays().items():
                np.save(temporary / f"{name}.npy", values, allow_pickle=False)
            write_json(temporary / _MANIFEST, self.manifest)
            temporary.chmod(0o755)
            temporary.rename(folder)
        except BaseException as error:
            shutil.rmtree(temporary, ignore_errors=True)
            if isinstance(error, OSError) and folder.exists():  # another process was first
                raise _taken(folder) from None
            raise

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {"word_counts": self.word_counts, "keys": self.keys, "counts": self.counts_of_pairs}

    @classmethod
    def load(cls, folder: Path) -> WordPairIndex:
        """Return the index in *folder*, mapped, not read; raises FormatError where there is none."""
        path = folder / _MANIFEST
        if not path.is_file():
            raise FormatError(
                f"there is no {_MANIFEST}: this is no index of word pairs",
                where=str(folder),
                wanted="a folder that WordPairIndex.save wrote",
            )
        manifest = read_json(path)
        made = (manifest.get("format"), manifest.get("tokenizer"))
        if made != (FORMAT, TOKENIZER):
            raise FormatError(
                f"this index is of form {made[0]}, of words by {made[1]}",
                where=str(path),
                wanted=f"form {FORMAT}, of words by {TOKENIZER}",
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
                raise ValueError("the sizes are not those of the manifest")
        except (OSError, ValueError) as error:
            raise FormatError(
                f"the index is damaged: {error}",
                where=str(folder),
                hint="delete the folder and build the index again",
            ) from None
        return cls(words, arrays["word_counts"], arrays["keys"], arrays["counts"], manifest)


def _taken(folder: Path) -> CrossexamError:
    return CrossexamError("there is something already", where=str(folder), wanted="the name of a new folder")


def _mapped(path: Path, dtype: type) -> NDArray[Any]:
    values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    if values.dtype != dtype:
        raise ValueError(f"{path.name} holds {values.dtype}, not {np.dtype(dtype)}")
    return values


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
