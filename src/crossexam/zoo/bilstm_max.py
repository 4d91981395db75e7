"""The siamese 300D BiLSTM with max pooling on which debiasing is tried (Zhang et al., 2020, section 4.2).

"A one-layer 300D BiLSTM-based siamese model with max pooling as the baseline": every debiasing method of
their Table 3 trains this model.  Matching by ``[u, v, |u - v|, u * v]`` is that of InferSent (Conneau et
al., 2017, D17-1070, section 3.1), whose form the model has at a smaller size.

Deviation: the study gives neither classifier nor optimiser nor dropout.  Here two ReLU layers of 512 (the
widths of InferSent's released classifier), dropout .1 on words and on both layers, and Adam.  300 is read as
the width of each direction, which is how the widths of the others are given there ("4096D BiLSTM"
for InferSent names the sum, "600D" for HBMP one direction: the study uses both).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo import masked
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Dropout, Sizes, Words
from crossexam.zoo.recurrent import Context, Recurrence, context_layer


@dataclass(frozen=True)
class Config:
    """The study's width, and what it leaves open."""

    width: int = 300  # section 3.3: GloVe 840B 300D
    hidden: int = 300  # section 4.2: "300D BiLSTM"
    classifier: int = 512  # ours: InferSent's
    dropout: float = 0.1  # ours
    recurrence: Recurrence = "lstm"


class BiLSTMMax(nn.Module):
    """The maximum over the states of one BiLSTM for both sides, under two ReLU layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = Words(sizes.words, d)
        self.context = context_layer(d, h, recurrence=config.recurrence)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(8 * h, m), nn.Linear(m, m)])
        self.output = nn.Linear(m, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the largest states of each of *sentences*: [B, 2h]; *side* does not matter."""
        words = self.dropout(self.words(sentences.words))  # [B, T, d]
        context: Context = self.context(words, sentences.mask)
        return masked.maximum(context.states, sentences.mask)  # [B, 2h]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, 2h], [B, 2h] -> [B, m]."""
        u, v = premise, hypothesis
        m = torch.cat([u, v, (u - v).abs(), u * v], -1)  # [B, 8h]
        for layer in self.layers:
            m = self.dropout(torch.relu(layer(m)))  # [B, m]
        return m

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, m]."""
        u = self.encode(pairs.premise, "premise")  # [B, 2h]
        v = self.encode(pairs.hypothesis, "hypothesis")  # [B, 2h]
        return self.compare(u, v)

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))  # [B, 3]
        return logits


ARCHITECTURE = Architecture(
    name="bilstm_max",
    build=BiLSTMMax,
    config=Config(),
    # Only vectors, length and early stopping are the study's.
    recipe=Recipe(
        optimizer="adam", learning_rate=4e-4, batch_size=64, epochs=20, patience=3, clip=10.0,
        vectors="tuned",
        source="Zhang et al., 2020, section 3.3: GloVe 840B 300D, length 100; the rest is ours",
    ),
    paper="Zhang et al., 2020, section 4.2",
    summary="maximum over one BiLSTM of 2 x 300 for both sides, two ReLU layers",
    parameters=2.94e6,
    parameters_source="computed: 2*4*(600*300+2*300) + 2400*512+512 + 512*512+512 + 512*3+3 = 2,938,307",
    published={"snli": 79.6},
)  # fmt: skip
