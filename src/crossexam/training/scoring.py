"""Scores of a model over encoded pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.training.objective import Batch, cross_entropy
from crossexam.training.request import Score

#: Words a batch with padding when scoring.
CPU_WORDS: Final = 4_096
GPU_WORDS: Final = 65_536


def words_per_batch(device: torch.device) -> int:
    """Return how many words a batch has on *device*."""
    return CPU_WORDS if device.type == "cpu" else GPU_WORDS


def logits_of(
    model: nn.Module,
    batches: Sequence[Sequence[int]],
    collate: Callable[[Sequence[int]], Batch],
    forward: Callable[[Any, Any], Tensor],
    device: torch.device,
) -> Tensor:
    """Return the logits [n, 3] of the n rows that *batches* cover, on the CPU, in the rows' order."""
    table = torch.zeros(sum(map(len, batches)), 3)
    model.eval()
    with torch.inference_mode():
        for rows in batches:
            batch = collate(rows).to(device)
            table[list(rows)] = forward(model, batch.inputs).float().cpu()
    return table


def score_of(logits: Tensor, labels: Tensor) -> Score:
    """Return accuracy and loss of *logits* [n, 3] against *labels* [n].

    >>> score_of(torch.tensor([[9.0, 0, 0], [9.0, 0, 0]]), torch.tensor([0, 1])).accuracy
    50.0
    """
    right = float((logits.argmax(-1) == labels).float().mean())
    return Score(100 * right, float(cross_entropy(logits, labels).mean()))
