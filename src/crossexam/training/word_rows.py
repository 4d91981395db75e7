"""AdaDelta that leaves alone the word vectors that a batch does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class WordAdadelta(torch.optim.Adadelta):
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
