"""The conditional encoder (Sanchez Carmona, Mitchell and Riedel, 2018, N18-1179, section 4.2; CE).

"The first LSTM encodes the premise sentence into a fixed-size vector embedding", "the second LSTM encodes
the hypothesis sentence conditioned on the representation of the premise sentence"; both bidirectional;
"a softmax over the class labels on top of a 3-layer MLP"; "all embeddings, of dimensionality d = 100, were
randomly initialized and learned".  The form goes back to Rocktäschel et al. (2016), who start the second
LSTM from the first one's last cell state.

It is not a sentence encoder: the encoding of the hypothesis depends on the premise.

The two BiLSTMs have separate weights ("two bidirectional LSTMs"); of the related models that the authors'
group released, one (inferbeddings) shares them.  Each direction starts from the final hidden and cell states
of the same direction.  The MLP reads the final states of the hypothesis only; information on the premise
reaches it through the initial states.

Deviation: the paper states d = 100 for the embeddings only.  The width of the LSTMs (100) and of the MLP
(three tanh layers of 200, as in Bowman et al., 2015, on whose corpus it is trained), dropout, optimiser and
batch size are ours.

There is no ``recurrence`` option: without recurrence no state passes from premise to hypothesis, and the
ablation of Nie et al. (2019, section 4.1) would be a hypothesis-only model.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs
from crossexam.zoo.layers import LSTM, ContextStates, Dropout, Sizes, WordEmbedding


@dataclass(frozen=True)
class Config:
    """The paper's embeddings, and our values for what it leaves open."""

    width: int = 100  # section 4.2: "of dimensionality d = 100"
    hidden: int = 100  # ours: as wide as the embeddings
    classifier: int = 200  # ours: as wide as its input
    dropout: float = 0.1  # ours


class ConditionalEncoder(nn.Module):
    """A BiLSTM over the hypothesis that starts from the final states of another one over the premise.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = WordEmbedding(sizes.words, d)
        self.premise = LSTM(d, h)
        self.hypothesis = LSTM(d, h)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(2 * h, m), nn.Linear(m, m), nn.Linear(m, m)])
        self.output = nn.Linear(m, 3)

    def features(self, pairs: Pairs) -> Tensor:
        """Return the last layer of the MLP: [B, m]."""
        p = self.dropout(self.words(pairs.premise.words))  # [B, T, d]
        h = self.dropout(self.words(pairs.hypothesis.words))  # [B, T', d]
        premise: ContextStates = self.premise(p, pairs.premise.mask)
        context: ContextStates = self.hypothesis(h, pairs.hypothesis.mask, (premise.hidden, premise.cell))
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
        optimizer="adam",
        learning_rate=1e-3,
        batch_size=64,
        epochs=20,
        patience=3,
        clip=5.0,
        vectors="tuned",
        unknown_deviation=0.1,
        source="Sanchez Carmona et al., 2018, section 4.2: random, trained embeddings; the rest is ours",
    ),
    paper="Sanchez Carmona, Mitchell and Riedel, 2018, N18-1179, section 4.2",
    summary="a BiLSTM over the hypothesis starts from the final states of the premise, three tanh layers",
    parameters=0.444e6,
    parameters_source="computed, the paper gives none: "
    "2*2*4*(200*100+2*100) + 3*(200*200+200) + 200*3+3 = 444,403",
    published={"snli_dev": 78.2},
)
