"""Dropout whose random numbers do not cost more than what it falls on.

Word vectors inside a model.

Real words in one piece: what is done word by word is not done at padding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.core.errors import CrossexamError

_STEPS: Final = 1 << 16


class Dropout(nn.Module):
    """Dropout as in torch, four random numbers from one draw of 64 bits where the device is a CPU.

    There torch draws a number a state, which took a fifth of the training time of the models without
    recurrence.  The *rate* is rounded to a multiple of 2^-16, and the states kept are scaled by exactly
    what was rounded to, so that their mean is right.  Raises CrossexamError for a rate outside [0, 1).

    >>> layer = Dropout(0.25).train()
    >>> layer(torch.ones(4096)).unique()
    tensor([0.0000, 1.3333])
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0 <= rate < 1:
            raise CrossexamError(f"dropout is {rate}", wanted="a share from 0 to below 1")
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """Return *states* with some set to zero and the others scaled, in training."""
        return dropout(states, self.rate, training=self.training)

    def extra_repr(self) -> str:
        """Return what ``repr`` shows."""
        return f"rate={self.rate}"


def dropout(states: Tensor, rate: float, *, training: bool) -> Tensor:
    """Return *states* with a share of *rate* set to zero and the others scaled by 1 / (1 - rate)."""
    if not training or rate == 0:
        return states
    dropped = round(rate * _STEPS)
    if states.device.type != "cpu" or not 0 < dropped < _STEPS:
        return functional.dropout(states, rate)
    count = states.numel()
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)  # all 64 bits
    bits = draws.view(torch.int16)[:count].view(states.shape)
    kept = (bits >= dropped - _STEPS // 2).to(states.dtype)
    return states * kept.mul_(_STEPS / (_STEPS - dropped))


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


@dataclass(frozen=True)
class PackedIndex:
    """Where each of N packed rows stands in B padded sentences of T places.

    >>> places = packed_index(torch.tensor([[True, False], [True, True]]))
    >>> places.packed(torch.tensor([[[1], [2]], [[3], [4]]])).flatten()
    tensor([1, 3, 4])
    """

    at: Tensor  # [N] int64, in [B, T] laid flat; any order, no place twice
    shape: tuple[int, int]  # B, T

    def packed(self, states: Tensor) -> Tensor:
        """Return the rows of *states* that have a place: [B, T, d] -> [N, d]."""
        return states.flatten(0, 1).index_select(0, self.at)

    def padded(self, rows: Tensor) -> Tensor:
        """Return *rows* at their places, zeros elsewhere: [N, d] -> [B, T, d]."""
        batch, longest = self.shape
        empty = rows.new_zeros(batch * longest, rows.shape[-1])
        return empty.index_copy_(0, self.at, rows).view(batch, longest, -1)

    def totals(self, rows: Tensor) -> Tensor:
        """Return the sum of each sentence's *rows*: [N, d] -> [B, d]."""
        batch, longest = self.shape
        empty = rows.new_zeros(batch, rows.shape[-1])
        return empty.index_add_(0, torch.div(self.at, longest, rounding_mode="floor"), rows)


def packed_index(mask: Tensor) -> PackedIndex:
    """Return the places of the real words of *mask* [B, T], sentence by sentence."""
    batch, longest = mask.shape
    return PackedIndex(mask.flatten().nonzero().squeeze(1), (batch, longest))


def at_words(layer: Callable[[Tensor], Tensor], states: Tensor, mask: Tensor) -> Tensor:
    """Return what *layer* makes of each real word of *states* [B, T, d], zero at padding: [B, T, h].

    Padding is not computed: with batches of mixed lengths it is half of all places.
    """
    places = packed_index(mask)
    return places.padded(layer(places.packed(states)))


def at_spellings(layer: Callable[[Tensor], Tensor], characters: Tensor, mask: Tensor) -> Tensor:
    """Return what *layer* makes of each word of *characters* [B, T, C], zero at padding: [B, T, h].

    The layer, [U, C] -> [U, h], reads each spelling once, however often it stands in the batch.
    """
    places = packed_index(mask)
    distinct, of = torch.unique(places.packed(characters), dim=0, return_inverse=True)  # [U, C], [N]
    return places.padded(layer(distinct).index_select(0, of))
