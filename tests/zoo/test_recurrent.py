"""Recurrent layers: whole padded sentences read in groups are what packed sentences are."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch")

from crossexam.zoo import recurrent  # noqa: E402
from crossexam.zoo.recurrent import LSTM, group_sizes  # noqa: E402

LENGTHS = (9, 1, 4, 4, 2, 9, 3, 1)


def read(layer: LSTM, *, training: bool, with_start: bool) -> list[torch.Tensor]:
    """Return states, final states, cells and all gradients, from inputs that are the same each time."""
    made = torch.Generator().manual_seed(1)
    inputs = torch.randn(len(LENGTHS), 11, 6, generator=made).requires_grad_()
    mask = torch.arange(11) < torch.tensor(LENGTHS).unsqueeze(1)
    directions = 2 if layer.lstm.bidirectional else 1
    start = torch.randn(2, directions, len(LENGTHS), 5, generator=made).requires_grad_()
    layer.train(training).zero_grad()
    context = layer(inputs, mask, (start[0], start[1]) if with_start else None)
    weights = [torch.randn(each.shape, generator=made) for each in context]
    sum((w * each).sum() for w, each in zip(weights, context, strict=True)).backward()
    found = [*context, *(p.grad for p in layer.parameters()), inputs.grad]
    return [each.detach().clone() for each in [*found, *([start.grad] if with_start else [])]]


@pytest.mark.parametrize("call", [0, 300, 10**9])
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("with_start", [True, False])
def test_training_reads_what_evaluation_reads(
    monkeypatch: pytest.MonkeyPatch, call: int, bidirectional: bool, with_start: bool
) -> None:
    torch.manual_seed(0)
    layer = LSTM(6, 5, bidirectional=bidirectional)
    groups = []
    whole = LSTM._whole

    def counted(self: LSTM, inputs: torch.Tensor, mask: torch.Tensor, initial: object) -> recurrent.Context:
        groups.append(len(inputs))
        return whole(self, inputs, mask, initial)

    monkeypatch.setattr(LSTM, "_whole", counted)
    monkeypatch.setattr(recurrent, "_CALL_WORDS", 0)
    monkeypatch.setattr(recurrent, "_CALL", call * 4 * layer.lstm.hidden_size * 11)
    grouped = read(layer, training=True, with_start=with_start)
    packed = read(layer, training=False, with_start=with_start)
    assert sum(groups) == len(LENGTHS)
    assert (len(groups) > 1) == (call == 0)
    for here, there in zip(grouped, packed, strict=True):
        torch.testing.assert_close(here, there, atol=1e-5, rtol=1e-4)


def test_groups_are_of_one_length_where_calls_are_free() -> None:
    assert group_sizes(sorted(LENGTHS), call=0) == [2, 1, 1, 2, 2]


def test_no_group_saves_less_than_a_call_costs() -> None:
    rng = random.Random(0)
    for _ in range(200):
        lengths = sorted(rng.choices(range(1, 40), k=rng.randint(1, 30)))
        call = rng.choice([1, 20, 100, 300])
        sizes = group_sizes(lengths, call)
        assert sum(sizes) == len(lengths)
        assert min(sizes) >= 1
        costs, start = [], 0
        for size in sizes:
            costs.append(size * lengths[start + size - 1])
            start += size
        whole = len(lengths) * lengths[-1]
        assert sum(costs) + call * (len(sizes) - 1) <= whole
