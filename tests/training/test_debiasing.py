"""Losses of the debiasing methods: hand-computed numbers and limiting cases."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crossexam.training import debiasing

_SHARES = st.lists(st.floats(0.01, 1), min_size=3, max_size=3)
_LOGITS = st.lists(st.floats(-5, 5), min_size=3, max_size=3)
_UNIFORM = torch.full((1, 3), 1 / 3).log()


def _logs(*shares: float) -> torch.Tensor:
    table = torch.tensor([shares])
    return (table / table.sum()).log()


def test_drift_on_a_hand_computed_example() -> None:
    # p = (.5, .25, .25), b = (.2, .6, .2): products (.1, .15, .05), sum .3; gold 0: -ln(.1 / .3).
    loss = debiasing.drift(_logs(0.5, 0.25, 0.25), _logs(0.2, 0.6, 0.2), torch.tensor([0]))
    assert loss.tolist() == pytest.approx([math.log(3)], abs=1e-6)


def test_learned_mixin_on_a_hand_computed_example() -> None:
    # g = 2: b squared (.04, .36, .04); products (.02, .09, .01), sum .12; gold 1: -ln(.09 / .12).
    gate = torch.tensor([2.0])
    p, b, gold = _logs(0.5, 0.25, 0.25), _logs(0.2, 0.6, 0.2), torch.tensor([1])
    assert debiasing.learned_mixin(p, b, gate, gold).tolist() == pytest.approx([-math.log(0.75)], abs=1e-6)
    # softmax(g log b) = (1/11, 9/11, 1/11); its entropy is ln 11 - 9/11 ln 9.
    entropy = math.log(11) - 9 / 11 * math.log(9)
    both = debiasing.learned_mixin_h(p, b, gate, gold, 0.03)
    assert both.tolist() == pytest.approx([-math.log(0.75) + 0.03 * entropy], abs=1e-6)


@given(_LOGITS, st.integers(0, 2), st.floats(0, 4))
def test_a_uniform_bias_changes_nothing(logits: list[float], label: int, gate: float) -> None:
    scores, gold = torch.tensor([logits]), torch.tensor([label])
    plain = debiasing.cross_entropy(scores, gold).item()
    assert debiasing.drift(scores, _UNIFORM, gold).item() == pytest.approx(plain, abs=1e-5)
    mixed = debiasing.learned_mixin(scores, _UNIFORM, torch.tensor([gate]), gold).item()
    assert mixed == pytest.approx(plain, abs=1e-5)
    # The entropy of a uniform bias is ln 3 whatever the gate: a constant without gradient.
    with_entropy = debiasing.learned_mixin_h(scores, _UNIFORM, torch.tensor([gate]), gold, 0.5).item()
    assert with_entropy == pytest.approx(plain + 0.5 * math.log(3), abs=1e-5)


@given(_LOGITS, _SHARES, st.integers(0, 2))
def test_learned_mixin_with_a_gate_of_one_is_drift(
    logits: list[float], shares: list[float], label: int
) -> None:
    scores, bias, gold = torch.tensor([logits]), _logs(*shares), torch.tensor([label])
    one, zero = torch.ones(1), torch.zeros(1)
    drift = debiasing.drift(scores, bias, gold).item()
    assert debiasing.learned_mixin(scores, bias, one, gold).item() == pytest.approx(drift, abs=1e-5)
    plain = debiasing.cross_entropy(scores, gold).item()
    assert debiasing.learned_mixin(scores, bias, zero, gold).item() == pytest.approx(plain, abs=1e-5)


def test_a_sure_and_right_bias_leaves_little_to_learn() -> None:
    scores = torch.zeros(1, 3, requires_grad=True)
    gold = torch.tensor([0])
    (plain,) = torch.autograd.grad(debiasing.cross_entropy(scores, gold).sum(), scores)
    (drift,) = torch.autograd.grad(debiasing.drift(scores, _logs(0.98, 0.01, 0.01), gold).sum(), scores)
    # The gradient of the gold logit is its share less 1: 1/3 - 1 against .98 - 1.
    assert plain[0, 0].item() == pytest.approx(-2 / 3, abs=1e-6)
    assert drift[0, 0].item() == pytest.approx(-0.02, abs=1e-6)


def test_weights_on_hand_computed_predictions() -> None:
    bias = torch.tensor([[0.8, 0.1, 0.1], [0.4, 0.4, 0.2]], dtype=torch.float64)
    # P(y) = (.6, .25, .15).  w = .6 / (.8 + .1), .25 / (.4 + .1): 2/3, 1/2; divided by their mean 7/12.
    weights = debiasing.instance_weights(bias, torch.tensor([0, 1]), smooth=0.1)
    assert weights.tolist() == pytest.approx([2 / 3 / (7 / 12), 0.5 / (7 / 12)])


@given(st.lists(st.integers(0, 2), min_size=1, max_size=20), st.floats(0, 1))
def test_a_uniform_bias_gives_weights_of_one(labels: list[int], smooth: float) -> None:
    bias = torch.full((len(labels), 3), 1 / 3)
    assert debiasing.instance_weights(bias, torch.tensor(labels), smooth).tolist() == pytest.approx(
        [1.0] * len(labels)
    )


def test_smoothing_bounds_the_largest_weight() -> None:
    bias = torch.tensor([[1e-9, 0.5, 0.5], [0.9, 0.05, 0.05]])
    wild = debiasing.instance_weights(bias, torch.tensor([0, 0]), smooth=0.0)
    tame = debiasing.instance_weights(bias, torch.tensor([0, 0]), smooth=0.5)
    assert wild[0] / wild[1] > 1e8
    assert tame[0] / tame[1] == pytest.approx((0.9 + 0.5) / 0.5, rel=1e-5)


def test_the_reversal_turns_gradients_round_and_nothing_else() -> None:
    states = torch.tensor([1.0, -2.0], requires_grad=True)
    turned = debiasing.reversed_gradient(states, 0.2)
    assert turned.tolist() == [1.0, -2.0]
    (turned * torch.tensor([3.0, 5.0])).sum().backward()
    assert states.grad is not None
    assert states.grad.tolist() == pytest.approx([-0.6, -1.0])


def test_the_adversary_adds_its_loss() -> None:
    # -ln(1/2) of the model, 0.1 * -ln(1/4) of the adversary.
    loss = debiasing.adversary(_logs(0.5, 0.25, 0.25), _logs(0.25, 0.5, 0.25), torch.tensor([0]), 0.1)
    assert loss.tolist() == pytest.approx([math.log(2) + 0.1 * math.log(4)], abs=1e-6)


def test_a_sure_bias_is_clamped() -> None:
    logs = debiasing.log_bias_of(torch.tensor([[1.0, 0.0, 0.0]], dtype=torch.float64))
    assert logs.exp().sum().item() == pytest.approx(1)
    assert logs[0, 1].item() == pytest.approx(math.log(1e-4 / (1 + 2e-4)), abs=1e-5)


def test_losses_are_float32_under_half_precision() -> None:
    half = torch.zeros(1, 3, dtype=torch.bfloat16)
    assert debiasing.drift(half, _UNIFORM, torch.tensor([0])).dtype == torch.float32
