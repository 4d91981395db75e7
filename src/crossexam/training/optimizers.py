"""The optimisers of the recipes, and their state as plain tensors and numbers.

AdaDelta that leaves alone the word vectors that a batch does not have.

Learning rates: pure functions of the step and of the dev scores so far.

The rate of a step is the base rate, which changes only between epochs, times :func:`step_factor`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from crossexam.zoo.architecture import Recipe


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
        return SparseAdadelta([group for group in groups if group["params"]], lr=rate, rho=0.95)
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


class SparseAdadelta(torch.optim.Adadelta):
    """AdaDelta (Zeiler 2012), whose groups with ``rows`` are tables of which a batch touches few rows.

    A row without a gradient does not move; only its two averages fade, by rho a step, which is done when
    the row is next touched.  So the numbers are those of torch's to rounding, and a step costs what the
    batch has words, not what the vocabulary has: with 40,000 words that was most of the training time of
    the small LSTM.
    """

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step; *closure*, if any, makes the gradients and returns the loss."""
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        tables = [
            (p, p.grad, group) for group in self.param_groups if group.get("rows") for p in group["params"]
        ]
        for table, _, _ in tables:
            table.grad = None  # torch's step passes over it
        super().step()
        for table, grad, group in tables:
            table.grad = grad
            if grad is not None:
                self._step_rows(table, grad, group)
        return loss

    @torch.no_grad()
    def _step_rows(self, table: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        """Update the rows of *table* [V, d] that have a gradient."""
        rho, eps = group["rho"], group["eps"]
        state = self.state[table]
        if not state:
            # "last", the step that touched a row last, is of the parameter's type: that is what torch makes
            # of all states it loads.  float32 counts to 2^24 steps.
            state["step"], state["last"] = torch.zeros(()), torch.zeros_like(table[:, :1])
            state["square_avg"], state["acc_delta"] = torch.zeros_like(table), torch.zeros_like(table)
        state["step"] += 1
        rows = grad.any(1).nonzero().squeeze(1)  # [n]
        moved = grad[rows]  # [n, d]
        gap = state["step"].to(table.device) - state["last"][rows]  # [n, 1]
        squares = state["square_avg"][rows] * rho**gap + (1 - rho) * moved.square()
        deltas = state["acc_delta"][rows] * rho ** (gap - 1)
        delta = (deltas + eps).sqrt() / (squares + eps).sqrt() * moved
        state["square_avg"][rows] = squares
        state["acc_delta"][rows] = deltas * rho + (1 - rho) * delta.square()
        state["last"][rows] = state["step"].to(table)
        table[rows] -= group["lr"] * delta


WARM_UP: Final = 0.1  # of all steps: ZOO's row of BERT, as in the public model cards
INFERSENT_DECAY: Final = 0.99  # an epoch: Conneau et al. 2017, section 3.3; train_nli.py
INFERSENT_SHRINK: Final = 5.0
INFERSENT_LEAST: Final = 1e-5


class Decision(NamedTuple):
    """What follows from an epoch: the *rate* of the next, whether the best weights come back, the end."""

    rate: float
    restore: bool = False
    stop: bool = False


def step_factor(schedule: str, step: int, steps: int) -> float:
    """Return what the base rate is multiplied by in *step* (from 0) of *steps*.

    >>> [round(step_factor("linear-warmup", step, 20), 3) for step in (0, 1, 2, 11, 19)]
    [0.5, 1.0, 1.0, 0.5, 0.056]
    """
    if schedule == "decay":
        return 0.999 ** (step // 100)
    if schedule == "linear-warmup":
        warm = max(1, round(steps * WARM_UP))
        return min((step + 1) / warm, (steps - step) / max(1, steps - warm))
    return 1.0


def epochs_since_best(scores: Sequence[float]) -> int:
    """Return how many epochs have passed since the best of *scores*, the first of equals.

    >>> epochs_since_best([50.0, 60.0, 60.0, 55.0])
    2
    """
    return len(scores) - 1 - max(range(len(scores)), key=lambda epoch: (scores[epoch], -epoch))


def after_epoch(
    recipe: Recipe, rate: float, accuracies: Sequence[float], losses: Sequence[float]
) -> Decision:
    """Return what *recipe* does after an epoch, from the dev *accuracies* and *losses* of all so far.

    Training stops where accuracy has not risen for ``patience`` epochs.
    """
    missed = epochs_since_best(accuracies)
    stop = missed >= recipe.patience
    epoch = len(accuracies)
    if recipe.schedule == "halve-every-two":
        return Decision(rate * recipe.factor if epoch % 2 == 0 else rate, stop=stop)
    if recipe.schedule == "halve-on-miss":
        return Decision(rate * recipe.factor if missed else rate, stop=stop)
    if recipe.schedule == "halve-and-restore":
        return Decision(rate * recipe.factor if missed else rate, restore=missed > 0, stop=stop)
    if recipe.schedule == "infersent":
        rate = rate / INFERSENT_SHRINK if missed else rate
        return Decision(rate * INFERSENT_DECAY, stop=stop or rate < INFERSENT_LEAST)
    if recipe.schedule == "plateau":
        lowered = _plateau(losses, recipe.plateau_patience)
        return Decision(
            max(rate * recipe.factor, min(rate, recipe.minimum_rate)) if lowered else rate, stop=stop
        )
    return Decision(rate, stop=stop)


def _plateau(losses: Sequence[float], patience: int) -> bool:
    """Tell whether the rate falls after the last of *losses*: more than *patience* in a row did not fall."""
    best, bad, lowered = float("inf"), 0, False
    for loss in losses:
        bad = 0 if loss < best else bad + 1
        best = min(best, loss)
        lowered = bad > patience
        bad = 0 if lowered else bad
    return lowered
