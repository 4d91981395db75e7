""""""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from crossexam.core.dataset import Dataset

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[str, str]


@dataclass(frozen=True)
class ModelOptions:
    """How a model is opened and asked.

    ``batch_size`` counts pairs (``auto``: by tokens where the model has tokens); ``dtype`` is that of
    the weights; ``max_length`` counts tokens of a pair; ``label_order`` declares the model's or file's
    class order; ``revision`` is that of a hub checkpoint.
    """

    device: str = "auto"
    batch_size: int | Literal["auto"] = "auto"
    dtype: str = "float32"
    max_length: int | None = None
    label_order: tuple[str, ...] | None = None
    revision: str | None = None


@runtime_checkable
class Model(Protocol):
    """What answers pairs.

    ``name`` is as the user wrote it.  ``key`` is a hash of all that its answers depend on.  ``details``
    is for the manifest of a run and may grow while the model is asked.
    """

    @property
    def name(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def details(self) -> Mapping[str, Any]: ...

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3] in the order of LABELS."""
        ...


class Batch(NamedTuple):
    """The answers to the pairs at *indices*: *probabilities* [n, 3], and which pairs were *truncated*."""

    indices: Sequence[int]
    probabilities: NDArray[np.float64]
    truncated: Sequence[bool]


@runtime_checkable
class PlansBatches(Protocol):
    """A model that chooses its batches, from all pairs, so that a resumed run has the same ones."""

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the answers to those of *pairs* that are not *known* yet, batch by batch."""
        ...


@runtime_checkable
class AnswersSets(Protocol):
    """A model that looks answers up by the ids of whole test sets, and needs no store."""

    def predict_sets(
        self, asked: Sequence[Dataset], whole: Sequence[Dataset]
    ) -> dict[str, NDArray[np.float64]]:
        """Return the probabilities of each of *asked*, which are parts of *whole*, by name."""
        ...
