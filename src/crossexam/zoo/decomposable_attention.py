"""DAM: decomposable attention (Parikh, Täckström, Das and Uszkoreit, 2016, EMNLP, D16-1244, section 3).

No recurrence: each word is softly aligned with the words of the other sentence and compared with their
weighted mean, and the comparisons are summed.  This is the vanilla model, without intra-sentence attention.
Equation numbers are those of the paper.

Both sentences get a NULL word in front, so that a word may align with nothing.  The paper does not specify
its vector; here it is a random unit vector, fixed like all other vectors and saved with the weights.

Words without a vector: the paper hashes them to one of 100 random vectors drawn from N(0, 1).  Here each
such word of the training data has its own random row, and all words unseen in training share the row of the
unknown word, because a model reads ids, not spelling.  Effect: two different unseen words always have the
same vector (in the paper in one case in a hundred), seen ones never do.

The batch size is 16 instead of 4: the paper's 4 were combined with 10 asynchronous threads.  With weights as
small as the paper's and Adagrad, training starts on a plateau of several thousand steps at a loss near log 3;
public reimplementations (jack, allennlp) use 32 to 64 and stay there longer.  The patience is long for that
reason.

As in the paper all vectors are fixed, of length one, and projected without a bias.

Pitfalls avoided: padding in the attention and in the sums (in libowen2121's reimplementation logits vary by
8.3 standard deviations with the batch); an Adagrad accumulator that starts at 0 instead of 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, joined
from crossexam.zoo.layers import Dropout, Sizes, WordEmbedding, masked_softmax, packed_index


@dataclass(frozen=True)
class Config:
    """The paper's sizes (sections 4 and 5)."""

    width: int = 300  # of word vectors, GloVe
    hidden: int = 200  # of the projection and of every layer
    dropout: float = 0.2
    deviation: float = 0.01  # of the normal distribution that all weights are drawn from


class DecomposableAttention(nn.Module):
    """Attend, compare, aggregate.

    Shapes: B pairs, T words of the longest sentence including NULL, N real words of all sentences including
    NULL, U distinct ones, w width of word vectors, d hidden.
    a, b: projected words of premise and hypothesis; e: attention scores; beta, alpha: the words aligned with
    those of the premise and of the hypothesis; v_1, v_2: the compared sentences.

    >>> sum(p.numel() for p in DecomposableAttention(Config(), Sizes(words=10)).parameters()) - 10 * 300
    381803
    """

    null: Tensor

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        d = config.hidden
        self.words = WordEmbedding(sizes.words, config.width, "fixed")
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
        sentences = joined(pairs.premise, pairs.hypothesis)
        mask = functional.pad(sentences.mask, (1, 0), value=True)  # [2B, T]
        index = packed_index(mask)
        distinct, of = self._read(functional.pad(sentences.words, (1, 0))[mask])  # [U, d], [N]
        words = distinct.index_select(0, of)  # [N, d]
        # Without dropout all occurrences of a word have the same f.
        f = self.f(words) if self.training else self.f(distinct).index_select(0, of)  # [N, d]
        a, b = index.pad(words).chunk(2)  # [B, T, d] each
        f_a, f_b = index.pad(f).chunk(2)  # [B, T, d] each
        in_a, in_b = mask.unsqueeze(1).chunk(2)  # [B, 1, T] each
        e = f_a @ f_b.transpose(1, 2)  # (1) [B, T, T]
        beta = masked_softmax(e, in_b) @ b  # (2) [B, T, d]
        alpha = masked_softmax(e.transpose(1, 2), in_a) @ a  # (2) [B, T, d]
        aligned = index.pack(torch.cat([beta, alpha]))  # [N, d]
        v = index.sum_by_sentence(self.g(torch.cat([words, aligned], -1)))  # (3, 4) [2B, d]
        features: Tensor = self.h(torch.cat(v.chunk(2), -1))  # (5) [B, d]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def _read(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Return the projected distinct *words* [U, d], and the index of each of the N words among them.

        Word 0 is NULL.  The vectors are fixed and no dropout precedes the projection, so that projecting each
        distinct word once is enough.
        """
        distinct, of = torch.unique(words, return_inverse=True)  # [U], [N]
        vectors = self.words(distinct[1:])  # [U - 1, w]
        vectors = torch.cat([self.null.to(vectors.dtype).unsqueeze(0), vectors])  # [U, w]
        return self.projection(vectors), of


def _two_layers(width: int, hidden: int, dropout: float) -> nn.Sequential:
    """Return two ReLU layers with dropout before each (section 5: "for all ReLU layers")."""
    return nn.Sequential(
        Dropout(dropout),
        nn.Linear(width, hidden),
        nn.ReLU(),
        Dropout(dropout),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
    )


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
        "reimplementation in allennlp",
    ),
    paper="Parikh et al. 2016, A Decomposable Attention Model for Natural Language Inference, EMNLP",
    summary="DAM: attend, compare, aggregate; no recurrence",
    parameters=382e3,
    parameters_source="Parikh et al. 2016, Table 1 (382 K, without vectors)",
    published={"snli": 86.3},
)
