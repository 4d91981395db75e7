"""Residual-stacked sentence encoder, RSE (Nie and Bansal 2017, arXiv 1708.02312, section 6, the addendum).

The shortcut-stacked encoder with sums in place of concatenations and a fifth of the parameters; RSE in Nie et
al. 2019.  Released code: easonnie/ResEncoder, ``model/res_encoder.py``.

Long sentences are not truncated in evaluation: the released code reads the first 60 words of a sentence in
training and the first 150 in evaluation.  Here the recipe truncates in training only.

The paper's count of 28.9 million includes a layer that is never used: the released class creates a second
hidden layer of the classifier, 800 x 800, but does not apply it.  It is left out here, so that the model has
1.9 % fewer parameters and is the same function.  Initial weights are PyTorch's, as there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    MatchedSentences,
    Recurrence,
    Sizes,
    WordEmbedding,
    context_layer,
    masked_max,
    relu_layers,
)


@dataclass(frozen=True)
class Config:
    """Widths of the larger model of section 6 (600D); the smaller one has 300."""

    width: int = 300  # of word vectors: res_encoder.py, d
    hidden: int = 600  # of every layer, per direction: section 6; res_encoder.py, h_size
    layers: int = 3  # section 6
    classifier: int = 800  # its one hidden layer: res_encoder.py, mlp_d
    dropout: float = 0.1  # after the classifier's hidden layer: res_encoder.py, rate
    recurrence: Recurrence = "lstm"


class ResidualStacked(MatchedSentences):
    """A sentence encoder of residually connected BiLSTMs, and a one-layer classifier.

    Shapes: B sentences, T words, w width of word vectors, h hidden width, d = 2h width of the sentence
    vector, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> model = ResidualStacked(Config(width=4, hidden=5, classifier=6), Sizes(words=9))
    >>> model.encode(Sentences(words, words != 0), "premise").shape
    torch.Size([2, 10])
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.words = WordEmbedding(sizes.words, config.width)
        d = 2 * config.hidden
        reads = [config.width] + [config.width + d] * (config.layers - 1)
        self.layers = nn.ModuleList(
            context_layer(read, config.hidden, recurrence=config.recurrence) for read in reads
        )
        self.classifier = relu_layers(4 * d, config.classifier, dropout=config.dropout)
        self.output = nn.Linear(config.classifier, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, the same for either *side*: [B, d].

        x_1 = w, x_i = [w; h_1 + ... + h_(i-1)], h_i = BiLSTM_i(x_i), v = max over words of h_m (section 6).
        """
        w = self.words(sentences.words)  # [B, T, w]
        first, *others = self.layers
        h = first(w, sentences.mask).states  # [B, T, d]
        total = h
        for layer in others:
            h = layer(torch.cat([w, total], -1), sentences.mask).states  # [B, T, d]
            total = total + h
        return masked_max(h, sentences.mask)  # [B, d]


ARCHITECTURE: Final = Architecture(
    name="residual_stacked",
    build=ResidualStacked,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=2e-4,
        batch_size=32,
        epochs=3,
        source="easonnie/ResEncoder, model/res_encoder.py, train_snli",
        schedule="halve-every-two",
        patience=3,
        max_length=60,
    ),
    paper="Nie and Bansal 2017, Shortcut-Stacked Sentence Encoders for Multi-Domain Inference, section 6",
    summary="RSE: three residually connected BiLSTMs, max pooling over the last",
    parameters=28.9e6,
    parameters_source="Nie and Bansal 2017, section 6: 28.9m, 0.64m of them in a layer that is never used",
    published={"snli": 86.0},
    tolerance=0.02,
)
