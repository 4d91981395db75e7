"""CBOW: a sentence is the sum of its word vectors (Williams, Nangia and Bowman, 2018, N18-1101, section 3).

The baseline of MultiNLI, which Naik et al. (2018, C18-1198, section 4.1) put under stress.  Widths,
dropout and initialisation are those of the released code, nyu-mll/multiNLI ``python/models/cbow.py``,
``python/util/parameters.py`` and the example command of its README.

Sum and not mean: paper and code sum.  A longer sentence thus has a longer vector, and the model sees
lengths; this is kept.

Deviation: the released code sums over 50 places, padding included, and trains the vector of padding, which
starts at zero: the number of padding places is one more feature, and a prediction depends on how far its
batch is padded.  Here only words are summed.  What is lost is an intercept for each place short of 50,
which the vectors of words can take up.

Deviation: the released evaluation leaves out the last incomplete batch.  No example is left out here.

Deviation: the paper names no length limit; the code cuts sentences at 50 words in training and in
evaluation.  Here they are cut in training only.

Deviation: the code draws vectors of words without one from N(0, 1).  GloVe 840B knows nearly all words of
the corpora; where a smaller file of vectors is all there is, such vectors, many times as long as known ones,
drown them in the sum.  Here the deviation is .1: on the subset of SNLI with word2vec vectors for half of
6,499 words, the first epoch then ends at 56.5 % on SNLI test instead of 37.7.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo import masked
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Dropout, Sizes, Words


@dataclass(frozen=True)
class Config:
    """The released values."""

    width: int = 300  # util/parameters.py: word_embedding_dim; section 3: 300D GloVe
    hidden: int = 300  # util/parameters.py: hidden_embedding_dim
    dropout: float = 0.1  # README's example: keep_rate .9 (its default would be .5)
    deviation: float = 0.1  # models/cbow.py: random_normal(stddev=0.1), of weights and biases


class CBOW(nn.Module):
    """The sum of word vectors, matched by ``[p, h, p - h, p * h]``, under three ReLU layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h = config.width, config.hidden
        self.words = Words(sizes.words, d)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(4 * d, h), nn.Linear(h, h), nn.Linear(h, h)])
        self.output = nn.Linear(h, 3)
        for layer in (*self.layers, self.output):
            for parameter in layer.parameters():
                nn.init.normal_(parameter, std=config.deviation)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the sum of the word vectors of each of *sentences*: [B, d]; *side* does not matter."""
        words = self.dropout(self.words(sentences.words))  # [B, T, d]
        return masked.total(words, sentences.mask)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, d], [B, d] -> [B, h]."""
        p, h = premise, hypothesis
        m = torch.cat([p, h, p - h, p * h], -1)  # [B, 4d]
        for layer in self.layers:
            m = torch.relu(layer(m))  # [B, h]
        features: Tensor = self.dropout(m)  # [B, h]
        return features

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, h]."""
        u = self.encode(pairs.premise, "premise")  # [B, d]
        v = self.encode(pairs.hypothesis, "hypothesis")  # [B, d]
        return self.compare(u, v)

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))  # [B, 3]
        return logits


ARCHITECTURE = Architecture(
    name="cbow",
    build=CBOW,
    config=Config(),
    # The code stops when 30,000 batches brought nothing: two epochs of MultiNLI with 15 % of SNLI, and many
    # more of a smaller corpus; patience is one epoch longer.
    recipe=Recipe(
        optimizer="adam", learning_rate=4e-4, batch_size=32, epochs=30, patience=3, max_length=50,
        vectors="tuned", unknown_deviation=0.1,
        source="nyu-mll/multiNLI: python/train_mnli.py, python/util/{parameters,data_processing}.py",
    ),
    paper="Williams, Nangia and Bowman, 2018, N18-1101, section 3",
    summary="sum of word vectors, difference and product, three ReLU layers",
    parameters=0.54e6,
    parameters_source="computed: 1200*300+300 + 2*(300*300+300) + 300*3+3 = 541,803",
    published={"snli": 80.6, "multinli_matched": 63.5, "multinli_mismatched": 64.2},
)  # fmt: skip
