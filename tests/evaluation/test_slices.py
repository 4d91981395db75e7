"""Slices by values of items: which items are in each."""

from __future__ import annotations

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.evaluation.slices import accuracy_by_value


def test_items_are_in_the_slice_of_their_own_value() -> None:
    """Booleans are yes and no, lists are spelt out, and items without a value are in none."""
    values = [True, True, True, False, False, None, ["hot", "cold"], "x"]
    right = [True, True, False, False, False, True, True, False]
    items = [
        Example(
            f"i:{k}", f"Premise {k}.", "Hypothesis.", "neutral", info={} if value is None else {"is": value}
        )
        for k, value in enumerate(values)
    ]
    table = np.eye(3)[[1 if each else 2 for each in right]]
    run = Run("m", {"base.x": Dataset("base.x", items, {"construction": "base"})}, {"base.x": table})
    found = accuracy_by_value(run, "is")["base.x"]
    assert {value: (each.value, each.n) for value, each in found.items()} == {
        "yes": (2 / 3, 3), "no": (0.0, 2), "hot/cold": (1.0, 1), "x": (0.0, 1),
    }  # fmt: skip
