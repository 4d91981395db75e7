"""What an architecture is: a module that turns pairs into logits, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from torch import Tensor, nn

from crossexam.core.example import Side
from crossexam.zoo.embedding import Sizes, Words
from crossexam.zoo.recipe import Recipe
from crossexam.zoo.sentences import Pairs, Sentences

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
