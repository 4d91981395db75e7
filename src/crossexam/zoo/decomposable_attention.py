"""DAM: decomposable attention (Parikh, Täckström, Das and Uszkoreit, 2016, EMNLP, D16-1244, section 3).

No recurrence: each word is aligned softly with the words of the other sentence, compared with what it is
aligned with, and the comparisons are summed.  This is the vanilla model, without intra-sentence attention.
Equation numbers are those of the paper.

Both sentences get a NULL word in front, so that a word may align with nothing.  The paper does not say what
its vector is; here it is a random unit vector, fixed like all other vectors and saved with the weights.

Words without a vector: the paper hashes them to one of 100 random vectors drawn from N(0, 1).  Here each
such word of the training data has its own random row, and all words unseen in training share the row of the
unknown word, because a model reads ids, not spelling.  Effect: two different unseen words always look alike
(in the paper in one case of a hundred), seen ones never do.

The recipe's batch is 16, not 4: the paper's 4 went with 10 asynchronous threads.  Weights as small as the
paper's, with its Adagrad, start on a plateau of several thousand steps at a loss near log 3; public re-runs
(jack, allennlp) take 32 to 64 and stay there longer.  The recipe's patience is long for that reason.

As in the paper all vectors are fixed, of length one, and projected without a bias.

Avoided: padding that takes part in the attention and in the sums (in libowen2121's re-run logits change by
8.3 standard deviations with the batch); an Adagrad accumulator that starts at 0 instead of 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.zoo import masked
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.embedding import Sizes, Words
from crossexam.zoo.recipe import Recipe
from crossexam.zoo.sentences import Pairs, Sentences


@dataclass(frozen=True)
class Config:
    """The paper's sizes (sections 4 and 5)."""

    width: int = 300  # of word vectors, GloVe
    hidden: int = 200  # of the projection and of every layer
    dropout: float = 0.2
    deviation: float = 0.01  # of the normal distribution that all weights are drawn from


class DecomposableAttention(nn.Module):
    """Attend, compare, aggregate.

    Shapes: B pairs, S words of a premise and T of a hypothesis with the NULL word, w width of
    word vectors, d hidden.
    a, b: projected words of premise and hypothesis; e: attention scores; beta, alpha: what a word of the
    premise, the hypothesis is aligned with; v_1, v_2: the compared sentences.

    >>> sum(p.numel() for p in DecomposableAttention(Config(), Sizes(words=10)).parameters()) - 10 * 300
    381803
    """

    null: Tensor

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d = config.hidden
        self.words = Words(sizes.words, config.width, "fixed")
        self.projection = nn.Linear(config.width, d, bias=False)
        self.f = _two_layers(d, d, config.dropout)
        self.g = _two_layers(2 * d, d, config.dropout)
        self.h = _two_layers(2 * d, d, config.dropout)
        self.output = nn.Linear(d, 3)
        for part in (self.projection, self.f, self.g, self.h, self.output):
            for weight in part.parameters():
                nn.init.normal_(weight, std=config.deviation)
        self.register_buffer("null", functional.normalize(torch.randn(config.width), dim=0))

    def features(self, pairs: Pairs) -> Tensor:
        """Return H's hidden layer: [B, d]."""
        a, in_a = self._read(pairs.premise)  # [B, S, d], [B, S]
        b, in_b = self._read(pairs.hypothesis)  # [B, T, d], [B, T]
        f_a, f_b = masked.at_words(self.f, a, in_a), masked.at_words(self.f, b, in_b)  # [B, S, d], [B, T, d]
        e = f_a @ f_b.transpose(1, 2)  # (1) [B, S, T]
        beta = masked.softmax(e, in_b.unsqueeze(1)) @ b  # (2) [B, S, d]
        alpha = masked.softmax(e.transpose(1, 2), in_a.unsqueeze(1)) @ a  # (2) [B, T, d]
        v_1 = masked.at_words(self.g, torch.cat([a, beta], -1), in_a).sum(1)  # (3, 4) [B, d]
        v_2 = masked.at_words(self.g, torch.cat([b, alpha], -1), in_b).sum(1)  # (3, 4) [B, d]
        features: Tensor = self.h(torch.cat([v_1, v_2], -1))  # (5) [B, d]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def _read(self, sentences: Sentences) -> tuple[Tensor, Tensor]:
        """Return the projected words with NULL in front, and their mask."""
        words = self.words(sentences.words)  # [B, T - 1, w]
        null = self.null.to(words.dtype).expand(len(words), 1, -1)  # [B, 1, w]
        mask = functional.pad(sentences.mask, (1, 0), value=True)  # [B, T]
        return masked.at_words(self.projection, torch.cat([null, words], 1), mask), mask  # [B, T, d]


def _two_layers(width: int, hidden: int, dropout: float) -> nn.Sequential:
    """Return two ReLU layers, dropout before each (section 5: "for all ReLU layers")."""
    return nn.Sequential(
        nn.Dropout(dropout), nn.Linear(width, hidden), nn.ReLU(),
        nn.Dropout(dropout), nn.Linear(hidden, hidden), nn.ReLU(),
    )  # fmt: skip


ARCHITECTURE = Architecture(
    name="decomposable_attention",
    build=DecomposableAttention,
    config=Config(),
    recipe=Recipe(
        optimizer="adagrad",
        learning_rate=0.05,
        batch_size=16,
        epochs=100,
        patience=20,
        initial_accumulator=0.1,
        vectors="fixed",
        normalised_vectors=True,
        unknown_deviation=1.0,
        source="Parikh et al. 2016, section 5; epochs: harvardnlp/decomp-attn, train.lua; patience: "
        "re-run of allennlp",
    ),
    paper="Parikh et al. 2016, A Decomposable Attention Model for Natural Language Inference, EMNLP",
    summary="DAM: attend, compare, aggregate; no recurrence",
    parameters=382e3,
    parameters_source="Parikh et al. 2016, Table 1 (382 K, without vectors)",
    published={"snli": 86.3},
)
