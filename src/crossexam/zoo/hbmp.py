"""Hierarchical BiLSTM max pooling, HBMP (Talman et al. 2019, NLE 25(4), arXiv 1808.08762, section 3).

Three BiLSTMs that all read the word vectors; each begins in the final states of the one before it, and the
sentence is the three maxima side by side.  Released code: Helsinki-NLP/HBMP, ``embeddings.py``,
``classifier.py``, ``train.py``, ``train_hbmp.sh``.

No padding is read: the released code neither packs nor masks, so that the maxima are over padding too, and
the final states that the next layer begins in come from beyond the sentence's end.  There a prediction
depends on the longest sentence of its batch; logits of ours do not.

Without recurrence (Nie et al. 2019, 4.1) there are no states to hand on: the three layers are independent.

The released code stops at the fourth epoch in all whose dev loss did not fall, and has the words of dev and
test in its vocabulary; the recipe stops when dev accuracy has not risen in three epochs in a row, and the
vocabulary is that of training.  Initial weights are PyTorch's own, as there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo import masked
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences, joined
from crossexam.zoo.layers import Dropout, Sizes, Words
from crossexam.zoo.recurrent import Recurrence, context_layer


@dataclass(frozen=True)
class Config:
    """Widths of the model reported for SNLI (600D)."""

    width: int = 300  # of word vectors: section 3; train_hbmp.sh, embed_dim
    hidden: int = 600  # of every layer, per direction: train_hbmp.sh, hidden_dim
    layers: int = 3  # section 3
    classifier: int = 600  # both hidden layers: train_hbmp.sh, fc_dim
    dropout: float = 0.1  # before each hidden layer of the classifier: classifier.py
    recurrence: Recurrence = "lstm"


class HBMP(nn.Module):
    """Encodes each sentence by BiLSTMs that hand on their final states, then classifies the pair.

    Glossary of shapes: B sentences, T words, w width of word vectors, h hidden width, l layers,
    d = 2hl the sentence, m width of the classifier.

    >>> words = torch.tensor([[3, 4, 0], [5, 6, 7]])
    >>> model = HBMP(Config(width=4, hidden=5, classifier=6), Sizes(words=9))
    >>> model.encode(Sentences(words, words != 0), "premise").shape
    torch.Size([2, 30])
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.words = Words(sizes.words, config.width)
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
        """Return the vectors of *sentences*, the same on either side: [B, d]."""
        x = self.words(sentences.words)  # [B, T, w]
        initial: tuple[Tensor, Tensor] | None = None
        maxima: list[Tensor] = []
        for layer in self.layers:
            context = layer(x, sentences.mask, initial)
            maxima.append(masked.maximum(context.states, sentences.mask))  # [B, 2h]
            initial = context.hidden, context.cell  # [2, B, h] both
        return torch.cat(maxima, -1)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of sentences: [B, d], [B, d] -> [B, m]."""
        difference = (premise - hypothesis).abs()  # [B, d]
        match = torch.cat([premise, hypothesis, difference, premise * hypothesis], -1)  # [B, 4d]
        features: Tensor = self.classifier(match)  # [B, m]
        return features

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, m]."""
        both = self.encode(joined(pairs.premise, pairs.hypothesis), "premise")  # [2B, d], sides are alike
        return self.compare(*both.chunk(2))  # [B, m]

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))  # [B, 3]
        return logits


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
        max_length=500,  # the released code cuts nothing
        lower_case=True,
    ),
    paper="Talman et al. 2019, Sentence Embeddings in NLI with Iterative Refinement Encoders (NLE 25(4))",
    summary="HBMP: three BiLSTMs that hand on their final states, all maxima",
    parameters=22.0e6,
    parameters_source="counted on the released code; 22m on the SNLI leaderboard",
    published={"snli": 86.6, "multinli_matched": 73.7, "multinli_mismatched": 73.0},
)
