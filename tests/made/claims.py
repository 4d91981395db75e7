"""Runs over data sets of claims, as benchmarks of fact checking have them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crossexam.core.dataset import Run
from crossexam.core.manifest import RunManifest
from crossexam.suites.fact_checking import BENCHMARKS
from made.runs import dataset

#: Document, whether the claim is supported, and the probability of entailment.
Rows = Sequence[tuple[str, int, float]]


def claims(split: str = "test", model: str = "mine", *, benchmark: str = "summac", **sets: Rows) -> Run:
    """A run over data sets of a benchmark, whose claims differ by split."""
    made, answers, title = {}, {}, BENCHMARKS[benchmark].title
    for name, rows in sets.items():
        place = {"benchmark": benchmark, "title": title, "data_set": name, "split": split}
        golds, documents = "".join("nE"[row[1]] for row in rows), [f"{row[0]} of {name}" for row in rows]
        data = dataset(
            f"base.{name}", golds, premises=documents, projection="two labels", fact_checking=place
        )
        items = tuple(replace(each, hypothesis=f"{each.hypothesis} {split}") for each in data)
        made[data.name] = replace(data, examples=items)
        answers[data.name] = np.array([[p, (1 - p) / 2, (1 - p) / 2] for _, _, p in rows])
    return Run(model, made, answers, RunManifest(model_key=model))
