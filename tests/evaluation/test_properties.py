"""What holds of the measures of any run: names and order, and the exchange of two models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_runs import NO_ANSWER, UNPAIRED, Item, Renaming, few, items, run

from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import TestSetResult, measure
from crossexam.evaluation.probability_comparison import probability_comparisons


def measured(*args: Any, **changed: Any) -> tuple[TestSetResult, ...]:
    return measure(run(*args, **changed), max_unanswered=1.0)


def numbers(results: Sequence[TestSetResult]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for result in results:
        for field in ("n", "accuracy", "base_accuracy", "drop", "p_value", "p_mid", "flip_rate", "confusion"):
            value = getattr(result, field)
            parts = value if isinstance(value, tuple) else (value,)
            found |= {f"{result.name} {field} {k}": part for k, part in enumerate(np.ravel(parts))}
    return found


@few
@given(items, st.permutations(range(14)), st.sampled_from([lambda k: f"c{-k}", lambda k: "ebcda"[k]]))
@example(UNPAIRED, list(range(13, -1, -1)), lambda k: 7 - k)
def test_order_and_names_of_clusters_change_nothing(
    given_items: list[Item], order: list[int], cluster: Renaming
) -> None:
    there = pytest.approx(numbers(measured(given_items)), abs=1e-9, nan_ok=True)
    assert numbers(measured(given_items, order=[k for k in order if k < len(given_items)])) == there
    assert numbers(measured(given_items, cluster=cluster)) == there


@few
@given(items)
@example(UNPAIRED)
@example(NO_ANSWER)
def test_exchanging_two_models_negates(given_items: list[Item]) -> None:
    a, b = run(given_items, 0), run(given_items, 1)
    there, back = compare_runs(a, b, max_unanswered=1.0), compare_runs(b, a, max_unanswered=1.0)
    for one, other in zip(there, back, strict=True):
        assert (one.b, one.c, one.n) == (other.c, other.b, other.n)
        assert one.accuracy_a == other.accuracy_b
        assert negated(one.difference) == pytest.approx(tuple(other.difference), nan_ok=True)
        assert (one.p_value, one.p_holm) == (other.p_value, other.p_holm)
    both = (probability_comparisons(*pair, max_unanswered=1.0) for pair in ((a, b), (b, a)))
    for first, second in zip(*both, strict=True):
        for name in ("brier", "log_loss"):
            one_way, other_way = (each.differences[name][0] for each in (first, second))
            assert negated(one_way.difference) == pytest.approx(tuple(other_way.difference), nan_ok=True)


def negated(estimate: Any) -> tuple[float, ...]:
    value, low, high, *counts = estimate
    return (-value, -high, -low, *counts)
