"""The BiLSTM baseline of MultiNLI (Williams, Nangia and Bowman, 2018, N18-1101, section 3).

Naik et al. (2018, C18-1198, section 4.1) stress-test it and retrain it on distracting examples (Table 5).
Widths, dropout and initialisation are those of the released code, nyu-mll/multiNLI
``python/models/bilstm.py``, ``python/util/{blocks,parameters}.py``, and of the README's example command.

Premise and hypothesis are read by separate BiLSTMs, as in the released code (two variable scopes); the papers
do not mention it.

Naik et al. report 70.2 and 70.8 on MultiNLI dev, the shared task 67.0 and 67.6 on its hidden test set.

Deviation: the released LSTM has one bias per gate, torch has two.  The second one starts at zero; the model
has 4,800 more parameters (0.1 %) and is the same function.  As in the released code, the forget gate's bias
starts at 1 and weights are drawn as TensorFlow's ``glorot_uniform`` draws the matrix of all gates.

Deviation: the released evaluation skips the last incomplete batch and truncates sentences at 50 words.  Here
no example is skipped, and sentences are truncated in training only.

Deviation: the code draws vectors of unknown words from N(0, 1), which suits GloVe 840B, which has few of
them.  Here the standard deviation is .1, for the reason given in ``cbow.py``.
"""

from __future__ import annotations

import math
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
    masked_mean,
)


@dataclass(frozen=True)
class Config:
    """The released values."""

    width: int = 300  # util/parameters.py: word_embedding_dim; section 3: 300D GloVe
    hidden: int = 300  # util/parameters.py: hidden_embedding_dim, of each direction and of the MLP
    dropout: float = 0.1  # README's example: keep_rate .9 (its default would be .5)
    deviation: float = 0.1  # models/bilstm.py: random_normal(stddev=0.1), of weights and biases of the MLP
    recurrence: Recurrence = "lstm"


class BiLSTM(SentenceEncoder):
    """The mean of the states of one BiLSTM per side, matching by ``[p, h, p - h, p * h]``.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden.  Modules of one side have its
    name.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h = config.width, config.hidden
        self.words = WordEmbedding(sizes.words, d)
        self.context = nn.ModuleDict(
            {side: context_layer(d, h, recurrence=config.recurrence) for side in ("premise", "hypothesis")}
        )
        self.dropout = Dropout(config.dropout)
        self.mlp = nn.Linear(8 * h, h)
        self.output = nn.Linear(h, 3)
        for module in self.context.modules():
            if isinstance(module, nn.LSTM):
                _initialise_as_tensorflow(module)
        for layer in (self.mlp, self.output):
            nn.init.normal_(layer.weight, std=config.deviation)
            nn.init.normal_(layer.bias, std=config.deviation)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the mean state of each sentence, read by the BiLSTM of *side*: [B, 2h]."""
        words = self.dropout(self.words(sentences.words))  # [B, T, d]
        context: ContextStates = self.context[side](words, sentences.mask)
        return masked_mean(context.states, sentences.mask)  # [B, 2h]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, 2h], [B, 2h] -> [B, h]."""
        p, h = premise, hypothesis
        m = torch.cat([p, h, p - h, p * h], -1)  # [B, 8h]
        features: Tensor = self.dropout(torch.relu(self.mlp(m)))  # [B, h]
        return features


def _initialise_as_tensorflow(lstm: nn.LSTM) -> None:
    """Draw weights from U(-a, a), a = sqrt(6 / (d + h + 4h)); biases 0, the forget gate's 1."""
    d, h = lstm.input_size, lstm.hidden_size
    limit = math.sqrt(6 / (d + h + 4 * h))  # TensorFlow keeps one matrix [d + h, 4h]
    for name, parameter in lstm.named_parameters():
        if name.startswith("weight"):
            nn.init.uniform_(parameter, -limit, limit)
        else:
            nn.init.zeros_(parameter)
        if name.startswith("bias_ih"):
            nn.init.ones_(parameter[h : 2 * h])  # torch's order of gates: input, forget, cell, output


ARCHITECTURE = Architecture(
    name="bilstm",
    build=BiLSTM,
    config=Config(),
    # The code stops after 30,000 batches without improvement: two epochs of MultiNLI with 15 % of SNLI, more
    # of a smaller corpus; patience is one epoch longer.
    recipe=Recipe(
        optimizer="adam",
        learning_rate=4e-4,
        batch_size=32,
        epochs=30,
        patience=3,
        max_length=50,
        vectors="tuned",
        unknown_deviation=0.1,
        source="nyu-mll/multiNLI: python/train_mnli.py, python/util/{parameters,data_processing}.py",
    ),
    paper="Williams, Nangia and Bowman, 2018, N18-1101, section 3; Nangia et al., 2017, W17-5301",
    summary="mean of one BiLSTM per side, difference and product, one ReLU layer",
    parameters=3.6e6,
    parameters_source="computed: 2 BiLSTMs of 2*(600*1200+1200) + 2400*300+300 + 300*3+3 = 3,606,003",
    published={"snli": 81.5, "multinli_matched": 70.2, "multinli_mismatched": 70.8},
)
