"""InferSent: a wide BiLSTM with max pooling (Conneau, Kiela, Schwenk, Barrault and Bordes, 2017, D17-1070).

Naik et al. (2018, IS) stress-test it, Zhang et al. (2020) evaluate it on 14 corpora.  Sections 3.1
(matching), 3.2 (BiLSTM with max pooling) and 3.3 (training); values of facebookresearch/InferSent
``train_nli.py`` and ``models.py``.

The classifier has three linear layers without a nonlinearity, the released default (``nonlinear_fc=0``).  As
a function it is one linear layer; only its training differs.

The released clipping multiplies the learning rate of a step by 5 / norm if the gradient's norm exceeds 5.
For SGD without momentum this is equivalent to scaling the gradient, as the recipe does.

Deviation: in the released encoder the zeros of padding can be the maximum (``max_pad``), so that a vector
depends on the longest sentence of the batch.  Here the maximum is over words only.

Deviation: the released code drops words without a vector and puts ``<s>`` and ``</s>`` around a sentence.
Here words without a vector have a fixed vector near zero, and there are no boundary tokens: token positions
do not change, so that recorded edits still fit, and a sentence without any known word has an encoding.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    ContextStates,
    Recurrence,
    SentenceEncoder,
    Sizes,
    WordEmbedding,
    context_layer,
    masked_max,
    match,
)


@dataclass(frozen=True)
class Config:
    """The paper's values."""

    width: int = 300  # section 3.3: GloVe vectors of 300 dimensions
    hidden: int = 2048  # train_nli.py: enc_lstm_dim, of each direction; 4096 together
    classifier: int = 512  # section 3.3: 512 hidden units; train_nli.py: fc_dim, two such layers
    recurrence: Recurrence = "lstm"


class InferSent(SentenceEncoder):
    """Max pooling over the states of a BiLSTM, matching by ``[u, v, |u - v|, u * v]``, linear layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = WordEmbedding(sizes.words, d, "fixed")
        self.context = context_layer(d, h, recurrence=config.recurrence)
        self.linear = nn.Sequential(nn.Linear(8 * h, m), nn.Linear(m, m))
        self.output = nn.Linear(m, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the maximum of the states of each sentence: [B, 2h]; *side* is ignored."""
        words = self.words(sentences.words)  # [B, T, d]
        context: ContextStates = self.context(words, sentences.mask)
        return masked_max(context.states, sentences.mask)  # [B, 2h]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, 2h], [B, 2h] -> [B, m]."""
        features: Tensor = self.linear(match(premise, hypothesis))  # [B, 8h] -> [B, m]
        return features


ARCHITECTURE = Architecture(
    name="infersent",
    build=InferSent,
    config=Config(),
    # The schedule ends training, at a rate below 1e-5; patience has no effect.
    recipe=Recipe(
        optimizer="sgd",
        learning_rate=0.1,
        batch_size=64,
        epochs=20,
        schedule="infersent",
        patience=20,
        clip=5.0,
        vectors="fixed",
        source="Conneau et al., 2017, section 3.3; facebookresearch/InferSent: train_nli.py",
    ),
    paper="Conneau, Kiela, Schwenk, Barrault and Bordes, 2017, D17-1070, sections 3.1 to 3.3",
    summary="maximum over a BiLSTM of 2 x 2048, linear classifier",
    parameters=47.2e6,
    parameters_source="computed: 2*4*(2348*2048+2*2048) + 16384*512+512 + 512*512+512 + 512*3+3 = 47,155,715",
    published={"snli": 84.5, "multinli_matched": 70.3, "multinli_mismatched": 70.6},
)
