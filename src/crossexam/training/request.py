"""What is to be trained, and what came of it.

What the training loop is given, and what it tells.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json
from crossexam.core.manifest import package_version
from crossexam.core.progress import Progress, silent
from crossexam.training.checkpoints import MANIFEST, refuse_other
from crossexam.training.data import Augmentation, Data
from crossexam.training.devices import Device
from crossexam.training.objective import Batch
from crossexam.training.trackers import Tracker

if TYPE_CHECKING:
    from crossexam.zoo.architecture import Recipe


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


_PACKAGES: Final = ("torch", "accelerate", "safetensors", "tokenizers", "transformers", "numpy")


@dataclass(frozen=True)
class Request:
    """A training: the architecture's name or ``hf/FOLDER``, the data, the folder for what comes of it.

    ``values`` are texts by field (``--set``).  ``bias`` is the run of a biased model over the training
    set; without it the method trains one.  A snapshot is written every ``snapshot_steps`` where given.
    """

    name: str
    data: Data
    folder: Path
    seed: int = 0
    values: Mapping[str, str] = field(default_factory=dict)
    vectors: Path | None = None
    ablate_rnn: bool = False
    shuffle_words: bool = False
    augmentations: tuple[Augmentation, ...] = ()
    debias: str | None = None
    bias: Run | None = None
    device: str = "auto"
    precision: str = "auto"
    trackers: tuple[str, ...] = ()
    snapshot_steps: int | None = None
    watch: Callable[[Status], None] = unwatched
    progress: Progress = silent

    def options(self) -> dict[str, Any]:
        """Return the options that change what is trained, for the manifest."""
        return {
            "ablate_rnn": self.ablate_rnn,
            "shuffle_words": self.shuffle_words,
            "augment": [f"{a.name}:{a.count}" if a.count else a.name for a in self.augmentations],
            "debias": self.debias,
            "bias": self.bias.manifest.get("model_key", self.bias.model) if self.bias else None,
        }


class Trained(NamedTuple):
    """A finished training: its folder and its manifest."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def accuracy(self) -> float:
        """The best dev accuracy, in percent."""
        return float(self.manifest["scores"]["dev_accuracy"])


def finished_before(folder: Path, fingerprint: Mapping[str, Any]) -> Trained | None:
    """Return the training that *folder* holds, None where there is none.

    Raises CrossexamError where it is another than *fingerprint* says, or no training at all.
    """
    path = folder / MANIFEST
    if not path.exists():
        return None
    manifest = read_json(path)
    if "fingerprint" not in manifest:
        raise CrossexamError(
            "it holds something else than a training", where=str(folder), hint="another folder"
        )
    refuse_other(manifest["fingerprint"], fingerprint, folder)
    return Trained(folder, manifest)


def best_of(curve: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the scores of the best epoch of *curve*, the first of equals."""
    best = max(curve, key=lambda record: record["dev_accuracy"])
    return {"dev_accuracy": best["dev_accuracy"], "dev_loss": best["dev_loss"], "best_epoch": best["epoch"]}


def versions() -> dict[str, str]:
    """Return the versions that a training depends on."""
    found = {"crossexam": package_version(), "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
