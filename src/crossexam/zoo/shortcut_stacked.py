"""Shortcut-stacked sentence encoder, NB (Nie and Bansal 2017, RepEval, arXiv 1708.02312, section 3).

Three BiLSTM layers, each of which reads the word vectors and the outputs of all layers before it; max pooling
over the last layer gives the sentence vector.  Released code: easonnie/multiNLI_encoder,
``model/tested_model/stack_3bilstm_last_encoder.py``.

Long sentences are not truncated in evaluation: the released code reads the first 60 words of a sentence in
training and the first 150 in the evaluation on MultiNLI.  Here the recipe truncates in training only.
Effect: predictions may differ for sentences of more than 150 words.

Pitfalls avoided: the released code sorts and pools example by example in Python loops; here the sentences of
a batch are pooled together under the mask, with the same result.  Initial weights are PyTorch's, as there.
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
    """Widths of the paper's best model, the system submitted to the shared task."""

    width: int = 300  # of word vectors: stack_3bilstm_last_encoder.py, d
    hidden: tuple[int, ...] = (512, 1024, 2048)  # one per layer, per direction: same file, h_size
    classifier: int = 1600  # both hidden layers of the classifier: same file, mlp_d
    dropout: float = 0.1  # after each of those: same file, dropout_r
    recurrence: Recurrence = "lstm"


class ShortcutStacked(MatchedSentences):
    """A sentence encoder of stacked BiLSTMs with shortcuts, and a two-layer classifier.

    Shapes: B sentences, T words, w width of word vectors, h_i hidden width of layer i,
    d = 2 h_3 width of the sentence vector, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> model = ShortcutStacked(Config(width=4, hidden=(2, 3, 5), classifier=6), Sizes(words=9))
    >>> model.encode(Sentences(words, words != 0), "premise").shape
    torch.Size([2, 10])
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.words = WordEmbedding(sizes.words, config.width)
        self.layers = nn.ModuleList()
        read = config.width
        for hidden in config.hidden:
            self.layers.append(context_layer(read, hidden, recurrence=config.recurrence))
            read += 2 * hidden
        m = config.classifier
        self.classifier = relu_layers(4 * 2 * config.hidden[-1], m, m, dropout=config.dropout)
        self.output = nn.Linear(config.classifier, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, the same for either *side*: [B, d].

        x_i = [w; h_1; ...; h_(i-1)], h_i = BiLSTM_i(x_i), v = max over words of h_m (section 3.1).
        """
        x = self.words(sentences.words)  # [B, T, w]
        h = x
        for layer in self.layers:
            h = layer(x, sentences.mask).states  # [B, T, 2h_i]
            x = torch.cat([x, h], -1)  # [B, T, w + 2h_1 + ... + 2h_i]
        return masked_max(h, sentences.mask)  # [B, d]


# The released code halves the rate after every second of six epochs and keeps the best weights on dev,
# without early stopping.  For MultiNLI it trains on MultiNLI and 15 % of SNLI, sampled anew each epoch.
ARCHITECTURE: Final = Architecture(
    name="shortcut_stacked",
    build=ShortcutStacked,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=2e-4,
        batch_size=32,
        epochs=6,
        source="easonnie/multiNLI_encoder, model/tested_model/stack_3bilstm_last_encoder.py, train",
        schedule="halve-every-two",
        patience=6,
        max_length=60,
    ),
    paper="Nie and Bansal 2017, Shortcut-Stacked Sentence Encoders for Multi-Domain Inference (RepEval)",
    summary="NB: three BiLSTMs with shortcuts, max pooling over the last",
    parameters=140.2e6,
    parameters_source="Nie and Bansal 2017: 140.2m; the same counted on the released code",
    published={"snli": 86.1, "multinli_matched": 74.6, "multinli_mismatched": 73.6},
)
