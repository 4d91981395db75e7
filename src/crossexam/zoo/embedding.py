"""Word vectors inside a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn


@dataclass(frozen=True)
class Sizes:
    """How many words, characters and tags the vocabularies of a trained model have, padding included."""

    words: int
    characters: int = 0
    tags: int = 0


Tuning = Literal["tuned", "fixed"]


class Words(nn.Module):
    """A table of word vectors, row 0 (padding) zero; ``fixed`` vectors are not trained."""

    def __init__(self, words: int, width: int, tuning: Tuning = "tuned") -> None:
        super().__init__()
        self.table = nn.Embedding(words, width, padding_idx=0)
        self.table.weight.requires_grad_(tuning == "tuned")

    def forward(self, words: Tensor) -> Tensor:
        """Return the vectors of *words*: [B, T] -> [B, T, width]."""
        vectors: Tensor = self.table(words)
        return vectors
