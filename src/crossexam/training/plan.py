"""What the training loop is given, and what it tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crossexam.training.devices import Device
from crossexam.training.objective import Batch
from crossexam.training.tracking import Tracker

if TYPE_CHECKING:
    from crossexam.zoo.recipe import Recipe


class Epoch(NamedTuple):
    """What an epoch reads: *batches* of indices, and what makes a Batch of one."""

    batches: Sequence[Sequence[int]]
    collate: Callable[[Sequence[int]], Batch]


class Score(NamedTuple):
    """How a model does on the dev set: *accuracy* in percent, mean *loss* in nats."""

    accuracy: float
    loss: float


class Status(NamedTuple):
    """Where a training stands; ``seconds_left`` is until the last epoch, which early stopping may spare."""

    epoch: int
    epochs: int
    done: int
    total: int
    step: int
    loss: float
    examples_per_second: float
    seconds_left: float
    scores: Mapping[str, Any] | None = None


def unwatched(status: Status) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class Plan:
    """How to train: the recipe, and where and how often to write down how it stands.

    ``folder`` is for snapshots, ``metrics`` the file that has a line an epoch.  ``fingerprint`` says what
    the run depends on: a snapshot of another one is refused.  A snapshot is written after each epoch,
    every ``snapshot_seconds``, and every ``snapshot_steps`` where given.
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
    trackers: Sequence[Tracker] = ()
