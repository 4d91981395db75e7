"""DAM against its equations, of one unpadded pair at a time."""

import torch

from crossexam.zoo.decomposable_attention import Config, DecomposableAttention
from made.architectures import PAIRS, aligned, close, each_pair, small


def test_decomposable_attention_is_that_of_each_pair_alone() -> None:
    model = small(DecomposableAttention, Config(width=6, hidden=5))
    wanted = []
    for sides in each_pair(model):
        a, b = (torch.stack([model.null, *words]) @ model.projection.weight.T for words in sides)
        v_1 = model.g(torch.cat([a, aligned(a, b, model.f(a), model.f(b))], -1)).sum(0)
        v_2 = model.g(torch.cat([b, aligned(b, a, model.f(b), model.f(a))], -1)).sum(0)
        wanted.append(model.output(model.h(torch.cat([v_1, v_2]))))
    close(model(PAIRS), torch.stack(wanted))
