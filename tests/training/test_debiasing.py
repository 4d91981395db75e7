"""Debiasing: being in the table of methods is being tested, and losses are those computed by hand."""

import json
import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.corpora.trained import BiasScore
from crossexam.models.table import open_model
from crossexam.training import debiasing
from crossexam.training.data import Data
from crossexam.training.debiasing import METHODS, Debias, cross_predict
from crossexam.training.train import train_model
from made.cases import refused
from made.commands import invoke


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_documented(name: str) -> None:
    method = METHODS[name]
    settings = ", ".join(f"`{setting}`" for setting in method.settings)
    row = f"| `{name}` | {method.formula} | {settings} | {method.paper} |"
    page = Path(__file__).parents[2].joinpath("docs", "training.md").read_text(encoding="utf-8")
    assert row in page.splitlines()


def _logs(*shares: float) -> torch.Tensor:
    table = torch.tensor([shares])
    return (table / table.sum()).log()


def test_losses_on_hand_computed_examples() -> None:
    p, b = _logs(0.5, 0.25, 0.25), _logs(0.2, 0.6, 0.2)
    # Products (.1, .15, .05), sum .3; gold 0: -ln(.1 / .3).
    drift = debiasing.drift(p, b, torch.tensor([0]))
    assert drift.tolist() == pytest.approx([math.log(3)], abs=1e-6)
    # g = 2: b squared (.04, .36, .04); products (.02, .09, .01), sum .12; gold 1: -ln(.09 / .12).
    gate, gold = torch.tensor([2.0]), torch.tensor([1])
    mixed = debiasing.learned_mixin(p, b, gate, gold)
    assert mixed.tolist() == pytest.approx([-math.log(0.75)], abs=1e-6)
    # softmax(g log b) = (1/11, 9/11, 1/11); its entropy is ln 11 - 9/11 ln 9.
    entropy = math.log(11) - 9 / 11 * math.log(9)
    both = debiasing.learned_mixin_h(p, b, gate, gold, 0.03)
    assert both.tolist() == pytest.approx([-math.log(0.75) + 0.03 * entropy], abs=1e-6)
    # -ln(1/2) of the model, 0.1 * -ln(1/4) of the adversary.
    loss = debiasing.adversary(p, _logs(0.25, 0.5, 0.25), torch.tensor([0]), 0.1)
    assert loss.tolist() == pytest.approx([math.log(2) + 0.1 * math.log(4)], abs=1e-6)
    assert debiasing.drift(p.bfloat16(), b, gold).dtype == torch.float32


def test_weights_and_clamped_shares_on_hand_computed_predictions() -> None:
    bias = torch.tensor([[0.8, 0.1, 0.1], [0.4, 0.4, 0.2]], dtype=torch.float64)
    # P(y) = (.6, .25, .15).  w = .6 / (.8 + .1), .25 / (.4 + .1): 2/3, 1/2; divided by their mean 7/12.
    weights = debiasing.instance_weights(bias, torch.tensor([0, 1]), smooth=0.1)
    assert weights.tolist() == pytest.approx([2 / 3 / (7 / 12), 0.5 / (7 / 12)])
    logs = debiasing.log_bias_of(torch.tensor([[1.0, 0.0, 0.0]], dtype=torch.float64))
    assert logs.exp().sum().item() == pytest.approx(1)
    assert logs[0, 1].item() == pytest.approx(math.log(1e-4 / (1 + 2e-4)), abs=1e-5)


def test_the_reversal_turns_gradients_round_and_nothing_else() -> None:
    states = torch.tensor([1.0, -2.0], requires_grad=True)
    turned = debiasing.reversed_gradient(states, 0.2)
    assert turned.tolist() == [1.0, -2.0]
    (turned * torch.tensor([3.0, 5.0])).sum().backward()
    assert states.grad is not None
    assert states.grad.tolist() == pytest.approx([-0.6, -1.0])


def run_of(data: Data, rows: NDArray[np.float64]) -> Run:
    return Run("mine", {"train": Dataset("train", tuple(data.examples))}, {"train": rows})


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_plain_training_in_its_limit_only_and_keeps_the_main_model_only(
    name: str, trained: Any, request_of: Any, small_data: Data
) -> None:
    method, once = METHODS[name], {"epochs": "1", "config.dropout": "0"}
    limit = {setting: str(value) for setting, value in method.limit.items()}
    bias = run_of(small_data, np.full((60, 3), 1 / 3)) if method.needs_bias else None
    in_limit = train_model(request_of(debias=name, bias=bias, values={**once, **limit})).folder
    plain, debiased = (trained(debias=each, values=once).folder for each in (None, name))
    weights, same, other = (load_file(f / "model.safetensors") for f in (plain, in_limit, debiased))
    assert all(torch.allclose(same[key], weight, atol=1e-5) for key, weight in weights.items())
    assert not all(torch.allclose(other[key], weight, atol=1e-4) for key, weight in weights.items())
    model = open_model(f"zoo/{debiased}", {"device": "cpu"})
    assert model.predict([("A dog runs.", "It moves.")]).shape == (1, 3)
    for setting in {each for other in METHODS.values() for each in other.settings} - set(method.settings):
        with pytest.raises(CrossexamError, match=f"{name} does not read '{setting}'"):
            train_model(request_of(folder="other", debias=name, values={setting: "0.7"}))


def test_the_way_to_a_biased_models_run_works_and_how_good_it_is_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = {"gold_label": "neutral", "annotator_labels": ["neutral"], "sentence2": "It is red."}
    rows = [{**pair, "pairID": f"{k}", "sentence1": f"Rain falls {k}."} for k in range(8)]
    rows[0]["gold_label"] = "entailment"
    file = tmp_path / "snli_1.0_train.jsonl"  # in the format of SNLI's own files
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, base in (("wrong", "builtin:demo[:3]"), ("run", file.name)):
        invoke(f"build corpus --base {base} -o suite-{name}")
        invoke(f"run builtin/neutral suite-{name} -o {name}")
    train = f"train toy --train {file.name} --dev {file.name} --debias drift -o out --bias"
    assert "has no predictions for 8 of 8 training examples" in refused(invoke, *train.split(), "wrong")
    bad = " ".join(invoke(*train.split(), "run").output.split())
    assert "warning: zoo/out: the bias model is right for 87.5 % of the training pairs" in bad
    shutil.rmtree("out")
    monkeypatch.setattr(debiasing, "score_of_run", lambda *given: BiasScore(61.25, 40.0))
    assert "warning" not in invoke(*train.split(), "run").output


def test_an_item_made_from_an_example_has_its_bias(small_data: Data) -> None:
    gold, score = torch.zeros(60, dtype=torch.int64), BiasScore(50.0, 40.0)
    given = small_data.examples
    bias = debiasing.make_bias(given, torch.full((60, 3), 1 / 3), gold, Debias("drift"), score)
    made = Example("negation:x", "p", "h", "neutral", base=given[7].id)
    assert bias.rows([given[3], made]) == [3, 7]
    with pytest.raises(CrossexamError, match="the biased model has no prediction for it"):
        bias.rows([Example("y", "p", "h", "neutral")])


def test_folds_answer_for_what_they_did_not_see() -> None:
    asked: list[tuple[set[int], set[int]]] = []
    groups = [f"premise {row // 2}" for row in range(20)]

    def answer(part: debiasing.BiasedPart) -> debiasing.BiasPredictions:
        train, stop, held = (set(rows) for rows in part[1:])
        premises = [{groups[row] for row in rows} for rows in (train, stop)]
        assert all(premises)
        assert not premises[0] & premises[1]
        asked.append((train | stop, held))
        probabilities = torch.full((len(held), 3), float(len(asked)))
        return debiasing.BiasPredictions(probabilities, BiasScore(50.0 + len(asked), 30.0, (len(asked),)))

    found, score = cross_predict(groups, Debias("weighting", folds=3), 0, answer)
    for rows, held in asked:
        assert rows | held == set(range(20))
        assert not {groups[row] for row in rows} & {groups[row] for row in held}
    assert Counter(row for _, held in asked for row in held) == Counter(range(20))
    assert found[debiasing.split_into_folds(groups, 3, 0)[1]].eq(2).all()
    assert score.rounded() == BiasScore(52.0, 30.0, (1, 2, 3))
    cross_predict(groups, Debias("drift"), 0, answer)
    assert asked[-1] == (set(range(20)), set(range(20)))


def test_the_manifest_says_how_good_the_bias_is(request_of: Any, trained: Any, small_data: Data) -> None:
    folds = trained(debias="weighting", values={"folds": "3", "epochs": "1"}).manifest
    assert len(folds.bias.best_epoch) == 3
    labels = [small_data.classes.class_of(example.label) for example in small_data.examples]
    majority = 100 * max(Counter(labels).values()) / 60
    rows = np.full((60, 3), 0.1)
    rows[np.arange(60), labels] = 0.8
    rows[:15] = [[0.8, 0.1, 0.1] if label else [0.1, 0.8, 0.1] for label in labels[:15]]
    bias = run_of(small_data, rows)
    given = train_model(request_of(debias="drift", bias=bias, values={"epochs": "1"})).manifest
    assert given.bias == BiasScore(75.0, round(majority, 4))


def test_what_cannot_be_debiased_is_refused(request_of: Any) -> None:
    for debias, message in (
        (Debias("drift"), "no pairs are left to stop the biased model by"),
        (Debias("weighting"), "the 9 training examples, which have 1 different premises"),
    ):
        assert message in refused(cross_predict, ["one"] * 9, debias, 0, None)
    assert "-1 folds\n  wanted: 1 or more for drift" in refused(Debias, "drift", folds=-1)
    assert "did you mean 'learned-mixin'" in refused(Debias, "learned-mixing")
    crossing = request_of("crossing", debias="adv")
    assert "adv needs the hypothesis's vector" in refused(train_model, crossing)
