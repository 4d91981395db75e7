"""DiSAN against a reference that takes one sentence at a time, without padding, masks or batches."""

import pytest
import torch
from torch import Tensor

from crossexam.zoo import disan
from crossexam.zoo.disan import DirectionalAttention, DiSAN
from made.architectures import pairs_of, small

TEXTS = [[9, 37, 5, 17], [12], [4, 28, 39, 6, 11, 20, 3]]


def directional(layer: DirectionalAttention, x: Tensor, *, backward: bool) -> Tensor:
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


def reference(model: DiSAN, words: Tensor) -> Tensor:
    x = model.words.table.weight[words]
    earlier = directional(model.earlier, x, backward=False)
    u = torch.cat([earlier, directional(model.later, x, backward=True)], 1)
    f = model.scores(torch.nn.functional.elu(model.attention(u)))
    return (torch.softmax(f, 0) * u).sum(0)


@pytest.mark.parametrize("stored", [10**6, 1])  # all words in one block, and each in its own
def test_each_word_attends_feature_by_feature(stored: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disan, "_STORED", stored)  # beyond it, blocks are computed again
    model = small(DiSAN, disan.Config(5, 4, 3), 0.3).requires_grad_()
    wanted = torch.stack([reference(model, torch.tensor(text)) for text in TEXTS])
    found = model.encode(pairs_of(TEXTS, TEXTS, extra=4).premise, "premise")
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    layers = [*model.earlier.parameters(), *model.later.parameters()]
    for a, b in zip(*(torch.autograd.grad(u.square().sum(), layers) for u in (found, wanted)), strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)
    u, v = wanted.detach(), wanted.detach().roll(1, 0)
    matched = torch.cat([u, v, u - v, u * v], 1)  # the difference is signed
    features = torch.nn.functional.elu(model.hidden(matched))
    torch.testing.assert_close(model.compare(u, v), features, atol=1e-5, rtol=1e-5)
