"""Rates within epochs and between them, when training stops, and what the optimisers do."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import nn

from crossexam.training import optimizers
from crossexam.zoo.architecture import Recipe
from crossexam.zoo.layers import WordEmbedding

_RECIPE = Recipe("adam", 0.1, 2, 4, source="", patience=9)


def test_rates_within_an_epoch() -> None:
    assert optimizers.step_factor("constant", 10_000, 20_000) == 1
    assert optimizers.step_factor("decay", 250, 1) == pytest.approx(0.999**2)
    warming = [optimizers.step_factor("linear-warmup", step, 100) for step in (0, 9, 55, 99)]
    assert warming == pytest.approx([0.1, 1, 45 / 90, 1 / 90])


def test_rates_between_epochs() -> None:
    # Two epochs in a row did not fall below .9: .95 and .92; then .91 and .99; then .98 and .97.
    losses = [1.0, 0.9, 0.95, 0.92, 0.91, 0.99, 0.98, 0.97]
    for schedule, accuracies, rates in (
        ("constant", [50, 40, 60], [1, 1, 1]),
        ("halve-every-two", [50, 60, 40, 70], [1, 0.5, 0.5, 0.25]),
        ("halve-on-miss", [50, 50, 60, 55], [1, 0.5, 0.5, 0.25]),
        ("halve-and-restore", [50, 40, 60, 55], [1, 0.5, 0.5, 0.25]),
        ("infersent", [50, 40, 60], [0.99, 0.99**2 / 5, 0.99**3 / 5]),
        ("plateau", [50] * 8, [1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.2]),
    ):
        recipe = replace(_RECIPE, schedule=schedule, factor=0.5, plateau_patience=1, minimum_rate=0.2)
        rate, found = 1.0, []
        for epoch in range(1, len(rates) + 1):
            rate = optimizers.after_epoch(recipe, rate, accuracies[:epoch], losses[:epoch]).rate
            found.append(rate)
        assert found == pytest.approx(rates)


def test_training_stops_when_patience_ends() -> None:
    recipe = replace(_RECIPE, patience=2)
    decide = [optimizers.after_epoch(recipe, 1, a, [1] * len(a)).stop for a in ([50], [50, 40], [50, 40, 50])]
    assert decide == [False, False, True]
    assert optimizers.after_epoch(replace(recipe, schedule="infersent"), 4e-5, [50, 40], [1, 1]).stop


def test_decay_is_for_matrices_and_not_for_words() -> None:
    model = nn.ModuleDict({"words": WordEmbedding(5, 3), "layer": nn.Linear(3, 3)})
    optimizer = optimizers.make_optimizer(model, replace(_RECIPE, weight_decay=0.1))
    decayed = [p for group in optimizer.param_groups if group["weight_decay"] for p in group["params"]]
    assert len(decayed) == 1
    assert decayed[0] is model["layer"].weight  # type: ignore[union-attr]


def test_adadelta_over_the_touched_rows_of_a_table_is_torchs_to_rounding() -> None:
    def trained(optimizer_of: Callable[[nn.Module], torch.optim.Optimizer]) -> list[nn.Parameter]:
        torch.manual_seed(0)
        model = nn.Sequential(WordEmbedding(50, 4), nn.Flatten(), nn.Linear(16, 2))
        optimizer = optimizer_of(model)
        for _ in range(100):
            words = (50 * torch.rand(3, 4) ** 4).long()  # the first words far more often
            optimizer.zero_grad()
            model(words).square().sum().backward()
            optimizer.step()
        return list(model.parameters())

    recipe = replace(_RECIPE, optimizer="adadelta", learning_rate=1.0)
    touched = trained(lambda model: optimizers.make_optimizer(model, recipe))
    plain = trained(lambda model: torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.95))
    for here, there in zip(touched, plain, strict=True):
        torch.testing.assert_close(here, there, atol=1e-6, rtol=1e-4)


def test_the_moving_average_on_hand_computed_numbers() -> None:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, 0.0)
    average = optimizers.MovingAverage(model, 0.999)
    nn.init.constant_(model.weight, 11.0)
    average.update(model)  # decay (1 + 1) / (10 + 1): 0 * 2/11 + 11 * 9/11 = 9
    assert average.values["weight"].item() == pytest.approx(9.0)
    average.swap(model)
    assert (model.weight.item(), average.values["weight"].item()) == pytest.approx((9.0, 11.0))
