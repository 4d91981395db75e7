"""Small models of the zoo with weights drawn anew, and what their equations are written with."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from crossexam.zoo.layers import Sizes

SIZES = Sizes(words=40, characters=14, tags=9)
PREMISES = [[3, 17, 8, 22, 5], [9, 31], [12], [4, 28, 39, 6, 11, 20]]
HYPOTHESES = [[17, 8, 30], [2, 9, 13, 25, 31, 7, 16], [1, 12, 36, 21], [14]]


def drawn(model: Any, deviation: float = 0.3) -> Any:
    """The model in evaluation with all weights drawn anew, biases too: at their start many are zero."""
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=deviation)
    return model.eval()


def small(build: Any, config: Any, deviation: float = 0.4) -> Any:
    torch.manual_seed(3)
    return drawn(build(config, SIZES), deviation).requires_grad_(False)


def aligned(a: Tensor, b: Tensor, by_a: Tensor, by_b: Tensor) -> Tensor:
    """What each row of a attends to in b, where by_a and by_b are what is compared by a product."""
    return torch.stack([torch.softmax(by_b @ each, 0) @ b for each in by_a])


def close(got: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-4)


def each_pair(model: Any) -> Iterator[list[Tensor]]:
    """The vectors of the unpadded words of each pair."""
    for sides in zip(PREMISES, HYPOTHESES, strict=True):
        yield [model.words.table.weight[words] for words in sides]


def alone(layer: nn.LSTM, words: Tensor, start: Any = None) -> tuple[Tensor, Any]:
    """The states of one unpadded sentence, and its final states."""
    states, final = layer(words.unsqueeze(0), start)
    return states[0], final


def enhanced(model: Any, ours: Tensor, other: Tensor) -> Tensor:
    """What is composed of one side: equations 11 to 15 of ESIM, without scale or projection of the scores."""
    found = aligned(ours, other, ours, other)
    m = torch.cat([ours, found, ours - found, ours * found], -1)
    projected: Tensor = model.projection(m).relu()
    return projected
