"""Architectures: a module that maps pairs to logits, its paper's figures, and the paper's training recipe.

To add one, write a file with a frozen ``Config`` (the paper's values as defaults), the module and an
``ARCHITECTURE``, and add it to ``crossexam.zoo.table``.  The module is either a
:class:`crossexam.zoo.layers.SentenceEncoder` or a plain ``nn.Module`` that satisfies :class:`Classifier`; the
docstring of :mod:`crossexam.zoo.layers` says which layers it must use, and why.  A :class:`Recipe` is plain
data, which ``crossexam.training`` carries out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, Protocol, runtime_checkable

from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.zoo.inputs import Pairs
from crossexam.zoo.layers import Sizes, Tuning, WordEmbedding

Need = Literal["characters", "tags", "match", "trees"]


@runtime_checkable
class Classifier(Protocol):
    """A model of the zoo: ``output(features(pairs))`` gives the logits [B, 3]."""

    words: WordEmbedding
    output: nn.Linear

    def features(self, pairs: Pairs) -> Tensor:
        """Return the input of the output layer: [B, h]."""
        ...


@dataclass(frozen=True)
class Architecture:
    """An entry of the table of architectures.

    ``build(config, sizes)`` returns the module; ``config`` has the paper's values.  ``parameters`` is the
    paper's parameter count without word vectors, and ``tolerance`` the relative difference that ours may
    have.  ``published`` maps corpora to accuracies in percent.  ``needs`` names the inputs besides words.
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
        """Say whether the model is a :class:`crossexam.zoo.layers.SentenceEncoder`."""
        return hasattr(self.build, "encode")


Optimizer = Literal["adam", "adamw", "adagrad", "adadelta", "sgd"]

# constant: the rate does not change.  halve-every-two: it is halved after every second epoch.
# halve-and-restore: when dev accuracy does not rise, it is halved and the best weights are restored (ESIM,
# CH).  halve-on-miss: the same without restoring weights.  infersent: multiplied by .99 per epoch, divided by
# 5 when dev accuracy falls; training stops below 1e-5.  plateau: multiplied by ``factor`` when dev loss does
# not fall.  decay: multiplied by .999 every 100 steps.  linear-warmup: rises over a tenth of all steps, then
# falls linearly to 0.
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
    """The training described in the paper: optimiser, schedule, clipping, early stopping, word vectors.

    ``epochs`` is the maximum; training stops earlier after ``patience`` epochs without a better dev accuracy.
    ``clip`` is the maximum norm of the gradient.  Training sentences of more than ``max_length`` words are
    truncated.  ``unknown_deviation`` is the standard deviation of the normal distribution from which the
    vectors of words without a pretrained one are drawn.  The schedule ``plateau`` waits ``plateau_patience``
    epochs for a lower dev loss and does not reduce the rate below ``minimum_rate``.  ``source`` names the
    section of the paper or the file of the released code.
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

    def __post_init__(self) -> None:
        for name in ("learning_rate", "batch_size", "epochs", "max_length"):
            value = getattr(self, name)
            if not 0 < value < inf:
                raise CrossexamError(f"'{name}' is {value:g}", wanted="a number above 0")
