"""Runs that are wrong on so many items of each test set."""

from typing import Any

from crossexam.core.dataset import Dataset, Run
from made.runs import dataset, wrong
from made.runs import run_of as run_over

GOLDS = "ENC" * 20
#: How many items of the base and of three test sets are wrong.
SETS = {"base.x": 3, "few.x": 6, "many.x": 50, "none.x": 3}


def set_of(name: str, n: int = 60, **facts: Any) -> Dataset:
    base = None if name.startswith("base") else "base.x"
    return dataset(name, GOLDS[:n], base, **({"paired": True} if base else {}), **facts)


def run_of(model: str, count: dict[str, int], **other: Dataset) -> Run:
    """Return a run that has so many wrong answers on each test set, which *other* may replace."""
    sets = [other.get(name.partition(".")[0], set_of(name)) for name in count]
    said = {each.name: wrong(GOLDS, count[each.name])[: len(each)] for each in sets}
    return run_over(said, *sets, model=model, sure=0.8)
