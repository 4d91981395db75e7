"""ESIM, the enhanced sequential inference model (Chen et al., 2017, ACL, P17-1152).

Section 3: input encoding, local inference by co-attention, inference composition.  Equation numbers are
those of the paper; what it leaves open follows the released code (lukecq1231/nli, scripts/ESIM/main.py).

The initial weights are the released code's at the paper's size: those of the LSTMs' gates orthogonal, all
others from N(0, 0.01^2), biases zero, including those of the forget gates.  The code draws non-square
matrices from N(0, 0.01^2) too, which do not occur at the paper's size; here they are orthogonal as well,
because narrower models otherwise hardly use their inputs at first.  Effect at hidden 100 on 27,872 pairs of
SNLI: 64.2 instead of 63.4 % on dev after three epochs.

The released code takes maxima of states multiplied by the mask, so that padding keeps every maximum from
falling below 0; here padding is excluded.  Effect: logits do not depend on the batch.

The released code skips training pairs of more than 100 words; here longer sentences are truncated in
training.  Effect: none on SNLI except for a handful of pairs.

torch's LSTM has two biases, the paper's one: 4,800 more parameters, the same function.

``recurrence="feedforward"`` gives the bag-of-words variant of Nie et al. 2019, section 4.1.
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
    """The paper's sizes (section 5.1, "Training")."""

    width: int = 300  # of word vectors, GloVe 840B
    hidden: int = 300  # of the LSTMs, a direction, of the projection and of the classifier
    dropout: float = 0.5  # on "all feedforward connections"
    deviation: float = 0.01  # of the weights outside the LSTMs (released code, norm_weight)
    recurrence: Recurrence = "lstm"


class ESIM(nn.Module):
    """Input encoding, local inference by co-attention, composition and pooling.

    Shapes: B pairs, S words of a premise and T of a hypothesis, h hidden, D = 2h.
    a, b: encoded words (with a bar in the paper); e: attention scores; a_, b_: aligned words (with a tilde);
    m: enhanced words; v: composed words.

    >>> sum(p.numel() for p in ESIM(Config(), Sizes(words=10)).parameters()) - 10 * 300
    4331103
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        h = config.hidden
        self.words = WordEmbedding(sizes.words, config.width)
        self.encoder = context_layer(config.width, h, recurrence=config.recurrence)
        self.projection = nn.Linear(8 * h, h)
        self.composition = context_layer(h, h, recurrence=config.recurrence)
        self.hidden = nn.Linear(8 * h, h)
        self.output = nn.Linear(h, 3)
        self.dropout = Dropout(config.dropout)
        for recurrent in (self.encoder, self.composition):
            _initialise_recurrent(recurrent)
        for layer in (self.projection, self.hidden, self.output):
            nn.init.normal_(layer.weight, std=config.deviation)
            nn.init.zeros_(layer.bias)

    def features(self, pairs: Pairs) -> Tensor:
        """Return the classifier's hidden layer: [B, h]."""
        in_a, in_b = pairs.premise.mask, pairs.hypothesis.mask  # [B, S], [B, T]
        a = self.encoder(self.dropout(self.words(pairs.premise.words)), in_a).states  # (1) [B, S, D]
        b = self.encoder(self.dropout(self.words(pairs.hypothesis.words)), in_b).states  # (2) [B, T, D]
        e = a @ b.transpose(1, 2)  # (11) [B, S, T]
        a_ = masked_softmax(e, in_b.unsqueeze(1)) @ b  # (12) [B, S, D]
        b_ = masked_softmax(e.transpose(1, 2), in_a.unsqueeze(1)) @ a  # (13) [B, T, D]
        v = torch.cat([self._compose(a, a_, in_a), self._compose(b, b_, in_b)], -1)  # (20) [B, 4D]
        features: Tensor = self.dropout(torch.tanh(self.hidden(self.dropout(v))))  # [B, h]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def _compose(self, a: Tensor, a_: Tensor, mask: Tensor) -> Tensor:
        """Return the mean and the maximum of the composed words of one sentence."""
        m = torch.cat([a, a_, a - a_, a * a_], -1)  # (14, 15) [B, T, 4D]
        f = self.dropout(torch.relu(at_words(self.projection, m, mask)))  # F, section 3.3 [B, T, h]
        v = self.composition(f, mask).states  # section 3.3 [B, T, D]
        return torch.cat([masked_mean(v, mask), masked_max(v, mask)], -1)  # (18, 19) [B, 2D]


def _initialise_recurrent(layer: LSTM | FeedForward) -> None:
    """Initialise an LSTM gate by gate; the layer that replaces it keeps torch's initial weights."""
    if isinstance(layer, FeedForward):
        return
    for weight in layer.lstm.parameters():
        if weight.dim() == 1:
            nn.init.zeros_(weight)
            continue
        for gate in weight.detach().chunk(4):  # [h, width]
            nn.init.orthogonal_(gate)


ARCHITECTURE = Architecture(
    name="esim",
    build=ESIM,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=4e-4,
        batch_size=32,
        epochs=50,
        schedule="halve-and-restore",
        patience=8,
        clip=10.0,
        max_length=100,
        source="Chen et al. 2017, section 5.1; lukecq1231/nli, scripts/ESIM/train.py; epochs unlimited there",
    ),
    paper="Chen et al. 2017, Enhanced LSTM for Natural Language Inference, ACL",
    summary="ESIM: BiLSTM, co-attention, BiLSTM",
    parameters=4.3e6,
    parameters_source="Chen et al. 2017, Table 1 (4.3 M, without vectors)",
    published={"snli": 88.0, "multinli_matched": 76.8, "multinli_mismatched": 75.8},
)
