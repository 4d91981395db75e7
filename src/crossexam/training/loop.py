"""The one training loop: steps, dev scores, schedules, early stopping, and snapshots to go on from.

What it does depends on the recipe, the seed and the data alone: batches and what is drawn for them on (seed,
epoch), dropout on torch's generator, whose state is in the snapshot.  So a run that was killed and goes on
ends, on a CPU, with the bytes of an undisturbed one.

A request carried out by the loop: folder, hooks, snapshots.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_text
from crossexam.training import checkpoints, optimizers
from crossexam.training.devices import Device
from crossexam.training.objective import Batch, Objective
from crossexam.training.request import Epoch, Plan, Request, Score, Status
from crossexam.training.trackers import open_tracker
from crossexam.zoo.architecture import Recipe

SNAPSHOT: Final = "snapshot.safetensors"
_STEPS_A_CHECK: Final = 50  # on a GPU: to look at a loss is to wait for it


@dataclass
class _State:
    """All that changes while training and is no tensor."""

    rate: float
    epoch: int = 0
    batch: int = 0
    step: int = 0
    loss: float = 0.0  # summed over the examples of this epoch
    seen: int = 0
    seconds: float = 0.0
    stopped: bool = False
    curve: list[dict[str, Any]] = field(default_factory=list)


class Trainer:
    """Trains *objective*; ``run`` leaves the best weights in its model and returns the curve."""

    def __init__(
        self,
        objective: Objective,
        epoch_of: Callable[[int], Epoch],
        score: Callable[[nn.Module], Score],
        plan: Plan,
    ) -> None:
        self.objective, self.plan, self.device = objective, plan, plan.device
        self._epoch_of, self._score = epoch_of, score
        objective.to(self.device.device)
        self.optimizer = optimizers.make_optimizer(objective, plan.recipe)
        self._called, self._stepped = self.device.prepare(objective, self.optimizer)
        decay = plan.recipe.moving_average
        self.average = optimizers.MovingAverage(objective.model, decay) if decay else None
        self.state = _State(rate=plan.recipe.learning_rate)
        self.best: dict[str, Tensor] = {}
        self._unread = torch.zeros((), dtype=torch.float64, device=self.device.device)
        self._steps = 0
        self._saved = self._started = time.monotonic()
        self._session = 0  # examples of this process since _started

    def run(self) -> list[dict[str, Any]]:
        """Train to the end; raises CrossexamError where the loss is no number any more."""
        torch.manual_seed(self.plan.seed + self.device.rank)
        self._resume()
        state, recipe = self.state, self.plan.recipe
        while state.epoch < recipe.epochs and not state.stopped:
            epoch = self._epoch_of(state.epoch)
            self._steps = self._steps or recipe.epochs * len(epoch.batches)
            self._train(epoch)
            self._end_of_epoch(sum(map(len, epoch.batches)))
        self.objective.model.load_state_dict(self.best)
        return state.curve

    def _train(self, epoch: Epoch) -> None:
        self.objective.train()
        total = sum(map(len, epoch.batches))
        self._started, self._session = time.monotonic(), 0
        for number in range(self.state.batch, len(epoch.batches)):
            self._step(epoch.collate, epoch.batches[number])
            self.state.batch = number + 1
            self._watch(total)
            if self._snapshot_is_due():
                self.save()
        self._read_loss()
        self.state.seconds += time.monotonic() - self._started

    def _step(self, collate: Callable[[Sequence[int]], Batch], rows: Sequence[int]) -> None:
        recipe, state, device = self.plan.recipe, self.state, self.device
        rate = state.rate * optimizers.step_factor(recipe.schedule, state.step, self._steps)
        optimizers.set_rate(self.optimizer, rate)
        own = rows[device.rank :: device.processes]
        batch = collate(own or rows[:1]).to(device.device)
        losses: Tensor = self._called(batch)
        # Over several processes the gradients are averaged: so scaled, they are those of the whole batch.
        summed = losses.sum() if own else losses.sum() * 0.0
        loss = summed * (device.processes / len(rows))
        added = self.objective.penalty()
        self._stepped.zero_grad()
        device.backward(loss if added is None else loss + added)
        if recipe.clip is not None:
            device.clip(self.objective, recipe.clip)
        self._stepped.step()
        if self.average is not None:
            self.average.update(self.objective.model)
        self._unread += summed.detach()
        state.step += 1
        state.seen += len(rows)
        self._session += len(rows)
        if device.device.type == "cpu" or state.step % _STEPS_A_CHECK == 0:
            self._read_loss()

    def _read_loss(self) -> None:
        """Take the losses of the last steps over; raises CrossexamError where they are no number."""
        loss = float(self._unread)
        self._unread.zero_()
        if not math.isfinite(loss):
            raise CrossexamError(
                f"the loss is {loss} in step {self.state.step} (epoch {self.state.epoch + 1}, "
                f"learning rate {self.state.rate:g})",
                where="training",
                wanted="a finite number",
                hint="a lower rate (--set lr=...) or clipping (--set clip=5); the last snapshot is kept",
            )
        self.state.loss += loss

    def _end_of_epoch(self, examples: int) -> None:
        state, recipe, model = self.state, self.plan.recipe, self.objective.model
        score = self._scored()
        loss = float(self.device.total(torch.tensor(state.loss, device=self.device.device)))
        record = {
            "epoch": state.epoch + 1,
            "step": state.step,
            "rate": state.rate,
            "train_loss": round(loss / max(1, state.seen), 6),
            "dev_accuracy": round(score.accuracy, 4),
            "dev_loss": round(score.loss, 6),
            "seconds": round(state.seconds, 2),
            "examples_per_second": round(self._speed(), 1),
        }
        state.curve.append(record)
        decision = optimizers.after_epoch(
            recipe, state.rate, [r["dev_accuracy"] for r in state.curve], [r["dev_loss"] for r in state.curve]
        )
        if decision.restore:
            model.load_state_dict(self.best)
        state.rate, state.stopped = decision.rate, decision.stop
        state.epoch, state.batch, state.loss, state.seen = state.epoch + 1, 0, 0.0, 0
        self.save()
        for tracker in self.plan.trackers:
            tracker.log({name: float(value) for name, value in record.items()}, state.step)
        self._watch(examples, record)

    def _scored(self) -> Score:
        """Return the dev score, and keep the weights where it is the best so far."""
        model = self.objective.model
        if self.average is not None:
            self.average.swap(model)
        model.eval()
        with torch.no_grad(), self.device.precise():
            found = self._score(model)
        # The first process decides: on GPUs the others' last bits may differ, and all must go one way.
        shared = torch.tensor(found, dtype=torch.float64, device=self.device.device)
        score = Score(*self.device.total(shared if self.device.is_main else shared * 0).tolist())
        accuracies = [record["dev_accuracy"] for record in self.state.curve]
        if round(score.accuracy, 4) > max(accuracies, default=-1.0):
            self.best = {name: t.detach().cpu().clone() for name, t in model.state_dict().items()}
        if self.average is not None:
            self.average.swap(model)
        return score

    def _snapshot_is_due(self) -> bool:
        every = self.plan.snapshot_steps
        if every is not None:
            return self.state.step % every == 0
        return time.monotonic() - self._saved > self.plan.snapshot_seconds

    def save(self) -> None:
        """Write down how the training stands."""
        folder = self.plan.folder
        self._read_loss()
        if folder is None or not self.device.is_main:
            return
        optimizer_tensors, optimizer_rest = optimizers.flatten(self.optimizer)
        tensors = {
            **checkpoints.under("objective", self.objective.state_dict()),
            **checkpoints.under("best", self.best),
            **checkpoints.under("optimizer", optimizer_tensors),
            **checkpoints.under("average", self.average.values if self.average else {}),
            **checkpoints.under("random", checkpoints.random_states()),
        }
        rest = {
            "state": vars(self.state),
            "optimizer": optimizer_rest,
            "average_steps": self.average.steps if self.average else 0,
            "steps": self._steps,
            "fingerprint": dict(self.plan.fingerprint),
        }
        checkpoints.save_tensors(folder / SNAPSHOT, tensors, rest)
        if self.plan.metrics is not None:
            write_text(self.plan.metrics, "".join(json.dumps(record) + "\n" for record in self.state.curve))
        self._saved = time.monotonic()

    def _resume(self) -> None:
        """Go on from the snapshot, where there is one; raises CrossexamError where it is another run's."""
        folder = self.plan.folder
        if folder is None or not (folder / SNAPSHOT).exists():
            return
        tensors, rest = checkpoints.load_tensors(folder / SNAPSHOT)
        checkpoints.refuse_other(
            rest.get("fingerprint", {}), json.loads(json.dumps(self.plan.fingerprint)), folder
        )
        self.objective.load_state_dict(checkpoints.those_under("objective", tensors))
        self.best = checkpoints.those_under("best", tensors)
        optimizers.restore(self.optimizer, checkpoints.those_under("optimizer", tensors), rest["optimizer"])
        if self.average is not None:
            self.average.steps = rest["average_steps"]
            for name, values in checkpoints.those_under("average", tensors).items():
                self.average.values[name].copy_(values)
        self._steps = rest["steps"]
        self.state = _State(**rest["state"])
        if self.device.is_main:
            checkpoints.set_random_states(checkpoints.those_under("random", tensors))

    def _speed(self) -> float:
        return self._session / max(1e-9, time.monotonic() - self._started)

    def _watch(self, total: int, scores: Mapping[str, Any] | None = None) -> None:
        state, epochs = self.state, self.plan.recipe.epochs
        speed = self._speed()
        left = (epochs - state.epoch) * total - state.seen
        mean = scores["train_loss"] if scores else state.loss / max(1, state.seen)
        self.plan.watch(
            Status(
                state.epoch + (scores is None),
                epochs,
                state.seen,
                total,
                state.step,
                mean,
                speed,
                left / max(1e-9, speed),
                scores,
            )
        )


def carry_out(
    request: Request,
    objective: Objective,
    epoch_of: Callable[[int], Epoch],
    score: Callable[[nn.Module], Score],
    recipe: Recipe,
    device: Device,
    prints: dict[str, Any],
) -> list[dict[str, Any]]:
    """Train *objective* as *request* asks, and return the curve; its model has the best weights then."""
    request.folder.mkdir(parents=True, exist_ok=True)
    names = request.trackers if device.is_main else ()
    trackers = [open_tracker(name, request.folder, prints["recipe"]) for name in names]
    plan = Plan(
        recipe,
        request.seed,
        device,
        request.folder / checkpoints.UNFINISHED,
        request.folder / checkpoints.METRICS,
        prints,
        snapshot_steps=request.snapshot_steps,
        watch=request.watch,
        trackers=trackers,
    )
    try:
        return Trainer(objective, epoch_of, score, plan).run()
    finally:
        for tracker in trackers:
            tracker.close()
