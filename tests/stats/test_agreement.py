"""Agreement of annotators, and their accuracy, against published examples and second implementations."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, sem, t
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from crossexam.stats.agreement import (
    cohen_kappa,
    fleiss_kappa,
    human_accuracy,
    krippendorff_alpha,
    vote_counts,
    votes_of,
)
from made.cases import refused

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, C: 4 observers, 12 units, 0: missing; 0.743
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=20))
def test_fleiss_kappa_is_statsmodels(rows: list[list[int]]) -> None:
    counts = votes_of(rows, 4)
    found = fleiss_kappa(counts).value
    if (counts.any(axis=0)).sum() == 1:
        assert isnan(found)
    else:
        assert found == pytest.approx(statsmodels_kappa(counts, method="fleiss"))


def test_krippendorffs_alpha_is_the_published_one() -> None:
    found = krippendorff_alpha(votes_of(np.transpose(KRIPPENDORFF) - 1, 5))
    assert round(found.value, 3) == 0.743
    assert found.n == 11  # the last unit has one value, which pairs with none


def test_the_interval_is_that_of_a_jackknife() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, (40, 3))
    rows[:20, 1] = rows[:20, 0]  # disagreement alone would be wider if they agreed by chance
    for statistic in (fleiss_kappa, krippendorff_alpha):
        found = statistic(votes_of(rows, 3))
        without = np.array([statistic(votes_of(np.delete(rows, k, axis=0), 3)).value for k in range(40)])
        half = t.ppf(0.975, 39) * (39 * without.var()) ** 0.5
        assert found.high - found.value == pytest.approx(half, rel=0.1)


def test_cohens_kappa_is_that_of_statsmodels_with_t() -> None:
    pairs = np.random.default_rng(4).choice(9, size=60, p=np.array([6, 1, 1, 1, 4, 1, 1, 1, 4]) / 20)
    one, other = pairs // 3, pairs % 3
    found = cohen_kappa(one, other)
    theirs = cohens_kappa(np.bincount(pairs, minlength=9).reshape(3, 3))
    assert found.value == pytest.approx(theirs.kappa)
    spread = (found.high - found.value) / t.ppf(0.975, 59) * norm.ppf(0.975) / (60 / 59) ** 0.5
    assert spread == pytest.approx((theirs.kappa_upp - theirs.kappa_low) / 2, rel=1e-6)
    twice = cohen_kappa(np.repeat(one, 2), np.repeat(other, 2), np.arange(120) // 2)
    assert twice[:3] == pytest.approx(found[:3], abs=0.005)  # the second item of a cluster says nothing new


def test_expected_human_accuracy_is_the_mean_over_all_votes() -> None:
    """The accuracy on SNLI dev, which Nie et al. 2019 state, is in docs/studies/compositionality.md."""
    rng = np.random.default_rng(2)
    counts, gold = rng.integers(1, 6, (40, 3)), rng.integers(0, 3, 40)
    shares = counts[np.arange(40), gold] / counts.sum(axis=1)
    found = human_accuracy(counts, gold).expected
    assert found.value == pytest.approx(shares.mean())
    assert found[1:3] == pytest.approx(t.interval(0.95, 39, shares.mean(), sem(shares)))


def test_a_draw_is_one_annotator_of_each_item() -> None:
    counts, gold = [[3, 1, 1]] * 4000, [0] * 4000
    first = human_accuracy(counts, gold, seed=1)
    assert first == human_accuracy(counts, gold, seed=1)
    assert first.drawn != human_accuracy(counts, gold, seed=2).drawn
    assert first.drawn.value == pytest.approx(3 / 5, abs=4 * (0.6 * 0.4 / 4000) ** 0.5)
    assert human_accuracy(counts[:5], gold[:5], ["x"] * 5).expected == (0.6, 0.0, 1.0, 5, 1)  # one cluster


def test_annotators_who_use_one_label_and_no_votes() -> None:
    for statistic in (fleiss_kappa, krippendorff_alpha):
        same = statistic([[2, 0], [2, 0]])
        assert isnan(same.value)
        assert same[1:] == (-1.0, 1.0, 2, 2)
        assert statistic(np.zeros((0, 2)))[1:] == (-1.0, 1.0, 0, 0)
        assert statistic([[1, 1]])[1:] == (-1.0, 1.0, 1, 1)  # of one item nothing is known
    assert isnan(cohen_kappa([1, 1], [1, 1]).value)
    nothing = human_accuracy(vote_counts([]), [])
    assert isnan(nothing.expected.value)
    assert nothing.drawn[1:] == (0.0, 1.0, 0, 0)


def test_other_votes_and_mismatches_are_refused() -> None:
    for says, call, *given_ in (
        ("krippendorff_alpha accepts any", fleiss_kappa, [[2, 0], [3, 0]]),
        ("two or more votes per item, not 1", fleiss_kappa, [[1, 0], [0, 1]]),
        ("votes must be a table of counts", krippendorff_alpha, [[1, -1]]),
        ("from 0 to 2 or -1", votes_of, [[0, 3]], 3),
        ("cannot compare 2 labels with 3", cohen_kappa, [0, 1], [0, 1, 2]),
        ("item 1 has no votes", human_accuracy, [[1, 0, 0], [0, 0, 0]], [0, 0]),
    ):
        assert says in refused(ValueError, call, *given_)
