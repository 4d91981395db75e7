"""Long inputs: a model that asks another about chunks of the premise and combines its predictions.

A chunk is as many whole sentences as fit into a number of words, tokens or sentences; a sentence that is
longer is a chunk by itself, and no sentence is divided.  A pair that needs no division is asked as it is, so
that its prediction is that of a run without chunks.  Two aggregates divide the hypothesis too, into its
sentences.

The other model predicts every pair of a chunk and a hypothesis (or a sentence of it) under its own key, so
that another aggregate over the same chunks finds all predictions in the store.

Differences from the systems in :data:`LIKE`: they split sentences with NLTK's Punkt, we by the rules of
``language/sentences.py``; they join the sentences of a chunk by a space, here a chunk is a stretch of the
premise as it is.  AlignScore divides the premise into chunks of equally many sentences, as many chunks as it
has 350 words; ours are filled one after another up to 350 words.  SummaC-ZS scores a sentence by its highest
P(entailment) minus its highest P(contradiction), and reads the first 100 sentences, those of more than ten
characters; ours takes all three probabilities from the sentence of the highest P(entailment), and reads all.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.labels import LABEL_INDEX
from crossexam.language.sentences import split_sentences
from crossexam.models.model import Model, Pair, Parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VERSION: Final = "chunks.v1"
_WORD: Final = re.compile(r"\S+")
_ENTAILMENT: Final = LABEL_INDEX["entailment"]
#: The chunk that is the whole premise.
WHOLE: Final = "none"


@dataclass(frozen=True)
class Unit:
    """A unit of length of chunks: *starts* returns the offset of each unit of a text, for a model."""

    name: str
    description: str
    starts: Callable[[str, Model], Sequence[int]]


@dataclass(frozen=True)
class Aggregate:
    """A way to combine the predictions of a pair's parts.

    *combine* takes an array [h, c, 3] of h sentences of the hypothesis and c chunks, and returns [3]; h is 1
    unless *by_sentence*.
    """

    name: str
    description: str
    combine: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    by_sentence: bool = False


@dataclass(frozen=True)
class Preset:
    """The *chunk* and *aggregate* of a published system, by its *source*."""

    name: str
    chunk: str
    aggregate: str
    source: str


def _words(text: str, model: Model) -> list[int]:
    return [match.start() for match in _WORD.finditer(text)]


def _tokens(text: str, model: Model) -> Sequence[int]:
    if model.token_starts is None:
        raise CrossexamError(
            "the model has no tokenizer by which chunks could be measured",
            where=model.name,
            wanted="chunks in words or sentences",
            hint="--chunk words:300",
        )
    return model.token_starts(text)


def _sentences(text: str, model: Model) -> list[int]:
    return [start for start, _ in split_sentences(text)]


def _most_entailed(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, per sentence of the hypothesis, the row of the chunk of the highest P(entailment): [h, 3]."""
    chosen: NDArray[np.float64] = table[np.arange(len(table)), table[:, :, _ENTAILMENT].argmax(axis=1)]
    return chosen


def _max(table: NDArray[np.float64]) -> NDArray[np.float64]:
    row: NDArray[np.float64] = _most_entailed(table)[0]
    return row


def _mean(table: NDArray[np.float64]) -> NDArray[np.float64]:
    row: NDArray[np.float64] = table[0].mean(axis=0)
    return row


def _max_mean(table: NDArray[np.float64]) -> NDArray[np.float64]:
    row: NDArray[np.float64] = _most_entailed(table).mean(axis=0)
    return row


def _min(table: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = _most_entailed(table)
    row: NDArray[np.float64] = rows[rows[:, _ENTAILMENT].argmin()]
    return row


UNITS: Final[Mapping[str, Unit]] = {
    unit.name: unit
    for unit in (
        Unit("words", "words between blanks", _words),
        Unit("tokens", "tokens of the model (hf/)", _tokens),
        Unit("sentences", "sentences", _sentences),
    )
}

AGGREGATES: Final[Mapping[str, Aggregate]] = {
    each.name: each
    for each in (
        Aggregate("max", "the chunk of the highest P(entailment), with its three probabilities", _max),
        Aggregate("mean", "the mean of the chunks", _mean),
        Aggregate(
            "max-mean",
            "per sentence of the hypothesis as max, then the mean of the sentences",
            _max_mean,
            by_sentence=True,
        ),
        Aggregate(
            "min",
            "per sentence of the hypothesis as max, then the sentence of the lowest P(entailment)",
            _min,
            by_sentence=True,
        ),
    )
}

LIKE: Final[Mapping[str, Preset]] = {
    each.name: each
    for each in (
        Preset(
            "minicheck",
            "words:500",
            "max",
            "Tang et al. 2024, MiniCheck (arXiv 2404.10774); its code, minicheck/inference.py (Flan-T5)",
        ),
        Preset(
            "alignscore",
            "words:350",
            "max-mean",
            "Zha et al. 2023, AlignScore (arXiv 2305.16739), section 3.3; its code, nli_sp",
        ),
        Preset(
            "summac-zs",
            "sentences:1",
            "max-mean",
            "Laban et al. 2022, SummaC (arXiv 2111.09525), section 4.1; its code, SummaCZS",
        ),
    )
}


@dataclass(frozen=True)
class Chunking:
    """How pairs are divided and their predictions combined: ``Chunking("words:500", "max")``.

    *chunk* is UNIT:NUMBER (:data:`UNITS`), or ``none`` for the whole premise; *aggregate* is a name in
    :data:`AGGREGATES`.  Raises CrossexamError if there is no such unit or aggregate.
    """

    chunk: str
    aggregate: str = "max"

    def __post_init__(self) -> None:
        if self.aggregate not in AGGREGATES:
            raise UnknownNameError("aggregate", self.aggregate, AGGREGATES, where="--aggregate")
        if self.chunk == WHOLE:
            if not AGGREGATES[self.aggregate].by_sentence:
                raise CrossexamError(
                    f"there is nothing to combine by '{self.aggregate}' without chunks",
                    where="--aggregate",
                    hint="--chunk words:500",
                )
            return
        unit, _, number = self.chunk.partition(":")
        if unit not in UNITS or not (number.isascii() and number.isdigit() and int(number) > 0):
            raise CrossexamError(
                f"'{self.chunk}' is not a size of chunks",
                where="--chunk",
                wanted=f"{', '.join(f'{name}:N' for name in UNITS)} with a whole number above 0, or {WHOLE}",
            )

    def __str__(self) -> str:
        return f"[{self.chunk},{self.aggregate}]"

    def chunks(self, text: str, model: Model) -> list[tuple[int, int]]:
        """Return start and end of each chunk of *text*, in order; of a text in one chunk, those of the text.

        >>> Chunking("sentences:2").chunks("It rains. It is wet. Ann left.", model=None)
        [(0, 20), (21, 30)]
        """
        sentences = split_sentences(text)
        if self.chunk == WHOLE or len(sentences) < 2:
            return [(0, len(text))]
        unit, _, number = self.chunk.partition(":")
        starts = UNITS[unit].starts(text, model)
        lengths = [bisect_left(starts, end) - bisect_left(starts, start) for start, end in sentences]
        packed = list(_packed(lengths, int(number)))
        if len(packed) == 1:
            return [(0, len(text))]
        return [(sentences[first][0], sentences[last][1]) for first, last in packed]


def _packed(lengths: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of the sentences of each chunk, which are at most *most* long together.

    >>> list(_packed([2, 2, 5, 1, 1], 4))
    [(0, 1), (2, 2), (3, 4)]
    """
    first, ends = 0, [0, *accumulate(lengths)]
    for place in range(1, len(lengths)):
        if ends[place + 1] - ends[first] > most:
            yield first, place - 1
            first = place
    yield first, len(lengths) - 1


def chunking_of(
    chunk: str | None = None, aggregate: str | None = None, like: str | None = None
) -> Chunking | None:
    """Return how *chunk* and *aggregate*, or the system *like*, divide pairs; None if they do not.

    The aggregate is ``max`` if it is not stated.  Raises CrossexamError.

    >>> chunking_of("words:500"), chunking_of(like="summac-zs"), chunking_of("none")
    (Chunking(chunk='words:500', aggregate='max'), Chunking(chunk='sentences:1', aggregate='max-mean'), None)
    """
    if like is not None:
        if chunk is not None or aggregate is not None:
            raise CrossexamError(
                "--like states both the chunks and the aggregate", where="--like", hint="leave out the others"
            )
        if like not in LIKE:
            raise UnknownNameError("system", like, LIKE, where="--like")
        return Chunking(LIKE[like].chunk, LIKE[like].aggregate)
    if aggregate is None:
        return None if chunk in (None, WHOLE) else Chunking(str(chunk))
    return Chunking(chunk or WHOLE, aggregate)


@dataclass(frozen=True)
class ChunkedModel(Model):
    """The model *inner*, asked about chunks of each pair."""

    inner: Model = field()
    chunking: Chunking
    _chunks: dict[str, list[tuple[int, int]]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the model with chunk and aggregate: ``hf/x [words:500,max]``."""
        return f"{self.inner.name} {self.chunking}"

    @property
    def key(self) -> str:
        """Return a hash of the model's key, the chunk and the aggregate."""
        parts = "\x1f".join((_VERSION, self.inner.key, self.chunking.chunk, self.chunking.aggregate))
        return hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the details of the model that is asked."""
        return self.inner.details

    @property
    def facts(self) -> Mapping[str, str]:
        """Return chunk, aggregate and the model that is asked, for the manifest of a run."""
        chunking = self.chunking
        return {
            "chunk": chunking.chunk,
            "aggregate": chunking.aggregate,
            "asked_model": self.inner.name,
        }

    def parts(self, pair: Pair) -> Parts:
        """Return the parts of *pair*, the chunks of a sentence of the hypothesis next to each other."""
        premise, hypothesis = pair
        sentences = split_sentences(hypothesis)
        if len(sentences) < 2 or not AGGREGATES[self.chunking.aggregate].by_sentence:
            sentences = ((0, len(hypothesis)),)
        if premise not in self._chunks:  # test sets from one base share most premises
            self._chunks[premise] = self.chunking.chunks(premise, self.inner)
        chunks = self._chunks[premise]
        places = [(chunk, sentence) for sentence in sentences for chunk in chunks]
        return Parts(
            [(premise[start:end], hypothesis[first:last]) for (start, end), (first, last) in places],
            [(start, first) for (start, _), (first, _) in places],
            len(chunks),
        )

    def combined(self, parts: Parts, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities [3] of a pair from those of its *parts* [k, 3]."""
        return AGGREGATES[self.chunking.aggregate].combine(probabilities.reshape(-1, parts.chunks, 3))

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]; raises CrossexamError.

        >>> from crossexam.models.table import open_model
        >>> model = in_chunks(open_model("builtin/overlap"), Chunking("sentences:1"))
        >>> model.predict([("Ann left. The dog slept.", "The dog slept.")])
        array([[1., 0., 0.]])
        """
        divided = [self.parts(pair) for pair in pairs]
        asked = list(dict.fromkeys(part for parts in divided for part in parts.pairs))
        rows = dict(zip(asked, self.inner.predict(asked), strict=True))
        found = [self.combined(parts, np.array([rows[part] for part in parts.pairs])) for parts in divided]
        return np.array(found, dtype=np.float64).reshape(-1, 3)


def in_chunks(model: Model, chunking: Chunking) -> ChunkedModel:
    """Return *model* asked about chunks of each pair; raises CrossexamError if it cannot be asked so."""
    if model.predict_sets is not None:
        raise CrossexamError(
            "a file of predictions has none for chunks",
            where=model.name,
            wanted="a model that can be asked",
            hint="leave out --chunk, --aggregate and --like",
        )
    if chunking.chunk.startswith("tokens:"):
        _tokens("", model)
    return ChunkedModel(model, chunking)
