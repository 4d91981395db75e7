"""What a model is: the protocol that all kinds of models satisfy, and two that some satisfy besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[str, str]


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


class Batch(NamedTuple):
    """The *probabilities* [n, 3] of the pairs at *indices*, and which of these pairs were *truncated*."""

    indices: Sequence[int]
    probabilities: NDArray[np.float64]
    truncated: Sequence[bool]


@runtime_checkable
class PlansBatches(Protocol):
    """A model that plans its own batches over all pairs, so that a resumed run has the same batches.

    It may predict them concurrently, and yield them in any order.
    """

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the predictions for those of *pairs* that are not yet *known*, batch by batch."""
        ...


@runtime_checkable
class AnswersSets(Protocol):
    """A model that looks predictions up for whole test sets, and needs no store."""

    def predict_sets(
        self, asked: Sequence[Dataset], whole: Sequence[Dataset]
    ) -> dict[str, NDArray[np.float64]]:
        """Return the probabilities of each of *asked*, which are parts of *whole*, by name."""
        ...


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
