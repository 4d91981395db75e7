"""The table of measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from figures import builds, runs, tutorials
from figures.records import Figures
from figures.workplace import Workplace


@dataclass(frozen=True)
class Measurement:
    """How the figures called *name* are measured.

    *command* stands beside them on the page.  *measure* gets a workplace and a limit, None for everything.
    *limit* is the number of examples on which CI repeats the measurement; None if it repeats all of it.
    """

    name: str
    command: str
    measure: Callable[[Workplace, int | None], Figures]
    limit: int | None = None
    needs_data: bool = True


_ALL: Final = (
    Measurement(
        "your_model",
        "crossexam build stress-tests --base builtin:demo -o tests",
        tutorials.your_model,
        needs_data=False,
    ),
    Measurement(
        "an_llm",
        'crossexam build negation --base "builtin:demo[::10]" -o tests',
        tutorials.an_llm,
        needs_data=False,
    ),
    Measurement(
        "many_requests",
        "crossexam run api/gpt-5.1 tests -o runs/gpt --price 1.25,10 --max-cost 1 --dry-run",
        tutorials.many_requests,
        limit=100,
    ),
    Measurement(
        "new_test",
        "crossexam build not_the_case --base builtin:demo -o denied",
        tutorials.new_test,
        needs_data=False,
    ),
    Measurement(
        "stress",
        "crossexam build stress-tests --base multinli:dev_matched --base multinli:dev_mismatched -o tests",
        builds.stress,
        limit=150,
    ),
    Measurement(
        "cut",
        "python scripts/docs_figures.py --measure cut",
        builds.cut,
        limit=500,
    ),
    Measurement(
        "word_problems",
        "python scripts/docs_figures.py --measure word_problems",
        builds.word_problems,
    ),
    Measurement(
        "less_than",
        "python scripts/docs_figures.py --measure less_than",
        builds.less_than,
        limit=400,
    ),
    Measurement(
        "composed",
        "crossexam build so_swap --base snli:dev -o DIR",
        builds.composed,
        limit=500,
    ),
    Measurement(
        "documents", "crossexam build documents --base rte:train -o documents", builds.documents, 500
    ),
    Measurement(
        "cross_dataset", "python scripts/docs_figures.py --measure cross_dataset", builds.cross_dataset
    ),
    Measurement("cluster", "python bench/scale.py --workers 100", runs.cluster, needs_data=False),
    Measurement("align", "crossexam run builtin/alignment suite -o runs/alignment", runs.align, limit=60),
)
#: The measurements by name.
MEASUREMENTS: Final[dict[str, Measurement]] = {each.name: each for each in _ALL}
