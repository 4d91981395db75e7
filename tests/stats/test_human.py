"""Human accuracy against enumeration, scipy and the published figure."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossexam.stats.human import human_accuracy, vote_counts


def test_votes_are_counted_by_label() -> None:
    names = [["entailment", "neutral", "neutral"], ["contradiction", "-"], []]
    assert vote_counts(names).tolist() == [[1, 2, 0], [0, 0, 1], [0, 0, 0]]
    assert vote_counts([]).shape == (0, 3)


votes = st.lists(
    st.tuples(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), st.integers(0, 2)),
    min_size=2,
    max_size=8,
)


@given(votes)
def test_expected_human_accuracy_is_the_mean_over_all_draws(items: list[tuple[list[int], int]]) -> None:
    counts, gold = [row for row, _ in items], [label for _, label in items]
    found = human_accuracy(counts, gold)
    every_vote = [[k == label for k, n in enumerate(row) for _ in range(n)] for row, label in items]
    shares = [np.mean(row) for row in every_vote]
    assert found.expected.value == pytest.approx(np.mean(shares))
    assert found.drawn.value in {right / len(items) for right in range(len(items) + 1)}
    if np.std(shares) > 0:
        low, high = stats.t.interval(0.95, len(items) - 1, np.mean(shares), stats.sem(shares))
        assert found.expected.low <= max(0, low) + 1e-9
        assert found.expected.high >= min(1, high) - 1e-9


def test_a_draw_is_one_annotator_of_each_item() -> None:
    sure = human_accuracy([[5, 0, 0], [0, 0, 5], [0, 5, 0]], [0, 2, 0])
    assert (sure.drawn.value, sure.expected.value) == (2 / 3, 2 / 3)
    counts, gold = [[3, 1, 1]] * 4000, [0] * 4000
    first = human_accuracy(counts, gold, seed=1)
    assert first == human_accuracy(counts, gold, seed=1)
    assert first.drawn != human_accuracy(counts, gold, seed=2).drawn
    assert first.drawn.value == pytest.approx(
        3 / 5, abs=4 * (0.6 * 0.4 / 4000) ** 0.5
    )  # four standard errors
    assert human_accuracy(counts, [1] * 4000).drawn.value == pytest.approx(1 / 5, abs=0.03)


def test_human_accuracy_counts_by_cluster() -> None:
    counts, gold = [[5, 0, 0], [3, 2, 0], [4, 1, 0], [1, 2, 2], [4, 0, 1]], [0] * 5
    once = human_accuracy(counts, gold).expected
    twice = human_accuracy(counts * 2, gold * 2, [*range(5), *range(5)]).expected  # says nothing new
    assert (twice.value, twice.low, twice.high) == pytest.approx((once.value, once.low, once.high))
    assert (twice.n, twice.clusters) == (10, 5)
    assert human_accuracy(counts * 2, gold * 2).expected.low > once.low
    assert human_accuracy(counts, gold, ["x"] * 5).expected == (once.value, 0.0, 1.0, 5, 1)


def test_human_accuracy_of_nothing_and_of_mismatches() -> None:
    nothing = human_accuracy(np.zeros((0, 3)), [])
    assert isnan(nothing.expected.value)
    assert nothing.drawn[1:] == (0.0, 1.0, 0, 0)
    with pytest.raises(ValueError, match="item 1 has no votes"):
        human_accuracy([[1, 0, 0], [0, 0, 0]], [0, 0])
    with pytest.raises(ValueError, match="votes on 1 items for 2 gold labels"):
        human_accuracy([[1, 0, 0]], [0, 0])


def test_human_accuracy_on_snli_dev_is_the_papers(shared_data: Path) -> None:
    """Nie et al. 2019, Table 5: 88.32 on SNLI dev whole, by one draw; half a point is allowed."""
    from crossexam.core.example import cluster_of
    from crossexam.core.labels import LABEL_INDEX
    from crossexam.corpora.spec import read_corpus

    examples = read_corpus(shared_data / "snli" / "snli_1.0_dev.jsonl").examples
    counts = vote_counts([example.info["annotator_labels"] for example in examples])
    gold = [LABEL_INDEX[example.label] for example in examples if example.label]
    found = human_accuracy(counts, gold, [cluster_of(example) for example in examples])
    assert abs(100 * found.expected.value - 88.32) < 0.5
    assert abs(100 * found.drawn.value - 88.32) < 0.5


@pytest.mark.parametrize("votes", [[[5, 0, 0]] * 30, [[5, 0, 0]] * 29 + [[4, 1, 0]]])
def test_annotators_who_hardly_ever_err_may_err_on_the_next_item(votes: list[list[int]]) -> None:
    """Of 30 items with the same votes, the variance is 0, and with one other vote it is small."""
    found = human_accuracy(votes, [0] * 30).expected
    shares = [row[0] / 5 for row in votes]
    assert found.value == pytest.approx(np.mean(shares))
    assert found.low < np.mean(shares) - 2.1 * stats.sem(shares)
    assert 1 - found.low > 0.02
