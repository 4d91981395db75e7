"""The training examples of each epoch, after shares, augmentation and shuffling."""

from __future__ import annotations

from dataclasses import dataclass

from crossexam.core.example import Example
from crossexam.training.data import Data
from crossexam.training.transforms import Augmentation, augment, shuffle_words


@dataclass(frozen=True)
class TrainingSet:
    """What an epoch reads, as a function of (seed, epoch): the data, beside it items, words shuffled last."""

    data: Data
    seed: int
    augmentations: tuple[Augmentation, ...] = ()
    shuffled: bool = False

    @property
    def redrawn(self) -> bool:
        """Whether epochs differ in what they read."""
        return self.data.redrawn or self.shuffled or any(each.redrawn for each in self.augmentations)

    def examples(self, epoch: int) -> list[Example]:
        """Return the examples of *epoch*; raises CrossexamError where an augmentation makes nothing."""
        found = self.data.of_epoch(epoch, self.seed)
        for each in self.augmentations:
            found = found + augment(self.data.examples, each, seed=self.seed, epoch=epoch)
        if self.shuffled:
            found = [shuffle_words(example, seed=self.seed, epoch=epoch) for example in found]
        return found
