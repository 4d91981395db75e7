"""Runs written as letters, one per item.

A letter is a label: E, N, C, and n for *not entailment*, as a gold label only. A gold label - is none; of
the answers, ? is a refusal, and ! was cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import Gold
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import Outcome, Outcomes

GOLD_OF: Mapping[str, Gold | None] = {
    "E": "entailment", "N": "neutral", "C": "contradiction", "n": "not_entailment", "-": None
}  # fmt: skip
STATUSES = {"?": "refused", "!": "cut"}


def dataset(
    name: str,
    golds: str,
    base: str | None = None,
    *,
    premises: Sequence[Any] | None = None,
    bases: Sequence[str | None] | None = None,
    info: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    **facts: Any,
) -> Dataset:
    """A test set with an item per letter of *golds*, named "negation:0" and so on in negation.dev.

    Items that have the same of *premises* share a premise. An item is made from that of its number in *base*,
    or from that of *bases*; *info* is of each item, or of all.
    """
    construction, _, part = name.partition(".")
    of_items = [info] * len(golds) if isinstance(info, Mapping) else info
    items = tuple(
        Example(
            f"{construction}:{k}",
            f"Premise {premises[k] if premises else k}.",
            f"Hypothesis {k}.",
            GOLD_OF[letter],
            base=bases[k] if bases else base and f"{base.partition('.')[0]}:{k}",
            info=dict(of_items[k]) if of_items else {},
        )
        for k, letter in enumerate(golds)
    )
    made = {"construction": construction, "part": part, "base_set": base, "keeps_label": True}
    return Dataset(name, items, made | facts)


def answers(letters: str, sure: float = 1.0) -> Any:
    """The probabilities of answers, of which each has the probability *sure*."""
    rows, rest = np.full((len(letters), 3), np.nan), (1 - sure) / 2
    for k, letter in enumerate(letters):
        if letter not in STATUSES:
            rows[k] = [sure if each == letter else rest for each in "ENC"]
    return rows


def run_of(said: Mapping[str, str], *sets: Dataset, model: str = "m", **details: Any) -> Run:
    """A run that gave these answers to the items of each test set."""
    told = {
        name: Outcomes.of([Outcome(STATUSES.get(each, "answered")) for each in letters], len(letters))
        for name, letters in said.items()
        if set(letters) & set(STATUSES)
    }
    rows = {name: answers(letters) for name, letters in said.items()}
    return Run(model, {each.name: each for each in sets}, rows, RunManifest(details=details), {}, told)
