"""Hierarchical BiLSTM max pooling, HBMP (Talman et al. 2019, NLE 25(4), arXiv 1808.08762, section 3).

Three BiLSTMs that all read the word vectors; each starts from the final states of the one before it, and the
sentence vector is the concatenation of their three maxima.  Released code: Helsinki-NLP/HBMP,
``embeddings.py``, ``classifier.py``, ``train.py``, ``train_hbmp.sh``.

Padding is not read: the released code neither packs nor masks, so that its maxima include padding and the
next layer starts from states beyond the end of the sentence.  Its predictions depend on the longest sentence
of the batch; ours do not.

Without recurrence (Nie et al. 2019, section 4.1) there are no states to pass on: the three layers are
independent.

The released code stops at the fourth epoch, not necessarily in a row, in which dev loss does not fall, and
has the words of dev and test in its vocabulary; the recipe stops after three epochs in a row without higher
dev accuracy, and the vocabulary is that of the training data.  Initial weights are PyTorch's, as there.
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
    Dropout,
    MatchedSentences,
    Recurrence,
    Sizes,
    WordEmbedding,
    context_layer,
    masked_max,
)


@dataclass(frozen=True)
class Config:
    """Widths of the model reported for SNLI (600D)."""

    width: int = 300  # of word vectors: section 3; train_hbmp.sh, embed_dim
    hidden: int = 600  # of every layer, per direction: train_hbmp.sh, hidden_dim
    layers: int = 3  # section 3
    classifier: int = 600  # both hidden layers: train_hbmp.sh, fc_dim
    dropout: float = 0.1  # before each hidden layer of the classifier: classifier.py
    recurrence: Recurrence = "lstm"


class HBMP(MatchedSentences):
    """A sentence encoder of BiLSTMs that pass on their final states, and a two-layer classifier.

    Shapes: B sentences, T words, w width of word vectors, h hidden width, l layers, d = 2hl width of the
    sentence vector, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> model = HBMP(Config(width=4, hidden=5, classifier=6), Sizes(words=9))
    >>> model.encode(Sentences(words, words != 0), "premise").shape
    torch.Size([2, 30])
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.words = WordEmbedding(sizes.words, config.width)
        self.layers = nn.ModuleList(
            context_layer(config.width, config.hidden, recurrence=config.recurrence)
            for _ in range(config.layers)
        )
        self.classifier = nn.Sequential(
            Dropout(config.dropout),
            nn.Linear(4 * 2 * config.hidden * config.layers, config.classifier),
            nn.LeakyReLU(),
            Dropout(config.dropout),
            nn.Linear(config.classifier, config.classifier),
            nn.LeakyReLU(),
        )
        self.output = nn.Linear(config.classifier, 3)

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the vectors of *sentences*, the same for either *side*: [B, d]."""
        x = self.words(sentences.words)  # [B, T, w]
        initial: tuple[Tensor, Tensor] | None = None
        maxima: list[Tensor] = []
        for layer in self.layers:
            context = layer(x, sentences.mask, initial)
            maxima.append(masked_max(context.states, sentences.mask))  # [B, 2h]
            initial = context.hidden, context.cell  # [2, B, h] both
        return torch.cat(maxima, -1)  # [B, d]


ARCHITECTURE: Final = Architecture(
    name="hbmp",
    build=HBMP,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=5e-4,
        batch_size=64,
        epochs=20,
        source="Helsinki-NLP/HBMP, train_hbmp.sh and train.py",
        schedule="plateau",
        factor=0.2,
        patience=3,
        plateau_patience=1,
        minimum_rate=1e-5,
        max_length=500,  # the released code does not truncate
        lower_case=True,
    ),
    paper="Talman et al. 2019, Sentence Embeddings in NLI with Iterative Refinement Encoders (NLE 25(4))",
    summary="HBMP: three BiLSTMs that pass on their final states, max pooling over each",
    parameters=22.0e6,
    parameters_source="counted on the released code; 22m on the SNLI leaderboard",
    published={"snli": 86.6, "multinli_matched": 73.7, "multinli_mismatched": 73.0},
)
