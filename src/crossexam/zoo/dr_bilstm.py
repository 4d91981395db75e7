"""DR-BiLSTM: dependent reading (Ghaeini et al., 2018, NAACL, N18-1132, arXiv 1802.05577, section 3).

ESIM in which each sentence is read with the final states of the other sentence as initial states, both when
the words are encoded and when the aligned words are composed; the composition also uses the independent
reading, by an element-wise maximum of the two.  Written from the paper; we found no official code, and public
reimplementations stack an LSTM over the other sentence's outputs instead of passing on states.

The classifier is a multilayer perceptron with one tanh layer (section 3, "Classification"), whose width the
paper does not state: here it is that of all other layers, 450.  With it the model has 9.2 million parameters;
the 7.5 million of the SNLI leaderboard are those of the model without that layer (7.59 million here).

The paper does not describe initial weights, learning-rate schedule, clipping and stopping: torch's initial
weights, a constant rate and early stopping are used.

The final states are those at the first and the last word, not those after padding.

``recurrence="feedforward"`` gives the bag-of-words variant of Nie et al. 2019, section 4.1.  A position-wise
layer has no state, so that the dependent reading equals the independent one.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs
from crossexam.zoo.layers import (
    LSTM,
    Dropout,
    FeedForward,
    Recurrence,
    Sizes,
    WordEmbedding,
    at_words,
    context_layer,
    masked_max,
    masked_mean,
    masked_softmax,
)


@dataclass(frozen=True)
class Config:
    """The paper's sizes (section 4.2, "Experimental Setup")."""

    width: int = 300  # of word vectors, GloVe 840B
    hidden: int = 450  # of all layers; of the LSTMs, a direction
    dropout: float = 0.4  # on all feedforward connections
    recurrence: Recurrence = "lstm"


class DRBiLSTM(nn.Module):
    """Dependent encoding, alignment, dependent composition and pooling.

    Shapes: B pairs, S words of a premise and T of a hypothesis, w width of word
    vectors, h hidden, D = 2h.
    u, v: premise and hypothesis (in the paper with a hat if read dependently, with a bar if independently);
    e: attention scores; u_, v_: aligned words (with a tilde); p, q: enhanced words.

    >>> sum(p.numel() for p in DRBiLSTM(Config(), Sizes(words=10)).parameters()) - 10 * 300
    9196653
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        h = config.hidden
        self.words = WordEmbedding(sizes.words, config.width)
        self.encoder = context_layer(config.width, h, recurrence=config.recurrence)
        self.projection = nn.Linear(8 * h, h)
        self.inference = context_layer(h, h, recurrence=config.recurrence)
        self.hidden = nn.Linear(8 * h, h)
        self.output = nn.Linear(h, 3)
        self.dropout = Dropout(config.dropout)

    def features(self, pairs: Pairs) -> Tensor:
        """Return the classifier's hidden layer: [B, h]."""
        in_u, in_v = pairs.premise.mask, pairs.hypothesis.mask  # [B, S], [B, T]
        r = self.dropout(self.words(pairs.premise.words))  # [B, S, w]
        s = self.dropout(self.words(pairs.hypothesis.words))  # [B, T, w]
        _, _, u, v = read_dependently(self.encoder, r, in_u, s, in_v)  # (1, 2) [B, S, D], [B, T, D]
        e = u @ v.transpose(1, 2)  # (3) [B, S, T]
        u_ = masked_softmax(e, in_v.unsqueeze(1)) @ v  # (4) [B, S, D]
        v_ = masked_softmax(e.transpose(1, 2), in_u.unsqueeze(1)) @ u  # (5) [B, T, D]
        p, q = self._enhance(u, u_, in_u), self._enhance(v, v_, in_v)  # [B, S, h], [B, T, h]
        p_alone, q_alone, p, q = read_dependently(self.inference, p, in_u, q, in_v)  # [B, S, D], [B, T, D]
        p, q = torch.maximum(p_alone, p), torch.maximum(q_alone, q)  # [B, S, D], [B, T, D]
        pooled = torch.cat([_pool(p, in_u), _pool(q, in_v)], -1)  # [B, 4D]
        features: Tensor = self.dropout(torch.tanh(self.hidden(self.dropout(pooled))))  # [B, h]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def _enhance(self, u: Tensor, u_: Tensor, mask: Tensor) -> Tensor:
        """Return words *u* enhanced by the words aligned with them, *u_*, and projected."""
        a = torch.cat([u, u_, u - u_, u * u_], -1)  # [B, T, 4D]
        enhanced: Tensor = self.dropout(torch.relu(at_words(self.projection, a, mask)))  # [B, T, h]
        return enhanced


def read_dependently(
    layer: LSTM | FeedForward, u: Tensor, in_u: Tensor, v: Tensor, in_v: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return both sentences read independently, and each read after the other (equations 1 and 2).

    *u* is [B, S, width], *v* is [B, T, width], with their masks; the states are u alone [B, S, D], v alone
    [B, T, D], u after v [B, S, D], v after u [B, T, D].  Hidden and cell states are passed on within each
    direction.
    """
    u_alone, v_alone = layer(u, in_u), layer(v, in_v)
    u_after = layer(u, in_u, (v_alone.hidden, v_alone.cell))
    v_after = layer(v, in_v, (u_alone.hidden, u_alone.cell))
    return u_alone.states, v_alone.states, u_after.states, v_after.states


def _pool(states: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum and the mean over the words: [B, T, D] -> [B, 2D]."""
    return torch.cat([masked_max(states, mask), masked_mean(states, mask)], -1)


ARCHITECTURE = Architecture(
    name="dr_bilstm",
    build=DRBiLSTM,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=4e-4,
        batch_size=32,
        epochs=30,
        patience=5,
        source="Ghaeini et al. 2018, section 4.2; epochs and patience are not in the paper",
    ),
    paper="Ghaeini et al. 2018, DR-BiLSTM: Dependent Reading Bidirectional LSTM for NLI, NAACL",
    summary="DR-BiLSTM: ESIM in which each sentence is read depending on the other",
    parameters=9.2e6,
    parameters_source="counted at the sizes of section 4.2, with a classifier of 450; without it 7.59 M "
    "(leaderboard: 7.5 M)",
    published={"snli": 88.5},
)
