"""What holds of the comparison of any two runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from random_runs import NO_ANSWER, UNPAIRED, Item, few, items, run

from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.probability_comparison import probability_comparisons


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
