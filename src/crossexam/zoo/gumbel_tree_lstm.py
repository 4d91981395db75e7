"""G-TLSTM: the Gumbel tree-LSTM encoder (Choi, Yoo and Lee, 2018, AAAI, arXiv 1707.02786).

An LSTM reads the words; then, step by step, two neighbours become one node of a binary tree-LSTM, chosen by a
learned query: drawn in training, with straight-through gradients, the best in evaluation.  The defaults are
the 300D model; the 600D one has ``hidden=600, classifier_layers=3, dropout=0.2`` and 10.3 million parameters.
Released code: jihunchoi/unsupervised-treelstm, ``model/treelstm.py``, ``model/basic.py``, ``snli/model.py``.

Batch normalisation of a training batch with a single pair uses the running statistics, since one pair has no
variance.  Effect: such a batch, at most one an epoch, trains on slightly other features instead of failing.

The trees themselves are in ``crossexam.zoo.gumbel_tree``.

``recurrence="feedforward"`` (Nie et al. 2019, section 4.1) replaces the leaf LSTM and the tree by a fully
connected layer at each word; the mean over the words stands in for the root.

The number of epochs is an argument without a default in the released code; 20 with a patience of 5 is our
choice.  The rate is halved after each epoch without a better dev accuracy, as the paper says (the released
code looks ten times an epoch, with a patience of 10).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.dropout import Dropout
from crossexam.zoo.embedding import Sizes, Words
from crossexam.zoo.gumbel_tree import GumbelTree
from crossexam.zoo.recipe import Recipe
from crossexam.zoo.recurrent import FeedForward, Recurrence
from crossexam.zoo.sentences import Pairs, Sentences


@dataclass(frozen=True)
class Config:
    """The 300D model of the section on natural language inference and of the supplement."""

    width: int = 300  # of word vectors, GloVe 840B, fixed
    hidden: int = 300  # of leaf LSTM and tree-LSTM: 300D
    classifier: int = 1024  # its hidden layers
    classifier_layers: int = 1  # 600D: 3
    dropout: float = 0.1  # on word vectors, before and after the classifier's hidden layers; 600D: 0.2
    temperature: float = 1.0  # of the Gumbel softmax: snli/model.py
    deviation: float = 0.01  # of the query: treelstm.py, reset_parameters
    output: float = 0.005  # the output layer starts in U(-output, output): snli/model.py
    recurrence: Recurrence = "lstm"


class GumbelTreeLSTM(nn.Module):
    """Encodes each sentence as the root of a tree of its own making, then classifies the pair.

    Glossary of shapes: B sentences, T words, w width of word vectors, h width of the sentence, m width of the
    classifier.

    >>> sum(p.numel() for p in GumbelTreeLSTM(Config(), Sizes(words=10)).parameters()) - 10 * 300
    2861547
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        h, m = config.hidden, config.classifier
        self.words = Words(sizes.words, config.width, "fixed")
        self.encoder: GumbelTree | FeedForward
        if config.recurrence == "lstm":
            self.encoder = GumbelTree(config.width, h, config.temperature, config.deviation)
        else:
            self.encoder = FeedForward(config.width, h, bidirectional=False)
        widths = [4 * h] + [m] * config.classifier_layers
        hidden = [nn.Linear(a, b) for a, b in pairwise(widths)]
        self.classifier = nn.Sequential(*(each for layer in hidden for each in (layer, nn.ReLU())))
        self.match_norm, self.classifier_norm = nn.BatchNorm1d(4 * h), nn.BatchNorm1d(m)
        self.output = nn.Linear(m, 3)
        self.dropout = Dropout(config.dropout)
        for layer in hidden:
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
        nn.init.uniform_(self.output.weight, -config.output, config.output)
        nn.init.zeros_(self.output.bias)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, the same on either side: [B, h]."""
        x = self.dropout(self.words(sentences.words))  # [B, T, w]
        encoded = self.encoder(x, sentences.mask)
        root: Tensor = encoded if isinstance(encoded, Tensor) else encoded.final  # [B, h]
        return root

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of sentences: [B, h], [B, h] -> [B, m]."""
        difference = (premise - hypothesis).abs()  # [B, h]
        match = torch.cat([premise, hypothesis, difference, premise * hypothesis], -1)  # [B, 4h]
        hidden = self.classifier(self.dropout(_normalised(match, self.match_norm)))  # [B, m]
        features: Tensor = self.dropout(_normalised(hidden, self.classifier_norm))  # [B, m]
        return features

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, m]."""
        premise = self.encode(pairs.premise, "premise")  # [B, h]
        return self.compare(premise, self.encode(pairs.hypothesis, "hypothesis"))  # [B, m]

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits


def _normalised(x: Tensor, norm: nn.BatchNorm1d) -> Tensor:
    """Return *x* [B, m] normalised over the batch, by the running statistics where B is 1."""
    if norm.training and len(x) == 1:
        return batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps)
    normalised: Tensor = norm(x)
    return normalised


ARCHITECTURE: Final = Architecture(
    name="gumbel_tree_lstm",
    build=GumbelTreeLSTM,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=1e-3,
        batch_size=128,
        epochs=20,
        source="Choi et al. 2018, supplement; jihunchoi/unsupervised-treelstm, snli/train.py",
        schedule="halve-on-miss",
        patience=5,
        clip=5.0,
        lower_case=True,
        vectors="fixed",
    ),
    paper="Choi et al. 2018, Learning to Compose Task-Specific Tree Structures, AAAI",
    summary="G-TLSTM: a tree-LSTM that chooses its own trees, 300D",
    parameters=2.9e6,
    parameters_source="Choi et al. 2018, table of SNLI results, 300D (2.9 M); the released code has 2.86 M",
    published={"snli": 85.6},
    tolerance=0.02,
)
