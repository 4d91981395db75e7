"""G-TLSTM: the Gumbel tree-LSTM encoder (Choi, Yoo and Lee, 2018, AAAI, arXiv 1707.02786).

An LSTM reads the words; then, step by step, two adjacent nodes are merged into a node of a binary tree-LSTM.
A learned query scores the merges: in training a merge is sampled by the straight-through Gumbel softmax, in
evaluation the best one is taken.  The defaults are the 300D model; the 600D model has ``hidden=600,
classifier_layers=3, dropout=0.2`` and 10.3 million parameters.  Released code:
jihunchoi/unsupervised-treelstm, ``model/treelstm.py``, ``model/basic.py``, ``snli/model.py``.

As in the released code, 1 is added to forget gates, and scores are divided by the square root of the width
(its earlier versions do not divide).

Batch normalisation uses the running statistics for a training batch of a single pair, which has no variance.
Effect: such a batch, at most one per epoch, trains on slightly different features instead of failing.

In evaluation a merge changes only the candidates next to the new node, so only those are composed again; the
function is the same.  In training all adjacent pairs are composed in each step, as in the released code:
candidates stored from the previous step would be equal, but would not pass on the straight-through gradients.

Trees are computed in float32 even if the rest is in half precision: a rounded score can change the whole
tree.

``recurrence="feedforward"`` (Nie et al. 2019, section 4.1) replaces the leaf LSTM and the tree by a fully
connected layer per word; the mean over the words takes the place of the root.

The number of epochs is an argument without a default in the released code; 20 with a patience of 5 is our
choice.  The rate is halved after each epoch without a better dev accuracy, as in the paper (the released code
evaluates ten times per epoch, with a patience of 10).

Pitfalls avoided: the released code composes all positions up to the longest sentence for all sentences, and
masks the softmax after computing it; here padding is neither composed nor scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, one_hot

from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Sentences
from crossexam.zoo.layers import (
    Dropout,
    FeedForward,
    Recurrence,
    SentenceEncoder,
    Sizes,
    WordEmbedding,
    masked_softmax,
    match,
)


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


class GumbelTreeLSTM(SentenceEncoder):
    """A sentence encoder that takes the root of a latent tree, and a classifier with batch normalisation.

    Shapes: B sentences, T words, w width of word vectors, h width of the sentence vector, m width of the
    classifier.

    >>> sum(p.numel() for p in GumbelTreeLSTM(Config(), Sizes(words=10)).parameters()) - 10 * 300
    2861547
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        h, m = config.hidden, config.classifier
        self.words = WordEmbedding(sizes.words, config.width, "fixed")
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
        """Return the vectors of *sentences*, the same for either *side*: [B, h]."""
        x = self.dropout(self.words(sentences.words))  # [B, T, w]
        encoded = self.encoder(x, sentences.mask)
        root: Tensor = encoded if isinstance(encoded, Tensor) else encoded.final  # [B, h]
        return root

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of sentences: [B, h], [B, h] -> [B, m]."""
        matched = match(premise, hypothesis)  # [B, 4h]
        hidden = self.classifier(self.dropout(_normalised(matched, self.match_norm)))  # [B, m]
        features: Tensor = self.dropout(_normalised(hidden, self.classifier_norm))  # [B, m]
        return features


def _normalised(x: Tensor, norm: nn.BatchNorm1d) -> Tensor:
    """Return *x* [B, m] normalised over the batch, or by the running statistics if B is 1."""
    if norm.training and len(x) == 1:
        return batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps)
    normalised: Tensor = norm(x)
    return normalised


class GumbelTree(nn.Module):
    """A leaf LSTM, and a tree-LSTM whose tree is chosen bottom-up.

    Shapes: B sentences, T words, R sentences that still have two nodes or more, K adjacent pairs of nodes in
    them, w width of word vectors, h hidden width.  A state is the hidden and the cell state concatenated.
    """

    def __init__(self, width: int, hidden: int, temperature: float, deviation: float) -> None:
        super().__init__()
        h = hidden
        self.leaf = nn.LSTMCell(width, h)
        self.composition = nn.Linear(2 * h, 5 * h)  # W_comp, b_comp of i, f_l, f_r, u, o
        self.query = nn.Parameter(torch.empty(h).normal_(std=deviation))  # q
        self.temperature = temperature
        nn.init.kaiming_normal_(self.leaf.weight_ih)
        nn.init.orthogonal_(self.leaf.weight_hh)
        nn.init.kaiming_normal_(self.composition.weight)
        for bias in (self.leaf.bias_ih, self.leaf.bias_hh, self.composition.bias):
            nn.init.zeros_(bias)
        nn.init.ones_(self.leaf.bias_ih.detach()[h : 2 * h])  # of the forget gate

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the roots' hidden states: [B, T, w] -> [B, h]."""
        lengths, longest_first = mask.sum(1).sort(descending=True, stable=True)  # [B]
        grow = self._sampled if self.training else self._best
        with torch.autocast(x.device.type, enabled=False):
            states = self._leaves(x.float())[longest_first]  # [B, T, 2h]
            roots = grow(states, lengths, lengths.tolist())  # [B, h]
        return roots[longest_first.argsort()]

    def _leaves(self, x: Tensor) -> Tensor:
        """Return the leaf LSTM's states: [B, T, w] -> [B, T, 2h]; those at padding are not used."""
        h = c = x.new_zeros(len(x), self.leaf.hidden_size)  # [B, h]
        states = []
        for word in x.unbind(1):
            h, c = self.leaf(word, (h, c))
            states.append(torch.cat([h, c], -1))
        return torch.stack(states, 1)

    def compose(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the states of the parents of *left* and *right* nodes: [K, 2h] each -> [K, 2h]."""
        (h_l, c_l), (h_r, c_r) = left.chunk(2, -1), right.chunk(2, -1)
        i, f_l, f_r, u, o = self.composition(torch.cat([h_l, h_r], -1)).chunk(5, -1)  # [K, h] each
        c = torch.sigmoid(f_l + 1) * c_l + torch.sigmoid(f_r + 1) * c_r + torch.sigmoid(i) * torch.tanh(u)
        return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], -1)

    def scores(self, states: Tensor) -> Tensor:
        """Return the scores of candidates, q . h / sqrt(d): [K, 2h] -> [K]."""
        h = states.chunk(2, -1)[0]
        result: Tensor = h @ self.query / h.shape[-1] ** 0.5
        return result

    def _sampled(self, states: Tensor, lengths: Tensor, counts: list[int]) -> Tensor:
        """Return the roots of sampled trees: states [B, T, 2h], longest sentence first -> [B, h].

        Nodes are packed sentence by sentence.  The sentences that are finished after a step come last.
        """
        nodes = states[torch.arange(states.shape[1], device=states.device) < lengths.unsqueeze(1)]
        roots: list[Tensor] = []
        for step in range(counts[0]):
            done = sum(count == step + 1 for count in counts)
            going = sum(count > step + 1 for count in counts)
            roots.append(nodes[len(nodes) - done :].chunk(2, -1)[0])
            nodes = nodes[: len(nodes) - done]
            if going:
                pairs = sum(count - step - 1 for count in counts[:going])
                nodes = self._merged(nodes, lengths[:going] - step - 1, pairs, counts[0] - step - 1)
        return torch.cat(roots[::-1])

    def _merged(self, nodes: Tensor, pairs: Tensor, total: int, most: int) -> Tensor:
        """Return the nodes after one merge in each of R sentences: [K + R, 2h] -> [K, 2h].

        *pairs* [R] are the numbers of their adjacent pairs, *total* is K, their sum, and *most* their
        maximum.
        """
        rows = torch.arange(len(pairs), device=nodes.device)
        row = rows.repeat_interleave(pairs, output_size=total)  # [K]
        pair = torch.arange(total, device=nodes.device)  # [K]
        left, right = nodes[pair + row], nodes[pair + row + 1]  # [K, 2h]
        parents = self.compose(left, right)  # [K, 2h]

        position = row * most + pair - (pairs.cumsum(0) - pairs)[row]  # [K], in the flattened [R, most]
        scores = parents.new_zeros(len(pairs) * most).index_copy(0, position, self.scores(parents))
        mask = torch.arange(most, device=nodes.device) < pairs.unsqueeze(1)  # [R, most]
        choice = self._choice(scores.view(len(pairs), most), mask)  # [R, most]
        before = choice.cumsum(1) - choice  # [R, most]: whether the merge is further left
        weights = torch.stack([choice, 1 - choice - before, before], -1)  # [R, most, 3]
        here, to_right, to_left = weights.flatten(0, 1)[position].chunk(3, -1)  # [K, 1] each
        return here * parents + to_right * left + to_left * right

    def _choice(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Return one-hot rows, sampled by softmax(scores), with the gradient of the softmax: [R, S]."""
        noisy = (scores + gumbel_noise(scores)) / self.temperature  # [R, S]
        soft = masked_softmax(noisy, mask)  # [R, S]
        hard = one_hot(soft.argmax(1), soft.shape[1]).to(soft.dtype)  # [R, S]
        return hard + (soft - soft.detach())

    def _best(self, states: Tensor, lengths: Tensor, counts: list[int]) -> Tensor:
        """Return the roots of the best trees: states [B, T, 2h], longest sentence first -> [B, h].

        The index of a node is that of its first word.  ``after`` and ``before`` link the remaining nodes;
        index T represents both ends of the sentence.
        """
        batch, end = states.shape[:2]
        position = torch.arange(end, device=states.device)
        states = torch.cat([states, states.new_zeros(batch, 1, states.shape[2])], 1)  # [B, T+1, 2h]
        after = torch.where(position + 1 < lengths.unsqueeze(1), position + 1, end)  # [B, T]
        after = torch.cat([after, after.new_full((batch, 1), end)], 1)  # [B, T+1]
        before = (
            torch.cat([position - 1, position.new_tensor([end - 1])]).expand(batch, -1).clone()
        )  # [B, T+1]
        before[:, 0] = end
        lowest = torch.finfo(states.dtype).min
        parents = torch.zeros_like(states)  # [B, T+1, 2h], of a node and the next
        scores = states.detach().new_full((batch, end + 1), lowest)  # [B, T+1]

        def update(row: Tensor, left: Tensor) -> None:
            right = after[row, left]
            parent = self.compose(states[row, left], states[row, right])
            parents[row, left] = parent
            real = (left < end) & (right < end)
            scores[row, left] = self.scores(parent.detach()).masked_fill(~real, lowest)

        update(*(after < end).nonzero(as_tuple=True))
        for step in range(1, counts[0]):
            row = torch.arange(sum(count > step for count in counts), device=states.device)  # [R]
            best = scores[row].argmax(1)  # [R]
            gone = after[row, best]  # [R]
            states[row, best] = parents[row, best]
            scores[row, gone] = lowest
            after[row, best] = after[row, gone]
            before[row, after[row, gone]] = best
            update(row.repeat(2), torch.cat([best, before[row, best]]))
        return states[:, 0].chunk(2, -1)[0]


def gumbel_noise(like: Tensor) -> Tensor:
    """Return samples of the standard Gumbel distribution, by torch's generator, in the shape of *like*."""
    return -torch.empty_like(like, requires_grad=False).exponential_().log()


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
