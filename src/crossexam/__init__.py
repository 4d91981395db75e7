"""Cross-examine models of natural language inference.

>>> import crossexam as cx
>>> base = [cx.Example("1", "The soup is hot.", "The meal is warm.", "entailment")]
>>> suite = cx.build("negation", base)
>>> suite["negation.examples"].examples[0].hypothesis
'The meal is warm and false is not true.'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.estimate import Estimate
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import LABELS

if TYPE_CHECKING:
    from crossexam.api import (
        accuracy,
        accuracy_by,
        baseline,
        build,
        check,
        compare,
        convert,
        gate,
        load,
        load_run,
        load_suite,
        report,
        run,
    )

__all__ = [
    "LABELS",
    "Change",
    "CrossexamError",
    "Dataset",
    "Edit",
    "Estimate",
    "Example",
    "Run",
    "Suite",
    "UnfinishedError",
    "accuracy",
    "accuracy_by",
    "baseline",
    "build",
    "check",
    "compare",
    "convert",
    "gate",
    "load",
    "load_run",
    "load_suite",
    "report",
    "run",
]


def __getattr__(name: str) -> Any:
    """Import the functions of the library when they are first used, so that importing the package is fast."""
    if name in __all__:
        from crossexam import api

        return getattr(api, name)
    raise AttributeError(f"module 'crossexam' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
