"""The siamese 300D BiLSTM with max pooling of the debiasing experiments (Zhang et al., 2020, section 4.2).

"A one-layer 300D BiLSTM-based siamese model with max pooling as the baseline": every debiasing method of
their Table 3 trains this model.  Matching by ``[u, v, |u - v|, u * v]`` is that of InferSent (Conneau et
al., 2017, D17-1070, section 3.1), of which the model is a smaller version.

Deviation: the study specifies neither classifier nor optimiser nor dropout.  Here there are two ReLU layers
of 512 (the widths of InferSent's released classifier), dropout of .1 on words and on both layers, and Adam.
We read 300 as the width of each direction; the study uses both conventions ("4096D BiLSTM" for InferSent is
the sum, "600D" for HBMP one direction).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    ContextStates,
    Dropout,
    Recurrence,
    SentenceEncoder,
    Sizes,
    WordEmbedding,
    context_layer,
    masked_max,
    match,
)


@dataclass(frozen=True)
class Config:
    """The study's width, and our values for what it leaves open."""

    width: int = 300  # section 3.3: GloVe 840B 300D
    hidden: int = 300  # section 4.2: "300D BiLSTM"
    classifier: int = 512  # ours: InferSent's
    dropout: float = 0.1  # ours
    recurrence: Recurrence = "lstm"


class BiLSTMMax(SentenceEncoder):
    """Max pooling over the states of one BiLSTM for both sides, two ReLU layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = WordEmbedding(sizes.words, d)
        self.context = context_layer(d, h, recurrence=config.recurrence)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(8 * h, m), nn.Linear(m, m)])
        self.output = nn.Linear(m, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the maximum of the states of each sentence: [B, 2h]; *side* is ignored."""
        words = self.dropout(self.words(sentences.words))  # [B, T, d]
        context: ContextStates = self.context(words, sentences.mask)
        return masked_max(context.states, sentences.mask)  # [B, 2h]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, 2h], [B, 2h] -> [B, m]."""
        m = match(premise, hypothesis)  # [B, 8h]
        for layer in self.layers:
            m = self.dropout(torch.relu(layer(m)))  # [B, m]
        return m


ARCHITECTURE = Architecture(
    name="bilstm_max",
    build=BiLSTMMax,
    config=Config(),
    # Only vectors, length and early stopping are the study's.
    recipe=Recipe(
        optimizer="adam",
        learning_rate=4e-4,
        batch_size=64,
        epochs=20,
        patience=3,
        clip=10.0,
        vectors="tuned",
        source="Zhang et al., 2020, section 3.3: GloVe 840B 300D, length 100; the rest is ours",
    ),
    paper="Zhang et al., 2020, section 4.2",
    summary="maximum over one BiLSTM of 2 x 300 for both sides, two ReLU layers",
    parameters=2.94e6,
    parameters_source="computed: 2*4*(600*300+2*300) + 2400*512+512 + 512*512+512 + 512*3+3 = 2,938,307",
    published={"snli": 79.6},
)
