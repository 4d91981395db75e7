"""From examples to logits: what training and scoring need to know about a kind of model.

Examples are encoded once, batches are collated from the encoded ones, and the model reads a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar

from crossexam.core.example import Example

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from torch import Tensor


class ModelOutput(NamedTuple):
    """Logits [B, 3], the features [B, h] they are computed from, and the hypothesis vector [B, d], if any."""

    logits: Tensor
    features: Tensor
    hypothesis: Tensor | None = None


@dataclass(frozen=True)
class LabelledBatch:
    """Model *inputs* and *labels* [B], with log probabilities [B, 3] of a biased model or *weights* [B]."""

    inputs: Any
    labels: Tensor
    log_bias: Tensor | None = None
    weights: Tensor | None = None

    def to(self, device: torch.device) -> LabelledBatch:
        """Return the same batch on *device*."""
        rest = {
            name: value.to(device)
            for name in ("log_bias", "weights")
            if (value := getattr(self, name)) is not None
        }
        return replace(self, inputs=self.inputs.to(device), labels=self.labels.to(device), **rest)


class EncodedExamples(Protocol):
    """Encoded examples: what batches are planned by, and *labels* [n], -1 for an unlabelled example."""

    @property
    def labels(self) -> NDArray[np.int64]: ...

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """Return the numbers of words (or of subwords) of each premise and hypothesis."""

    def __len__(self) -> int: ...

    def take(self, rows: Sequence[int]) -> Self:
        """Return the examples at *rows*."""


E = TypeVar("E", bound=EncodedExamples)


class Pipeline(Protocol[E]):
    """How a kind of model reads examples."""

    @property
    def reads_parses(self) -> bool:
        """Whether it reads the binary parses of sentences."""

    def encode(self, examples: Sequence[Example], *, for_training: bool = False) -> E:
        """Return *examples* encoded; a pipeline may truncate long sentences in training only.

        Raises CrossexamError if a sentence is empty.
        """

    def collate(self, encoded: E, rows: Sequence[int]) -> LabelledBatch:
        """Return the examples at *rows* as a padded batch."""

    def output(self, model: Any, inputs: Any) -> ModelOutput:
        """Return what the loss of a debiasing method may depend on."""

    def logits(self, model: Any, inputs: Any) -> Tensor:
        """Return the logits alone: [B, 3]."""
