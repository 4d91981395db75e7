"""What a model is: one class, whose attributes that a kind of model does not have are None."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from crossexam.core.dataset import Dataset, ReadItems
from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.models.label_order import NamedLabels

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair = tuple[str, str]


def pair_digest(pair: Pair) -> str:
    """Return 32 hexadecimal digits that name *pair* where a row or a request cannot hold its texts.

    >>> pair_digest(("It rains.", "It is wet."))
    '80899853b36d20d0a30084472df08b26'
    """
    return hashlib.blake2b(json.dumps(pair).encode(), digest_size=16).hexdigest()


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


def one_batch(batches: Sequence[Batch]) -> Batch:
    """Return *batches*, at least one, as one, in their order.

    >>> import numpy as np
    >>> first = Batch([0], np.array([[1.0, 0.0, 0.0]]), [None])
    >>> second = Batch([1], np.full((1, 3), np.nan), [None], [Outcome("cut")])
    >>> [outcome.status for outcome in one_batch([first, second]).outcomes]
    ['answered', 'cut']
    """
    outcomes = [o for each in batches for o in (each.outcomes or [Outcome()] * len(each.indices))]
    return Batch(
        [index for each in batches for index in each.indices],
        np.concatenate([each.probabilities for each in batches]),
        [read for each in batches for read in each.read],
        outcomes if any(each.outcomes for each in batches) else [],
    )


class Parts(NamedTuple):
    """The parts of a pair about which a model is asked: *pairs*, each with its *starts* in the whole pair.

    *starts* are the offsets in premise and hypothesis; *chunks* is the number of parts of the premise.
    """

    pairs: Sequence[Pair]
    starts: Sequence[tuple[int, int]]
    chunks: int


class SetAnswers(NamedTuple):
    """The *probabilities* [n, 3] of the items of a test set, NaN for those without an answer.

    *outcomes* say which these are; None if there is nothing to say of any.  *reading* is what was read of the
    items, and *chunks* [n] the number of chunks of each; None if that is not known.
    """

    probabilities: NDArray[np.float64]
    outcomes: Outcomes | None = None
    reading: ReadItems | None = None
    chunks: NDArray[np.int32] | None = None


class Model:
    """What predicts the labels of pairs: a subclass has ``predict``, ``answered`` or ``batches``.

    ``name`` is as the user wrote it.  ``key`` is a hash of everything that the predictions depend on.
    ``details`` are for the manifest of a run, and may grow while the model predicts.
    """

    if TYPE_CHECKING:  # attributes or properties, as the subclass likes

        @property
        def name(self) -> str: ...

        @property
        def key(self) -> str: ...

        @property
        def details(self) -> Mapping[str, Any]: ...

    #: For a model that plans its own batches: yields the predictions for those of some pairs that are not yet
    #: known, in any order.  Batches are planned over all pairs, so that a resumed run has the same batches.
    batches: Callable[[Sequence[Pair], Sequence[bool]], Iterator[Batch]] | None = None
    #: For a model that looks predictions up and needs no store: returns the answers for each of the test sets
    #: that are asked, which are parts of the whole ones, by name.
    predict_sets: Callable[[Sequence[Dataset], Sequence[Dataset]], dict[str, SetAnswers]] | None = None
    #: For a model with a tokenizer, by which chunks can be measured: the offset in a text of each token.
    token_starts: Callable[[str], Sequence[int]] | None = None
    #: The labels that it has named so far, if these show whether it has two of them.
    named: NamedLabels | None = None
    #: The model that is asked about parts of a pair.  Predictions of parts are stored under its key.
    inner: Model | None = None

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3], columns as LABELS.

        They are NaN without an answer.  Raises CrossexamError.
        """
        return self.answered(pairs).probabilities

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the predictions for *pairs* as one batch, with what was read and which were answered.

        A model that says nothing of it has read and answered all.
        """
        if self.batches is None:
            return Batch(range(len(pairs)), self.predict(pairs), [None] * len(pairs))
        if not pairs:
            return Batch([], np.zeros((0, 3)), [])
        found = one_batch(list(self.batches(pairs, [False] * len(pairs))))
        order = np.argsort(found.indices).tolist()
        outcomes = [found.outcomes[k] for k in order] if found.outcomes else []
        return Batch(range(len(pairs)), found.probabilities[order], [found.read[k] for k in order], outcomes)

    # Parts of a pair

    @property
    def facts(self) -> Mapping[str, str]:
        """How pairs are divided into parts, for the manifest of a run."""
        return {}

    def parts(self, pair: Pair) -> Parts:
        """Return the parts of *pair*, at least one: by default the pair."""
        return Parts([pair], [(0, 0)], 1)

    def combined(self, parts: Parts, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities [3] of a pair from those of its *parts* [k, 3]."""
        row: NDArray[np.float64] = probabilities[0]
        return row

    # What it depends on besides the pairs

    @property
    def parses(self) -> Mapping[str, str] | None:
        """The binary parses that it reads, by sentence; None if it reads none."""
        return None

    def with_parses(self, parses: Mapping[str, str]) -> Model:
        """Return the model that reads *parses*, by sentence, if it reads any."""
        return self

    def worded_for(self, two_labels: bool) -> Model:
        """Return the model with the prompt template for test sets of *two_labels*, or of three.

        It is the same model if it has that or none, or if a template was named.  Raises CrossexamError if
        other options do not go with the template.
        """
        return self

    # A server that answers, perhaps on another machine, which may charge for it

    @property
    def host(self) -> str | None:
        """The machine to which pairs are sent, with its port; None if they stay in this process."""
        return None

    @property
    def needs_confirmation(self) -> bool:
        """Whether the user has to confirm that many requests are sent."""
        return False

    def requests_for(self, pairs: int) -> int:
        """Return how many requests are sent at most to ask about so many *pairs*."""
        return 0

    def refuse_asking_about(self, pairs: Iterable[Pair]) -> None:
        """Raise CrossexamError if the model must not be asked about one of *pairs*."""

    # Going on from an earlier command

    @property
    def kept(self) -> Collection[str] | None:
        """The names of those details that are kept in the store of a run.

        None for a model that has no state to resume, and does not count.
        """
        return None

    def recall(self, facts: Mapping[str, Any]) -> None:
        """Take over *facts*, the details of an earlier command that are in the store of a run."""

    def count(self, details: Iterable[Mapping[str, Any] | None]) -> None:
        """Count the *details* of outcomes that are part of the run, stored earlier or now."""


class OwnModel(Model):
    """An object of the user as a model: it has the attributes of a model, but is not a subclass."""

    name: str
    key: str

    def __init__(self, given: Any) -> None:
        self._given = given
        self.name, self.key = str(given.name), str(given.key)
        for name in ("predict", "answered", "batches", "predict_sets"):
            if hasattr(given, name):
                setattr(self, name, getattr(given, name))

    @property
    def details(self) -> Mapping[str, Any]:
        """The details of the object."""
        found: Mapping[str, Any] = self._given.details
        return found


def is_like_model(given: object) -> bool:
    """Return whether *given* has what a model must have."""
    return all(hasattr(given, name) for name in ("name", "key", "details", "predict"))


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
