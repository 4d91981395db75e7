"""Accuracy and loss of a model on encoded examples."""

from __future__ import annotations

from typing import Final, NamedTuple

import torch
from torch import Tensor, nn

from crossexam.training.debiasing import cross_entropy
from crossexam.training.encoding import plan_scoring
from crossexam.training.pipeline import E, Pipeline

#: Words per batch, padding included.
CPU_WORDS: Final = 4_096
GPU_WORDS: Final = 65_536


class Score(NamedTuple):
    """A model's *accuracy* in percent and mean *loss* in nats."""

    accuracy: float
    loss: float


def words_per_batch(device: torch.device) -> int:
    """Return the number of words in a batch on *device*."""
    return CPU_WORDS if device.type == "cpu" else GPU_WORDS


def predict_logits(pipeline: Pipeline[E], model: nn.Module, encoded: E, device: torch.device) -> Tensor:
    """Return the logits of *encoded*, on the CPU: [n, 3]."""
    table = torch.zeros(len(encoded), 3)
    model.eval()
    with torch.inference_mode():
        for rows in plan_scoring(encoded.lengths, words_per_batch(device)):
            batch = pipeline.collate(encoded, rows).to(device)
            table[rows] = pipeline.logits(model, batch.inputs).float().cpu()
    return table


def score_of(logits: Tensor, labels: Tensor) -> Score:
    """Return accuracy and loss of *logits* [n, 3] against *labels* [n].

    >>> score_of(torch.tensor([[9.0, 0, 0], [9.0, 0, 0]]), torch.tensor([0, 1])).accuracy
    50.0
    """
    right = float((logits.argmax(-1) == labels).float().mean())
    return Score(100 * right, float(cross_entropy(logits, labels).mean()))


def score_model(pipeline: Pipeline[E], model: nn.Module, encoded: E, device: torch.device) -> Score:
    """Return how well *model* predicts the labels of *encoded*."""
    return score_of(predict_logits(pipeline, model, encoded, device), torch.from_numpy(encoded.labels))
