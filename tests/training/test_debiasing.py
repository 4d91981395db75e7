"""Debiasing: a contract that every method of the table keeps, and losses computed by hand."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example, cluster_of
from crossexam.core.settings import grid
from crossexam.models.table import open_model
from crossexam.training import debiasing, session
from crossexam.training.data import Data
from crossexam.training.debiasing import (
    METHODS,
    BiasedPart,
    BiasPredictions,
    BiasScore,
    Debias,
    cross_predict,
    make_bias,
    probabilities_from_run,
    split_into_folds,
)
from crossexam.training.objective import Objective
from crossexam.training.pipeline import LabelledBatch, ModelOutput
from crossexam.training.request import TrainingRequest
from crossexam.training.scoring import score_model
from crossexam.training.several import train_grid
from crossexam.training.train import train_model

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
def test_a_method_is_plain_training_in_its_limit_only_and_depends_on_its_own_settings(name: str) -> None:
    in_limit = Debias(name, **METHODS[name].limit)  # type: ignore[arg-type]
    assert torch.allclose(_trained_on(in_limit, _NO_BIAS), _trained_on(None, _NO_BIAS), atol=1e-6)
    default = _trained_on(Debias(name), _CONFIDENT)
    assert not torch.allclose(default, _trained_on(None, _CONFIDENT), atol=1e-4)
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


# Whole trainings


def run_of(examples: Sequence[Example], rows: Any) -> Run:
    return Run("mine", {"train": Dataset("train", tuple(examples))}, {"train": np.asarray(rows)}, {})


def test_debiasing_keeps_the_main_model_only(trained: Any, for_each: Callable[..., None]) -> None:
    once = {"epochs": "1"}
    plain = (trained(values=once).folder / "model.safetensors").read_bytes()

    def check(method: str) -> None:
        folder = trained(debias=method, values=once).folder
        assert (folder / "model.safetensors").read_bytes() != plain
        model = open_model(f"zoo/{folder}", {"device": "cpu"})
        assert model.predict([("A dog runs.", "It moves.")]).shape == (1, 3)

    for_each(check, METHODS)
    assert "bias" not in trained(debias="adv", values=once).manifest


def test_a_uniform_run_changes_nothing(
    request_of: Any, trained: Any, small_data: Data, for_each: Callable[..., None]
) -> None:
    uniform = run_of(small_data.examples, np.full((60, 3), 1 / 3))
    plain = [record["train_loss"] for record in trained().manifest["curve"]]

    def check(method: str) -> None:
        debiased = train_model(request_of(folder=method, debias=method, bias=uniform)).manifest
        assert [record["train_loss"] for record in debiased["curve"]] == pytest.approx(plain, abs=2e-5)

    for_each(check, ["drift", "weighting", "learned-mixin"])


def test_a_run_over_other_examples_is_refused(small_data: Data, refused: Callable[..., str]) -> None:
    some = run_of(small_data.examples[:58], np.full((58, 3), 1 / 3))
    said = refused(probabilities_from_run, some, small_data.examples)
    assert "the run of mine has no predictions for 2 of 60 training examples" in said


def test_the_way_to_a_biased_models_run_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pair = {"gold_label": "neutral", "annotator_labels": ["neutral"], "sentence2": "It is red."}
    rows = [{**pair, "pairID": f"{k}", "sentence1": f"Rain falls {k}."} for k in range(8)]
    rows[0]["gold_label"] = "entailment"
    file = tmp_path / "snli_1.0_train.jsonl"  # in the format of SNLI's own files
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    train = f"train toy --train {file.name} --dev {file.name} --debias drift"
    for command in (
        "build corpus --base builtin:demo[:3] -o other",
        "run builtin/neutral other -o wrong",
        f"build corpus --base {file.name} -o folder",
        "run builtin/neutral folder -o run",
        f"{train} --bias run -o m",
    ):
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0, result.output
    with pytest.raises(CrossexamError) as caught:
        CliRunner().invoke(app, f"{train} --bias wrong -o n".split(), catch_exceptions=False)
    assert caught.value.hint == (
        "crossexam build corpus --base CORPUS -o FOLDER, with a --base for each training corpus; "
        "crossexam run MODEL FOLDER -o RUN; then --bias RUN"
    )


def test_an_item_made_from_an_example_has_its_bias(small_data: Data) -> None:
    table_ = torch.full((60, 3), 1 / 3)
    bias = make_bias(
        small_data.examples,
        table_,
        torch.zeros(60, dtype=torch.int64),
        Debias("drift"),
        BiasScore(50.0, 40.0),
    )
    made = Example("negation:x", "p", "h", "neutral", base=small_data.examples[7].id)
    assert bias.rows([small_data.examples[3], made]) == [3, 7]
    with pytest.raises(CrossexamError, match="the biased model has no prediction for it"):
        bias.rows([Example("y", "p", "h", "neutral")])


def test_folds_answer_for_what_they_did_not_see() -> None:
    asked: list[tuple[set[int], set[int]]] = []

    groups = [f"premise {row // 2}" for row in range(20)]

    def answer(part: BiasedPart) -> BiasPredictions:
        train, stop, held = (set(rows) for rows in part[1:])
        premises = [{groups[row] for row in rows} for rows in (train, stop)]
        assert train
        assert stop
        assert not premises[0] & premises[1]
        asked.append((train | stop, held))
        probabilities = torch.full((len(held), 3), float(len(asked)))
        return BiasPredictions(probabilities, BiasScore(50.0 + len(asked), 30.0, (len(asked),)))

    found, score = cross_predict(groups, Debias("weighting", folds=3), 0, answer)
    assert [rows & held for rows, held in asked] == [set()] * 3
    assert all(not {groups[r] for r in rows} & {groups[r] for r in held} for rows, held in asked)
    assert all(rows | held == set(range(20)) for rows, held in asked)
    assert sorted(sum(([*held] for _, held in asked), [])) == list(range(20))  # noqa: RUF017
    assert found[split_into_folds(groups, 3, 0)[1]].eq(2).all()
    assert score.describe() == {"accuracy": 52.0, "majority": 30.0, "best_epoch": [1, 2, 3]}
    cross_predict(groups, Debias("drift"), 0, answer)
    assert asked[-1] == (set(range(20)), set(range(20)))


def test_a_biased_model_is_stopped_by_held_out_pairs_of_its_own_data(
    request_of: Any, small_data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []

    def spying(pipeline: Any, model: Any, encoded: Any, device: Any, *more: Any) -> Any:
        seen.append(encoded.labels.tolist())
        return score_model(pipeline, model, encoded, device, *more)

    monkeypatch.setattr(session, "score_model", spying)
    parts: list[BiasedPart] = []

    def keep(part: BiasedPart) -> BiasPredictions:
        parts.append(part)
        return BiasPredictions(torch.zeros(len(part.predict), 3), BiasScore(0.0, 0.0))

    groups = [cluster_of(example) for example in small_data.examples]
    cross_predict(groups, Debias("drift"), 0, keep)
    labels = [small_data.classes.class_of(example.label) for example in small_data.examples]
    held_out = [labels[row] for row in parts[0].stop]
    one = train_model(request_of(folder="one", debias="drift"))
    assert seen[:2] == [held_out] * 2  # of two epochs
    corpus = replace(small_data.dev.corpora[0], examples=small_data.examples[:7])
    other = replace(small_data, dev=replace(small_data.dev, corpora=(corpus,)))
    two = train_model(request_of(folder="two", data=other, debias="drift"))
    assert one.manifest["bias"] == two.manifest["bias"]
    bias = one.manifest["bias"]
    assert bias["majority"] == pytest.approx(100 * max(Counter(held_out).values()) / len(held_out), abs=1e-4)
    assert bias["best_epoch"] in ([1], [2])
    assert one.manifest["fingerprint"]["debiasing"]["bias_stopped_by"] == "1 of 10 parts of its data"


def test_the_manifest_says_how_good_the_bias_is(request_of: Any, trained: Any, small_data: Data) -> None:
    folds = trained(debias="weighting", values={"folds": "3", "epochs": "1"}).manifest
    assert len(folds["bias"]["best_epoch"]) == 3
    labels = [small_data.classes.class_of(example.label) for example in small_data.examples]
    majority = 100 * max(Counter(labels).values()) / 60
    rows = np.full((60, 3), 0.1)
    rows[np.arange(60), labels] = 0.8
    rows[:15] = [[0.8, 0.1, 0.1] if label else [0.1, 0.8, 0.1] for label in labels[:15]]
    bias = run_of(small_data.examples, rows)
    given = train_model(request_of(debias="drift", bias=bias, values={"epochs": "1"})).manifest
    assert given["bias"] == {"accuracy": 75.0, "majority": round(majority, 4)}
    assert "bias_stopped_by" not in given["fingerprint"]["debiasing"]


def test_the_verb_shows_how_good_the_bias_is_and_warns_of_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, invoke: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    scores = iter([BiasScore(61.25, 40.0), BiasScore(40.0, 40.0)])
    monkeypatch.setattr(debiasing, "score_of_run", lambda *given: next(scores))
    invoke(*"build corpus --base builtin:demo[:60] -o base".split())
    invoke(*"run builtin/neutral base -o run".split())
    corpora = "--train builtin:demo[:60] --dev builtin:demo[60:90]"
    words = f"train toy {corpora} --epochs 1 --debias drift --bias run -o"
    good, bad = (" ".join(invoke(*words.split(), name).output.split()) for name in ("good", "bad"))
    assert "61.2 % (40.0 %)" in good
    assert "warning" not in good
    assert "warning: zoo/bad: the bias model is right for 40.0 % of the training pairs" in bad
    assert "it has learned no bias that drift could remove; train on more pairs" in bad


def test_a_sweep_trains_the_same_biased_model_once(request_of: Any) -> None:
    epochs: list[int] = []

    def watch(status: Any) -> None:
        if status.scores is not None:
            epochs.append(status.epoch)

    def request(folder: str, **given: Any) -> TrainingRequest:
        made: TrainingRequest = request_of(folder=folder, debias="learned-mixin-h", watch=watch, **given)
        return made

    found = train_grid(request("grid"), grid(["entropy_weight=0.5,0.01"]), [0, 1])
    assert len(epochs) == 2 * (2 + 2 * 2)  # for each seed, one biased model and two models of two epochs
    file = "model.safetensors"
    alone = train_model(request("alone", values={"entropy_weight": "0.01"}, seed=1))
    assert (found["entropy_weight=0.01"][1].folder / file).read_bytes() == (alone.folder / file).read_bytes()
    assert found["entropy_weight=0.01"][1].manifest["bias"] == alone.manifest["bias"]
    assert not (found["entropy_weight=0.01"][0].folder.parent.parent / "unfinished").exists()
    epochs.clear()
    train_grid(request("other"), grid(["lr=0.01,0.02"]), [0])
    assert len(epochs) == 2 * (2 + 2)  # the rate is that of the biased model, too


def test_pairs_of_one_premise_cannot_stop_a_biased_model() -> None:
    def answer(part: BiasedPart) -> BiasPredictions:
        raise AssertionError

    with pytest.raises(CrossexamError, match="no pairs are left to stop the biased model by") as caught:
        cross_predict(["one"] * 9, Debias("drift"), 0, answer)
    assert "--bias RUN" in str(caught.value.hint)
    with pytest.raises(CrossexamError, match="the 9 training examples, which have 1 different premises"):
        cross_predict(["one"] * 9, Debias("weighting"), 0, answer)


def test_adv_needs_a_sentence_encoder(request_of: Any) -> None:
    with pytest.raises(CrossexamError, match="adv needs the hypothesis's vector"):
        train_model(request_of("crossing", debias="adv"))
    assert train_model(request_of("crossing", debias="drift", values={"epochs": "1"})).accuracy >= 0
