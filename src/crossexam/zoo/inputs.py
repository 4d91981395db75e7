"""The inputs of the models: batches of sentences as padded tensors.

Shapes, here and in every architecture: B sentences (or pairs) per batch, T words in the longest of them,
C characters in the longest word, N tree nodes, d and h widths.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Sentences:
    """A batch of sentences of at least one word each; the padding mask ``mask`` is True at real words.

    ``characters``, ``tags``, ``match`` (whether the word occurs in the other sentence too) and the trees
    (``children``, ``levels``) are given if the architecture's ``needs`` name them.  The node numbers of a
    tree over n words do not depend on T: 0 to n-1 are its words, n to 2n-2 its inner nodes from the lowest to
    the root.  ``crossexam.zoo.trees`` builds them.
    """

    words: Tensor  # [B, T] int64, 0 is padding
    mask: Tensor  # [B, T] bool
    characters: Tensor | None = None  # [B, T, C] int64, 0 is padding
    tags: Tensor | None = None  # [B, T] int64, 0 is padding
    match: Tensor | None = None  # [B, T] bool
    children: Tensor | None = None  # [B, T-1, 2] int64: each inner node's left and right child
    levels: Tensor | None = None  # [B, T-1] int64: height of each inner node, 1 or more; 0 is padding

    @property
    def lengths(self) -> Tensor:
        """Return the number of words of each sentence: [B] int64."""
        return self.mask.sum(1)

    def to(self, device: torch.device | str) -> Sentences:
        """Return the same sentences on *device*."""
        moved = {
            f.name: value.to(device, non_blocking=True)
            for f in fields(self)
            if (value := getattr(self, f.name)) is not None
        }
        return Sentences(**moved)


@dataclass(frozen=True)
class Pairs:
    """A batch of pairs; ``labels`` are indices in the order of LABELS, or None if no loss is needed."""

    premise: Sentences
    hypothesis: Sentences
    labels: Tensor | None = None  # [B] int64

    def to(self, device: torch.device | str) -> Pairs:
        """Return the same pairs on *device*."""
        labels = self.labels.to(device, non_blocking=True) if self.labels is not None else None
        return Pairs(self.premise.to(device), self.hypothesis.to(device), labels)


def joined(first: Sentences, second: Sentences) -> Sentences:
    """Return the sentences of both batches as one batch, padded to the longest sentence.

    A recurrent layer then needs the time steps of one longest sentence instead of two.

    >>> one, two = torch.tensor([[3, 4]]), torch.tensor([[5, 6, 7]])
    >>> joined(Sentences(one, one != 0), Sentences(two, two != 0)).words
    tensor([[3, 4, 0],
            [5, 6, 7]])
    """
    tensors: dict[str, Tensor] = {}
    for field in fields(Sentences):
        here, there = getattr(first, field.name), getattr(second, field.name)
        if here is not None:
            shape = tuple(map(max, here.shape[1:], there.shape[1:]))
            tensors[field.name] = torch.cat([_padded(here, shape), _padded(there, shape)])
    return Sentences(**tensors)


def _padded(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    if tuple(tensor.shape[1:]) == shape:
        return tensor
    missing = [(0, want - have) for have, want in zip(tensor.shape[1:], shape, strict=True)]
    return functional.pad(tensor, [size for pair in reversed(missing) for size in pair])
