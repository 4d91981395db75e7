"""What a training of a zoo model and that of its biased model share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from crossexam.training import debiasing, scoring
from crossexam.training.batching import plan_scoring
from crossexam.training.collation import EncodedPairs, Encoder
from crossexam.training.devices import Device
from crossexam.training.objective import Batch, Debias, Reading
from crossexam.training.plan import Score
from crossexam.training.request import Request
from crossexam.training.vectors import Vectors
from crossexam.training.word_table import fill_words
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.embedding import Sizes
from crossexam.zoo.recipe import Recipe


def read_pairs(model: Any, inputs: Any) -> Reading:
    """Return what *model* makes of a batch of pairs; the hypothesis's vector where it encodes sentences."""
    if hasattr(model, "encode"):
        hypothesis = model.encode(inputs.hypothesis, "hypothesis")
        features = model.compare(model.encode(inputs.premise, "premise"), hypothesis)
        return Reading(model.output(features), features, hypothesis)
    features = model.features(inputs)
    return Reading(model.output(features), features)


@dataclass(frozen=True)
class Kit:
    """What a training and that of its biased model share."""

    request: Request
    architecture: Architecture
    config: Any
    recipe: Recipe
    debias: Debias | None
    encoder: Encoder
    sizes: Sizes
    vectors: Vectors | None
    device: Device
    dev: EncodedPairs

    def model(self, architecture: Architecture, config: Any, seed: int) -> Any:
        """Return the untrained model, with its word vectors."""
        torch.manual_seed(seed)
        model: Any = architecture.build(config, self.sizes)
        generator = torch.Generator().manual_seed(seed)
        fill_words(model.words.table, self.encoder.vocabulary, self.vectors, self.recipe, generator)
        return model

    def collate(self, pairs: EncodedPairs, bias: debiasing.Bias | None, places: Tensor | None,
                rows: Sequence[int]) -> Batch:  # fmt: skip
        """Return *rows* of *pairs*; *places* are their rows in *bias*."""
        inputs = self.encoder.collate(pairs, rows)
        labels = torch.from_numpy(pairs.labels[list(rows)])
        if bias is None or places is None:
            return Batch(inputs, labels)
        where = places[list(rows)]
        if bias.weights is not None:
            return Batch(inputs, labels, weights=bias.weights[where])
        return Batch(inputs, labels, log_bias=bias.log_bias[where])

    def logits(self, model: nn.Module, pairs: EncodedPairs) -> Tensor:
        """Return the logits of *pairs*: [n, 3]."""
        batches = plan_scoring(pairs.lengths, scoring.words_a_batch(self.device.device))
        collate = partial(self.collate, pairs, None, None)
        return scoring.logits_of(model, batches, collate, lambda m, inputs: m(inputs), self.device.device)

    def score(self, model: nn.Module) -> Score:
        """Return how *model* does on the dev set."""
        return scoring.score_of(self.logits(model, self.dev), torch.from_numpy(self.dev.labels))


def part_of(pairs: EncodedPairs, rows: Sequence[int]) -> EncodedPairs:
    """Return *rows* of *pairs*."""
    premises, hypotheses = ([side[row] for row in rows] for side in (pairs.premises, pairs.hypotheses))
    return EncodedPairs(premises, hypotheses, pairs.labels[list(rows)])
