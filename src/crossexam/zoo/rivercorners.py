"""Inner-attention sentence encoder, RC (Balazs et al. 2017, RepEval, W17-5310; Liu et al. 2016, 1605.09090).

One BiLSTM for both sentences; the mean of its states attends to the states of its own sentence, with separate
attention parameters for premises and hypotheses.  Released code: jabalazs/repeval_rivercorners,
``run_inner_att_model.py``, ``repeval/layers.py``, ``repeval/models/inner_att.py``.

The attention is normalised over the words of a sentence, as described in the paper.  The released code calls
softmax on a [B, T, 1] tensor without a dimension, which in its PyTorch 0.1.12 normalised over the batch, so
that a prediction depended on the other examples.  Published accuracies are those of that code; ours may
differ by a point.

Padding is not read and gets no attention.  The released code runs its BiLSTM over padding, and although the
states at padding are zeroed before the attention, the backward direction starts there.

Numbers are kept.  The released code replaces all of them by one symbol, and all words without a vector share
one random vector; here each has its own, drawn with the same standard deviation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

from crossexam.core.example import SIDES, Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    Recurrence,
    SentenceEncoder,
    Sizes,
    WordEmbedding,
    context_layer,
    masked_mean,
    masked_softmax,
    relu_layers,
)


@dataclass(frozen=True)
class Config:
    """Widths of the submitted system."""

    width: int = 300  # of word vectors: section 3
    hidden: int = 300  # per direction: run_inner_att_model.py, lstm_hidden
    classifier: int = 2000  # both hidden layers: repeval/layers.py, DenseLayer
    dropout: float = 0.25  # after each hidden layer of the classifier: run_inner_att_model.py
    recurrence: Recurrence = "lstm"


class InnerAttention(nn.Module):
    """Attention of a sentence's mean state over its words.

    The matrices have no biases and are drawn from U(-1/sqrt(d), 1/sqrt(d)), in the released code as by
    PyTorch's default for linear layers.
    """

    def __init__(self, d: int) -> None:
        super().__init__()
        self.states = nn.Linear(d, d, bias=False)  # W^y
        self.mean = nn.Linear(d, d, bias=False)  # W^h
        self.context = nn.Linear(d, 1, bias=False)  # w

    def weights(self, y: Tensor, mask: Tensor) -> Tensor:
        """Return alpha = softmax(w . tanh(W^y y_t + W^h r)), r the mean of *y*: [B, T, d] -> [B, T]."""
        r = masked_mean(y, mask)  # [B, d]
        m = torch.tanh(self.states(y) + self.mean(r).unsqueeze(1))  # [B, T, d]
        return masked_softmax(self.context(m).squeeze(-1), mask)  # [B, T]

    def forward(self, y: Tensor, mask: Tensor) -> Tensor:
        """Return the sentence vector, the sum of alpha_t y_t: [B, T, d] -> [B, d]."""
        alpha = self.weights(y, mask).unsqueeze(1)  # [B, 1, T]
        return (alpha @ y).squeeze(1)  # [B, d]


class RiverCorners(SentenceEncoder):
    """A sentence encoder of a BiLSTM and inner attention per side, and a two-layer classifier.

    Shapes: B sentences, T words, w width of word vectors, h hidden width, d = 2h width of the sentence
    vector, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> model = RiverCorners(Config(width=4, hidden=5, classifier=6), Sizes(words=9))
    >>> model.encode(Sentences(words, words != 0), "premise").shape
    torch.Size([2, 10])
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.words = WordEmbedding(sizes.words, config.width, "fixed")
        self.context = context_layer(config.width, config.hidden, recurrence=config.recurrence)
        d = 2 * config.hidden
        self.attention = nn.ModuleDict({side: InnerAttention(d) for side in SIDES})
        m = config.classifier
        self.classifier = relu_layers(4 * d, m, m, dropout=config.dropout)
        self.output = nn.Linear(config.classifier, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, with the attention of *side*: [B, d]."""
        y = self.context(self.words(sentences.words), sentences.mask).states  # [B, T, d]
        refined: Tensor = self.attention[side](y, sentences.mask)  # [B, d]
        return refined

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of sentences: [B, d], [B, d] -> [B, m]."""
        difference = (premise - hypothesis).abs()  # [B, d]
        match = torch.cat([premise, hypothesis, premise * hypothesis, difference], -1)  # [B, 4d]
        features: Tensor = self.classifier(match)  # [B, m]
        return features


# Words are lower-cased, and the vector of unknown words is drawn from U(-.05, .05), with standard deviation
# .1 / sqrt(12): repeval/corpus/lang.py, repeval/utils/embeddings.py.  There is no early stopping by default;
# the best weights on dev matched are kept.
ARCHITECTURE: Final = Architecture(
    name="rivercorners",
    build=RiverCorners,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=1e-3,
        batch_size=128,
        epochs=10,
        source="jabalazs/repeval_rivercorners, run_inner_att_model.py and repeval/routines.py",
        patience=10,
        clip=5.0,
        max_length=200,
        lower_case=True,
        vectors="fixed",
        unknown_deviation=0.1 / 12**0.5,
    ),
    paper="Balazs et al. 2017, Refining Raw Sentence Representations for Textual Entailment Recognition "
    "via Attention (RepEval)",
    summary="RC: a BiLSTM and inner attention, one per side",
    parameters=11.7e6,
    parameters_source="counted on the released code; the paper gives none",
    published={"multinli_matched": 72.057, "multinli_mismatched": 72.055},
)
