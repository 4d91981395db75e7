"""What tables, charts and gates show beside results, by its formulas; part of it is in CSV and JSON, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
from figure_formulas.answers import Answers
from figure_formulas.intervals import Array, Figure, effective, exact, share
from scipy.optimize import brentq

#: The least accuracies that gates demand.
DEMANDED = (0.2, 0.6, 0.85)
MEAN, ALL = "(mean of test sets)", "(all test sets)"
Named = tuple[str, Figure]


def count(number: int) -> Figure:
    return {"value": float(number)}


def of_test_set(a: Answers, slices: Sequence[tuple[str, Array]]) -> Iterator[Named]:
    """Yield the figures of a test set; *slices* are named and say which items are in them."""
    known = a.at(a.answered)
    yield "items|", count(len(a.gold))
    yield "clusters|", count(min(len(set(unit)) for unit in known.units))
    for of, inside in slices:
        yield f"items|{of}", count(int(inside.sum()))
        for side, end in a.at(inside).ends:
            yield f"accuracy_{side}|{of}", {"value": float(end.right.mean())}
    if a.too_few:
        return
    yield "wrong|", count(int((~known.right).sum()))
    yield "answered|", count(len(known.gold))
    sure = a.at(a.answered & (a.mass >= 0.5))
    yield "calibrated_accuracy|", share(sure.right, [sure.premise]).figure
    if len(set(known.gold)) == 1:
        for label in known.labels:
            yield f"predicted_share|{label}", {"value": float((known.predicted == label).mean())}
    if a.answered.all():
        for least in DEMANDED:
            yield f"gate_p|min={least}", {"value": one_sided(a, least)}


def one_sided(a: Answers, least: float) -> float:
    """The p-value of the side of *least* on which the accuracy is: of the exact limit that touches it."""
    value = float(a.right.mean())

    def beyond(tail: float) -> float:
        size = effective(a.right, a.units, None, 1 - 2 * tail)[0]
        low, high = exact(value, size, tail)
        return low - least if value >= least else least - high

    return 1.0 if beyond(0.4999) < 0 else float(brentq(beyond, 1e-12, 0.4999, xtol=1e-15))


def of_pairs(items: Answers, bases: Answers) -> Iterator[Named]:
    """Yield the number of items whose base has a gold label, and the bounds of accuracies on these bases."""
    yield "pairs|", count(len(items.gold))
    yield "pairs_unanswered|", count(int((~(items.answered & bases.answered)).sum()))
    for side, end in bases.ends:
        yield f"base_accuracy_{side}|", {"value": float(end.right.mean())}


def over_test_sets(data: Any, several: dict[str, Figure], sets: Sequence[str]) -> Iterator[Named]:
    """Yield the means of agreement over the ranked *sets*, and what one model alone gets right in all.

    *several* are the figures of each test set.
    """
    models = data["models"]
    for one, other in combinations(models, 2):
        for statistic in ("same", "kappa", "same_errors"):
            found = [several[f"{one}|{name}|agreement_{statistic}|{other}"]["value"] for name in sets]
            known = [each for each in found if each is not None and not isnan(each)]
            yield f"{one}|{MEAN}|agreement_{statistic}|{other}", {"value": float(np.mean(known))}
    every = data["test_sets"]
    counted = [name for name in every if all(f"{model}|{name}|only_right|" in several for model in models)]
    for model in models:
        n = sum(int(several[f"{model}|{name}|ranked_accuracy|"]["n"] or 0) for name in counted)
        yield f"{model}|{ALL}|items|", count(n)
        for side in ("right", "wrong"):
            alone = sum(several[f"{model}|{name}|only_{side}|"]["value"] or 0 for name in counted)
            yield f"{model}|{ALL}|only_{side}|", {"value": alone}
            yield f"{model}|{ALL}|only_{side}_share|", {"value": alone / n}


def of_two(a: Answers, b: Answers) -> Iterator[tuple[str, float]]:
    """Yield the bounds of both accuracies over all items."""
    for side, each in zip("ab", (a, b), strict=True):
        for name, end in each.ends:
            yield f"accuracy_{side}_{name}", float(end.right.mean())
