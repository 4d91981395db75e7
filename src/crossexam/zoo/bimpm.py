"""BiMPM: bilateral multi-perspective matching (Wang, Hamza and Florian, 2017, IJCAI, arXiv 1702.03814).

Section 3: each word of each sentence is matched with the other sentence in four ways, for each direction of
the LSTM, under l perspectives.  A perspective is a vector of weights W_k, and a match the cosine of W_k o v1
and W_k o v2 (equations 3 and 4; o is the element-wise product).  Equation numbers are those of the paper.

This is the model of the paper, not of the 2018 release (zhiguowang/BiMPM), which also matches words, and has
highway layers, 5 perspectives and a different attention.  The same W are used to match the premise with the
hypothesis and in reverse, since the paper has one set, W^1 to W^8, and "the reverse direction" by analogy.

Vectors of pairs of words, [B, S, T, h], are never computed.  The numerator of a cosine is a matrix product of
v1 o v2 with W o W, its norms are products of v o v with W o W; the cosines of all pairs of words, which the
maximum needs, are one batched product of [l * S, h] with [h, T], shared by both directions of matching.

The attentive vector is a mean weighted by cosines and divided by their sum (7, 8), which may be near 0: the
divisor is kept away from 0, with its sign.  The size of the sum does not change the cosine, its sign does.
Max-attentive is the vector with the highest cosine, as in the paper, not an element-wise maximum.

The prediction layer has one tanh layer of half the width of its input, as in the released code; the paper
says "two layer feed-forward neural network".  Batch size, clipping and number of epochs are the release's.

The paper does not state the number of parameters; CAFE's Table 1 lists 1.6 million for a different model
(87.5 % on SNLI instead of 86.9).  The number here is counted from section 4.1.

Pitfalls avoided: full matching with the state after padding, means and maxima over padding (in galsang's
reimplementation 34 of 64 predictions vary with the batch).

``recurrence="feedforward"`` replaces all three LSTMs; the final state is then the mean over words and, within
a word, over characters.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, joined
from crossexam.zoo.layers import (
    Dropout,
    Recurrence,
    Sizes,
    WordEmbedding,
    at_spellings,
    context_layer,
    masked_max_index,
    zero_padding,
)

_SMALLEST_SQUARE = 1e-6  # under the root of a norm, as in the released code
_SMALLEST_SUM = 1e-6  # of attention weights


@dataclass(frozen=True)
class Config:
    """The paper's sizes (section 4.1, "Experiment Settings")."""

    width: int = 300  # of word vectors, GloVe 840B
    letters: int = 20  # of the vector of a character
    spelling: int = 50  # of the word vector that an LSTM computes from them
    hidden: int = 100  # of the BiLSTMs, per direction
    perspectives: int = 20  # l; section 4.2, best of 1 to 20
    dropout: float = 0.1  # on every layer
    recurrence: Recurrence = "lstm"


class BiMPM(nn.Module):
    """Word representations, context, matching in both directions, aggregation, prediction.

    Shapes: B pairs, S words of a premise and T of a hypothesis, h hidden, l perspectives.
    p, q: the words of premise and hypothesis, then their states, then their matches with the other sentence.

    >>> model = BiMPM(Config(), Sizes(words=10, characters=100))
    >>> sum(p.numel() for p in model.parameters()) - 10 * 300
    684403
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        h, kind = config.hidden, config.recurrence
        self.words = WordEmbedding(sizes.words, config.width, "fixed")
        self.letters = nn.Embedding(sizes.characters, config.letters, padding_idx=0)
        self.spelling = context_layer(config.letters, config.spelling, recurrence=kind, bidirectional=False)
        self.context = context_layer(config.width + config.spelling, h, recurrence=kind)
        self.forward_matching = Matching(h, config.perspectives)  # W^1, W^3, W^5, W^7
        self.backward_matching = Matching(h, config.perspectives)  # W^2, W^4, W^6, W^8
        self.aggregation = context_layer(8 * config.perspectives, h, recurrence=kind)
        self.hidden = nn.Linear(4 * h, 2 * h)
        self.output = nn.Linear(2 * h, 3)
        self.dropout = Dropout(config.dropout)

    def features(self, pairs: Pairs) -> Tensor:
        """Return the prediction layer's hidden layer: [B, 2h]."""
        in_p, in_q = pairs.premise.mask, pairs.hypothesis.mask  # [B, S], [B, T]
        words_p, words_q = self._represent(pairs)  # [B, S, 350], [B, T, 350]
        p, q = self.context(words_p, in_p), self.context(words_q, in_q)  # (1, 2) [B, S, 2h], [B, T, 2h]
        p_states, q_states = self.dropout(p.states), self.dropout(q.states)
        matches = [
            match(one_p, self.dropout(p.hidden[way]), in_p, one_q, self.dropout(q.hidden[way]), in_q)
            for way, (match, one_p, one_q) in enumerate(
                zip(
                    (self.forward_matching, self.backward_matching),
                    p_states.chunk(2, -1),
                    q_states.chunk(2, -1),
                    strict=True,
                )
            )
        ]  # two of [B, S, 4l], [B, T, 4l]
        p_matches, q_matches = (torch.cat(each, -1) for each in zip(*matches, strict=True))  # [B, S, 8l], ...
        p = self.aggregation(self.dropout(p_matches), in_p).final  # [B, 2h]
        q = self.aggregation(self.dropout(q_matches), in_q).final  # [B, 2h]
        both = self.dropout(torch.cat([p, q], -1))  # [B, 4h]
        features: Tensor = self.dropout(torch.tanh(self.hidden(both)))  # [B, 2h]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def _represent(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Return word vectors and the final states of the character LSTM, concatenated."""
        sentences = joined(pairs.premise, pairs.hypothesis)
        assert sentences.characters is not None  # the architecture needs them
        spelling = at_spellings(self._spell, sentences.characters, sentences.mask)  # [2B, max(S, T), ...]
        words = self.dropout(torch.cat([self.words(sentences.words), spelling], -1))
        p, q = words.chunk(2)
        return p[:, : pairs.premise.words.shape[1]], q[:, : pairs.hypothesis.words.shape[1]]

    def _spell(self, letters: Tensor) -> Tensor:
        """Return the final states of the character LSTM: [N, C] -> [N, spelling]."""
        inside = letters != 0  # [N, C]
        inside[:, 0] = True  # a word without a known character
        final: Tensor = self.spelling(self.letters(letters), inside).final  # [N, spelling]
        return final


class Matching(nn.Module):
    """The four matchings of two sentences for one direction of the LSTM, under l perspectives.

    Shapes: B pairs, S words of a premise and T of a hypothesis, h width of the states.
    p, q: states of premise and hypothesis; p_end, q_end: the final ones; alpha: cosines of all words.
    """

    def __init__(self, hidden: int, perspectives: int) -> None:
        super().__init__()
        # W of full, max-pooling, attentive and max-attentive matching
        self.weight = nn.Parameter(torch.empty(4, perspectives, hidden))
        for each in self.weight.detach():
            nn.init.xavier_uniform_(each)

    def forward(
        self, p: Tensor, p_end: Tensor, in_p: Tensor, q: Tensor, q_end: Tensor, in_q: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the matches of p's words with q, [B, S, 4l], and of q's words with p, [B, T, 4l]."""
        alpha = _unit(p) @ _unit(q).transpose(1, 2)  # (7) [B, S, T]
        pairwise = cosines(p, q, self.weight[1])  # [B, l, S, T]
        p_most, _ = masked_max_index(pairwise, in_q[:, None, None, :], -1)  # (6) [B, l, S]
        q_most, _ = masked_max_index(pairwise, in_p[:, None, :, None], -2)  # (6) [B, l, T]
        p_matches = self._match(p, p_most, alpha, q, q_end, in_q)  # [B, S, 4l]
        q_matches = self._match(q, q_most, alpha.transpose(1, 2), p, p_end, in_p)  # [B, T, 4l]
        return zero_padding(p_matches, in_p), zero_padding(q_matches, in_q)

    def _match(
        self, p: Tensor, p_most: Tensor, alpha: Tensor, q: Tensor, q_end: Tensor, in_q: Tensor
    ) -> Tensor:
        """Return the matches of p's words with the other sentence, q: [B, S, 4l]."""
        full, _, attentive, nearest = self.weight
        return torch.cat(
            [
                cosine(p, q_end.unsqueeze(1), full),  # (5) [B, S, l]
                p_most.transpose(1, 2),  # [B, S, l]
                cosine(p, weighted_mean(alpha, q, in_q), attentive),  # (9) [B, S, l]
                cosine(p, most_similar(alpha, q, in_q), nearest),  # [B, S, l]
            ],
            -1,
        )


def cosine(v_1: Tensor, v_2: Tensor, weight: Tensor) -> Tensor:
    """Return f_m, the cosines of W_k o v_1 and W_k o v_2 (3, 4): [B, S, l].

    *v_1* is [B, S, h], *v_2* [B, S, h] or [B, 1, h], *weight* W is [l, h].

    >>> v = torch.tensor([[[3.0, 4.0]]])
    >>> cosine(v, torch.tensor([[[4.0, 3.0]]]), torch.tensor([[1.0, 1.0], [1.0, 0.0]]))  # 24 / 25, 1
    tensor([[[0.9600, 1.0000]]])
    """
    squares = weight.square().t()  # W o W [h, l]
    return (v_1 * v_2) @ squares / (_norm(v_1, squares) * _norm(v_2, squares))


def cosines(p: Tensor, q: Tensor, weight: Tensor) -> Tensor:
    """Return f_m of every word of p with every word of q: [B, S, h], [B, T, h], [l, h] -> [B, l, S, T]."""
    squares = weight.square()  # [l, h]
    scaled = p.unsqueeze(1) * squares[:, None]  # [B, l, S, h]
    products = scaled.flatten(1, 2) @ q.transpose(1, 2)  # [B, l * S, h] @ [B, h, T]
    of_p, of_q = (_norm(each, squares.t()).transpose(1, 2) for each in (p, q))  # [B, l, S], [B, l, T]
    return products.view(*scaled.shape[:3], -1) / (of_p.unsqueeze(-1) * of_q.unsqueeze(2))


def weighted_mean(alpha: Tensor, q: Tensor, in_q: Tensor) -> Tensor:
    """Return the mean of q's words weighted by cosines (8): [B, S, T], [B, T, h], [B, T] -> [B, S, h]."""
    alpha = alpha.masked_fill(~in_q.unsqueeze(1), 0.0)
    total = alpha.sum(-1, keepdim=True)  # [B, S, 1]
    divisor = torch.where(total < 0, total.clamp(max=-_SMALLEST_SUM), total.clamp(min=_SMALLEST_SUM))
    return alpha @ q / divisor


def most_similar(alpha: Tensor, q: Tensor, in_q: Tensor) -> Tensor:
    """Return for each word of p the word of q with the highest cosine: [B, S, T], [B, T, h] -> [B, S, h]."""
    _, index = masked_max_index(alpha, in_q.unsqueeze(1))  # [B, S]
    return q.gather(1, index.unsqueeze(-1).expand(-1, -1, q.shape[-1]))


def _norm(v: Tensor, squares: Tensor) -> Tensor:
    """Return the lengths of W_k o v: [B, S, h], [h, l] -> [B, S, l]."""
    return (v.square() @ squares).clamp(min=_SMALLEST_SQUARE).sqrt()


def _unit(v: Tensor) -> Tensor:
    """Return *v* scaled to length one: [B, S, h]."""
    return v / v.square().sum(-1, keepdim=True).clamp(min=_SMALLEST_SQUARE).sqrt()


ARCHITECTURE = Architecture(
    name="bimpm",
    build=BiMPM,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=1e-3,
        batch_size=100,
        epochs=10,
        clip=10.0,
        vectors="fixed",
        source="Wang et al. 2017, section 4.1; batch, clip and epochs: zhiguowang/BiMPM, snli.sample.config",
    ),
    paper="Wang et al. 2017, Bilateral Multi-Perspective Matching for Natural Language Sentences, IJCAI",
    summary="BiMPM: four matchings in both directions under 20 perspectives",
    parameters=684e3,
    parameters_source="counted at the sizes of section 4.1 and 100 characters; the paper gives none",
    published={"snli": 86.9},
    needs=("characters",),
)
