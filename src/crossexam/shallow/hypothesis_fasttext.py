"""fastText on the hypothesis alone: HOM of Zhang et al. (2020, section 3.1).

The classifier of Joulin et al. (2017, Bag of Tricks for Efficient Text Classification, E17-2068, section 2):
the mean of the vectors of a sentence's words and n-grams, the n-grams hashed into buckets, one linear layer,
softmax.  Gururangan et al. (2018, section 3.1) train it on hypotheses, and get 67 % of SNLI test right.

It is implemented here because none of the packages on the registry would do: `fasttext` has no wheels
(its repository was archived in March 2024), `fasttext-wheel`, `fasttext-numpy2-wheel` and `floret` have
none for CPython 3.13, and `fasttext-numpy2` has them for Linux on x86-64 only, and neither types nor a
maintainer.  On the 27,872 pairs of SNLI at hand its 0.10.4 has 61.1 % on SNLI dev (width 10, rate 0.1, 5
epochs, one thread).

Training is stochastic gradient descent.  Joulin et al. (2017, section 2): the learning rate decays linearly
to 0 over all steps.  Each example makes a full step, as in fastText: losses of a batch are summed, not
averaged.

Deviations:

- Words are those of :func:`crossexam.language.tokens.words` in lower case; fastText splits at white space.
- A bucket that no n-gram of the training data fell into is ignored, as an unknown word is; in fastText it
  contributes its random initial vector.  So only seen buckets are kept.
- fastText takes one example at a time, and its threads overwrite each other, so that no two trainings are
  alike.  Here ``batch_size`` examples make their steps from one state, and only the seed matters.
- fastText reads the file in the same order in every epoch; here the order is drawn anew.

Width 10 and 5 epochs are the paper's; its rates are 0.05, 0.1, 0.25 and 0.5, chosen on dev.  On SNLI dev,
fitted on 27,872 pairs of SNLI with three seeds, these have 60.5, 61.1, 60.9 and 60.6 % (medians).  At 0.1, 3
epochs have 60.4 %, 10 epochs 60.2 %, width 100 has 61.4 %; batches of 1 and of 32 have 61.1 and 61.2 % (one
seed).

``hypothesis_fasttext.safetensors`` in the folder of a model holds vocabulary and vectors.  Predicting does
not need torch.

Letters: *n* sentences, *v* words, *b* buckets, *d* width of a vector, *t* rows of all sentences in sequence.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from crossexam.core.errors import FormatError, MissingExtraError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, read_json, write_json
from crossexam.core.labels import LABELS, THREE_LABELS, Projection
from crossexam.core.progress import Progress, silent
from crossexam.language.tokens import words
from crossexam.shallow.fitting import (
    CONFIG,
    FitRequest,
    RecipeCells,
    ShallowModel,
    all_classes,
    label_columns,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS: Final = "hypothesis_fasttext.safetensors"
#: The token that ends a sentence: fastText reads the end of a line as one, so that no sentence is empty.
END: Final = "</s>"
_SENTENCES_AT_ONCE: Final = 20_000


class Bags(NamedTuple):
    """The *rows* of the n-grams of n sentences in sequence [t], and where each starts, *starts* [n + 1]."""

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    def of(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of the *chosen* sentences [k], and where each sentence begins among them [k]."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        begins = np.cumsum(lengths) - lengths
        within = np.arange(lengths.sum()) - np.repeat(begins, lengths)
        return self.rows[np.repeat(self.starts[chosen], lengths) + within], begins


@dataclass(frozen=True)
class NGrams:
    """The *words* [v] and the seen buckets, *met* [b], sorted, of *buckets*; n-grams of at most *most* words.

    The row of a word is its number, that of a bucket is v plus its position in *met*.

    >>> import numpy as np
    >>> grams = NGrams(("</s>", "dog"), np.array([bucket_of(("a", "dog"), 100)]), 100, 2)
    >>> [grams.rows(tokens_of(sentence)) for sentence in ("A dog", "The dog")]
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
        """The row of each bucket that was seen in training."""
        return {bucket: len(self.words) + place for place, bucket in enumerate(self.met.tolist())}

    def __len__(self) -> int:
        return len(self.words) + len(self.met)

    def rows(self, tokens: Sequence[str]) -> list[int]:
        """Return the rows of the known words and n-grams of a sentence's *tokens*, one per occurrence."""
        rows = [self.index.get(word, -1) for word in tokens]
        rows += [self.places.get(bucket, -1) for bucket in ngrams(tokens, self.most, self.buckets)]
        return [row for row in rows if row >= 0]

    def bags(self, sentences: Iterable[Sequence[str]]) -> Bags:
        """Return the rows of *sentences*, each given as its tokens."""
        rows, starts = array("q"), array("q", [0])
        for tokens in sentences:
            rows.extend(self.rows(tokens))
            starts.append(len(rows))
        return Bags(np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64))


def tokens_of(sentence: str) -> list[str]:
    """Return the words of *sentence* in lower case, then END."""
    return [token.text.lower() for token in words(sentence)] + [END]


def ngrams(tokens: Sequence[str], most: int, buckets: int) -> list[int]:
    """Return the buckets of the n-grams of 2 to *most* words in *tokens*."""
    return [
        bucket_of(tokens[start : start + length], buckets)
        for length in range(2, most + 1)
        for start in range(len(tokens) - length + 1)
    ]


def bucket_of(words: Sequence[str], buckets: int) -> int:
    """Return the bucket of an n-gram, by its CRC-32."""
    return zlib.crc32(" ".join(words).encode("utf-8", "surrogatepass")) % buckets


@dataclass(frozen=True)
class HypothesisFastText:
    """The *vectors* [v + b, d] of the *grams*, and the linear layer over their mean, *output* [d, 3]."""

    grams: NGrams
    vectors: NDArray[np.floating[Any]]
    output: NDArray[np.floating[Any]]

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, of which only the second sentences are read: [n, 3]."""
        from scipy.special import softmax

        found = [np.zeros((0, len(LABELS)))]
        for start in range(0, len(pairs), _SENTENCES_AT_ONCE):
            hypotheses = [hypothesis for _, hypothesis in pairs[start : start + _SENTENCES_AT_ONCE]]
            logits = self._means(hypotheses) @ self.output.astype(np.float64)
            found.append(label_columns(softmax(logits, axis=1)))
        return np.concatenate(found)

    def _means(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean vectors of *sentences*: [n, d]."""
        from scipy import sparse

        bags = self.grams.bags(tokens_of(sentence) for sentence in sentences)
        shape = (len(sentences), len(self.grams))
        table = sparse.csr_array((np.ones(len(bags.rows)), bags.rows, bags.starts), shape=shape)
        counts = np.maximum(1, np.diff(bags.starts))
        means: NDArray[np.float64] = (table @ self.vectors.astype(np.float64)) / counts[:, None]
        return means


def save_hypothesis_fasttext(folder: Path, model: HypothesisFastText, config: dict[str, Any]) -> None:
    """Write everything but the manifest into *folder*; the bytes depend on the model and *config* alone."""
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
    sizes = {"buckets": grams.buckets, "ngrams": grams.most}
    kind = {"kind": HYPOTHESIS_FASTTEXT.kind, "format": HYPOTHESIS_FASTTEXT.format}
    write_json(folder / CONFIG, {**kind, **sizes, **config})


def load_hypothesis_fasttext(folder: Path) -> HypothesisFastText:
    """Return the model in *folder*; raises CrossexamError if there is none."""
    HYPOTHESIS_FASTTEXT.check_folder(folder)
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
    fit = vectors.shape == (len(grams), width) and output.shape in ((width, 2), (width, len(LABELS)))
    if not fit or not (np.isfinite(vectors).all() and np.isfinite(output).all()):
        raise FormatError(
            f"vectors of shape {vectors.shape} and a layer of shape {output.shape} for {len(grams)} n-grams",
            where=where,
            wanted=f"finite numbers ({len(grams)}, d) and (d, 2 or 3)",
        )
    return HypothesisFastText(grams, vectors, output)


def _safetensors() -> Any:
    try:
        from safetensors import numpy as tensors
    except ImportError:
        raise MissingExtraError("safetensors", "torch", "a fastText model") from None
    return tensors


_REPORT_EVERY: Final = 1_000


@dataclass(frozen=True)
class FastTextSettings:
    """Vectors of ``width`` numbers, n-grams of at most ``ngrams`` words, hashed into ``buckets``.

    A word is in the vocabulary if it occurs at least ``min_count`` times.
    """

    width: int = 10
    ngrams: int = 2
    buckets: int = 2_000_000
    min_count: int = 1
    learning_rate: float = 0.1
    epochs: int = 5
    batch_size: int = 16


class FittedFastText(NamedTuple):
    """A fitted model, the number of examples that it was fitted on, and the mean loss of each epoch."""

    model: HypothesisFastText
    examples: int
    losses: tuple[float, ...]


def fit_hypothesis_fasttext(
    examples: Iterable[Example],
    settings: FastTextSettings | None = None,
    *,
    seed: int = 0,
    classes: Projection = THREE_LABELS,
    progress: Progress = silent,
) -> FittedFastText:
    """Return the model fitted on the hypotheses of *examples*; raises CrossexamError.

    *classes* are the labels that the model has.  Examples without a gold label are left out.
    """
    settings = settings or FastTextSettings()
    sentences, labels = _read(examples, classes, progress)
    gold = np.frombuffer(bytes(labels), dtype=np.uint8).astype(np.int64)
    all_classes(gold, classes)
    grams, bags = _numbered(sentences, settings)
    with _one_thread():
        vectors, output, losses = _descended(bags, gold, len(grams), settings, seed, progress)
    return FittedFastText(HypothesisFastText(grams, vectors, output), len(gold), losses)


def _read(
    examples: Iterable[Example], classes: Projection, progress: Progress
) -> tuple[list[list[str]], bytearray]:
    """Return the words of the hypotheses and the labels of those *examples* that have one."""
    sentences: list[list[str]] = []
    labels = bytearray()
    for example in examples:
        if example.label is None:
            continue
        sentences.append(tokens_of(example.hypothesis))
        labels.append(classes.class_of(example.label))
        if not len(labels) % _REPORT_EVERY:
            progress("reading words", len(labels), None)
    return sentences, labels


def _numbered(sentences: list[list[str]], settings: FastTextSettings) -> tuple[NGrams, Bags]:
    """Return the n-grams of *sentences*, and the rows of each sentence."""
    counts: dict[str, int] = {}
    met: set[int] = set()
    for tokens in sentences:
        met.update(ngrams(tokens, settings.ngrams, settings.buckets))
        for word in tokens:
            counts[word] = counts.get(word, 0) + 1
    words = sorted(
        (word for word, count in counts.items() if count >= settings.min_count),
        key=lambda word: (-counts[word], word),
    )
    grams = NGrams(tuple(words), np.array(sorted(met), dtype=np.int64), settings.buckets, settings.ngrams)
    return grams, grams.bags(sentences)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute on one thread: steps are so small that several threads wait for each other."""
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "torch", "fitting a fastText model") from None
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _descended(
    bags: Bags, gold: NDArray[np.int64], rows: int, settings: FastTextSettings, seed: int, progress: Progress
) -> tuple[NDArray[np.float32], NDArray[np.float32], tuple[float, ...]]:
    """Return vectors [rows, d], output layer [d, k], and the mean loss of each epoch."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    first = (2 * torch.rand(rows, settings.width, generator=generator) - 1) / settings.width
    bag = torch.nn.EmbeddingBag.from_pretrained(first, freeze=False, mode="mean", sparse=True)
    output = torch.zeros(settings.width, int(gold.max()) + 1, requires_grad=True)
    steps = torch.optim.SGD([bag.weight, output], lr=settings.learning_rate)
    batches = -(-len(gold) // settings.batch_size)
    total = batches * settings.epochs
    falling = torch.optim.lr_scheduler.LambdaLR(steps, lambda step: max(0.0, 1 - step / total))
    losses = []
    for epoch in range(settings.epochs):
        order = torch.randperm(len(gold), generator=generator).numpy()
        added = 0.0
        for start in range(0, len(gold), settings.batch_size):
            chosen = order[start : start + settings.batch_size]
            found, begins = (torch.from_numpy(each) for each in bags.of(chosen))
            logits = bag(found, begins) @ output  # [batch, k]
            loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(gold[chosen]), reduction="sum")
            steps.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            steps.step()
            falling.step()
            added += loss.item()
        losses.append(round(added / len(gold), 6))
        progress("training", epoch + 1, settings.epochs)
    return bag.weight.detach().numpy(), output.detach().numpy(), tuple(losses)


class _Facts(msgspec.Struct, frozen=True):
    """What the manifest says of a fit; ``buckets_met`` have an n-gram, ``losses`` are by epoch."""

    examples: int
    words: int
    buckets_met: int
    losses: Sequence[float]


def _fit(
    examples: Iterator[Example], request: FitRequest, parts: Mapping[str, Any]
) -> tuple[HypothesisFastText, _Facts]:
    fitted = fit_hypothesis_fasttext(
        examples,
        parts["fasttext"],
        seed=request.seed,
        classes=request.classes,
        progress=request.progress,
    )
    grams = fitted.model.grams
    return fitted.model, _Facts(fitted.examples, len(grams.words), len(grams.met), fitted.losses)


def _columns(facts: _Facts) -> dict[str, str]:
    return {"words": f"{facts.words:,}", "buckets": f"{facts.buckets_met:,}"}


def _lacks(config: Mapping[str, Any]) -> str | None:
    sizes = [config.get(name) for name in ("buckets", "ngrams")]
    whole = all(isinstance(size, int) and size > 0 for size in sizes)
    return None if whole else "buckets and ngrams"


_DEFAULT: Final = FastTextSettings()
HYPOTHESIS_FASTTEXT: Final = ShallowModel(
    name="hypothesis-fasttext",
    alias="hom",
    prefix="hom",
    noun="fastText model of hypotheses",
    kind="crossexam-hypothesis-fasttext",
    format=1,
    version="hypothesis-fasttext.v1",
    files=(WEIGHTS,),
    key_files=(CONFIG, WEIGHTS),
    settings={"fasttext": _DEFAULT},
    inputs=lambda request: {"seed": request.seed},
    takes=frozenset({"--seed", "--epochs"}),
    facts=_Facts,
    fit=_fit,
    save=save_hypothesis_fasttext,
    load=load_hypothesis_fasttext,
    lacks=_lacks,
    described=("fasttext", "seed"),
    recipe=RecipeCells(
        f"{_DEFAULT.width} per n-gram",
        "sgd",
        f"{_DEFAULT.learning_rate:g}",
        str(_DEFAULT.batch_size),
        str(_DEFAULT.epochs),
    ),
    source="Zhang et al. 2020, section 3.1",
    paper="Zhang et al. 2020, Reliable Evaluations for NLI, section 3.1; Joulin et al. 2017",
    packages=("torch", "safetensors", "scipy", "numpy"),
    columns=_columns,
)
