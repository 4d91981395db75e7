"""Sentence encoder with gated attention, CH (Chen et al. 2017, RepEval, arXiv 1708.01353, section 3).

A word is represented by a fixed vector and a convolution over its characters; there are three BiLSTM layers,
the later ones reading the word representation again; the sentence vector is the mean of the last states,
their maximum, and their mean weighted by the input gates.  Released code: lukecq1231/enc_nli,
``scripts/enc_nli/main.py`` and ``train.py``.

PyTorch's LSTM does not return its gates; they are recomputed, for all words at once, from its inputs and its
states shifted by one time step, instead of by a cell written in Python.

The maximum is over words only.  The released code takes it after setting padding to zero, so that in all but
the longest sentence of a batch a negative maximum becomes zero.

Characters: a word is padded by the width of the filter less one.  The released code pads to the longest word
of the batch, so that the output of a filter at the end of a word depends on the other words of the batch;
ours equals its output in a batch with a word longer by four.  A word without a vector has its own characters
here, those of ``_UNK_`` there.

Dropout rescales in training, not in evaluation as there: the same model with rescaled weights.  PyTorch's
LSTM has two biases, whose sum is the single one of the paper.  Without recurrence (Nie et al. 2019, section
4.1) there are no gates, and all words have the same weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    LSTM,
    Dropout,
    Recurrence,
    SentenceEncoder,
    Sizes,
    WordEmbedding,
    at_spellings,
    context_layer,
    masked_max,
    masked_mean,
    masked_sum,
    match,
    zero_padding,
)


@dataclass(frozen=True)
class Config:
    """Widths of the submitted system; file names are those of the released code."""

    width: int = 300  # of word vectors: train.py, dim_word
    character_width: int = 15  # of character vectors: main.py, dim_char_emb
    filters: int = 100  # of each width: main.py, char_nout
    filter_widths: tuple[int, ...] = (1, 3, 5)  # in characters: main.py, char_k_rows
    hidden: int = 600  # of every layer, per direction: train.py, dim
    layers: int = 3  # section 3.2; main.py
    classifier: int = 600  # both hidden layers: main.py, ff_layer_1 and 2
    dropout: float = 0.5  # on words and after each hidden layer: main.py, dropout_layer
    recurrence: Recurrence = "lstm"


class Characters(nn.Module):
    """The character CNN: the maximum of each filter over the word (section 3.1).

    Filters have no bias, so that their output for a window of padding only is 0, the minimum of ReLU.
    """

    def __init__(self, characters: int, config: Config) -> None:
        super().__init__()
        self.table = nn.Embedding(characters, config.character_width, padding_idx=0)
        self.filters = nn.ModuleList(
            nn.Conv1d(config.character_width, config.filters, width, bias=False)
            for width in config.filter_widths
        )
        self.widths = config.filter_widths

    def forward(self, characters: Tensor) -> Tensor:
        """Return the vectors of words by their *characters*: [N, C] -> [N, filters * widths]."""
        vectors = zero_padding(self.table(characters), characters != 0).transpose(1, 2)  # [N, e, C]
        maxima: list[Tensor] = []
        for width, convolution in zip(self.widths, self.filters, strict=True):
            filtered = convolution(functional.pad(vectors, (0, width - 1)))  # [N, filters, C]
            maxima.append(torch.relu(filtered).amax(-1))  # [N, filters]
        return torch.cat(maxima, -1)


def input_gates(layer: LSTM, x: Tensor, h: Tensor) -> Tensor:
    """Return the input gates of *layer* at each word: [B, T, r], [B, T, 2h] -> [B, T, 2h].

    i_t = sigmoid(W_ii x_t + b_ii + W_hi h_(t-1) + b_hi), where *h* are the layer's states for the input *x*,
    zero at padding; in the backward direction h_(t+1) takes the place of h_(t-1).
    """
    forward, backward = h.chunk(2, -1)  # [B, T, h] both
    before = functional.pad(forward, (0, 0, 1, -1))  # [B, T, h]
    after = functional.pad(backward, (0, 0, -1, 1))  # [B, T, h]
    return torch.cat([_gates(layer.lstm, "l0", x, before), _gates(layer.lstm, "l0_reverse", x, after)], -1)


def _gates(lstm: nn.LSTM, way: str, x: Tensor, earlier: Tensor) -> Tensor:
    first = slice(lstm.hidden_size)  # rows of the input gate, the first of four
    reading, remembering = getattr(lstm, f"weight_ih_{way}")[first], getattr(lstm, f"weight_hh_{way}")[first]
    bias = getattr(lstm, f"bias_ih_{way}")[first] + getattr(lstm, f"bias_hh_{way}")[first]
    return torch.sigmoid(functional.linear(x, reading, bias) + functional.linear(earlier, remembering))


def gate_norms(layer: nn.Module, x: Tensor, h: Tensor) -> Tensor:
    """Return the Euclidean norm of the input gates at each word, or ones if *layer* has none: [B, T, 1]."""
    if not isinstance(layer, LSTM):
        return torch.ones_like(h[..., :1])
    norms: Tensor = torch.linalg.vector_norm(input_gates(layer, x, h), dim=-1, keepdim=True)
    return norms


class GatedAttention(SentenceEncoder):
    """A sentence encoder of stacked BiLSTMs with three kinds of pooling, and a two-layer classifier.

    Shapes: B sentences, T words, C characters, w width of a word with its spelling, h hidden width, d = 6h
    width of the sentence vector, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> spelling = torch.tensor([[[1, 2], [3, 0], [0, 0]], [[4, 0], [5, 6], [7, 0]]])
    >>> config = Config(width=4, character_width=2, filters=3, hidden=5, classifier=6)
    >>> model = GatedAttention(config, Sizes(words=9, characters=8))
    >>> model.encode(Sentences(words, words != 0, characters=spelling), "premise").shape
    torch.Size([2, 30])
    """

    joint = True

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.words = WordEmbedding(sizes.words, config.width, "fixed")
        self.characters = Characters(sizes.characters, config)
        self.dropout = Dropout(config.dropout)
        word, d = config.width + config.filters * len(config.filter_widths), 6 * config.hidden
        reads = [word] + [word + 2 * config.hidden] * (config.layers - 1)
        self.layers = nn.ModuleList(
            context_layer(read, config.hidden, recurrence=config.recurrence) for read in reads
        )
        self.hidden = nn.Linear(4 * d, config.classifier)
        self.second = nn.Linear(4 * d + config.classifier, config.classifier)
        self.output = nn.Linear(config.classifier, 3)
        _initialise(self)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, the same for either *side*: [B, d] (sections 3.1 to 3.3)."""
        assert sentences.characters is not None, "gated_attention needs characters"
        mask = sentences.mask
        spelling = at_spellings(self.characters, sentences.characters, mask)  # [B, T, filters * widths]
        w = self.dropout(torch.cat([self.words(sentences.words), spelling], -1))  # [B, T, w]
        x, layer = w, self.layers[0]
        h = layer(x, mask).states  # [B, T, 2h]
        for layer in self.layers[1:]:
            x = torch.cat([h, w], -1)  # [B, T, 2h + w]
            h = layer(x, mask).states  # [B, T, 2h]
        gates = gate_norms(layer, x, h)  # [B, T, 1]
        gated = masked_sum(gates * h, mask) / masked_sum(gates, mask)  # [B, 2h]
        return torch.cat([masked_mean(h, mask), masked_max(h, mask), gated], -1)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of sentences: [B, d], [B, d] -> [B, m] (section 3.4)."""
        matched = match(premise, hypothesis)  # [B, 4d]
        first = self.dropout(torch.relu(self.hidden(matched)))  # [B, m]
        second: Tensor = torch.relu(self.second(torch.cat([matched, first], -1)))  # [B, m]
        dropped: Tensor = self.dropout(second)  # [B, m]
        return dropped


def _initialise(model: GatedAttention) -> None:
    """Initialise weights as main.py does: biases are 0, square matrices of LSTM gates are orthogonal.

    Other matrices are drawn from N(0, .01^2), filters from U(-b, b) with b = 1 / sqrt(3 * width *
    character_width).  The first layer's matrices are orthogonal in narrower models too: see ESIM.
    """
    for module in model.modules():
        if isinstance(module, nn.LSTM):
            for name, weight in module.named_parameters():
                _draw_gates(weight.detach(), bias=name.startswith("bias"))
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.01)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Conv1d):
            bound = (3 * module.weight[0].numel()) ** -0.5
            nn.init.uniform_(module.weight, -bound, bound)
    for name, weight in model.layers[0].named_parameters():
        if "weight_ih" in name:
            for gate in weight.detach().chunk(4):
                nn.init.orthogonal_(gate)
    spelling = model.characters.table.weight
    nn.init.normal_(spelling, std=0.01)
    nn.init.zeros_(spelling.detach()[0])


def _draw_gates(weight: Tensor, *, bias: bool) -> None:
    for gate in weight.chunk(4):
        if bias:
            nn.init.zeros_(gate)
        elif gate.shape[0] == gate.shape[1]:
            nn.init.orthogonal_(gate)
        else:
            nn.init.normal_(gate, std=0.01)


# There, training ends after eight epochs, of at most 5000, that do not improve on the best one; each of them
# halves the rate and restores the best weights.  Here, after eight such epochs in a row.
ARCHITECTURE: Final = Architecture(
    name="gated_attention",
    build=GatedAttention,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=4e-4,
        batch_size=32,
        epochs=100,
        source="lukecq1231/enc_nli, scripts/enc_nli/train.py and main.py",
        schedule="halve-and-restore",
        patience=8,
        clip=10.0,
        max_length=450,
        vectors="fixed",
        unknown_deviation=0.01,
    ),
    paper="Chen et al. 2017, Recurrent Neural Network-Based Sentence Encoder with Gated Attention (RepEval)",
    summary="CH: character CNN, three BiLSTMs, mean weighted by input gates",
    parameters=46.5e6,
    parameters_source="counted on the released code; the paper gives none",
    published={"snli": 85.5, "multinli_matched": 73.5, "multinli_mismatched": 73.6},
    needs=("characters",),
)
