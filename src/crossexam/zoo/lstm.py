"""The 100D LSTM encoder that came with SNLI (Bowman, Angeli, Potts and Manning, 2015, D15-1075, section 3.4).

Zhang et al. (2020, Appendix B.2) train it on SNLI and test it on 14 corpora.  A tanh layer maps 300D word
vectors to 100D, an LSTM reads them, and its last state represents the sentence; the concatenation of both
sentences passes through three tanh layers of 200.

One LSTM encodes both sides.  Dropout is on the inputs and outputs of the sentence encoder, not inside it.

Deviation: the paper states neither the dropout rate nor the strength of L2 nor the batch size, and the
released configuration (sleepinyourhat/vector-entailment ``config/SNLI.m``) takes them as arguments.  The
values here are ours; initial weights are torch's.

Zhang et al. report 72.7 on SNLI for the model as they trained it, 4.9 below the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    ContextStates,
    Dropout,
    Recurrence,
    SentenceEncoder,
    Sizes,
    WordEmbedding,
    context_layer,
)


@dataclass(frozen=True)
class Config:
    """The paper's values (section 3.4), except the dropout rate, which it does not state."""

    width: int = 300  # GloVe 840B
    hidden: int = 100  # width of the projected words and of the LSTM
    classifier: int = 200  # of each of its three layers
    dropout: float = 0.1  # ours
    recurrence: Recurrence = "lstm"


class LSTMEncoder(SentenceEncoder):
    """The last states of an LSTM over the projected words of both sentences, three tanh layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden, m of the classifier.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h, m = config.width, config.hidden, config.classifier
        self.words = WordEmbedding(sizes.words, d)
        self.project = nn.Linear(d, h)
        self.context = context_layer(h, h, recurrence=config.recurrence, bidirectional=False)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(2 * h, m), nn.Linear(m, m), nn.Linear(m, m)])
        self.output = nn.Linear(m, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the last state of each sentence: [B, h]; *side* is ignored."""
        words = torch.tanh(self.project(self.words(sentences.words)))  # [B, T, h]
        context: ContextStates = self.context(self.dropout(words), sentences.mask)
        sentence: Tensor = self.dropout(context.final)  # [B, h]
        return sentence

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, h], [B, h] -> [B, m]."""
        m = torch.cat([premise, hypothesis], -1)  # [B, 2h]
        for layer in self.layers:
            m = torch.tanh(layer(m))  # [B, m]
        return m


ARCHITECTURE = Architecture(
    name="lstm",
    build=LSTMEncoder,
    config=Config(),
    # AdaDelta, L2 and early stopping on the development set are the paper's; batch size, strength of L2,
    # epochs and patience are ours.
    recipe=Recipe(
        optimizer="adadelta",
        learning_rate=1.0,
        batch_size=32,
        epochs=100,
        patience=5,
        weight_decay=1e-5,
        vectors="tuned",
        source="Bowman et al., 2015, section 3.4; Zhang et al., 2020, section 3.3 (length 100)",
    ),
    paper="Bowman, Angeli, Potts and Manning, 2015, D15-1075, section 3.4",
    summary="last state of a 100D LSTM, both sentences concatenated, three tanh layers",
    parameters=0.23e6,
    parameters_source="computed: 300*100+100 + 4*(200*100+2*100) + 3*(200*200+200) + 200*3+3 = 232,103",
    published={"snli": 77.6},
)
