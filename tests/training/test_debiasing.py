"""Debiasing: a contract that every method of the table keeps, and losses computed by hand."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.training import debiasing
from crossexam.training.debiasing import METHODS, BiasScore, Debias, make_bias
from crossexam.training.objective import Objective
from crossexam.training.pipeline import LabelledBatch, ModelOutput

# The contract of METHODS: being in the table is being tested

_DOCS = Path(__file__).parents[2] / "docs"
_WEIGHTS = [field.name for field in fields(Debias) if field.type == "float"]
_SENTENCES = torch.tensor(
    [
        [[0.9, -0.2, 0.1, 0.4], [0.3, 0.8, -0.5, 0.2]],
        [[-0.6, 0.7, 0.2, 0.1], [0.5, -0.4, 0.9, -0.1]],
        [[0.2, 0.3, -0.8, 0.6], [-0.7, 0.1, 0.4, 0.8]],
        [[0.1, -0.9, 0.5, 0.3], [0.6, 0.2, -0.3, -0.8]],
    ]
)  # [B, 2, 4]: premise and hypothesis
_GOLD = torch.tensor([0, 1, 2, 0])
_EXAMPLES = [Example(f"{row}", "p", "h", "neutral") for row in range(4)]
_NO_BIAS = torch.full((4, 3), 1 / 3, dtype=torch.float64)
#: Right of the first example, wrong of the second, undecided about the others.
_CONFIDENT = torch.tensor(
    [[0.98, 0.01, 0.01], [0.01, 0.01, 0.98], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]], dtype=torch.float64
)


class _Tiny(nn.Module):
    """A sentence encoder of a few numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.classifier = nn.Linear(4, 5), nn.Linear(10, 3)


def _output(model: Any, sentences: torch.Tensor) -> ModelOutput:
    encoded = torch.tanh(model.encoder(sentences))
    features = encoded.flatten(1)
    return ModelOutput(model.classifier(features), features, encoded[:, 1])


def _objective(debias: Debias | None) -> Objective:
    torch.manual_seed(0)
    objective = Objective(_Tiny(), _output, debias)
    objective.attach(LabelledBatch(_SENTENCES, _GOLD))
    return objective


def _batch(debias: Debias | None, probabilities: torch.Tensor) -> LabelledBatch:
    if debias is None or not METHODS[debias.method].needs_bias:
        return LabelledBatch(_SENTENCES, _GOLD)
    given = make_bias(_EXAMPLES, probabilities, _GOLD, debias, BiasScore(50.0, 40.0)).fields_of(_EXAMPLES)
    return LabelledBatch(_SENTENCES, _GOLD, **given)


def _trained_on(debias: Debias | None, probabilities: torch.Tensor) -> torch.Tensor:
    """Return the losses [B] and all gradients of the model, in one row of numbers."""
    objective = _objective(debias)
    losses = objective(_batch(debias, probabilities))
    losses.mean().backward()
    gradients = [p.grad.flatten() for p in objective.model.parameters() if p.grad is not None]
    return torch.cat([losses.detach(), *gradients])


@pytest.mark.parametrize("name", METHODS)
def test_a_method_trains_the_model_and_its_own_layers(name: str) -> None:
    debias = Debias(name)
    objective = _objective(debias)
    optimizer = torch.optim.SGD(objective.parameters(), lr=0.1)
    before = {key: value.clone() for key, value in objective.state_dict().items()}
    losses = objective(_batch(debias, _CONFIDENT))
    assert losses.shape == (4,)
    assert losses.isfinite().all()
    losses.mean().backward()
    for key, parameter in objective.named_parameters():
        assert parameter.grad is not None, f"{key} takes no part in the loss"
        assert parameter.grad.isfinite().all()
    optimizer.step()
    unmoved = {key for key, value in objective.state_dict().items() if value.equal(before[key])}
    assert not unmoved
    layers = METHODS[name].layers
    own = {key.partition(".")[0] for key in before} - {"model"}
    assert own == (set(layers(_output(_Tiny(), _SENTENCES))) if layers else set())


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_not_plain_training(name: str) -> None:
    plain = _trained_on(None, _CONFIDENT)
    assert not torch.allclose(_trained_on(Debias(name), _CONFIDENT), plain, atol=1e-4)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_plain_training_in_its_limit(name: str) -> None:
    debias = Debias(name, **METHODS[name].limit)  # type: ignore[arg-type]
    assert torch.allclose(_trained_on(debias, _NO_BIAS), _trained_on(None, _NO_BIAS), atol=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_depends_on_its_settings_and_no_others(name: str) -> None:
    default = _trained_on(Debias(name), _CONFIDENT)
    changed = {
        field
        for field in _WEIGHTS
        if not torch.equal(_trained_on(Debias(name, **{field: 0.7}), _CONFIDENT), default)  # type: ignore[arg-type]
    }
    assert changed == set(METHODS[name].settings)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.needs_bias])
def test_less_is_learned_from_what_the_biased_model_gets_right(name: str) -> None:
    debias = Debias(name)
    objective = _objective(debias)
    logits = torch.zeros(4, 3, requires_grad=True)
    output = _output(objective.model, _SENTENCES)._replace(logits=logits)
    batch = _batch(debias, _CONFIDENT)
    METHODS[name].loss(output, batch, objective._layers, debias).sum().backward()
    assert logits.grad is not None
    right, wrong = (logits.grad[row, _GOLD[row]].abs().item() for row in (0, 1))
    assert right < 0.5 * wrong


@pytest.mark.parametrize("gate", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("name", ["learned-mixin", "learned-mixin-h"])
def test_the_gate_decides_how_far_the_biased_model_counts(name: str, gate: float) -> None:
    debias = Debias(name, entropy_weight=0.0)
    objective = _objective(debias)
    layer: Any = objective.get_submodule("gate")
    nn.init.zeros_(layer.weight)
    nn.init.constant_(
        layer.bias, math.log(math.expm1(gate)) if gate else -40.0
    )  # softplus of this is the gate
    batch = _batch(debias, _CONFIDENT)
    with torch.no_grad():
        losses = objective(batch)
        logits = _output(objective.model, _SENTENCES).logits
    assert batch.log_bias is not None
    gated = torch.softmax(logits, -1) * batch.log_bias.exp() ** gate  # p b^g, to be normalised
    wanted = -(gated / gated.sum(-1, keepdim=True))[torch.arange(4), _GOLD].log()
    assert torch.allclose(losses, wanted, atol=1e-5)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_needs(name: str) -> None:
    method = METHODS[name]
    objective = _objective(Debias(name))
    plain = LabelledBatch(_SENTENCES, _GOLD)
    if method.needs_bias:
        with pytest.raises(ValueError, match="lacks what the debiasing method needs"):
            objective(plain)
    else:
        assert objective(plain).isfinite().all()
    without = Objective(_Tiny(), lambda model, inputs: _output(model, inputs)._replace(hypothesis=None))
    without.debias = Debias(name)
    if method.needs_hypothesis:
        with pytest.raises(CrossexamError, match="encodes the hypothesis separately"):
            without.attach(plain)
    else:
        without.attach(plain)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_documented(name: str) -> None:
    method = METHODS[name]
    assert method.name == name
    assert method.summary
    assert method.paper == "Crossexam" or re.search(r"\d{4}[a-z]?, \S+", method.paper)
    assert set(method.settings) <= set(_WEIGHTS)
    settings = ", ".join(f"`{setting}`" for setting in method.settings)
    row = f"| `{name}` | {method.formula} | {settings} | {method.paper} |"
    assert row in (_DOCS / "training.md").read_text(encoding="utf-8").splitlines()


def test_an_unknown_method_and_too_few_folds_are_reported() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'learned-mixin'"):
        Debias("learned-mixing")
    with pytest.raises(CrossexamError, match="1 folds\n  wanted: 2 or more for weighting"):
        Debias("weighting", folds=1)
    with pytest.raises(CrossexamError, match="-1 folds\n  wanted: 1 or more for drift"):
        Debias("drift", folds=-1)
    assert Debias("drift", folds=1).folds == 1


# The losses

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
