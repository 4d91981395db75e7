"""S-TLSTM against recursion over the trees of one pair, without padding, masks or batches."""

from typing import Any, TypeAlias

import torch
from torch import Tensor

from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.syntactic_tree_lstm import Config, SyntacticTreeLSTM, TreeLSTM
from made.architectures import enhanced, pairs_of, small
from made.cases import refused

Nodes: TypeAlias = tuple[list[int], list[list[int]]]  # words, and the children of each inner node


def tree_lstm(layer: TreeLSTM, x: Tensor, children: list[list[int]]) -> Tensor:
    """Return the states of all nodes, words first, from their inputs; equations (4) to (10)."""
    words = len(x) - len(children)
    zero = torch.zeros(layer.inputs.out_features // 4)
    states: list[tuple[Tensor, Tensor]] = []
    for node, x_t in enumerate(x):
        below = [states[child] for child in children[node - words]] if node >= words else [(zero, zero)] * 2
        (h_l, c_l), (h_r, c_r) = below
        x_i, x_f, x_o, x_u = layer.inputs(x_t).chunk(4)
        i, f_l, f_r, o, u = (layer.recursion.weight @ torch.cat([h_l, h_r])).chunk(5)
        kept = torch.sigmoid(x_f + f_l) * c_l + torch.sigmoid(x_f + f_r) * c_r
        c = kept + torch.sigmoid(x_i + i) * torch.tanh(x_u + u)
        states.append((torch.sigmoid(x_o + o) * torch.tanh(c), c))
    return torch.stack([h for h, _ in states])


def reference(model: Any, premise: Nodes, hypothesis: Nodes) -> Any:
    """The logits of one pair."""
    encoded = []
    for words, tree in (premise, hypothesis):
        inner = model.inner.expand(len(tree), -1)
        encoded.append(tree_lstm(model.encoder, torch.cat([model.words.table.weight[words], inner]), tree))
    composed = []
    for own, other, (_, tree) in ((*encoded, premise), (*encoded[::-1], hypothesis)):
        composed.append(tree_lstm(model.composition, enhanced(model, own, other), tree))
    pools = (lambda v: v[-1], lambda v: v.mean(0), lambda v: v.amax(0))
    pooled = torch.cat([pool(v) for pool in pools for v in composed])
    return model.output(torch.tanh(model.hidden(pooled)))


def test_syntactic_trees_are_climbed_as_by_recursion() -> None:
    model = small(SyntacticTreeLSTM, Config(5, 4), 0.3)
    texts = [[5, 8, 13, 2, 30], [7], [22, 3, 9, 16]], [[8, 5], [31, 12, 4], [6, 22, 27, 1, 11, 19]]
    pairs = pairs_of(*texts, extra=3)
    premises, hypotheses = (
        [(words, tree[: len(words) - 1].tolist()) for words, tree in zip(side, of, strict=True)]
        for side, of in zip(texts, (pairs.premise.children, pairs.hypothesis.children), strict=True)
    )
    wanted = [reference(model, p, h) for p, h in zip(premises, hypotheses, strict=True)]
    torch.testing.assert_close(model(pairs), torch.stack(wanted), atol=1e-5, rtol=1e-5)


def test_a_batch_without_trees_is_refused() -> None:
    bare = Sentences(torch.tensor([[1, 2]]), torch.tensor([[True, True]]))
    model = small(SyntacticTreeLSTM, Config(5, 4))
    assert "needs trees, but the batch has none" in refused(model, Pairs(bare, bare))
