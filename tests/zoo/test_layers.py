"""Reductions over padding, dropout from few random numbers, LSTMs in groups."""

import pytest
import torch

from crossexam.zoo import layers
from crossexam.zoo.layers import LSTM, dropout

MASK = torch.tensor([[True, True, False], [True, False, False], [True, True, True]])


def test_padding_counts_in_no_reduction() -> None:
    """Each is that of the words of a sentence alone, whatever stands at its padding."""
    states = torch.randn(3, 3, 4, generator=torch.Generator().manual_seed(2))
    states[~MASK] = 100.0
    words = [row[mask] for row, mask in zip(states, MASK, strict=True)]
    for reduce, alone in (
        (layers.masked_mean, lambda each: each.mean(0)),
        (layers.masked_sum, lambda each: each.sum(0)),
        (layers.masked_max, lambda each: each.amax(0)),
        (layers.last_state, lambda each: each[-1]),
    ):
        torch.testing.assert_close(reduce(states, MASK), torch.stack([alone(each) for each in words]))
    weights = layers.masked_softmax(states[..., 0], MASK)
    for row, mask, each in zip(weights, MASK, words, strict=True):
        torch.testing.assert_close(row[mask], torch.softmax(each[:, 0], 0))
        assert not row[~mask].any()


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_dropout_has_its_rate_in_each_of_four_and_drops_them_independently(rate: float) -> None:
    torch.manual_seed(3)
    made = dropout(torch.ones(400_000), rate, training=True)
    kept = made > 0
    assert made[kept].unique().tolist() == pytest.approx([1 / (1 - rate)], rel=2e-4)
    lanes = kept.view(-1, 4).double()  # four numbers come from one draw
    bound = 5 * (rate * (1 - rate) / 100_000) ** 0.5  # five standard errors
    assert lanes.mean(0).tolist() == pytest.approx([1 - rate] * 4, abs=bound)
    covariance = torch.cov(lanes.T)
    off = covariance - covariance.diag().diag()
    assert off.abs().max() < 5 * rate * (1 - rate) / 100_000**0.5


LENGTHS = (9, 1, 4, 4, 2, 9, 3, 1)


def read(layer: LSTM, *, training: bool) -> list[torch.Tensor]:
    """Return states, final states, cells and all gradients, from inputs that are the same each time."""
    made = torch.Generator().manual_seed(1)
    inputs = torch.randn(len(LENGTHS), 11, 6, generator=made).requires_grad_()
    mask = torch.arange(11) < torch.tensor(LENGTHS).unsqueeze(1)
    start = torch.randn(2, 2, len(LENGTHS), 5, generator=made).requires_grad_()
    layer.train(training).zero_grad()
    context = layer(inputs, mask, (start[0], start[1]))
    weights = [torch.randn(each.shape, generator=made) for each in context]
    sum((w * each).sum() for w, each in zip(weights, context, strict=True)).backward()
    return [*context, *(p.grad.clone() for p in layer.parameters()), inputs.grad, start.grad]


@pytest.mark.parametrize("call", [0, 300, 10**9])
def test_training_reads_what_evaluation_reads(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    layer = LSTM(6, 5)
    monkeypatch.setattr(layers, "_CALL_WORDS", 0)
    monkeypatch.setattr(layers, "_CALL", call * 4 * 5 * 11)  # from each sentence alone to all at once
    for grouped, packed in zip(read(layer, training=True), read(layer, training=False), strict=True):
        torch.testing.assert_close(grouped, packed, atol=1e-5, rtol=1e-4)
