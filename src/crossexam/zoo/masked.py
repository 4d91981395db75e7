"""The only place where a softmax, maximum or mean goes over words: padding takes no part in any.

Convention: True in a mask is a real word; states are zero at padding after every context layer.
"""

from __future__ import annotations

import torch
from torch import Tensor


def softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Return the softmax of *scores* over *dim* among the places where *mask* (broadcastable) is True.

    A row without any real place is all zeros, not NaN.
    """
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)
    return weights.masked_fill(~mask, 0.0)


def maximum(states: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum of *states* [B, T, d] over the real words of *mask* [B, T]: [B, d]."""
    lowest = torch.finfo(states.dtype).min
    return states.masked_fill(~mask.unsqueeze(-1), lowest).amax(1)


def total(states: Tensor, mask: Tensor) -> Tensor:
    """Return the sum of *states* [B, T, d] over the real words of *mask* [B, T]: [B, d]."""
    return zeroed(states, mask).sum(1)


def mean(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of *states* [B, T, d] over the real words of *mask* [B, T]: [B, d]."""
    return total(states, mask) / mask.sum(1, keepdim=True).to(states.dtype)


def zeroed(states: Tensor, mask: Tensor) -> Tensor:
    """Return *states* [B, T, d] with zeros where *mask* [B, T] is False."""
    return states.masked_fill(~mask.unsqueeze(-1), 0.0)


def last(states: Tensor, mask: Tensor) -> Tensor:
    """Return the state of the last real word of each sentence: [B, T, d] -> [B, d]."""
    place = (mask.sum(1) - 1).clamp(min=0)
    return states[torch.arange(len(states), device=states.device), place]


def highest(scores: Tensor, mask: Tensor, dim: int = -1) -> tuple[Tensor, Tensor]:
    """Return the maximum of *scores* over *dim* where *mask* (broadcastable) is True, and its place."""
    values, places = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).max(dim)
    return values, places
