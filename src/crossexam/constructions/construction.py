"""What a construction is: a function from an example to items and reasons for having made none."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from crossexam.constructions.resources import Resources
from crossexam.core.example import Example, Side
from crossexam.core.labels import LABELS, Label


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an example, or a word of it, gave no item; *reason* is counted in the yield table."""

    reason: str


Outcome = Example | Rejection
Resource = Literal["tagger", "recognizer", "wordnet", "tautology", "lemminflect", "parser", "adjectives"]
Function = Callable[[Example, Resources, random.Random], Iterator[Outcome]]


@dataclass(frozen=True)
class Construction:
    """A line of the table of constructions.

    ``test_class`` is the paper's: competence, distraction or noise, or compositionality; an ablation is no
    test of robustness.  ``keeps_label``: the item has the base's gold label, so that base and item can be
    compared in pairs.  ``labels`` are those it may give, ``edits`` the sides it may edit, ``illustration``
    a premise, hypothesis and label it makes.  A changed construction is a new ``version``.
    ``per_sentence``: it works on each sentence by itself, so that a sentence met again gives nothing new.
    ``draws``: it makes random choices.  ``uses`` are the resources that its signature names.
    """

    name: str
    version: int
    function: Function
    test_class: Literal["competence", "distraction", "noise", "compositionality", "ablation"]
    summary: str
    paper: str
    illustration: tuple[str, str, Label]
    keeps_label: bool = True
    labels: tuple[Label, ...] = LABELS
    edits: tuple[Side, ...] = ("hypothesis",)
    unique_pairs: bool = False
    per_sentence: bool = False
    reads_problems: bool = False
    draws: bool = True
    uses: tuple[Resource, ...] = ()

    @property
    def versioned(self) -> str:
        """The name with its version: ``antonymy.v1``."""
        return f"{self.name}.v{self.version}"
