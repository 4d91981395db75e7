"""DiSAN: the directional self-attention network (Shen, Zhou, Long, Jiang, Pan and Zhang, 2018, AAAI).

A sentence encoder without recurrence (arXiv 1709.04696): each word attends to all earlier and to all later
words, separately for each feature (section 3), and an attention over the words gives the sentence vector
(section 4).  What the paper leaves open follows the released code (taoshen58/DiSAN, in ``SNLI_disan/src`` the
files ``nn_utils/disan.py`` and ``model/model_disan.py``): dropout before every linear layer, [u, v, u-v, u*v]
with the signed difference, Glorot's initial weights (TensorFlow's default), biases zero.

The fusion gate has one bias; the released code adds three.  Effect: 1,200 parameters fewer, the same
functions.

All word vectors are fixed.  The released code trains those of words missing from GloVe.

The released code excludes the longest 3 % of the sentences from training, to save memory; here none is
excluded, and sentences of more than 100 words are truncated.

The released code keeps a moving average of the weights (.999) but evaluates the weights themselves, as we do.

Pitfalls avoided: attention per feature is a [B, T, T, h] tensor, 5 to 9 GB in the released code.  Here it is
computed for blocks of words, each with the words visible from it; if all blocks together would be large, they
are recomputed in the backward pass instead of being stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.functional import elu
from torch.utils.checkpoint import checkpoint

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import Dropout, SentenceEncoder, Sizes, WordEmbedding, masked_softmax, zero_padding

_BLOCKS: Final = 4  # at least; with 4, five eighths of the [T, T] square cover all visible pairs
_STORED: Final = 2**24  # size of [B, T, T, h] up to which blocks are stored for the gradient: 64 MiB


@dataclass(frozen=True)
class Config:
    """The paper's sizes, as in the released code."""

    width: int = 300  # of word vectors, GloVe 6B, lower-cased
    hidden: int = 300  # of each direction, half of the sentence vector: disan.py
    classifier: int = 300  # its hidden layer: hidden_units_num
    dropout: float = 0.25  # before every linear layer: configs.py keeps .75
    scale: float = 5.0  # c; disan.py, scaled_tanh


class DirectionalAttention(nn.Module):
    """Attention of each word to the words before it (or after it), per feature (section 3).

    Shapes: B sentences, T words, R words of a block and C words visible from it, w width of inputs, h width
    of states.
    """

    def __init__(self, config: Config, *, backward: bool) -> None:
        super().__init__()
        h = config.hidden
        self.backward, self.scale = backward, config.scale
        self.states = nn.Linear(config.width, h)  # W^(h), b^(h)
        self.seen = nn.Linear(h, h, bias=False)  # W^(1)
        self.seeing = nn.Linear(h, h)  # W^(2), b^(1)
        self.gate_seen = nn.Linear(h, h, bias=False)  # W^(f1)
        self.gate_states = nn.Linear(h, h)  # W^(f2), b^(f)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the words in their context: [B, T, w] -> [B, T, h]."""
        h = elu(self.states(self.dropout(x)))  # [B, T, h]
        dropped = self.dropout(h)  # [B, T, h]
        s = self._attended(h, self.seen(dropped), self.seeing(dropped), mask)  # [B, T, h]
        gate = torch.sigmoid(self.gate_seen(self.dropout(s)) + self.gate_states(self.dropout(h)))  # F
        return zero_padding(gate * h + (1 - gate) * s, mask)  # u [B, T, h]

    def _attended(self, h: Tensor, seen: Tensor, seeing: Tensor, mask: Tensor) -> Tensor:
        """Return the attended states of each word, by states *h* and both parts of the scores: [B, T, h]."""
        batch, words, width = h.shape
        rows = max(1, min(-(-words // _BLOCKS), _STORED // (batch * words * width)))
        keep = batch * words * words * width <= _STORED or not torch.is_grad_enabled()
        position = torch.arange(words, device=h.device)
        parts: list[Tensor] = []
        for start in range(0, words, rows):
            stop = min(start + rows, words)
            view = slice(start, words) if self.backward else slice(0, stop)
            row, column = position[start:stop].unsqueeze(1), position[view]  # [R, 1], [C]
            seen_from = column > row if self.backward else column < row  # M, the mask [R, C]
            visible = seen_from & mask[:, view].unsqueeze(1)  # [B, R, C]
            block = (h[:, view], seen[:, view], seeing[:, start:stop], visible)
            part: Tensor = (
                self._block(*block)
                if keep
                else checkpoint(self._block, *block, use_reentrant=False, preserve_rng_state=False)
            )
            parts.append(part)
        return torch.cat(parts, 1)

    def _block(self, h: Tensor, seen: Tensor, seeing: Tensor, visible: Tensor) -> Tensor:
        """Return the attended states of R words among C; zero if no word is visible: [B, R, h]."""
        f = self.scale * torch.tanh((seen.unsqueeze(1) + seeing.unsqueeze(2)) / self.scale)  # [B, R, C, h]
        weights = masked_softmax(f, visible.unsqueeze(-1), dim=2)  # [B, R, C, h]
        return (weights * h.unsqueeze(1)).sum(2)  # [B, R, h]


class DiSAN(SentenceEncoder):
    """A sentence encoder that uses attention alone, and a one-layer classifier.

    Shapes: B sentences, T words, w width of word vectors, h width of a direction, d = 2h width of the
    sentence vector, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> model = DiSAN(Config(width=4, hidden=5, classifier=6), Sizes(words=9))
    >>> model.encode(Sentences(words, words != 0), "premise").shape
    torch.Size([2, 10])
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d = 2 * config.hidden
        self.words = WordEmbedding(sizes.words, config.width, "fixed")
        self.earlier = DirectionalAttention(config, backward=False)
        self.later = DirectionalAttention(config, backward=True)
        self.attention = nn.Linear(d, d)  # W^(1), b^(1) of source2token
        self.scores = nn.Linear(d, d)  # W, b
        self.hidden = nn.Linear(4 * d, config.classifier)
        self.output = nn.Linear(config.classifier, 3)
        self.dropout = Dropout(config.dropout)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, the same for either *side*: [B, d] (section 4)."""
        x, mask = self.words(sentences.words), sentences.mask  # [B, T, w], [B, T]
        u = torch.cat([self.earlier(x, mask), self.later(x, mask)], -1)  # [B, T, d]
        f = self.scores(self.dropout(elu(self.attention(self.dropout(u)))))  # [B, T, d]
        return (masked_softmax(f, mask.unsqueeze(-1), dim=1) * u).sum(1)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of sentences: [B, d], [B, d] -> [B, m]."""
        match = torch.cat([premise, hypothesis, premise - hypothesis, premise * hypothesis], -1)  # [B, 4d]
        features: Tensor = self.dropout(elu(self.hidden(self.dropout(match))))  # [B, m]
        return features


# 400,000 steps of 64 pairs are 46 epochs of SNLI; there is no early stopping.
ARCHITECTURE: Final = Architecture(
    name="disan",
    build=DiSAN,
    config=Config(),
    recipe=Recipe(
        optimizer="adadelta",
        learning_rate=0.5,
        batch_size=64,
        epochs=46,
        source="taoshen58/DiSAN, SNLI_disan/configs.py and src/model/model_template.py",
        patience=46,
        weight_decay=5e-5,
        lower_case=True,
        vectors="fixed",
    ),
    paper="Shen et al. 2018, DiSAN: Directional Self-Attention Network for RNN/CNN-Free Language "
    "Understanding, AAAI",
    summary="DiSAN: directional attention per feature, no recurrence",
    parameters=2_345_403,
    parameters_source="counted on the released code; Shen et al. 2018 say 2.4 M",
    published={"snli": 85.6},
)
