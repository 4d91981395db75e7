"""Which words of premises met which words of hypotheses in training, and with which labels.

Sanchez Carmona et al. (2018, section 5.5) ask of a pair of words (w1 in the premise, w2 in the hypothesis)
whether training had it in this order, and with which label most often: its *polarity*.

What is counted: examples, not occurrences, so that a word that stands twice in a sentence counts once.
Words are those of :func:`crossexam.language.word_pair_counting.word_forms`, lower-cased and as they are
inflected: *dog* and *dogs* are two words.  Marks are words too.  Examples without a label are left out.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example, Side
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import LABELS
from crossexam.core.progress import Progress, silent
from crossexam.language.word_pair_counting import TOKENIZER, WORD_BITS, count_pairs

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
