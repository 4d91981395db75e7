"""Cross-examine models of natural language inference.

>>> import crossexam as cx
>>> base = [cx.Example("1", "The soup is hot.", "The meal is warm.", "entailment")]
>>> suite = cx.build("negation", base)
>>> suite["negation.examples"].examples[0].hypothesis
'The meal is warm and false is not true.'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

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
    from crossexam.core.dataset import Dataset, Run, Suite
    from crossexam.core.errors import CrossexamError, UnfinishedError
    from crossexam.core.estimate import Estimate
    from crossexam.core.example import Change, Edit, Example
    from crossexam.core.labels import LABELS

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


#: Where the names are that are not of the module ``api``.
_MODULES: Final = {
    **dict.fromkeys(("Dataset", "Run", "Suite"), "dataset"),
    **dict.fromkeys(("CrossexamError", "UnfinishedError"), "errors"),
    **dict.fromkeys(("Change", "Edit", "Example"), "example"),
    "Estimate": "estimate",
    "LABELS": "labels",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that importing the package is fast."""
    if name not in __all__:
        raise AttributeError(f"module 'crossexam' has no attribute {name!r}")
    of = f"crossexam.core.{_MODULES[name]}" if name in _MODULES else "crossexam.api"
    return getattr(import_module(of), name)


def __dir__() -> list[str]:
    return sorted(__all__)
