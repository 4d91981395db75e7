"""What holds of the measures of any run: sums, pairs, names and order, and the exchange of two models."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_runs import NO_ANSWER, UNPAIRED, Item, Renaming, few, items, run

from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import TestSetResult, measure
from crossexam.evaluation.probability_comparison import probability_comparisons
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import paired_difference


def measured(*args: Any, **changed: Any) -> tuple[TestSetResult, ...]:
    return measure(run(*args, **changed), max_unanswered=1.0)


def numbers(results: Sequence[TestSetResult], *, by_label: bool = True) -> dict[str, Any]:
    """Return the numbers of *results*, without those *by_label* if labels were exchanged."""
    fields = ["n", "unlabelled", "accuracy", "base_accuracy", "drop", "p_value", "p_mid", "p_holm",
              "minimum_detectable_drop", "flip_rate", "mcnemar", "effective_pairs"]  # fmt: skip
    fields += ["confusion", "false_neutral_share", "false_entailment_share"] if by_label else []
    found: dict[str, Any] = {}
    for result in results:
        for field in fields:
            value = getattr(result, field)
            parts = value if isinstance(value, tuple) else (value,)
            found |= {f"{result.name} {field} {k}": part for k, part in enumerate(np.ravel(parts))}
        found[f"{result.name} wrong"] = sum(result.errors.values())
    return {key: None if value is None or isnan(value) else value for key, value in found.items()}


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    assert one.keys() == other.keys()
    wrong = {
        key: (value, other[key])
        for key, value in one.items()
        if value != other[key]
        and (None in (value, other[key]) or value != pytest.approx(other[key], abs=1e-9))
    }
    assert not wrong


@few
@given(items)
@example(UNPAIRED)
@example(NO_ANSWER)
def test_accuracy_and_errors_are_one_and_base_minus_drop_the_accuracy(given_items: list[Item]) -> None:
    """The latter of the pairs with gold labels and answers on both sides, by counting."""
    results = measured(given_items)
    for each in results:
        if each.n:
            assert each.accuracy.value + sum(each.errors.values()) / each.n == pytest.approx(1)
            right = sum(each.confusion[k][k] for k in range(3))
            assert (each.accuracy.value, each.n) == pytest.approx((right / each.n, np.sum(each.confusion)))
    pairs = [
        (each.base_answers[0] == each.base_gold, each.answers[0] == each.gold)
        for each in given_items
        if each.has_base and None not in (each.gold, each.base_gold, each.answers[0], each.base_answers[0])
    ]
    result = results[1]
    if not pairs:
        assert result.drop is None or isnan(result.drop.value) or result.only_bounds
        return
    before, after = (sum(side) / len(pairs) for side in zip(*pairs, strict=True))
    assert (result.base_accuracy.value, result.drop.n) == pytest.approx((before, len(pairs)))
    assert result.base_accuracy.value - result.drop.value == pytest.approx(after)
    assert result.drop.value == pytest.approx((result.mcnemar.b - result.mcnemar.c) / len(pairs))
    if all(each.gold == each.base_gold for each in given_items):
        assert result.flip_rate.value >= abs(result.drop.value) - 1e-12


@few
@given(items, st.permutations(range(14)), st.sampled_from([lambda k: f"c{-k}", lambda k: "ebcda"[k]]))
@example(UNPAIRED, list(range(13, -1, -1)), lambda k: 7 - k)
def test_order_and_names_of_clusters_change_nothing(
    given_items: list[Item], order: list[int], cluster: Renaming
) -> None:
    there = numbers(measured(given_items))
    same(there, numbers(measured(given_items, order=[k for k in order if k < len(given_items)])))
    same(there, numbers(measured(given_items, cluster=cluster)))


@few
@given(items, st.sampled_from([*permutations(range(3))]))
@example(UNPAIRED, (2, 0, 1))
def test_names_of_labels_change_nothing(given_items: list[Item], turned: tuple[int, ...]) -> None:
    """Accuracies, drops and tests are the same if gold labels and answers are renamed together."""
    there, here = measured(given_items), measured(given_items, turned=turned)
    same(numbers(there, by_label=False), numbers(here, by_label=False))
    for one, other in zip(there, here, strict=True):
        table = np.array(one.confusion)
        back = np.array(other.confusion)[np.ix_(turned, turned)] if len(other.confusion) else table
        assert table.tolist() == back.tolist()


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


@few
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 4)), min_size=1, max_size=20))
@example([(True, False, 0), (False, False, 0)])
def test_merging_items_into_clusters_never_narrows(rows: list[tuple[bool, bool, int]]) -> None:
    """Merging two clusters of several items may: errors of one can make up for those of the other."""
    one, other, clusters = zip(*rows, strict=True)
    for estimate, given_flags in ((share_correct, (one,)), (paired_difference, (one, other))):
        apart, merged = (estimate(*given_flags, each) for each in (None, clusters))
        assert merged.value == apart.value
        assert merged.high - merged.low >= apart.high - apart.low - 1e-12
