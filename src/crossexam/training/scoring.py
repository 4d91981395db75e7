"""Accuracy and loss of a model on encoded examples."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from crossexam.core.labels import LABELS, THREE_LABELS, Projection
from crossexam.corpora.trained import Score, accuracy_of, score_of
from crossexam.training.debiasing import cross_entropy
from crossexam.training.encoding import plan_scoring
from crossexam.training.pipeline import E, Pipeline

#: Words per batch, padding included.
CPU_WORDS: Final = 4_096
GPU_WORDS: Final = 65_536


def words_per_batch(device: torch.device) -> int:
    """Return the number of words in a batch on *device*."""
    return CPU_WORDS if device.type == "cpu" else GPU_WORDS


def predict_logits(pipeline: Pipeline[E], model: nn.Module, encoded: E, device: torch.device) -> Tensor:
    """Return the logits of *encoded*, on the CPU: [n, k] for a model of k labels."""
    places: list[int] = []
    found: list[Tensor] = []
    model.eval()
    with torch.inference_mode():
        for rows in plan_scoring(encoded.lengths, words_per_batch(device)):
            batch = pipeline.collate(encoded, rows).to(device)
            places += rows
            found.append(pipeline.logits(model, batch.inputs).float().cpu())
    table = torch.cat(found)
    return table[torch.tensor(places).argsort()]


def score_of_logits(logits: Tensor, labels: Tensor, projection: Projection = THREE_LABELS) -> Score:
    """Return accuracy and loss of *logits* [n, k] against *labels* [n].

    Three labels are mapped to those of *projection*; *labels* are then indices of GOLDS.

    >>> score_of_logits(torch.tensor([[9.0, 0, 0], [9.0, 0, 0]]), torch.tensor([0, 1])).accuracy
    50.0
    >>> from crossexam.core.labels import ENTAILMENT_OR_NOT
    >>> score_of_logits(torch.tensor([[9.0, 0, 0]]), torch.tensor([3]), ENTAILMENT_OR_NOT).accuracy
    0.0
    """
    probabilities = torch.softmax(logits.double(), -1).numpy()
    if projection is not THREE_LABELS and logits.shape[1] == len(LABELS):
        return score_of(probabilities, labels.numpy(), projection)
    return Score(accuracy_of(probabilities, labels.numpy()), float(cross_entropy(logits, labels).mean()))


def score_model(
    pipeline: Pipeline[E],
    model: nn.Module,
    encoded: E,
    device: torch.device,
    projection: Projection = THREE_LABELS,
) -> Score:
    """Return how well *model* predicts the labels of *encoded*, which are those of *projection*."""
    logits = predict_logits(pipeline, model, encoded, device)
    return score_of_logits(logits, torch.from_numpy(encoded.labels), projection)
