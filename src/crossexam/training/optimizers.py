"""The optimisers and learning rate schedules of the recipes.

The state of an optimiser is saved as plain tensors and numbers.  Schedules are pure functions of the step and
of the dev scores so far: the rate of a step is the base rate, which changes only between epochs, times
:func:`step_factor`.
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

    Weight decay applies to matrices only, neither to biases and normalisation nor to word vectors, since
    those of words that are absent from an epoch would fade.  AdaDelta has Zeiler's rho of .95 (also
    TensorFlow's default, which the released DIIN and DiSAN use), not PyTorch's .9, and updates only the
    rows of an embedding table that a batch uses.
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
        fused = all(p.device.type == "cpu" for _, p in named)  # torch has no fused Adagrad for GPUs
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
    """Return the state of *optimizer*: tensors by ``parameter.field``, and the other values."""
    tensors: dict[str, Tensor] = {}
    plain: dict[str, Any] = {}
    for number, fields in optimizer.state_dict()["state"].items():
        for field, value in fields.items():
            target = tensors if isinstance(value, Tensor) else plain
            target[f"{number}.{field}"] = value
    return tensors, plain


def restore(
    optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor], plain: Mapping[str, Any]
) -> None:
    """Restore what :func:`flatten` returned."""
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
    """The exponential moving average of parameters, which is evaluated and saved instead of them.

    The decay is min(decay, (1 + t) / (10 + t)) at step t, as in TensorFlow's with a step count: with a
    constant one, the average would consist mostly of the initial weights after an epoch on a small corpus.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.values = {name: p.detach().clone() for name, p in module.named_parameters() if p.requires_grad}

    @torch.no_grad()
    def update(self, module: nn.Module) -> None:
        """Add the parameters after a step to the average."""
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
    """AdaDelta (Zeiler 2012) that updates only those rows of an embedding table that a batch uses.

    The tables are the groups with ``rows``.  A row without a gradient stays as it is; its two averages
    decay by rho per step, which is made up for when the row is next used.  The result is torch's up to
    rounding, and the cost of a step depends on the words of the batch, not on the vocabulary: with 40,000
    words, the update took most of the training time of the small LSTM.
    """

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step; *closure*, if any, computes the gradients and returns the loss."""
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        tables = [
            (p, p.grad, group) for group in self.param_groups if group.get("rows") for p in group["params"]
        ]
        for table, _, _ in tables:
            table.grad = None  # torch's step skips it
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
            # "last", the last step that used a row, has the parameter's type, to which torch converts all
            # states that it loads.  float32 counts to 2^24 steps.
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


WARM_UP: Final = 0.1  # of all steps, as in the public model cards of BERT
INFERSENT_DECAY: Final = 0.99  # per epoch: Conneau et al. 2017, section 3.3; train_nli.py
INFERSENT_SHRINK: Final = 5.0
INFERSENT_LEAST: Final = 1e-5


class Decision(NamedTuple):
    """What follows an epoch: the next *rate*, whether to *restore* the best weights, whether to *stop*."""

    rate: float
    restore: bool = False
    stop: bool = False


def step_factor(schedule: str, step: int, steps: int) -> float:
    """Return the factor of the base rate in *step* (from 0) of *steps*.

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
    """Return what *recipe* does after an epoch, given the dev *accuracies* and *losses* of all epochs so far.

    Training stops if the accuracy has not improved for ``patience`` epochs.
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
    """Return whether the rate falls now: more than *patience* of the last *losses* did not improve."""
    best, bad, lowered = float("inf"), 0, False
    for loss in losses:
        bad = 0 if loss < best else bad + 1
        best = min(best, loss)
        lowered = bad > patience
        bad = 0 if lowered else bad
    return lowered
