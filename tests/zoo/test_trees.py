"""Trees, the two models that climb them, and DiSAN, against slow references that take one sentence at a time.

References follow the papers' equations with Python loops, without padding, masks or batches.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import torch
from torch import Tensor

from crossexam.zoo import disan, gumbel_tree_lstm
from crossexam.zoo.disan import DirectionalAttention, DiSAN
from crossexam.zoo.gumbel_tree_lstm import Config as GumbelConfig
from crossexam.zoo.gumbel_tree_lstm import GumbelTree, GumbelTreeLSTM
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes
from crossexam.zoo.syntactic_tree_lstm import Config as SyntacticConfig
from crossexam.zoo.syntactic_tree_lstm import SyntacticTreeLSTM, TreeLSTM
from crossexam.zoo.trees import parse_binary, right_branching, tree_over

SIZES = Sizes(words=40)

# Text and tables


def test_nodes_of_a_parse_come_after_their_children_by_height() -> None:
    words, tree = parse_binary("( ( a ( b -LRB- ) ) ( 1\xa01/2 d ) )")
    assert words == ["a", "b", "-LRB-", "1\xa01/2", "d"]
    assert tree.tolist() == [[1, 2, 1], [3, 4, 1], [0, 5, 2], [7, 6, 3]]


def test_broken_parses_are_named_and_a_bracket_around_one_part_is_no_node(
    refused: Callable[..., str],
) -> None:
    for parse, message in (
        ("( A tall man )", "character 13: brackets around 3 constituents"),
        ("( A man", "character 7: unmatched opening bracket"),
        ("( A man ) )", "character 10: unmatched closing bracket"),
        ("A man", "character 5: 2 trees in one parse"),
        ("", "character 0: 0 trees in one parse"),
    ):
        assert refused(parse_binary, parse).startswith(f"{message}\n")
    for parse in ("Eating", "( Eating )", "( ( Eating ) )"):
        words, tree = parse_binary(parse)
        assert (words, tree.shape) == (["Eating"], (0, 3))


def test_the_tree_over_a_sentence_is_its_own_parse_or_right_branching(refused: Callable[..., str]) -> None:
    assert right_branching(4).tolist() == parse_binary("( a ( b ( c d ) ) )")[1].tolist()
    assert tree_over(["A", "man", "("], "( ( a man ) -LRB- )").tolist() == [[0, 1, 1], [3, 2, 2]]
    said = refused(tree_over, ["a", "man"], "( ( a man ) left )")
    assert "'a man': the binary parse has 3 words, but the sentence has 2" in said
    assert right_branching(3).tolist() == tree_over(["a", "man", "left"], None).tolist()
    bare = Sentences(torch.tensor([[1, 2]]), torch.tensor([[True, True]]))
    assert "needs trees, but the batch has none" in refused(syntactic(), Pairs(bare, bare))


# S-TLSTM

Nodes: TypeAlias = tuple[list[int], list[list[int]]]  # words, and the children of each inner node


def shaken(model: Any) -> Any:
    """Draw all weights anew: at their start many are zero."""
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def syntactic() -> SyntacticTreeLSTM:
    torch.manual_seed(0)
    made: SyntacticTreeLSTM = shaken(SyntacticTreeLSTM(SyntacticConfig(5, 4), SIZES)).eval()
    return made


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


def syntactic_reference(model: Any, premise: Nodes, hypothesis: Nodes) -> Tensor:
    """The logits of one pair."""
    encoded = []
    for words, tree in (premise, hypothesis):
        inner = model.inner.expand(len(tree), -1)
        encoded.append(tree_lstm(model.encoder, torch.cat([model.words.table.weight[words], inner]), tree))
    composed = []
    for own, other, (_, tree) in ((*encoded, premise), (*encoded[::-1], hypothesis)):
        aligned = torch.softmax(own @ other.T, 1) @ other
        enhanced = torch.relu(model.projection(torch.cat([own, aligned, own - aligned, own * aligned], 1)))
        composed.append(tree_lstm(model.composition, enhanced, tree))
    pools = (lambda v: v[-1], lambda v: v.mean(0), lambda v: v.amax(0))
    pooled = torch.cat([pool(v) for pool in pools for v in composed])
    logits: Tensor = model.output(torch.tanh(model.hidden(pooled)))
    return logits


def test_syntactic_trees_are_climbed_as_by_recursion(pairs_of: Callable[..., Any]) -> None:
    model = syntactic()
    texts = [[5, 8, 13, 2, 30], [7], [22, 3, 9, 16]], [[8, 5], [31, 12, 4], [6, 22, 27, 1, 11, 19]]
    pairs = pairs_of(*texts, extra=3)
    premises, hypotheses = (
        [(words, tree[: len(words) - 1].tolist()) for words, tree in zip(side, of, strict=True)]
        for side, of in zip(texts, (pairs.premise.children, pairs.hypothesis.children), strict=True)
    )
    wanted = [syntactic_reference(model, p, h) for p, h in zip(premises, hypotheses, strict=True)]
    torch.testing.assert_close(model(pairs), torch.stack(wanted), atol=1e-5, rtol=1e-5)


# G-TLSTM


def gumbel() -> GumbelTree:
    torch.manual_seed(3)
    tree: GumbelTree = shaken(GumbelTree(5, 4, 0.5, 1.0))
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
    model = GumbelTreeLSTM(GumbelConfig(5, 4, 6, dropout=0.0), SIZES).train()
    assert torch.isfinite(model.compare(torch.randn(1, 4), torch.randn(1, 4))).all()


# DiSAN

TEXTS = [[9, 37, 5, 17], [12], [4, 28, 39, 6, 11, 20, 3]]


def attentive() -> DiSAN:
    torch.manual_seed(0)
    made: DiSAN = shaken(DiSAN(disan.Config(5, 4, 3), SIZES)).eval()
    return made


def directional_reference(layer: DirectionalAttention, x: Tensor, *, backward: bool) -> Tensor:
    h = torch.nn.functional.elu(layer.states(x))
    out = []
    for i in range(len(x)):
        visible = h[i + 1 :] if backward else h[:i]
        s = torch.zeros(h.shape[1])
        if len(visible):
            f = 5 * torch.tanh((layer.seen(visible) + layer.seeing(h[i])) / 5)
            s = (torch.softmax(f, 0) * visible).sum(0)
        gate = torch.sigmoid(layer.gate_seen(s) + layer.gate_states(h[i]))
        out.append(gate * h[i] + (1 - gate) * s)
    return torch.stack(out)


def disan_reference(model: DiSAN, words: Tensor) -> Tensor:
    x = model.words.table.weight[words]
    earlier = directional_reference(model.earlier, x, backward=False)
    u = torch.cat([earlier, directional_reference(model.later, x, backward=True)], 1)
    f = model.scores(torch.nn.functional.elu(model.attention(u)))
    return (torch.softmax(f, 0) * u).sum(0)


@pytest.mark.parametrize("stored", [10**6, 1])  # all words in one block, and each in its own
def test_each_word_attends_feature_by_feature(
    stored: int, pairs_of: Callable[..., Pairs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disan, "_STORED", stored)  # beyond it, blocks are computed again
    model = attentive()
    wanted = torch.stack([disan_reference(model, torch.tensor(text)) for text in TEXTS])
    found = model.encode(pairs_of(TEXTS, TEXTS, extra=4).premise, "premise")
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    layers = [*model.earlier.parameters(), *model.later.parameters()]
    for a, b in zip(*(torch.autograd.grad(u.square().sum(), layers) for u in (found, wanted)), strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)
    u, v = wanted.detach(), wanted.detach().roll(1, 0)
    matched = torch.cat([u, v, u - v, u * v], 1)  # the difference is signed
    features = torch.nn.functional.elu(model.hidden(matched))
    torch.testing.assert_close(model.compare(u, v), features, atol=1e-5, rtol=1e-5)
