"""fastText on the hypothesis alone: HOM of Zhang et al. (2020, section 3.1), and the folder it lives in.

The classifier of Joulin et al. (2017, Bag of Tricks for Efficient Text Classification, E17-2068, section 2):
the mean of the vectors of a sentence's words and word pairs, the pairs hashed into buckets, one linear layer,
softmax.  Gururangan et al. (2018, section 3.1) train it on hypotheses, and get 67 % of SNLI test right.

Why it is written here: of the packages on the registry in which it can be had, `fasttext` has no wheels
(its repository was archived in March 2024), `fasttext-wheel`, `fasttext-numpy2-wheel` and `floret` have
none for CPython 3.13, and `fasttext-numpy2` has them for Linux on x86-64 only and neither types nor upkeep.
On the 27,872 pairs of SNLI at hand its 0.10.4 has 61.1 % on SNLI dev (10 numbers a word, rate 0.1, 5 epochs,
one thread).

Deviations: words are those of :func:`crossexam.language.tokens.words` in lower case, where fastText splits at
blanks.  A bucket that no word pair of the training data fell into counts for nothing, as an unknown word
does; in fastText it adds the random numbers that it began with.  So only buckets that were met are kept.

A model is a folder: ``config.json`` says what was fitted, ``hypothesis_fasttext.safetensors`` holds
vocabulary and vectors, ``manifest.json``, written last, how all was had.  Asking it needs no torch.

Letters: *n* sentences, *v* words, *b* buckets, *d* numbers of a vector, *t* rows of sentences, one by one.
"""

from __future__ import annotations

import hashlib
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, FormatError, MissingExtraError
from crossexam.core.files import finished_or_absent, read_json, sha256_of, write_json
from crossexam.core.labels import LABELS
from crossexam.language.tokens import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIG: Final = "config.json"
WEIGHTS: Final = "hypothesis_fasttext.safetensors"
MANIFEST: Final = "manifest.json"

KIND: Final = "crossexam-hypothesis-fasttext"
FORMAT: Final = 1
_VERSION: Final = "hypothesis-fasttext.v1"
#: The word after the last one: fastText reads a line with its end, so that no sentence is empty.
END: Final = "</s>"
_SENTENCES_AT_ONCE: Final = 20_000


@dataclass(frozen=True)
class NGrams:
    """The *words* [v] and the *met* buckets [b], ascending, of *buckets* in all; n-grams have *most* words.

    A word's row is its number, a bucket's is v and its place in *met*.

    >>> import numpy as np
    >>> grams = NGrams(("</s>", "dog"), np.array([bucket_of(("a", "dog"), 100)]), 100, 2)
    >>> [grams.rows(sentence) for sentence in ("A dog", "The dog")]
    [[1, 0, 2], [1, 0]]
    """

    words: tuple[str, ...]
    met: NDArray[np.integer[Any]]
    buckets: int
    most: int

    @cached_property
    def index(self) -> dict[str, int]:
        """The row of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def places(self) -> dict[int, int]:
        """The row of each bucket that was met."""
        return {bucket: len(self.words) + place for place, bucket in enumerate(self.met.tolist())}

    def __len__(self) -> int:
        return len(self.words) + len(self.met)

    def rows(self, sentence: str) -> list[int]:
        """Return the rows of the words and n-grams of *sentence* that are known, as often as they stand."""
        return self.rows_of(read(sentence))

    def rows_of(self, spoken: Sequence[str]) -> list[int]:
        """Return the same for the words of a sentence, as :func:`read` gives them."""
        found = [self.index.get(word, -1) for word in spoken]
        found += [self.places.get(bucket, -1) for bucket in ngrams(spoken, self.most, self.buckets)]
        return [row for row in found if row >= 0]


def read(sentence: str) -> list[str]:
    """Return the words of *sentence* in lower case, and its end."""
    return [token.text.lower() for token in words(sentence)] + [END]


def ngrams(spoken: Sequence[str], most: int, buckets: int) -> list[int]:
    """Return the buckets of the n-grams of 2 to *most* words that follow each other in *spoken*."""
    return [
        bucket_of(spoken[start : start + length], buckets)
        for length in range(2, most + 1)
        for start in range(len(spoken) - length + 1)
    ]


def bucket_of(words: Sequence[str], buckets: int) -> int:
    """Return the bucket of an n-gram, by its CRC-32."""
    return zlib.crc32(" ".join(words).encode("utf-8", "surrogatepass")) % buckets


@dataclass(frozen=True)
class HypothesisFastText:
    """The *vectors* [v + b, d] of the *grams*, and the layer over their mean, *output* [d, 3]."""

    grams: NGrams
    vectors: NDArray[np.floating[Any]]
    output: NDArray[np.floating[Any]]

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, of which only the second sentences are read: [n, 3]."""
        import numpy as np
        from scipy.special import softmax

        found = [np.zeros((0, len(LABELS)))]
        for start in range(0, len(pairs), _SENTENCES_AT_ONCE):
            hypotheses = [hypothesis for _, hypothesis in pairs[start : start + _SENTENCES_AT_ONCE]]
            found.append(softmax(self._means(hypotheses) @ self.output.astype(np.float64), axis=1))
        return np.concatenate(found)

    def _means(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean vectors of *sentences*: [n, d]."""
        import numpy as np
        from scipy import sparse

        rows, starts = array("q"), array("q", [0])
        for sentence in sentences:
            rows.extend(self.grams.rows(sentence))
            starts.append(len(rows))
        shape = (len(sentences), len(self.grams))
        table = sparse.csr_array((np.ones(len(rows)), np.array(rows), np.array(starts)), shape=shape)
        counts = np.maximum(1, np.diff(starts))
        means: NDArray[np.float64] = (table @ self.vectors.astype(np.float64)) / counts[:, None]
        return means


def save_hypothesis_fasttext(folder: Path, model: HypothesisFastText, config: dict[str, Any]) -> None:
    """Write everything but the manifest into *folder*; the bytes depend on the model and *config* alone."""
    import numpy as np

    save_file = _safetensors().save_file
    grams = model.grams
    arrays = {
        "words": np.frombuffer("\n".join(grams.words).encode("utf-8", "surrogatepass"), dtype=np.uint8),
        "met": grams.met.astype(np.int64),
        "vectors": np.ascontiguousarray(model.vectors, dtype=np.float32),
        "output": np.ascontiguousarray(model.output, dtype=np.float32),
    }
    with finished_or_absent(folder / WEIGHTS) as temporary:
        save_file(arrays, temporary)
    described = {"kind": KIND, "format": FORMAT, "buckets": grams.buckets, "ngrams": grams.most}
    write_json(folder / CONFIG, {**described, **config})


def load_hypothesis_fasttext(folder: Path) -> HypothesisFastText:
    """Return the model in *folder*; raises CrossexamError where there is none."""
    import numpy as np

    check_folder(folder)
    tensors, where = _safetensors(), str(folder / WEIGHTS)
    from safetensors import SafetensorError

    try:
        arrays = tensors.load_file(folder / WEIGHTS)
        text = arrays["words"].tobytes().decode("utf-8", "surrogatepass")
        met, vectors, output = (arrays[name] for name in ("met", "vectors", "output"))
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise FormatError(f"not the weights of a fastText model: {error}", where=where) from None
    config = read_json(folder / CONFIG)
    grams = NGrams(tuple(text.split("\n")), met, int(config["buckets"]), int(config["ngrams"]))
    width = vectors.shape[1] if vectors.ndim == 2 else 0
    fit = vectors.shape == (len(grams), width) and output.shape == (width, len(LABELS))
    if not fit or not (np.isfinite(vectors).all() and np.isfinite(output).all()):
        raise FormatError(
            f"vectors of shape {vectors.shape} and a layer of shape {output.shape} for {len(grams)} n-grams",
            where=where,
            wanted=f"finite numbers ({len(grams)}, d) and (d, {len(LABELS)})",
        )
    return HypothesisFastText(grams, vectors, output)


def _safetensors() -> Any:
    try:
        from safetensors import numpy as tensors
    except ImportError:
        raise MissingExtraError("safetensors", "torch", "a fastText model") from None
    return tensors


def check_folder(folder: Path) -> None:
    """Raise CrossexamError where *folder* holds no finished model of this kind."""
    if not all((folder / name).is_file() for name in (CONFIG, MANIFEST, WEIGHTS)):
        raise CrossexamError(
            "no fastText model of hypotheses is here" if folder.is_dir() else "there is no such folder",
            where=f"hom/{folder}",
            wanted=f"a folder with {CONFIG}, {WEIGHTS} and {MANIFEST}",
            hint="crossexam train hypothesis-fasttext --train CORPUS --dev CORPUS -o FOLDER makes one",
        )
    found = read_json(folder / CONFIG)
    sizes = [found.get(name) for name in ("buckets", "ngrams")]
    whole = all(isinstance(size, int) and size > 0 for size in sizes)
    if found.get("kind") != KIND or found.get("format") != FORMAT or not whole:
        raise FormatError(
            f"this is '{found.get('kind')}', format {found.get('format')}",
            where=str(folder / CONFIG),
            wanted=f"'{KIND}', format {FORMAT}, with buckets and ngrams",
        )


def key_of(folder: Path) -> str:
    """Return 32 hexadecimal digits that change when vocabulary, buckets or weights do."""
    parts = (_VERSION, sha256_of(folder / CONFIG), sha256_of(folder / WEIGHTS))
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
