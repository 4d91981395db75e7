"""G-TLSTM against the step over all nodes of one sentence, without padding, masks or batches."""

import pytest
import torch
from torch import Tensor

from crossexam.zoo import gumbel_tree_lstm
from crossexam.zoo.gumbel_tree_lstm import Config, GumbelTree, GumbelTreeLSTM
from made.architectures import SIZES, drawn


def gumbel() -> GumbelTree:
    torch.manual_seed(3)
    tree: GumbelTree = drawn(GumbelTree(5, 4, 0.5, 1.0))
    return tree


def parents(tree: GumbelTree, nodes: Tensor) -> Tensor:
    """Return h and c side by side of a parent over each two neighbours."""
    left, right = nodes[:-1], nodes[1:]
    i, f_l, f_r, u, o = tree.composition(torch.cat([left[:, :4], right[:, :4]], 1)).chunk(5, 1)
    kept = torch.sigmoid(f_l + 1) * left[:, 4:] + torch.sigmoid(f_r + 1) * right[:, 4:]
    c = kept + torch.sigmoid(i) * torch.tanh(u)
    return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], 1)


def straight_through_root(tree: GumbelTree, x: Tensor) -> Tensor:
    """The paper's step over all nodes of one sentence, without noise."""
    state, leaves = (torch.zeros(1, 4), torch.zeros(1, 4)), []
    for word in x:
        state = tree.leaf(word.unsqueeze(0), state)
        leaves.append(torch.cat(state, 1))
    nodes = torch.cat(leaves)
    while len(nodes) > 1:
        merged = parents(tree, nodes)
        soft = torch.softmax(merged[:, :4] @ tree.query / 4**0.5 / tree.temperature, 0)
        hard = torch.nn.functional.one_hot(soft.argmax(), len(soft))
        s = (hard - soft.detach() + soft).unsqueeze(1)
        until = s.cumsum(0)
        nodes = s * merged + (1 - until) * nodes[:-1] + (until - s) * nodes[1:]
    return nodes[0, :4]


def test_training_without_noise_has_the_straight_through_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gumbel_tree_lstm, "gumbel_noise", torch.zeros_like)
    batched, slow = gumbel().train(), gumbel()
    lengths = torch.tensor([4, 1, 7, 2, 3, 7])
    x = torch.randn(6, 9, 5, generator=torch.Generator().manual_seed(2))  # at padding, too
    mask = torch.arange(9) < lengths.unsqueeze(1)
    got = batched(x, mask)
    wanted = torch.stack([straight_through_root(slow, row[:n]) for row, n in zip(x, lengths, strict=True)])
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)
    evaluated = gumbel().eval()(x, mask)  # the best pair is merged each time
    torch.testing.assert_close(evaluated, wanted, atol=1e-5, rtol=1e-5)
    factor = torch.linspace(-1, 2, got.numel()).view_as(got)
    (got * factor).sum().backward()
    (wanted * factor).sum().backward()  # type: ignore[no-untyped-call]
    for (name, a), b in zip(batched.named_parameters(), slow.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, atol=1e-4, rtol=1e-4, msg=name)
    assert slow.query.grad is not None
    assert slow.query.grad.abs().max() > 1e-3  # the query learns from the choice alone


def test_a_training_batch_may_have_one_pair() -> None:
    model = GumbelTreeLSTM(Config(5, 4, 6, dropout=0.0), SIZES).train()
    assert torch.isfinite(model.compare(torch.randn(1, 4), torch.randn(1, 4))).all()
