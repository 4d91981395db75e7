"""The training loop: what an epoch reads, steps, dev scores, schedules, early stopping and snapshots.

``Training`` describes a kind of model to it, and ``Trainer`` fits one model.

Weights depend on the recipe, the seed and the data alone: batches and random choices of examples on (seed,
epoch), dropout on torch's generator, whose state is in the snapshot.  An interrupted training that is
resumed therefore ends, on a CPU, with the same bytes as an uninterrupted one.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_text
from crossexam.core.manifest import Machine, used_machines
from crossexam.core.sealed import as_json
from crossexam.corpora.trained import Score, check_fingerprint, dev_scores, fingerprint_of, mean_score
from crossexam.training import checkpoints, optimizers
from crossexam.training.data import AddedItems
from crossexam.training.debiasing import Debias
from crossexam.training.devices import Device
from crossexam.training.encoding import plan_epoch
from crossexam.training.objective import Objective
from crossexam.training.pipeline import E, LabelledBatch, Pipeline
from crossexam.training.request import Status, unwatched
from crossexam.training.trackers import OpenRun, numbers_of
from crossexam.zoo.architecture import Recipe

SNAPSHOT: Final = "snapshot.safetensors"
_STEPS_PER_CHECK: Final = 50  # on a GPU, where reading a loss means waiting for it


class Training(Protocol[E]):
    """One kind of training: what the loop needs to know about the model, its inputs and its files.

    It is made from a request without reading the data, so that a finished training costs nothing.
    """

    @property
    def kind(self) -> str:
        """The ``kind`` in the manifest."""

    @property
    def paper(self) -> str | None:
        """The paper of the architecture, if there is one."""

    @property
    def recipe(self) -> Recipe: ...

    @property
    def debias(self) -> Debias | None: ...

    @property
    def pipeline(self) -> Pipeline[E]:
        """How the model reads examples; may read the training data first."""

    def identity(self) -> dict[str, Any]:
        """Return the fields of the fingerprint that only this kind of training has."""

    def warnings(self) -> Iterable[str]:
        """Return what the user should know of the data before the training."""

    def build(self) -> nn.Module:
        """Return the untrained model, initialised by the request's seed."""

    def biased(self) -> Training[E]:
        """Return the training of the biased model, which reads hypotheses only, with the same pipeline.

        Raises CrossexamError if there is none for this kind of model.
        """

    def save(self, folder: Path, model: nn.Module) -> None:
        """Write all files but the manifest into *folder*."""

    def facts(self, model: nn.Module) -> dict[str, Any]:
        """Return what the manifest says about the trained model and its inputs."""


class Epoch(NamedTuple):
    """What an epoch reads: *batches* of indices, the function that makes a batch of them, and the counts of
    items *added* by augmentation.
    """

    batches: Sequence[Sequence[int]]
    collate: Callable[[Sequence[int]], LabelledBatch]
    added: Mapping[str, AddedItems] = MappingProxyType({})


@dataclass(frozen=True)
class LoopSettings:
    """How the loop trains: by which recipe, and where and how often it writes down its state.

    ``folder`` is for snapshots, ``metrics`` a file with a line per epoch.  ``fingerprint`` says what the
    weights depend on: the snapshot of another training is refused.  A snapshot is written after each
    epoch, every ``snapshot_seconds``, or every ``snapshot_steps`` if given.
    """

    recipe: Recipe
    seed: int
    device: Device
    folder: Path | None = None
    metrics: Path | None = None
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    snapshot_seconds: float = 300.0
    snapshot_steps: int | None = None
    watch: Callable[[Status], None] = unwatched
    trackers: Sequence[OpenRun] = ()


def epoch_from(training: Training[E], encoded: E, bias: Mapping[str, Tensor], seed: int, epoch: int) -> Epoch:
    """Return the batches of *epoch*, with the fields of *bias* for the debiasing method."""

    def collate(rows: Sequence[int]) -> LabelledBatch:
        batch = training.pipeline.collate(encoded, rows)
        return (
            replace(batch, **{name: values[list(rows)] for name, values in bias.items()}) if bias else batch
        )

    batches = plan_epoch(encoded.lengths, training.recipe.batch_size, seed=seed, epoch=epoch)
    return Epoch(batches, collate)


@dataclass
class _State:
    """The state of a training, apart from its tensors."""

    rate: float
    epoch: int = 0
    batch: int = 0
    step: int = 0
    loss: float = 0.0  # summed over the examples of this epoch
    seen: int = 0
    seconds: float = 0.0
    stopped: bool = False
    curve: list[dict[str, Any]] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)


class Trainer:
    """The loop over steps and epochs; ``run`` leaves the best weights in the objective's model.

    The best are those with the highest mean accuracy over the dev sets, of which *score* returns each.
    """

    def __init__(
        self,
        objective: Objective,
        epoch_of: Callable[[int], Epoch],
        score: Callable[[nn.Module], Mapping[str, Score]],
        settings: LoopSettings,
    ) -> None:
        self.objective, self.settings, self.device = objective, settings, settings.device
        self._epoch_of, self._score = epoch_of, score
        objective.to(self.device.device)
        self.optimizer = optimizers.make_optimizer(objective, settings.recipe)
        self._callable, self._prepared = self.device.prepare(objective, self.optimizer)
        decay = settings.recipe.moving_average
        self.average = optimizers.MovingAverage(objective.model, decay) if decay else None
        self.state = _State(rate=settings.recipe.learning_rate)
        self.best: dict[str, Tensor] = {}
        self._pending_loss = torch.zeros((), dtype=torch.float64, device=self.device.device)
        self._steps = 0
        self._last_snapshot = self._started = time.monotonic()
        self._examples = 0  # since _started, in this process

    def run(self) -> list[dict[str, Any]]:
        """Train to the end and return the curve; raises CrossexamError if the loss is not finite."""
        torch.manual_seed(self.settings.seed + self.device.rank)
        self._resume()
        state, recipe = self.state, self.settings.recipe
        while state.epoch < recipe.epochs and not state.stopped:
            epoch = self._epoch_of(state.epoch)
            self._steps = self._steps or recipe.epochs * len(epoch.batches)
            self._train(epoch)
            self._end_of_epoch(epoch)
        self.objective.model.load_state_dict(self.best)
        return state.curve

    def _train(self, epoch: Epoch) -> None:
        self.objective.train()
        self.state.machines = used_machines(self.state.machines)
        total = sum(map(len, epoch.batches))
        self._started, self._examples = time.monotonic(), 0
        for number in range(self.state.batch, len(epoch.batches)):
            self._step(epoch.collate, epoch.batches[number])
            self.state.batch = number + 1
            self._watch(total)
            if self._snapshot_is_due():
                self.save()
        self._read_loss()
        self.state.seconds += time.monotonic() - self._started

    def _step(self, collate: Callable[[Sequence[int]], LabelledBatch], rows: Sequence[int]) -> None:
        recipe, state, device = self.settings.recipe, self.state, self.device
        rate = state.rate * optimizers.step_factor(recipe.schedule, state.step, self._steps)
        optimizers.set_rate(self.optimizer, rate)
        own = rows[device.rank :: device.processes]
        batch = collate(own or rows[:1]).to(device.device)
        losses: Tensor = self._callable(batch)
        # Gradients are averaged over the processes; this scale makes them those of the whole batch.
        summed = losses.sum() if own else losses.sum() * 0.0
        loss = summed * (device.processes / len(rows))
        penalty = self.objective.penalty()
        self._prepared.zero_grad()
        device.backward(loss if penalty is None else loss + penalty)
        if recipe.clip is not None:
            device.clip(self.objective, recipe.clip)
        self._prepared.step()
        if self.average is not None:
            self.average.update(self.objective.model)
        self._pending_loss += summed.detach()
        state.step += 1
        state.seen += len(rows)
        self._examples += len(rows)
        if device.device.type == "cpu" or state.step % _STEPS_PER_CHECK == 0:
            self._read_loss()

    def _read_loss(self) -> None:
        """Add up the losses of the last steps; raises CrossexamError if their sum is not finite."""
        loss = float(self._pending_loss)
        self._pending_loss.zero_()
        if not math.isfinite(loss):
            raise CrossexamError(
                f"the loss is {loss} at step {self.state.step} (epoch {self.state.epoch + 1}, "
                f"learning rate {self.state.rate:g})",
                where="training",
                wanted="a finite number",
                hint="try a lower learning rate (--set lr=...) or clipping (--set clip=5); "
                "the last snapshot is kept",
            )
        self.state.loss += loss

    def _end_of_epoch(self, epoch: Epoch) -> None:
        state, recipe, model = self.state, self.settings.recipe, self.objective.model
        scores = dev_scores(self._scored())
        loss = float(self.device.total(torch.tensor(state.loss, device=self.device.device)))
        record = {
            "epoch": state.epoch + 1,
            "step": state.step,
            "rate": state.rate,
            "train_loss": round(loss / max(1, state.seen), 6),
            **as_json(scores),
            **({"augmented": {n: a.counts() for n, a in epoch.added.items()}} if epoch.added else {}),
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
        for tracker in self.settings.trackers:
            tracker.log(numbers_of(record), state.step)
        self._watch(sum(map(len, epoch.batches)), record)

    def _scored(self) -> dict[str, Score]:
        """Return the score on each dev set, and keep the weights if their mean is the best so far."""
        model = self.objective.model
        if self.average is not None:
            self.average.swap(model)
        model.eval()
        with torch.no_grad(), self.device.precise():
            scored = self._score(model)
        # The main process decides: on GPUs the others may differ in the last bits, and all must agree.
        shared = torch.tensor(
            [*scored.values()], dtype=torch.float64, device=self.device.device
        )  # [dev sets, 2]
        rows = self.device.total(shared if self.device.is_main else shared * 0).tolist()
        scores = {name: Score(*row) for name, row in zip(scored, rows, strict=True)}
        accuracies = [record["dev_accuracy"] for record in self.state.curve]
        if round(mean_score(scores).accuracy, 4) > max(accuracies, default=-1.0):
            self.best = {name: t.detach().cpu().clone() for name, t in model.state_dict().items()}
        if self.average is not None:
            self.average.swap(model)
        return scores

    def _snapshot_is_due(self) -> bool:
        every = self.settings.snapshot_steps
        if every is not None:
            return self.state.step % every == 0
        return time.monotonic() - self._last_snapshot > self.settings.snapshot_seconds

    def save(self) -> None:
        """Write a snapshot."""
        folder = self.settings.folder
        self._read_loss()
        if folder is None or not self.device.is_main:
            return
        optimizer_tensors, optimizer_rest = optimizers.flatten(self.optimizer)
        tensors = {
            **checkpoints.with_prefix("objective", self.objective.state_dict()),
            **checkpoints.with_prefix("best", self.best),
            **checkpoints.with_prefix("optimizer", optimizer_tensors),
            **checkpoints.with_prefix("average", self.average.values if self.average else {}),
            **checkpoints.with_prefix("random", checkpoints.random_states()),
        }
        rest = {
            "state": vars(self.state),
            "optimizer": optimizer_rest,
            "average_steps": self.average.steps if self.average else 0,
            "steps": self._steps,
            "fingerprint": dict(self.settings.fingerprint),
        }
        checkpoints.save_tensors(folder / SNAPSHOT, tensors, rest)
        self._write_metrics()
        self._last_snapshot = time.monotonic()

    def _write_metrics(self) -> None:
        if self.settings.metrics is not None:
            lines = (json.dumps(record) + "\n" for record in self.state.curve)
            write_text(self.settings.metrics, "".join(lines))

    def _resume(self) -> None:
        """Resume from the snapshot, if there is one; raises CrossexamError if it is another training's."""
        folder = self.settings.folder
        if folder is None or not (folder / SNAPSHOT).exists():
            return
        tensors, rest = checkpoints.load_tensors(folder / SNAPSHOT)
        check_fingerprint(rest.get("fingerprint", {}), fingerprint_of(self.settings.fingerprint), folder)
        self.objective.load_state_dict(checkpoints.without_prefix("objective", tensors))
        self.best = checkpoints.without_prefix("best", tensors)
        optimizers.restore(
            self.optimizer, checkpoints.without_prefix("optimizer", tensors), rest["optimizer"]
        )
        if self.average is not None:
            self.average.steps = rest["average_steps"]
            for name, values in checkpoints.without_prefix("average", tensors).items():
                self.average.values[name].copy_(values)
        self._steps = rest["steps"]
        self.state = _State(**rest["state"])
        if self.device.is_main:
            checkpoints.set_random_states(checkpoints.without_prefix("random", tensors))
            self._write_metrics()  # a process that was killed may have written the snapshot alone

    def _speed(self) -> float:
        return self._examples / max(1e-9, time.monotonic() - self._started)

    def _watch(self, total: int, scores: Mapping[str, Any] | None = None) -> None:
        state, epochs = self.state, self.settings.recipe.epochs
        speed = self._speed()
        left = (epochs - state.epoch) * total - state.seen
        mean = scores["train_loss"] if scores else state.loss / max(1, state.seen)
        self.settings.watch(
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
