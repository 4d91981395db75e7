"""AdaDelta over the touched rows of a table is AdaDelta over the table."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from crossexam.training import optimizers
from crossexam.zoo import lstm
from crossexam.zoo.layers import WordEmbedding


class Toy(torch.nn.Module):
    """Word vectors and a layer over their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.words = WordEmbedding(50, 4)
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        score: torch.Tensor = self.layer(self.words(words).mean(1)).square().sum()
        return score


def trained(optimizer_of: object, steps: int, *, reload_at: int | None = None) -> list[torch.Tensor]:
    """Return the parameters after *steps* on batches of rare and frequent words."""
    torch.manual_seed(0)
    model = Toy()
    optimizer = optimizer_of(model)  # type: ignore[operator]
    for step in range(steps):
        if step == reload_at:
            tensors, others = optimizers.flatten(optimizer)
            optimizer = optimizer_of(model)  # type: ignore[operator]
            optimizers.restore(optimizer, tensors, json.loads(json.dumps(others)))
        made = torch.Generator().manual_seed(step)
        words = (50 * torch.rand(3, 4, generator=made) ** 4).long()  # the first words far more often
        optimizer.zero_grad()
        model(words).backward()
        optimizer.step()
    return [p.detach().clone() for p in model.parameters()]


def of_recipe(model: torch.nn.Module, **changes: Any) -> torch.optim.Optimizer:
    given = {"optimizer": "adadelta", "learning_rate": 1.0, "weight_decay": 0.0, **changes}
    return optimizers.make_optimizer(model, replace(lstm.ARCHITECTURE.recipe, **given))


def plain(model: torch.nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.95)


@pytest.mark.slow
def test_it_is_torchs_to_rounding() -> None:
    for here, there in zip(trained(of_recipe, 300), trained(plain, 300), strict=True):
        torch.testing.assert_close(here, there, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("name", ["adam", "adamw", "adagrad", "adadelta", "sgd"])
def test_a_saved_state_goes_on_to_the_same_bytes(name: str) -> None:
    changes = {"learning_rate": 0.1, "initial_accumulator": 0.1, "weight_decay": 0.01}
    of_name = partial(of_recipe, optimizer=name, **changes)
    for here, there in zip(trained(of_name, 60), trained(of_name, 60, reload_at=31), strict=True):
        assert torch.equal(here, there)
