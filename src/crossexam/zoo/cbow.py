"""CBOW: a sentence is the sum of its word vectors (Williams, Nangia and Bowman, 2018, N18-1101, section 3).

The baseline of MultiNLI, which Naik et al. (2018, C18-1198, section 4.1) stress-test.  Widths, dropout and
initialisation are those of the released code, nyu-mll/multiNLI ``python/models/cbow.py``,
``python/util/parameters.py`` and the example command of its README.

The vectors are summed, not averaged, in paper and code.  Longer sentences thus have longer vectors, and the
model sees sentence length; we follow them.

Deviation: the released code sums over 50 positions including padding, and trains the vector of padding, which
starts at zero.  The number of padding positions is therefore a feature.  Here only words are summed.  The
model loses an intercept per position short of 50, which the word vectors can absorb.

Deviation: the released evaluation skips the last incomplete batch.  Here no example is skipped.

Deviation: the paper states no maximum length; the code truncates sentences at 50 words in training and
evaluation.  Here they are truncated in training only.

Deviation: the code draws vectors of unknown words from N(0, 1).  GloVe 840B covers nearly all words of the
corpora; with a smaller file of vectors such random vectors, many times as long as the known ones, dominate
the sum.  Here the standard deviation is .1: on the subset of SNLI with word2vec vectors for half of 6,499
words, the first epoch then ends at 56.5 % on SNLI test instead of 37.7.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import Dropout, SentenceEncoder, Sizes, WordEmbedding, masked_sum


@dataclass(frozen=True)
class Config:
    """The released values."""

    width: int = 300  # util/parameters.py: word_embedding_dim; section 3: 300D GloVe
    hidden: int = 300  # util/parameters.py: hidden_embedding_dim
    dropout: float = 0.1  # README's example: keep_rate .9 (its default would be .5)
    deviation: float = 0.1  # models/cbow.py: random_normal(stddev=0.1), of weights and biases


class CBOW(SentenceEncoder):
    """The sum of word vectors, matching by ``[p, h, p - h, p * h]``, three ReLU layers.

    Shapes: B pairs, T words of the longest sentence, d word vectors, h hidden.
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d, h = config.width, config.hidden
        self.words = WordEmbedding(sizes.words, d)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList([nn.Linear(4 * d, h), nn.Linear(h, h), nn.Linear(h, h)])
        self.output = nn.Linear(h, 3)
        for layer in (*self.layers, self.output):
            for parameter in layer.parameters():
                nn.init.normal_(parameter, std=config.deviation)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the sum of the word vectors of each sentence: [B, d]; *side* is ignored."""
        words = self.dropout(self.words(sentences.words))  # [B, T, d]
        return masked_sum(words, sentences.mask)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded pairs: [B, d], [B, d] -> [B, h]."""
        p, h = premise, hypothesis
        m = torch.cat([p, h, p - h, p * h], -1)  # [B, 4d]
        for layer in self.layers:
            m = torch.relu(layer(m))  # [B, h]
        features: Tensor = self.dropout(m)  # [B, h]
        return features


ARCHITECTURE = Architecture(
    name="cbow",
    build=CBOW,
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
    paper="Williams, Nangia and Bowman, 2018, N18-1101, section 3",
    summary="sum of word vectors, difference and product, three ReLU layers",
    parameters=0.54e6,
    parameters_source="computed: 1200*300+300 + 2*(300*300+300) + 300*3+3 = 541,803",
    published={"snli": 80.6, "multinli_matched": 63.5, "multinli_mismatched": 64.2},
)
