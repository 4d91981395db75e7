"""InferSent: a wide BiLSTM with max pooling (Conneau, Kiela, Schwenk, Barrault and Bordes, 2017, D17-1070).

Naik et al. (2018, IS) put it under stress, Zhang et al. (2020) test it on 14 corpora.  Sections 3.1
(matching), 3.2 (BiLSTM with max pooling) and 3.3 (training); values of facebookresearch/InferSent
``train_nli.py`` and ``models.py``.

The classifier is three linear layers with nothing between them, the released default
(``nonlinear_fc=0``).  As a function it is one linear layer; only its training differs.

The released clipping multiplies the step's learning rate by 5 / norm where the gradient's norm exceeds 5.
Under SGD without momentum this is the same as scaling the gradient, which is what the recipe asks for.

Deviation: the released encoder lets the zeros of padding win the maximum (``max_pad``), so that a vector
depends on the batch's longest sentence.  Here only words take part.

Deviation: the released code drops words without a vector and puts ``<s>`` and ``</s>`` around a sentence.
Here a word without a vector stays, with a fixed vector near zero, and there are no boundary words: words
keep their places, so that records of edits still fit.  A sentence none of whose words has a vector still
has an encoding.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo import masked
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes, Words
from crossexam.zoo.recurrent import Context, Recurrence, context_layer


@dataclass(frozen=True)
class Config:
    """The paper's values."""

    width: int = 300  # section 3.3: GloVe vectors of 300 dimensions
    hidden: int = 2048  # train_nli.py: enc_lstm_dim, of each direction; 4096 together
    classifier: int = 512  # section 3.3: 512 hidden units; train_nli.py: fc_dim, two such layers
    recurrence: Recurrence = "lstm"


class InferSent(nn.Module):
    """The maximum over the states of a BiLSTM, matched by ``[u, v, |u - v|, u * v]``, linear layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = Words(sizes.words, d, "fixed")
        self.context = context_layer(d, h, recurrence=config.recurrence)
        self.linear = nn.Sequential(nn.Linear(8 * h, m), nn.Linear(m, m))
        self.output = nn.Linear(m, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the largest states of each of *sentences*: [B, 2h]; *side* does not matter."""
        words = self.words(sentences.words)  # [B, T, d]
        context: Context = self.context(words, sentences.mask)
        return masked.maximum(context.states, sentences.mask)  # [B, 2h]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, 2h], [B, 2h] -> [B, m]."""
        u, v = premise, hypothesis
        features: Tensor = self.linear(torch.cat([u, v, (u - v).abs(), u * v], -1))  # [B, 8h] -> [B, m]
        return features

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
    name="infersent",
    build=InferSent,
    config=Config(),
    # The schedule stops by itself, below a rate of 1e-5; patience does not come into it.
    recipe=Recipe(
        optimizer="sgd", learning_rate=0.1, batch_size=64, epochs=20, schedule="infersent", patience=20,
        clip=5.0, vectors="fixed",
        source="Conneau et al., 2017, section 3.3; facebookresearch/InferSent: train_nli.py",
    ),
    paper="Conneau, Kiela, Schwenk, Barrault and Bordes, 2017, D17-1070, sections 3.1 to 3.3",
    summary="maximum over a BiLSTM of 2 x 2048, linear classifier",
    parameters=47.2e6,
    parameters_source="computed: 2*4*(2348*2048+2*2048) + 16384*512+512 + 512*512+512 + 512*3+3 = 47,155,715",
    published={"snli": 84.5, "multinli_matched": 70.3, "multinli_mismatched": 70.6},
)  # fmt: skip
