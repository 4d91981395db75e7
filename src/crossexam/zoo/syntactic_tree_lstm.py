"""S-TLSTM: the syntactic tree-LSTM of HIM (Chen, Zhu, Ling, Wei, Jiang and Inkpen, 2017, ACL, P17-1152).

ESIM with tree-LSTMs over the binary parses in place of its BiLSTMs: sections 3.1 to 3.3, with their equation
numbers.  What the paper leaves open follows the released code (lukecq1231/nli,
scripts/TreeLSTM_IM/main.py): attention between all nodes of the two trees, no dropout after the projection,
pooling of the two roots besides mean and maximum, and the initial weights (gates orthogonal, all others from
N(0, 0.01^2), biases zero; for non-square gates, which do not occur at the paper's size, the code uses
N(0, 0.01^2) too: see ESIM).

The input x' of inner nodes in the first tree-LSTM is a separate vector ("like an unknown word", section 3.1).
The released code looks inner nodes up as the unknown word, so that they share and train its vector.
Effect: 300 more parameters, and unknown words have a vector to themselves.

The released code takes maxima of states multiplied by the mask, so that padding keeps every maximum from
falling below 0; here padding is excluded.  Effect: logits do not depend on the batch.

The released code skips training pairs of more than 500 nodes (250 words); here longer sentences are truncated
in training.  Effect: none on SNLI.

Nie et al. 2019 call the tree a dependency parse; paper and code read the binarised constituency parse
provided with SNLI, and so do we.  For corpora without parses ``crossexam.zoo.trees`` builds right-branching
trees.

``recurrence="feedforward"`` (Nie et al. 2019, section 4.1) replaces each tree-LSTM by a fully connected layer
per node: the tree is not read, and all inner nodes of the first layer are alike.

Pitfalls avoided: the released code takes one step per node and multiplies the states of all nodes by masks
[T, B, T] in each; here all nodes of one height, in both sentences of all pairs, are one step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from crossexam.core.errors import CrossexamError
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import (
    Dropout,
    Recurrence,
    Sizes,
    WordEmbedding,
    last_state,
    masked_max,
    masked_mean,
    masked_softmax,
)
from crossexam.zoo.trees import TreeBatch, tree_batch


@dataclass(frozen=True)
class Config:
    """The paper's sizes (section 4, "Training")."""

    width: int = 300  # of word vectors, GloVe 840B
    hidden: int = 300  # of the tree-LSTMs, of the projection and of the classifier
    dropout: float = 0.5  # on word vectors and on both inputs of the classifier: main.py, build_model
    deviation: float = 0.01  # of the weights outside the tree-LSTMs: main.py, norm_weight
    recurrence: Recurrence = "lstm"


class TreeLSTM(nn.Module):
    """The binary tree-LSTM of section 3.1, with inputs at all nodes.

    Shapes: n nodes of one height, M nodes of a batch, w width of inputs, d width of states.  A state is the
    hidden and the cell state concatenated.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.inputs = nn.Linear(width, 4 * hidden)  # W and b of i, f, o, u
        self.recursion = nn.Linear(2 * hidden, 5 * hidden, bias=False)  # U^L, U^R of i, f^L, f^R, o, u
        nn.init.zeros_(self.inputs.bias)
        for weight, columns in ((self.inputs.weight, width), (self.recursion.weight, hidden)):
            for gate in torch.split(weight.detach(), hidden):
                for block in torch.split(gate, columns, 1):
                    nn.init.orthogonal_(block)

    def leaf(self, x: Tensor) -> Tensor:
        """Return the states of words, whose children are zero: [n, 4d] -> [n, 2d]."""
        i, _, o, u = x.chunk(4, -1)  # [n, d] each
        c = torch.sigmoid(i) * torch.tanh(u)  # (6) [n, d]
        return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], -1)  # (4) [n, 2d]

    def inner(self, x: Tensor, children: Tensor) -> Tensor:
        """Return the states of inner nodes: inputs [n, 4d] and children [n, 2, 2d] -> [n, 2d]."""
        h, c = children.chunk(2, -1)  # [n, 2, d] each
        c_left, c_right = c.unbind(1)  # [n, d] each
        i, f, o, u = x.chunk(4, -1)  # [n, d] each
        u_i, u_left, u_right, u_o, u_u = self.recursion(h.flatten(1)).chunk(5, -1)  # [n, d] each
        forgotten = torch.sigmoid(f + u_left) * c_left + torch.sigmoid(f + u_right) * c_right  # (7, 8)
        c = forgotten + torch.sigmoid(i + u_i) * torch.tanh(u + u_u)  # (6, 9, 10) [n, d]
        return torch.cat([torch.sigmoid(o + u_o) * torch.tanh(c), c], -1)  # (4, 5) [n, 2d]

    def forward(self, x: Tensor, trees: TreeBatch) -> Tensor:
        """Return the hidden states of all nodes: [M, w] -> [M, d] (3)."""
        states = trees.bottom_up(self.inputs(x), self.leaf, self.inner)  # [M, 2d]
        h: Tensor = states.chunk(2, -1)[0]
        return h


class NodeLayer(nn.Module):
    """A fully connected layer per node, which does not read the tree."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, hidden)

    def forward(self, x: Tensor, trees: TreeBatch) -> Tensor:
        """Return the states of all nodes: [M, w] -> [M, d]."""
        return torch.relu(self.layer(x))


class SyntacticTreeLSTM(nn.Module):
    """Encode all nodes, align them, compose, pool.

    Shapes: B pairs, T words of the longest sentence, N = 2T-1 nodes, M real nodes of premises and hypotheses
    together, w width of word vectors, d width of states.  Premises are the first B of 2B trees.
    a: encoded nodes (with a bar in the paper, which calls those of hypotheses b); e: attention scores;
    a_: aligned nodes (with a tilde); m: enhanced nodes; v: composed nodes.

    >>> sum(p.numel() for p in SyntacticTreeLSTM(Config(), Sizes(words=10)).parameters()) - 10 * 300
    3424203
    """

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        w, d = config.width, config.hidden
        self.words = WordEmbedding(sizes.words, w)
        self.inner = nn.Parameter(torch.empty(w).normal_(std=config.deviation))  # x' of section 3.1
        self.encoder = _tree_layer(w, config)
        self.composition = _tree_layer(d, config)
        self.projection = nn.Linear(4 * d, d)  # F of section 3.3
        self.hidden = nn.Linear(6 * d, d)
        self.output = nn.Linear(d, 3)
        self.dropout = Dropout(config.dropout)
        for layer in (self.projection, self.hidden, self.output):
            nn.init.normal_(layer.weight, std=config.deviation)
            nn.init.zeros_(layer.bias)

    def features(self, pairs: Pairs) -> Tensor:
        """Return the classifier's hidden layer: [B, d]."""
        trees, words = _joint_trees(pairs)
        leaves = self.words(words)  # [leaves, w]
        inner = self.inner.expand(len(trees.position) - len(words), -1)  # [M - leaves, w]
        a = self.encoder(self.dropout(torch.cat([leaves, inner])), trees)  # (3) [M, d]
        a_ = trees.pack(_aligned(trees.pad(a), trees.mask))  # [M, d]
        m = torch.cat([a, a_, a - a_, a * a_], -1)  # (14, 15) [M, 4d]
        v = self.composition(torch.relu(self.projection(m)), trees)  # (16, 17) [M, d]
        v = self._pooled(trees.pad(v), trees.mask)  # [B, 6d]
        features: Tensor = self.dropout(torch.tanh(self.hidden(self.dropout(v))))  # [B, d]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def _pooled(self, v: Tensor, mask: Tensor) -> Tensor:
        """Return the roots, means and maxima of premise and hypothesis: [2B, N, d] -> [B, 6d]."""
        pools = (last_state(v, mask), masked_mean(v, mask), masked_max(v, mask))  # [2B, d] each
        return torch.cat([side for pool in pools for side in pool.chunk(2)], -1)  # (18 to 20)


def _tree_layer(width: int, config: Config) -> TreeLSTM | NodeLayer:
    """Return a tree-LSTM, or the layer that replaces it if ``recurrence`` is ``feedforward``."""
    if config.recurrence == "lstm":
        return TreeLSTM(width, config.hidden)
    return NodeLayer(width, config.hidden)


def _joint_trees(pairs: Pairs) -> tuple[TreeBatch, Tensor]:
    """Return the trees of premises and hypotheses as one batch, and the words at its leaves, in its order."""
    sides = (pairs.premise, pairs.hypothesis)
    longest = max(side.words.shape[1] for side in sides)
    parts = [(*_trees_of(side), side.words, longest - side.words.shape[1]) for side in sides]
    children = torch.cat([pad(c, (0, 0, 0, more)) for c, _, _, more in parts])  # [2B, T-1, 2]
    levels = torch.cat([pad(levels, (0, more)) for _, levels, _, more in parts])  # [2B, T-1]
    words = torch.cat([pad(words, (0, more)) for _, _, words, more in parts])  # [2B, T]
    lengths = torch.cat([side.lengths for side in sides])  # [2B]
    trees = tree_batch(children, levels, lengths)
    leaves = trees.position[: trees.leaves]
    nodes = trees.mask.shape[1]
    return trees, words[leaves // nodes, leaves % nodes]


def _trees_of(sentences: Sentences) -> tuple[Tensor, Tensor]:
    """Return children and levels of *sentences*; raises CrossexamError if they have no trees."""
    if sentences.children is None or sentences.levels is None:
        raise CrossexamError(
            "syntactic_tree_lstm needs trees, but the batch has none",
            wanted="Sentences with children and levels",
            hint="build them with crossexam.zoo.trees.tree_over and tree_tensors; no parse is needed",
        )
    return sentences.children, sentences.levels


def _aligned(nodes: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the other tree's nodes, weighted by attention: [2B, N, d] -> [2B, N, d]."""
    other = torch.cat(list(reversed(nodes.chunk(2))))  # [2B, N, d]
    in_other = torch.cat(list(reversed(mask.chunk(2)))).unsqueeze(1)  # [2B, 1, N]
    e = nodes @ other.transpose(1, 2)  # (11) [2B, N, N]
    return masked_softmax(e, in_other) @ other  # (12, 13) [2B, N, d]


ARCHITECTURE: Final = Architecture(
    name="syntactic_tree_lstm",
    build=SyntacticTreeLSTM,
    config=Config(),
    recipe=Recipe(
        optimizer="adam",
        learning_rate=4e-4,
        batch_size=32,
        epochs=50,
        source="lukecq1231/nli, scripts/TreeLSTM_IM/train.py; its 5,000 epochs are never reached",
        schedule="halve-and-restore",
        patience=8,
        clip=10.0,
        max_length=250,
    ),
    paper="Chen et al. 2017, Enhanced LSTM for Natural Language Inference, ACL, the tree-LSTM of HIM",
    summary="S-TLSTM: ESIM with tree-LSTMs over the binary parses",
    parameters=3_423_903,
    parameters_source="counted on the released code, whose inner nodes have the unknown word's vector",
    published={"snli": 87.8},
    needs=("trees",),
)
