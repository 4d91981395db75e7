"""The request for a training, and its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from crossexam.core.dataset import Run
from crossexam.core.progress import Note, Progress, silent, unheard
from crossexam.training.data import Augmentation, Data, TrainingSet, with_construction_options
from crossexam.training.vocabulary import WordSource


class Status(NamedTuple):
    """The progress of a training; ``seconds_left`` is until the last epoch, if it does not stop early."""

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
class TrainingRequest:
    """A training: the name of an architecture or ``hf/FOLDER``, the data, and the folder for the model.

    ``values`` are the texts of settings by field (``--set``); those named ``CONSTRUCTION.OPTION`` are options
    of the constructions that augment the data.  The model also knows those words of
    ``vocabulary_from`` that have a vector in ``vectors``.  ``bias`` is the run of a biased model over
    the training set; without it, a debiasing method trains one.  Trainings with the same biased model train
    it once if they have the same folder ``shared``.  A snapshot is written every ``snapshot_steps`` if given.
    """

    name: str
    data: Data
    folder: Path
    seed: int = 0
    values: Mapping[str, str] = field(default_factory=dict)
    vectors: Path | None = None
    vocabulary_from: tuple[WordSource, ...] = ()
    ablate_rnn: bool = False
    shuffle_words: bool = False
    augmentations: tuple[Augmentation, ...] = ()
    debias: str | None = None
    bias: Run | None = None
    shared: Path | None = None
    device: str = "auto"
    precision: str = "auto"
    trackers: tuple[str, ...] = ()
    snapshot_steps: int | None = None
    watch: Callable[[Status], None] = unwatched
    progress: Progress = silent
    note: Note = unheard

    def options(self) -> dict[str, Any]:
        """Return the options that the weights depend on, for the manifest."""
        known = self.vocabulary_from
        return {
            "ablate_rnn": self.ablate_rnn,
            "shuffle_words": self.shuffle_words,
            "augment": [each.describe() for each in self.augmentations],
            "debias": self.debias,
            "bias": (self.bias.manifest.model_key or self.bias.model) if self.bias else None,
            **({"vocabulary_from": [source.describe() for source in known]} if known else {}),
        }

    def with_its_augmentations(self) -> TrainingRequest:
        """Return the request with the options of constructions moved from its values to its augmentations.

        Raises CrossexamError if one is unknown, or belongs to a construction that adds nothing to the data.
        """
        augmentations, values = with_construction_options(self.augmentations, self.values)
        return replace(self, augmentations=augmentations, values=values)

    def training_set(self) -> TrainingSet:
        """Return the training examples, as a function of the epoch."""
        return TrainingSet(self.data, self.seed, self.augmentations, self.shuffle_words)
