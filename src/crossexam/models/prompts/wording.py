"""The template of a model for which nobody named one: it follows from the labels of the test sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

M = TypeVar("M")


@dataclass(frozen=True)
class Wording(Generic[M]):
    """Whether a model is worded for test sets of *two_labels*, and what makes (*reworded*) that for others.

    *two_labels* is None as long as no test sets are known.

    >>> Wording(True, "the model for two labels: {}".format).model("this model", two_labels=True)
    'this model'
    """

    two_labels: bool | None
    reworded: Callable[[bool], M]

    def model(self, worded: M, two_labels: bool) -> M:
        """Return *worded* if that is the model for test sets of *two_labels* or of three, else the other."""
        return worded if self.two_labels is two_labels else self.reworded(two_labels)
