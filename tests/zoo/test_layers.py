"""Packing real words, reading spellings once, and dropout from few random numbers."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from crossexam.core.errors import CrossexamError  # noqa: E402
from crossexam.zoo.layers import Dropout, PackedIndex, at_spellings, at_words, dropout, packed_index  # noqa: E402  # noqa: E402

MASK = torch.tensor([[True, True, False], [True, False, False], [True, True, True]])


def test_packed_padded_and_totals() -> None:
    states = torch.randn(3, 3, 4, generator=torch.Generator().manual_seed(1))
    places = packed_index(MASK)
    torch.testing.assert_close(places.packed(states), states[MASK])
    zeroed = states * MASK.unsqueeze(-1)
    torch.testing.assert_close(places.padded(states[MASK]), zeroed)
    torch.testing.assert_close(places.totals(states[MASK]), zeroed.sum(1))


def test_places_may_have_any_order() -> None:
    places = PackedIndex(torch.tensor([8, 0, 3]), (3, 3))
    rows = torch.tensor([[1.0], [2.0], [3.0]])
    padded = places.padded(rows)
    assert padded.flatten().tolist() == [2, 0, 0, 3, 0, 0, 0, 0, 1]
    assert places.packed(padded).tolist() == rows.tolist()
    assert places.totals(rows).flatten().tolist() == [2, 3, 1]


def test_gradients_go_through() -> None:
    rows = torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
    places = packed_index(MASK)
    assert torch.autograd.gradcheck(places.padded, rows)
    assert torch.autograd.gradcheck(places.totals, rows)
    states = torch.randn(3, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(places.packed, states)


def test_padding_is_not_computed() -> None:
    seen = []

    def layer(rows: torch.Tensor) -> torch.Tensor:
        seen.append(len(rows))
        return rows + 1

    made = at_words(layer, torch.zeros(3, 3, 2), MASK)
    assert seen == [6]
    assert made.sum() == 12
    assert (made[MASK] == 1).all()


def test_each_spelling_is_read_once() -> None:
    characters = torch.tensor([[[1, 2], [3, 0], [0, 0]], [[1, 2], [0, 0], [0, 0]], [[2, 1], [3, 0], [1, 2]]])
    seen = []

    def layer(letters: torch.Tensor) -> torch.Tensor:
        seen.append(len(letters))
        return (letters * torch.tensor([10.0, 1.0])).sum(1, keepdim=True)

    made = at_spellings(layer, characters, MASK)
    assert seen == [3]
    assert made.squeeze(-1).tolist() == [[12, 30, 0], [12, 0, 0], [21, 30, 12]]


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5, 0.9])
def test_dropout_has_its_rate_in_each_of_four(rate: float) -> None:
    torch.manual_seed(3)
    made = dropout(torch.ones(400_001), rate, training=True)
    kept = made > 0
    assert made[kept].unique().tolist() == pytest.approx([1 / (1 - rate)], rel=2e-4)
    bound = 5 * (rate * (1 - rate) / 100_000) ** 0.5  # five standard errors
    for lane in range(4):  # four numbers come from one draw
        assert kept[lane::4].float().mean().item() == pytest.approx(1 - rate, abs=bound)
    assert made.double().mean().item() == pytest.approx(1, abs=bound / (1 - rate))


def test_neighbours_are_dropped_independently() -> None:
    torch.manual_seed(4)
    kept = (dropout(torch.ones(400_000), 0.3, training=True) > 0).view(-1, 4).double()
    covariance = torch.cov(kept.T)
    off = covariance - covariance.diag().diag()
    assert off.abs().max() < 5 * 0.21 / 100_000**0.5


def test_dropout_is_the_same_for_a_seed_and_nothing_outside_training() -> None:
    layer, states = Dropout(0.4), torch.randn(5, 7).T  # not contiguous
    torch.manual_seed(5)
    first = layer(states)
    torch.manual_seed(5)
    assert torch.equal(first, layer(states))
    assert not torch.equal(first, layer(states))
    assert layer.eval()(states) is states
    assert Dropout(0.0)(states) is states
    assert repr(layer) == "Dropout(rate=0.4)"


@pytest.mark.parametrize("rate", [-0.5, 1.0, 1.5])
def test_a_rate_that_is_no_share_is_an_error(rate: float) -> None:
    with pytest.raises(CrossexamError, match="wanted: a share from 0 to below 1"):
        Dropout(rate)


def test_all_dropped_is_zero() -> None:
    assert dropout(torch.ones(9), 1.0, training=True).tolist() == [0.0] * 9


def test_gradient_is_zero_where_dropped() -> None:
    torch.manual_seed(6)
    states = torch.ones(1000, requires_grad=True)
    made = dropout(states, 0.25, training=True)
    made.sum().backward()
    torch.testing.assert_close(states.grad, made.detach())


def test_dtype_is_kept() -> None:
    for dtype in (torch.float64, torch.bfloat16):
        assert dropout(torch.ones(8, dtype=dtype), 0.5, training=True).dtype == dtype
