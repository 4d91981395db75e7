"""Fit fastText's classifier on hypotheses: stochastic gradient descent whose rate falls to nothing.

Joulin et al. (2017, section 2): the rate decays linearly from its start to 0 over all steps.  Each example
makes a step of its own size, as in fastText: losses of a batch are added, not averaged.

Deviation: fastText goes by one example at a time and has its threads overwrite each other, so that no two
trainings are alike.  Here ``batch_size`` examples make their steps from one state, and a training depends on
its seed alone.  fastText reads the file in its order each epoch; here the order is drawn anew.

Width 10 and 5 epochs are the paper's; its rates are 0.05, 0.1, 0.25 and 0.5, chosen on dev.  On SNLI dev,
fitted on 27,872 pairs of SNLI with three seeds, these have 60.5, 61.1, 60.9 and 60.6 % (medians).  At 0.1, 3
epochs have 60.4 %, 10 epochs 60.2 %, width 100 has 61.4 %; batches of 1 and of 32 have 61.1 and 61.2 % (one
seed).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from crossexam.core.errors import MissingExtraError
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, silent
from crossexam.training.hypothesis_fasttext import HypothesisFastText, NGrams, ngrams, read
from crossexam.training.shallow import all_labels, all_three_way

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TOLD_EVERY: Final = 1_000


@dataclass(frozen=True)
class FastTextSettings:
    """Numbers of a vector (``width``), words of an n-gram at most, ``buckets`` that pairs are hashed into.

    A word is in the vocabulary where it stands ``min_count`` times.
    """

    width: int = 10
    ngrams: int = 2
    buckets: int = 2_000_000
    min_count: int = 1
    learning_rate: float = 0.1
    epochs: int = 5
    batch_size: int = 16


class Fitted(NamedTuple):
    """A fitted model, of how many examples, and the mean loss of each epoch."""

    model: HypothesisFastText
    examples: int
    losses: tuple[float, ...]


class Bags(NamedTuple):
    """The rows of the n-grams of n sentences, one sentence after another [t], and the *starts* [n + 1]."""

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    def of(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of the *chosen* sentences [k] and where each begins among them [k]."""
        import numpy as np

        lengths = self.starts[chosen + 1] - self.starts[chosen]
        begins = np.cumsum(lengths) - lengths
        within = np.arange(lengths.sum()) - np.repeat(begins, lengths)
        return self.rows[np.repeat(self.starts[chosen], lengths) + within], begins


def fit(
    examples: Iterable[Example],
    settings: FastTextSettings | None = None,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> Fitted:
    """Return the model fitted on the hypotheses of *examples*; raises CrossexamError.

    Those without a gold label are left out.
    """
    import numpy as np

    settings = settings or FastTextSettings()
    sentences, labels = _read(examples, progress)
    gold = np.frombuffer(bytes(labels), dtype=np.uint8).astype(np.int64)
    all_labels(gold)
    grams, bags = _numbered(sentences, settings)
    with _one_thread():
        vectors, output, losses = _descended(bags, gold, len(grams), settings, seed, progress)
    return Fitted(HypothesisFastText(grams, vectors, output), len(gold), losses)


def _read(examples: Iterable[Example], progress: Progress) -> tuple[list[list[str]], bytearray]:
    """Return the words of the hypotheses and the labels of those *examples* that have one."""
    sentences: list[list[str]] = []
    labels = bytearray()
    for example in examples:
        if example.label is None:
            continue
        all_three_way((example,), "training data")
        sentences.append(read(example.hypothesis))
        labels.append(LABEL_INDEX[str(example.label)])
        if not len(labels) % _TOLD_EVERY:
            progress("reading words", len(labels), None)
    return sentences, labels


def _numbered(sentences: list[list[str]], settings: FastTextSettings) -> tuple[NGrams, Bags]:
    """Return the n-grams of *sentences*, and the rows of each."""
    import numpy as np

    counts: dict[str, int] = {}
    met: set[int] = set()
    for spoken in sentences:
        met.update(ngrams(spoken, settings.ngrams, settings.buckets))
        for word in spoken:
            counts[word] = counts.get(word, 0) + 1
    words = sorted(
        (word for word, count in counts.items() if count >= settings.min_count),
        key=lambda word: (-counts[word], word),
    )
    grams = NGrams(tuple(words), np.array(sorted(met), dtype=np.int64), settings.buckets, settings.ngrams)
    rows, starts = array("q"), array("q", [0])
    for spoken in sentences:
        rows.extend(grams.rows_of(spoken))
        starts.append(len(rows))
    return grams, Bags(np.array(rows, dtype=np.int64), np.array(starts, dtype=np.int64))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute on one thread: steps are so small that several wait for each other."""
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
    """Return vectors [rows, d], output layer [d, 3], and the mean loss of each epoch."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    first = (2 * torch.rand(rows, settings.width, generator=generator) - 1) / settings.width
    bag = torch.nn.EmbeddingBag.from_pretrained(first, freeze=False, mode="mean", sparse=True)
    output = torch.zeros(settings.width, len(LABELS), requires_grad=True)
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
            logits = bag(found, begins) @ output  # [batch, 3]
            loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(gold[chosen]), reduction="sum")
            steps.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            steps.step()
            falling.step()
            added += loss.item()
        losses.append(round(added / len(gold), 6))
        progress("training", epoch + 1, settings.epochs)
    return bag.weight.detach().numpy(), output.detach().numpy(), tuple(losses)
