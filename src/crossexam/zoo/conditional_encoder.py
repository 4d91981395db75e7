"""The conditional encoder (Sanchez Carmona, Mitchell and Riedel, 2018, N18-1179, section 4.2; CE).

"The first LSTM encodes the premise sentence into a fixed-size vector embedding", "the second LSTM encodes
the hypothesis sentence conditioned on the representation of the premise sentence"; both bidirectional;
"a softmax over the class labels on top of a 3-layer MLP"; "all embeddings, of dimensionality d = 100, were
randomly initialized and learned".  The form goes back to Rocktäschel et al. (2016), who start the second
LSTM from the first one's last cell state.

It is no sentence encoder: the hypothesis is read with the premise in mind, and each pair anew.

The two BiLSTMs have weights of their own ("two bidirectional LSTMs").  Of the relatives that the authors'
group released, one (inferbeddings) has one for both sides.  Forward starts from forward, backward from
backward, hidden and cell state alike.  The MLP reads the last states of the hypothesis alone: what
it knows of the premise came through the states.

Deviation: the paper gives d = 100 for embeddings only.  The width of the LSTMs (100), of the MLP (three tanh
layers of 200, as in Bowman et al., 2015, on whose corpus it is trained), dropout, optimiser and batch
size are ours.

No ``recurrence``: without recurrence there is no state through which the premise could reach the
hypothesis, and the ablation of Nie et al. (2019, section 4.1) would be a hypothesis-only model.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs
from crossexam.zoo.layers import Dropout, Sizes, Words
from crossexam.zoo.recurrent import LSTM, Context


@dataclass(frozen=True)
class Config:
    """The paper's embeddings, and what it leaves open."""

    width: int = 100  # section 4.2: "of dimensionality d = 100"
    hidden: int = 100  # ours: as wide as the embeddings
    classifier: int = 200  # ours: as wide as what it reads
    dropout: float = 0.1  # ours


class ConditionalEncoder(nn.Module):
    """A BiLSTM reads the hypothesis, starting from the states that another left after the premise.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = Words(sizes.words, d)
        self.premise = LSTM(d, h)
        self.hypothesis = LSTM(d, h)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(2 * h, m), nn.Linear(m, m), nn.Linear(m, m)])
        self.output = nn.Linear(m, 3)

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, m]."""
        p = self.dropout(self.words(pairs.premise.words))  # [B, T, d]
        h = self.dropout(self.words(pairs.hypothesis.words))  # [B, T', d]
        read: Context = self.premise(p, pairs.premise.mask)
        context: Context = self.hypothesis(h, pairs.hypothesis.mask, (read.hidden, read.cell))
        m: Tensor = self.dropout(context.final)  # [B, 2h]
        for layer in self.layers:
            m = torch.tanh(layer(m))  # [B, m]
        return m

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))  # [B, 3]
        return logits


ARCHITECTURE = Architecture(
    name="conditional_encoder",
    build=ConditionalEncoder,
    config=Config(),
    recipe=Recipe(
        optimizer="adam", learning_rate=1e-3, batch_size=64, epochs=20, patience=3, clip=5.0,
        vectors="tuned", unknown_deviation=0.1,
        source="Sanchez Carmona et al., 2018, section 4.2: random, trained embeddings; the rest is ours",
    ),
    paper="Sanchez Carmona, Mitchell and Riedel, 2018, N18-1179, section 4.2",
    summary="a BiLSTM reads the hypothesis from the states left by the premise, three tanh layers",
    parameters=0.444e6,
    parameters_source="computed, the paper gives none: "
    "2*2*4*(200*100+2*100) + 3*(200*200+200) + 200*3+3 = 444,403",
    published={"snli_dev": 78.2},
)  # fmt: skip
