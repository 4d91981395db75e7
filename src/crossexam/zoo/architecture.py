"""What an architecture is: a module that turns pairs into logits, and what is known of it.

How a model was trained in its paper: plain data that ``crossexam.training`` carries out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes, Tuning, Words

Need = Literal["characters", "tags", "match", "trees"]


@runtime_checkable
class Classifier(Protocol):
    """Every model of the zoo: ``output(features(pairs))`` are the logits [B, 3]."""

    words: Words
    output: nn.Linear

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, h]."""
        ...


@runtime_checkable
class SentenceEncoder(Classifier, Protocol):
    """A model that encodes each sentence on its own: ``features`` is ``compare(encode, encode)``.

    Each distinct sentence is encoded once and matched afterwards.
    """

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return a vector for each sentence, to stand on *side*: [B, d]."""
        ...

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of encoded sentences: [B, d], [B, d] -> [B, h]."""
        ...


@dataclass(frozen=True)
class Architecture:
    """A line of the table of architectures.

    ``build(config, sizes)`` makes the module; ``config`` has the paper's values.  ``parameters`` is the
    paper's count without word vectors, ``tolerance`` the share that ours may differ by.  ``published``
    maps corpora to accuracies in percent, with ``source``.  ``needs`` names what it reads besides words.
    """

    name: str
    build: Callable[[Any, Sizes], nn.Module]
    config: Any
    recipe: Recipe
    paper: str
    summary: str
    parameters: float
    parameters_source: str
    published: dict[str, float]
    tolerance: float = 0.01
    needs: tuple[Need, ...] = ()

    @property
    def encodes_sentences(self) -> bool:
        """Whether the model is a sentence encoder."""
        return hasattr(self.build, "encode")


Optimizer = Literal["adam", "adamw", "adagrad", "adadelta", "sgd"]

# constant: the rate stays.  halve-every-two: halved after every second epoch.  halve-and-restore: when dev
# accuracy does not rise, the rate is halved and the best weights come back (ESIM, CH).  halve-on-miss:
# halved when dev accuracy does not rise, weights kept.  infersent: times .99 an epoch, divided by 5 when dev
# accuracy falls, stop below 1e-5.  plateau: times ``factor`` when dev loss does not fall.  decay: times .999
# every 100 steps.  linear-warmup: a tenth of all steps up, then linearly down to 0.
Schedule = Literal[
    "constant",
    "halve-every-two",
    "halve-and-restore",
    "halve-on-miss",
    "infersent",
    "plateau",
    "decay",
    "linear-warmup",
]


@dataclass(frozen=True)
class Recipe:
    """The paper's training: optimiser, schedule, clipping, stopping, words.

    ``learning_rate`` and so on have the paper's values; ``epochs`` is the most, ``patience`` the epochs
    without a better dev accuracy after which training stops.  ``clip`` is the largest gradient norm.
    ``max_length`` counts words of a sentence in training, longer ones are cut.  ``unknown_deviation``
    is the standard deviation of the normal from which vectors of words without one are drawn.
    ``plateau_patience`` counts the epochs that the schedule ``plateau`` lets pass without a lower dev loss,
    ``minimum_rate`` is the least rate that it goes down to.
    ``source`` names the section or the released file that says so.
    """

    optimizer: Optimizer
    learning_rate: float
    batch_size: int
    epochs: int
    source: str
    schedule: Schedule = "constant"
    factor: float = 0.5
    patience: int = 3
    clip: float | None = None
    weight_decay: float = 0.0
    initial_accumulator: float = 0.0
    moving_average: float | None = None
    max_length: int = 100
    lower_case: bool = False
    vectors: Tuning = "tuned"
    normalised_vectors: bool = False
    unknown_deviation: float = 0.01
    plateau_patience: int = 0
    minimum_rate: float = 0.0
