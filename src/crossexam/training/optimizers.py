"""The optimisers of the recipes, and their state as plain tensors and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from crossexam.training.word_rows import WordAdadelta

if TYPE_CHECKING:
    from crossexam.zoo.recipe import Recipe


def make_optimizer(module: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """Return the optimiser of *recipe* over the trainable parameters of *module*.

    Weight decay applies to matrices only, neither to biases and normalisation nor to word vectors: a
    word that an epoch does not have would else fade.  AdaDelta has Zeiler's rho of .95 (TensorFlow's
    default too, which the released DIIN and DiSAN use), not PyTorch's .9, and reads of a table only the rows
    that a batch touched.
    """
    named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
    decayed = [p for name, p in named if p.ndim > 1 and ".table." not in name and "embedding" not in name]
    groups: list[dict[str, Any]] = [
        {"params": decayed, "weight_decay": recipe.weight_decay},
        {"params": [p for _, p in named if not any(p is each for each in decayed)], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    rate = recipe.learning_rate
    if recipe.optimizer == "adam":
        return torch.optim.Adam(groups, lr=rate, fused=True)
    if recipe.optimizer == "adamw":
        return torch.optim.AdamW(groups, lr=rate, fused=True)
    if recipe.optimizer == "adagrad":
        fused = all(p.device.type == "cpu" for _, p in named)  # torch has no other fused Adagrad
        start = recipe.initial_accumulator
        return torch.optim.Adagrad(groups, lr=rate, initial_accumulator_value=start, fused=fused)
    if recipe.optimizer == "adadelta":
        tables = [p for name, p in named if ".table." in name]
        for group in groups:
            group["params"] = [p for p in group["params"] if not any(p is each for each in tables)]
        groups.append({"params": tables, "weight_decay": 0.0, "rows": True})
        return WordAdadelta([group for group in groups if group["params"]], lr=rate, rho=0.95)
    return torch.optim.SGD(groups, lr=rate)


def flatten(optimizer: torch.optim.Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the state of *optimizer*: tensors by ``parameter.field``, and all that is no tensor."""
    tensors: dict[str, Tensor] = {}
    plain: dict[str, Any] = {}
    for number, fields in optimizer.state_dict()["state"].items():
        for field, value in fields.items():
            where = tensors if isinstance(value, Tensor) else plain
            where[f"{number}.{field}"] = value
    return tensors, plain


def restore(
    optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]
) -> None:
    """Put back what :func:`flatten` returned."""
    state: dict[int, dict[str, Any]] = {}
    for name, value in {**tensors, **plain}.items():
        number, _, field = name.partition(".")
        state.setdefault(int(number), {})[field] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of every group."""
    for group in optimizer.param_groups:
        group["lr"] = rate


class MovingAverage:
    """The exponential moving average of parameters, which is evaluated and kept in their place.

    The decay is min(decay, (1 + t) / (10 + t)) at step t, as in TensorFlow's with a step count: with the
    plain one, after one epoch on a small corpus the initial weights would still be most of the average.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.values = {name: p.detach().clone() for name, p in module.named_parameters() if p.requires_grad}

    @torch.no_grad()
    def update(self, module: nn.Module) -> None:
        """Take in the parameters after a step."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, parameter in module.named_parameters():
            if name in self.values:
                self.values[name].lerp_(parameter.detach(), 1 - decay)

    @torch.no_grad()
    def swap(self, module: nn.Module) -> None:
        """Exchange the module's parameters and the averages."""
        for name, parameter in module.named_parameters():
            if name in self.values:
                kept = parameter.detach().clone()
                parameter.copy_(self.values[name])
                self.values[name].copy_(kept)
