"""What a model is: the protocol that all kinds of models satisfy, and those that some satisfy besides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from crossexam.core.dataset import Dataset, Reading
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import LABELS
from crossexam.core.outcome import Outcome, Outcomes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crossexam.models.api.forecast import Forecast

Pair = tuple[str, str]


def pair_digest(pair: Pair) -> str:
    """Return 32 hexadecimal digits that name *pair* where a row or a request cannot hold its texts.

    >>> pair_digest(("It rains.", "It is wet."))
    '80899853b36d20d0a30084472df08b26'
    """
    return hashlib.blake2b(json.dumps(pair).encode(), digest_size=16).hexdigest()


@runtime_checkable
class Model(Protocol):
    """What predicts the labels of pairs.

    ``name`` is as the user wrote it.  ``key`` is a hash of everything that the predictions depend on.
    ``details`` are for the manifest of a run, and may grow while the model predicts.
    """

    @property
    def name(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def details(self) -> Mapping[str, Any]: ...

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3], columns as LABELS."""
        ...


class CharactersRead(NamedTuple):
    """How many characters of a truncated pair's premise and hypothesis a model read, from the start."""

    premise: int
    hypothesis: int


class Batch(NamedTuple):
    """The *probabilities* [n, 3] of the pairs at *indices*, and what was *read* of each (None: all of it).

    *outcomes* say what became of each question; if there are none, all were answered.  The row of a question
    without an answer is not a number (NaN) in all three columns.
    """

    indices: Sequence[int]
    probabilities: NDArray[np.float64]
    read: Sequence[CharactersRead | None]
    outcomes: Sequence[Outcome] = ()


@runtime_checkable
class PlansBatches(Protocol):
    """A model that plans its own batches over all pairs, so that a resumed run has the same batches.

    It may predict them concurrently, and yield them in any order.
    """

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the predictions for those of *pairs* that are not yet *known*, batch by batch."""
        ...


@runtime_checkable
class ReportsReading(Protocol):
    """A model without batches of its own that says how much of each pair it read, and which it answered."""

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the predictions for *pairs* as one batch."""
        ...


def joined_outcomes(batches: Sequence[Batch]) -> list[Outcome]:
    """Return the outcomes of all *batches* in order; none if there are none in any.

    >>> import numpy as np
    >>> first = Batch([0], np.array([[1.0, 0.0, 0.0]]), [None])
    >>> second = Batch([1], np.full((1, 3), np.nan), [None], [Outcome("cut")])
    >>> [outcome.status for outcome in joined_outcomes([first, second])]
    ['answered', 'cut']
    """
    if not any(batch.outcomes for batch in batches):
        return []
    return [outcome for batch in batches for outcome in (batch.outcomes or [Outcome()] * len(batch.indices))]


class Parts(NamedTuple):
    """The parts of a pair about which a model is asked: *pairs*, each with its *starts* in the whole pair.

    *starts* are the offsets in premise and hypothesis; *chunks* is the number of parts of the premise.
    """

    pairs: Sequence[Pair]
    starts: Sequence[tuple[int, int]]
    chunks: int


@runtime_checkable
class AsksInParts(Protocol):
    """A model that asks *inner* about parts of a pair and combines the predictions.

    The predictions of the parts are those of *inner*, and are stored under its key.  ``facts`` are for the
    manifest of a run.
    """

    @property
    def inner(self) -> Model: ...

    @property
    def facts(self) -> Mapping[str, str]: ...

    def parts(self, pair: Pair) -> Parts:
        """Return the parts of *pair*, at least one."""
        ...

    def combined(self, parts: Parts, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities [3] of a pair from those of its *parts* [k, 3]."""
        ...


@runtime_checkable
class LocatesTokens(Protocol):
    """A model with a tokenizer, by which chunks can be measured."""

    def token_starts(self, text: str) -> Sequence[int]:
        """Return the offset in *text* of each of its tokens, in order."""
        ...


@runtime_checkable
class ReadsParses(Protocol):
    """A model that reads a binary parse of each sentence, if one is known.

    *parses* are those it reads, by sentence: what it predicts for a pair depends on them.
    """

    @property
    def reads_parses(self) -> bool: ...

    @property
    def parses(self) -> Mapping[str, str]: ...

    def with_parses(self, parses: Mapping[str, str]) -> Model:
        """Return the model that reads *parses*."""
        ...


@runtime_checkable
class AsksInWords(Protocol):
    """A model that is asked with a prompt template, which follows from the test sets if nobody named one."""

    def worded_for(self, two_labels: bool) -> Model:
        """Return the model with the template for test sets of *two_labels*, or of three.

        It is the same model if it has that, or if a template was named.  Raises CrossexamError if other
        options do not go with the template.
        """
        ...


class SetAnswers(NamedTuple):
    """The *probabilities* [n, 3] of the items of a test set, NaN for those without an answer.

    *outcomes* say which these are; None if there is nothing to say of any.  *reading* is what was read of the
    items, and *chunks* [n] the number of chunks of each; None if that is not known.
    """

    probabilities: NDArray[np.float64]
    outcomes: Outcomes | None = None
    reading: Reading | None = None
    chunks: NDArray[np.int32] | None = None


@runtime_checkable
class AsksHost(Protocol):
    """A model that sends pairs to a server, perhaps on another machine, which may charge for answers.

    ``host`` is named to the user.  Unless ``is_confirmed``, not many requests go to one that
    ``sends_elsewhere``.
    """

    @property
    def host(self) -> str: ...

    @property
    def sends_elsewhere(self) -> bool: ...

    @property
    def is_confirmed(self) -> bool: ...

    def requests_for(self, pairs: int) -> int:
        """Return how many requests are sent at most to ask about so many *pairs*, 0 if nothing is sent."""
        ...

    def refuse_asking_about(self, pairs: Iterable[Pair]) -> None:
        """Raise CrossexamError if the model must not be asked about one of *pairs*."""
        ...

    def forecast(self, pairs: Iterable[Pair], again: Iterable[Pair] = ()) -> Forecast:
        """Return what it takes to ask about *pairs*, and then about those of *again*; nothing is sent."""
        ...

    def batch_requests(self, pairs: Iterable[Pair]) -> Iterator[tuple[str, bytes]]:
        """Yield the requests of a batch about *pairs*; raises CrossexamError if it cannot be a batch."""
        ...


@runtime_checkable
class Recalls(Protocol):
    """A model that goes on from what an earlier command learnt of it, and counts over all answers of a run.

    ``kept`` names those of its ``details`` that are kept in the store of a run.
    """

    @property
    def kept(self) -> Collection[str]: ...

    def recall(self, facts: Mapping[str, Any]) -> None:
        """Take over *facts*, the kept details of an earlier command."""
        ...

    def count(self, details: Iterable[Mapping[str, Any] | None]) -> None:
        """Count the *details* of outcomes that are part of the run, stored earlier or now."""
        ...


@runtime_checkable
class AnswersSets(Protocol):
    """A model that looks predictions up for whole test sets, and needs no store."""

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return the answers for each of *asked*, which are parts of *whole*, by name."""
        ...


def answered_by(model: Model, pairs: Sequence[Pair]) -> Batch:
    """Return the predictions of *model* for *pairs* as one batch, with what it says that it read.

    A model that says nothing of it has read all.
    """
    import numpy as np

    if isinstance(model, ReportsReading):
        return model.answered(pairs)
    if not isinstance(model, PlansBatches):
        return Batch(range(len(pairs)), model.predict(pairs), [None] * len(pairs))
    table = np.zeros((len(pairs), len(LABELS)))
    read: list[CharactersRead | None] = [None] * len(pairs)
    batches = list(model.batches(pairs, [False] * len(pairs)))
    places = [index for batch in batches for index in batch.indices]
    for batch in batches:
        table[list(batch.indices)] = batch.probabilities
        for index, each in zip(batch.indices, batch.read, strict=True):
            read[index] = each
    outcomes = dict(zip(places, joined_outcomes(batches), strict=False))  # none, or as many
    told = [outcomes.get(index, Outcome()) for index in range(len(pairs))] if outcomes else []
    return Batch(range(len(pairs)), table, read, told)


@dataclass(frozen=True)
class NoOptions:
    """The options of a kind of model that has none."""


def check_batch_size(size: object) -> None:
    """Raise CrossexamError unless *size* is "auto" or a number of pairs.

    >>> check_batch_size("auto"), check_batch_size(32)
    (None, None)
    """
    if size != "auto" and not (isinstance(size, int) and not isinstance(size, bool) and size > 0):
        raise CrossexamError(f"the batch size is {size!r}", wanted="auto or a whole number above 0")
