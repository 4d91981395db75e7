"""Runs of two models over a base and a test set that is paired with a part of it, drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, Label
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import Outcome, Outcomes

#: The same examples in every run, few of them, however long one takes.
few = settings(derandomize=True, max_examples=25, deadline=None)


class Item(NamedTuple):
    """An item, and its base: gold labels (None for none), and what two models answer (None for nothing)."""

    premise: int
    gold: int | None
    base_gold: int | None
    has_base: bool
    answers: tuple[int | None, int | None]
    base_answers: tuple[int | None, int | None]


_answer = st.one_of(st.integers(0, 2), st.integers(0, 2), st.none())
_item = st.builds(
    Item,
    st.integers(0, 4),
    _answer,
    _answer,
    st.booleans(),
    st.tuples(_answer, _answer),
    st.tuples(_answer, _answer),
)
items = st.lists(_item, min_size=1, max_size=14)
#: A base of which one item is in no pair, and is the only one that is wrong.
UNPAIRED = [Item(0, 0, 0, True, (0, 0), (0, 0)), Item(1, 1, 1, False, (1, 1), (2, 1))]
NO_ANSWER = [Item(0, 0, 0, True, (None, 0), (0, None)), Item(0, 1, 1, True, (1, 2), (1, 1))]
#: A change of names that has to leave all numbers as they are.
Renaming = Callable[[int], Any]


def suite(
    given_items: Sequence[Item],
    *,
    labels: Sequence[Label] = LABELS,
    cluster: Renaming = str,
    order: Sequence[int] | None = None,
) -> dict[str, Dataset]:
    """Return a base, and a test set that is paired with those of its items that have one."""
    base, stressed = [], []
    for number, each in enumerate(given_items):
        info = {"cluster": cluster(each.premise)}
        texts = f"Premise {each.premise}.", f"Hypothesis {number}."
        base.append(Example(f"base:{number}", *texts, named(each.base_gold, labels), info=info))
        link = f"base:{number}" if each.has_base else None
        stressed.append(Example(f"n:{number}", *texts, named(each.gold, labels), base=link, info=info))
    at = order or range(len(given_items))
    entry = {"construction": "negation.v1", "part": "dev", "base_set": "base.dev", "keeps_label": True}
    return {
        "base.dev": Dataset("base.dev", [base[k] for k in at], {"construction": "base", "part": "dev"}),
        "negation.dev": Dataset("negation.dev", [stressed[k] for k in at], entry),
    }


def named(number: int | None, labels: Sequence[Label]) -> Label | None:
    return None if number is None else labels[number]


def run(
    given_items: Sequence[Item], model: int = 0, *, turned: Sequence[int] = (0, 1, 2), **changed: Any
) -> Run:
    """Return the run of one of the two models, with 0.8 for the label that it predicts."""
    sets = suite(given_items, labels=[LABELS[k] for k in turned], **changed)
    at = changed.get("order") or range(len(given_items))
    rows, outcomes = {}, {}
    for name, field in (("base.dev", "base_answers"), ("negation.dev", "answers")):
        answers = [getattr(given_items[k], field)[model] for k in at]
        table = np.full((len(answers), 3), 0.1)
        for row, answer in zip(table, answers, strict=True):
            row[:] = np.nan if answer is None else row
            if answer is not None:
                row[turned[answer]] = 0.8
        rows[name] = table
        told = [Outcome("refused") if answer is None else Outcome() for answer in answers]
        outcomes[name] = Outcomes.of(told, len(told))
    return Run(f"model {model}", sets, rows, RunManifest(model_key=str(model)), {}, outcomes)
