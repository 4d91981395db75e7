"""Real words in one piece: what is done word by word is not done at padding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Places:
    """Where each of N packed rows stands in B padded sentences of T places.

    >>> places = places_of(torch.tensor([[True, False], [True, True]]))
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


def places_of(mask: Tensor) -> Places:
    """Return the places of the real words of *mask* [B, T], sentence by sentence."""
    batch, longest = mask.shape
    return Places(mask.flatten().nonzero().squeeze(1), (batch, longest))


def at_words(layer: Callable[[Tensor], Tensor], states: Tensor, mask: Tensor) -> Tensor:
    """Return what *layer* makes of each real word of *states* [B, T, d], zero at padding: [B, T, h].

    Padding is not computed: with batches of mixed lengths it is half of all places.
    """
    places = places_of(mask)
    return places.padded(layer(places.packed(states)))


def at_spellings(layer: Callable[[Tensor], Tensor], characters: Tensor, mask: Tensor) -> Tensor:
    """Return what *layer* makes of each word of *characters* [B, T, C], zero at padding: [B, T, h].

    The layer, [U, C] -> [U, h], reads each spelling once, however often it stands in the batch.
    """
    places = places_of(mask)
    distinct, of = torch.unique(places.packed(characters), dim=0, return_inverse=True)  # [U, C], [N]
    return places.padded(layer(distinct).index_select(0, of))
